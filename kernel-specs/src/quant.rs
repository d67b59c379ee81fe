//! Kernels that decode weights.

pub mod dequantise;
pub mod quantise_int8;
