//! What runs graphs: the [`Backend`] interface, the native [`cpu`] backend and the
//! [`wgpu`](mod@wgpu) backend.
#![deny(unsafe_code)]

pub mod backend;
pub mod cpu;
pub mod error;
pub mod signature;
pub mod tensor;
pub mod wgpu;

pub use backend::{Backend, Capabilities, CompileReport, Executable};
pub use cpu::CpuBackend;
pub use error::BackendError;
pub use signature::Signature;
pub use tensor::{Tensor, TensorData};
