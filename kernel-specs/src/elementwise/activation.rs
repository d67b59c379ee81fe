//! Activations.

use rlx_kernels::prelude::*;

/// x · σ(x) (Hendrycks and Gimpel, 2016)
#[device]
pub fn silu(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

/// GELU, exact: x · Φ(x), by [`erf`].
#[device]
pub fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * 0.707_106_77))
}

/// GELU by tanh: 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))).
#[device]
pub fn gelu_tanh(x: f32) -> f32 {
    // tanh is 1 to the last bit from 9.02 on; further out some drivers overflow inside.
    let inner = (0.797_884_56 * x * (1.0 + 0.044_715 * x * x)).clamp(-10.0, 10.0);
    0.5 * x * (1.0 + inner.tanh())
}

/// The error function: Abramowitz and Stegun 7.1.26, absolute error below 1.5e-7.
#[device]
pub fn erf(x: f32) -> f32 {
    let a = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * a);
    let poly = t
        * (0.254_829_6
            + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    let y = 1.0 - poly * (-a * a).exp();
    if x < 0.0 { -y } else { y }
}
