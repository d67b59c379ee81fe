//! Kernels that decode weights.

pub mod dequantise;
pub mod quantise_int8;
pub mod halve_rows;
