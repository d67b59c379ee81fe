//! Functions of integers, written in the kernel language itself.

use rlx_kernel_macros::device;

/// The high 32 bits of the product of `a` and `b`.
#[device]
pub fn mul_hi(a: u32, b: u32) -> u32 {
    let low = (a & 0xffff) * (b & 0xffff);
    let first = (a >> 16) * (b & 0xffff) + (low >> 16);
    let second = (a & 0xffff) * (b >> 16) + (first & 0xffff);
    (a >> 16) * (b >> 16) + (first >> 16) + (second >> 16)
}
