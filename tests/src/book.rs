//! The book's programs, compiled and run as documentation tests: each `rust` block of a chapter that
//! names no file.

/// The language.
#[doc = include_str!("../../docs/language.md")]
pub mod language {}
