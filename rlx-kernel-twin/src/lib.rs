//! The CPU twin of a kernel.
//!
//! A kernel is lowered from its typed IR to a [`Program`]: structured instructions over registers,
//! each with its place in the author's source, in a compact encoding that a compiled kernel carries.
//! [`run()`] interprets it in lockstep: all invocations of a workgroup execute an instruction
//! together, over lanes, so that a barrier in divergent flow is a mask that is not full. Memory has
//! a shadow that knows who wrote and who read; what is wrong becomes a [`Finding`] at the line of
//! Rust that did it.
#![forbid(unsafe_code)]

pub mod float;
pub mod formula;
pub mod program;

#[cfg(feature = "machine")]
pub mod finding;
#[cfg(feature = "machine")]
mod machine;
#[cfg(feature = "machine")]
mod memory;
#[cfg(feature = "machine")]
pub mod options;
#[cfg(feature = "machine")]
pub mod report;
#[cfg(feature = "machine")]
pub mod run;
#[cfg(feature = "machine")]
mod schedule;

pub use program::{DecodeError, Decoded, Program};

#[cfg(feature = "machine")]
pub use finding::{Check, Finding, Invocation};
#[cfg(feature = "machine")]
pub use options::{Level, Order, SimOptions};
#[cfg(feature = "machine")]
pub use report::{Bounds, Report, Trace, Undecided};
#[cfg(feature = "machine")]
pub use run::{Launch, RunError, Window, run};
