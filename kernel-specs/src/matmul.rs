//! Matrix products with packed weights.

pub mod dot;
pub mod gemv;
pub mod matmul_bt;
