//! Kernels written once as Rust functions.
//!
//! `#[kernel]` turns a function into a [`KernelInfo`] (WGSL that naga has validated, its bindings,
//! its params, its geometry) and a typed `launch`; this crate holds those types and the prelude that
//! kernels import. It knows neither graphs nor devices: a device's buffer is the `H` of
//! [`Buffer<T, H>`], and running a [`Dispatch`] is a backend's affair. Without any device, a kernel
//! runs on its CPU twin ([`mod@simulate`]), which searches it for bugs.
#![deny(unsafe_code)]

// The macros name this crate by its public name, here too.
extern crate self as rlx_kernels;

pub mod cost;
pub mod dispatch;
pub mod elementwise;
pub mod format;
pub mod geometry;
pub mod integer;
pub mod kernel;
pub mod math;
pub mod matrix;
pub mod number;
pub mod overrides;
pub mod prelude;
pub mod proof;
pub mod simulate;

pub mod traced;
pub mod uniform;
pub mod vector;

pub use half::f16;

pub use cost::Cost;
pub use dispatch::{Buffer, Dispatch, DispatchError, KernelRef};
pub use elementwise::ElementwiseOp;
pub use format::{Block, BlockFormat, FormatInfo, IntegerFormat, Packed};
pub use kernel::{Binding, Features, KernelInfo, NotOnTheWeb, ParamField, RequiredLimit, Table};
pub use matrix::{MatrixScalar, MatrixShape};
pub use overrides::Override;
pub use proof::{Proof, Requirement, Unproved};
pub use rlx_kernel_macros::{device, elementwise_ops, format, kernel};
pub use rlx_kernel_twin::{Check, Finding, Level, Order, Report, SimOptions};
pub use simulate::SimError;
pub use traced::{TraceSite, Traced};
pub use uniform::Uniform;

/// Shows a value of a kernel or a device function where the CPU twin runs it, with the invocation
/// and the line; and on a GPU where a run asks for it. Otherwise it is nothing there, and on the host.
#[macro_export]
macro_rules! trace {
    ($value:expr) => {
        let _ = &$value;
    };
}

/// What the macros' output names; no part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use bytemuck;
    pub use rlx_kernel_macros::{
        __define_device, __define_elementwise, __define_list, __expand_instances, __finish_kernel,
    };
    pub use std::borrow::Cow;

    /// A struct under `#[device(impl)]`.
    #[diagnostic::on_unimplemented(
        message = "kernels do not see this `impl`, because `{Self}` does not say that it has one",
        label = "write `#[device(impl)]` on the struct, or `#[device(impl Trait)]` for a trait's"
    )]
    pub trait HasDeviceImpl<const OF: u64> {}

    /// Stops the build where a device `impl` has no struct that fetches it.
    pub const fn has_device_impl<const OF: u64, T: HasDeviceImpl<OF>>() {}
}
