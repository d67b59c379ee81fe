//! The WGSL printer: text as an expert would write it, with a map from its bytes to spans.

mod expr;
mod extension;
mod function;
mod load;
mod matrix;
mod module;
mod name;
mod param;
mod stmt;
mod template;
mod text;
mod trace;

pub(crate) use extension::enabled;
pub use module::{Printed, print, print_functions};
pub(crate) use module::{element, print_all_structs, print_traced};
pub(crate) use stmt::MAX_UNROLL;
pub use text::{Marks, Text};
