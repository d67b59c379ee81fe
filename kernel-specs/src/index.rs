//! Kernels that look rows up.

pub mod gather_rows;
