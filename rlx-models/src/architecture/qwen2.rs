//! Qwen2 and Qwen2.5: Llama with biases on queries, keys and values, which the file has or has not.

use rlx_core::RopeLayout;

use super::{Architecture, Style};

/// Yang et al., 2024.
pub(super) const QWEN2: Architecture = Architecture {
    name: "qwen2",
    style: |hyper| Style {
        layout: RopeLayout::Halves,
        activation: "silu",
        embedding_scale: None,
        head_norms: false,
        post_norms: false,
        attention_scale: hyper.head_scale(),
        local: None,
    },
};
