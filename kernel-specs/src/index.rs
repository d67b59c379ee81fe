//! Kernels that look rows up.

pub mod append_rows;
pub mod gather_rows;
pub mod paste_columns;
