//! Gemma 3: five layers in a window to each that sees all, norms before and after everything.

use rlx_core::RopeLayout;

use super::{Architecture, Local, Style};

/// Layers of which the last sees all.
const PERIOD: u32 = 6;

/// The base of the rotation in the other layers.
const LOCAL_BASE: f64 = 10_000.0;

/// Layers of the 27B model, whose queries are scaled by the width a head and not by the head's length.
const LAYERS_27B: u32 = 62;

/// Gemma Team, 2025. Files hold the weights of norms with the 1 already added.
pub(super) const GEMMA3: Architecture = Architecture {
    name: "gemma3",
    style: |hyper| Style {
        layout: RopeLayout::Halves,
        activation: "gelu_tanh",
        embedding_scale: Some((hyper.width as f32).sqrt()),
        head_norms: true,
        post_norms: true,
        attention_scale: if hyper.layers == LAYERS_27B {
            1.0 / (hyper.width as f32 / hyper.heads as f32).sqrt()
        } else {
            hyper.head_scale()
        },
        local: hyper.window.map(|window| Local {
            window,
            period: PERIOD,
            rope_base: LOCAL_BASE,
        }),
    },
};
