//! Kernels that look rows up.

pub mod gather_rows;
pub mod paste_columns;
