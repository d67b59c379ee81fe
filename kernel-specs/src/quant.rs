//! Kernels that decode weights.

pub mod dequantise;
