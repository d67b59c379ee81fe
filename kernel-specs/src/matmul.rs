//! Matrix products with packed weights.

pub mod dot;
pub mod gemv;
pub mod gemv_int8;
pub mod matmul_bt;
pub mod matmul_halves;
