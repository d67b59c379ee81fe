//! Elementwise operators: one `#[device]` function each, one line in the table below. Fused into
//! regions when a graph is compiled.

pub mod activation;
pub mod arithmetic;

use rlx_kernels::ElementwiseOp;

rlx_kernels::elementwise_ops! {
    /// Every elementwise operator.
    pub static OPS = [
        arithmetic::add,
        arithmetic::mul,
        activation::silu,
        activation::gelu,
        activation::gelu_tanh,
    ];
}

/// The operator of a name, such as `silu`.
pub fn op(name: &str) -> Option<&'static ElementwiseOp> {
    OPS.iter().find(|op| op.name == name)
}
