//! Kernels that decode weights.

pub mod dequantise;
pub mod halve_rows;
pub mod quantise_int8;
