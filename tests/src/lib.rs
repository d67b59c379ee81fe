//! The conformance suite: what every backend and every adapter is held to.
#![forbid(unsafe_code)]

#[cfg(doctest)]
mod book;
pub mod browser;
pub mod device;
pub mod golden;
pub mod product;
pub mod random;
