//! The kernel IR: what a `#[kernel]` body means, independent of its tokens.
//!
//! A front end (the proc macros, or the region builder at graph compile time) makes a [`Module`];
//! [`compile()`] infers its types, specialises helpers for the bindings they are given, prints WGSL
//! with a map back to spans, and has naga validate the result. Every problem comes back as a
//! [`Diagnostic`] at a [`Span`] of the front end's.
#![forbid(unsafe_code)]

pub mod bounds;
pub mod builtin;
pub mod compile;
pub mod consteval;
pub mod cost;
pub mod diagnostic;
pub mod expr;
pub mod generic;
pub mod infer;
pub mod item;
pub mod layout;
pub mod limits;
pub mod lint;
mod literal;
pub mod matrix;
mod mend;
pub mod overrides;
pub mod param;
mod poison;
mod probe;
mod rounds;
pub mod span;
pub mod stmt;
pub mod trace;
pub mod twin;
pub mod types;
pub mod uniformity;
pub mod validate;
mod walk;
pub mod wgsl;

pub use builtin::Builtin;
pub use compile::{CompileOptions, Compiled, compile, compile_functions};
pub use diagnostic::Diagnostic;
pub use expr::{BinaryOp, Expr, ExprKind, UnaryOp};
pub use generic::{Argument, Bound, Generic};
pub use item::{
    Const, Field, FieldKind, Format, FormatConsts, Function, Integers, Item, ItemId, Kernel,
    KernelBinding, KernelParam, Local, LocalId, Module, OPEN, Origin, Parameter, Printed, Requires,
    Struct, Table, Trait, WorkgroupVar,
};
pub use overrides::{Override, WorkgroupFormulas};
pub use span::Span;
pub use stmt::{Block, Stmt};
pub use types::{Scalar, Source, Type};
