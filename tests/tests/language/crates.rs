//! Methods, consts and generic helpers of another crate, under names of the author's.

use super::{every_device, words};
use rlx_conformance::device::{self, Complex as C, halved as half};
use rlx_kernels::prelude::*;

/// All of it.
#[device]
pub fn foreign(x: u32) -> u32 {
    let mut z = C {
        re: (x & 255) as f32,
        im: ((x >> 8) & 255) as f32,
    };
    z.scale(2.0);
    let w = z.mul(C::I).mul(device::Complex::I);
    let sum = half::<f32, 3>(w.re) + device::halved::<f32, 1>(w.im);
    // Whole, and without the sign of zero, which a GPU may drop.
    (sum * 16.0) as i32 as u32
}

pure! {
    items_of_another_crate_give_rustcs_bits: foreign_kernel(foreign);
}
