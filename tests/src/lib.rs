//! The conformance suite: what every backend and every adapter is held to.
#![forbid(unsafe_code)]

pub mod attention;
pub mod backends;
pub mod barriers;
#[cfg(doctest)]
mod book;
pub mod browser;
pub mod cases;
pub mod decoder;
pub mod device;
pub mod devices;
pub mod experts;
pub mod golden;
pub mod product;
pub mod random;
pub mod tiny;
pub mod twin;
