//! Kernels that decode weights.

pub mod dequantise;
pub mod dequantise_f16;
pub mod halve_rows;
pub mod quantise_int8;
