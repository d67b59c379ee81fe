//! Llama and what is built like it: Llama 2 and 3, Mistral, SmolLM2.

use rlx_core::RopeLayout;

use super::{Architecture, Style};

/// Touvron et al., 2023. Its files have the rows of queries and keys in the order of adjacent pairs.
pub(super) const LLAMA: Architecture = Architecture {
    name: "llama",
    style: |hyper| Style {
        layout: RopeLayout::Adjacent,
        activation: "silu",
        embedding_scale: None,
        head_norms: false,
        post_norms: false,
        attention_scale: hyper.head_scale(),
        local: None,
    },
};
