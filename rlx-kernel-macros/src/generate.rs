//! From compiled IR to Rust.

pub mod cost;
pub mod device;
pub mod elementwise;
pub mod format;
pub mod host;
pub mod instances;
pub mod kernel;
pub mod lint;
pub mod list;
pub mod methods;
pub mod overrides;
pub mod params;
pub mod proof;
pub mod requires;
pub mod shared;
pub mod simulate;
pub mod swizzle;
pub mod tables;
pub mod text;
pub mod traced;
