//! What transformers do between products: positions, caches, attention.

#[allow(clippy::module_inception)]
pub mod attention;
pub mod rope;
