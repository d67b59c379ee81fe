//! The architectures, by the name that files give.

mod gemma3;
mod llama;
mod qwen2;
mod qwen3;

use rlx_core::RopeLayout;

use crate::hyper::HyperParameters;

/// A family of decoders.
#[derive(Clone, Copy, Debug)]
pub struct Architecture {
    /// `general.architecture` of its files.
    pub name: &'static str,
    /// What sets it apart.
    pub(crate) style: fn(&HyperParameters) -> Style,
}

/// What sets a family of decoders apart from the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Which elements of a head are rotated as a pair.
    pub layout: RopeLayout,
    /// The elementwise operator on the gate.
    pub activation: &'static str,
    /// What embeddings are multiplied with.
    pub embedding_scale: Option<f32>,
    /// Whether the heads of queries and keys have norms.
    pub head_norms: bool,
    /// Whether what attention and feed-forward give has norms.
    pub post_norms: bool,
    /// What products of queries and keys are multiplied with.
    pub attention_scale: f32,
    /// Layers that see a window alone, with a rotation of their own.
    pub local: Option<Local>,
}

/// Layers that see a window of the positions before them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    /// Positions, a row's own among them.
    pub window: u32,
    /// Of so many layers the last sees all.
    pub period: u32,
    /// The base of their rotation, which is never scaled.
    pub rope_base: f64,
}

/// Every architecture.
pub const ARCHITECTURES: &[Architecture] =
    &[llama::LLAMA, qwen2::QWEN2, qwen3::QWEN3, gemma3::GEMMA3];

/// The architecture of a name.
pub(crate) fn find(name: &str) -> Option<&'static Architecture> {
    ARCHITECTURES.iter().find(|each| each.name == name)
}

/// The names of all, for an error.
pub(crate) fn names() -> String {
    let names: Vec<&str> = ARCHITECTURES.iter().map(|each| each.name).collect();
    names.join(", ")
}
