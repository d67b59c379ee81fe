//! Qwen3: norms on the heads of queries and keys.

use rlx_core::RopeLayout;

use super::{Architecture, Style};

/// Yang et al., 2025.
pub(super) const QWEN3: Architecture = Architecture {
    name: "qwen3",
    style: |hyper| Style {
        layout: RopeLayout::Halves,
        activation: "silu",
        embedding_scale: None,
        head_norms: true,
        post_norms: false,
        attention_scale: hyper.head_scale(),
        local: None,
    },
};
