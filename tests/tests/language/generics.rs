//! Generic helpers.

use super::{every_device, words};
use rlx_kernels::prelude::*;

/// Linear interpolation, of any float.
#[device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    let half = T::from_f32(0.5);
    let middle = (a + b) * half;
    if t.abs() == half {
        middle
    } else {
        a + (b - a) * t
    }
}

#[device]
fn larger<T: Float>(x: [T; 2]) -> f32 {
    x[0].max(x[1]).to_f32()
}

/// Σ of an array of any length.
#[device]
fn sum_of<const N: usize>(x: [u32; N]) -> u32 {
    let mut sum = 0u32;
    for i in 0..N {
        sum = sum.wrapping_add(x[i] * (N - i));
    }
    sum
}

#[device]
fn filled<const N: usize>(x: u32) -> [u32; N] {
    let mut out = [x; N];
    out[N - 1] += 1;
    out
}

#[device]
fn shifted<const BY: u32>(x: u32) -> u32 {
    (x << BY) ^ twice::<3>(x)
}

#[device]
fn twice<const TIMES: u32>(x: u32) -> u32 {
    let mut y = x;
    for _ in 0..TIMES {
        y = y.wrapping_mul(2);
    }
    y
}

/// The elements that a kernel's own arrays have.
#[device]
const LEN: u32 = 5;

#[device]
fn first_of(x: [u32; LEN]) -> u32 {
    let y = [x[0]; LEN as usize];
    y[4]
}

/// All of it.
#[device]
pub fn generic(x: u32) -> u32 {
    let a = (x & 1023) as f32;
    let b = lerp(a, a + 3.0, 0.25) + lerp(1.0, a, 0.5);
    let c = larger([a, 17.0]);
    let mut sum = b.to_bits() ^ c.to_bits();
    sum ^= sum_of([x & 255, x >> 20, 7]) + sum_of([x & 15; 2]);
    sum ^= sum_of(filled::<6>(x & 1023));
    sum ^= shifted::<2>(x) ^ shifted::<5>(x) ^ first_of([x; 5]);
    sum
}

pure! {
    generic_helpers_give_rustcs_bits: generic_kernel(generic);
}

/// The weighted sum of a run of eight, in any format.
#[device]
fn run<F: BlockFormat>(b: Block<F>, i: u32, x: &[f32]) -> f32 {
    let v = F::decode8(b, i);
    let mut sum = 0.0;
    for j in 0..8 {
        sum += F::decode(b, i + j) * x[i + j] + (F::ELEMS / 32) as f32;
    }
    sum + last(b) + dot(v[0], v[1])
}

#[device]
fn last<F: BlockFormat>(b: Block<F>) -> f32 {
    F::decode(b, F::ELEMS - 1)
}

/// Bytes as they are.
#[format(name = "BYTE", ggml = 1001, elems = 32, bytes = 32, layout { q: [u8; 32] })]
impl BlockFormat for Byte {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.q(i) as f32
    }
}

/// Signed bytes, halved.
#[format(name = "SBYTE", ggml = 1002, elems = 64, bytes = 64, layout { q: [i8; 64] })]
impl BlockFormat for SignedByte {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.q(i) as f32 * 0.5
    }
}

/// Two formats in one kernel.
#[kernel(workgroup_size(32), threads(4))]
fn two_formats(a: &[Packed<Byte>], b: &[Packed<SignedByte>], x: &[f32], y: &mut [f32]) {
    let i = global_index();
    if i < 4 {
        y[i] = run(a.block(0), 8 * i, x) + run(b.block(1), 8 * i, x) * 1000.0;
    }
}

#[test]
fn one_helper_is_compiled_for_each_format_that_it_is_given() {
    for gpu in every_device() {
        let a: Vec<u8> = (0..32).collect();
        let b: Vec<u8> = (0..128).map(|i| (i * 37 % 256) as u8).collect();
        let x: Vec<f32> = (0..64).map(|i| (i % 7) as f32).collect();
        let wanted: Vec<f32> = (0..4)
            .map(|i| {
                run(Block::<Byte>::new(&a, 0), 8 * i, &x)
                    + run(Block::<SignedByte>::new(&b, 1), 8 * i, &x) * 1000.0
            })
            .collect();
        let a = gpu.upload_packed::<Byte>(&a).expect("it uploads");
        let b = gpu.upload_packed::<SignedByte>(&b).expect("it uploads");
        let x = gpu.upload(&x).expect("it uploads");
        let mut y = gpu.alloc::<f32>(4).expect("it allocates");
        let run = two_formats::launch(&a, &b, &x, &mut y).expect("a grid");
        gpu.run(&run).expect("it runs");
        assert_eq!(gpu.download(&y).expect("it downloads"), wanted);
        let wgsl = &two_formats::info().wgsl;
        assert!(wgsl.contains("fn run_byte("), "{wgsl}");
        assert!(wgsl.contains("fn run_sbyte("), "{wgsl}");
    }
}

/// One helper in both precisions.
#[kernel(workgroup_size(64), threads(n))]
fn both_precisions(x: &[f32], h: &[f16], y: &mut [f32], z: &mut [f16], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = lerp(x[i], 2.0, 0.25) + larger([h[i], f16::ONE]);
        z[i] = lerp(h[i], f16::from_f32(2.0), f16::from_f32(0.25));
    }
}

#[test]
fn one_helper_is_compiled_for_each_float_that_it_is_given() {
    for gpu in every_device() {
        let x: Vec<f32> = (0..64).map(|i| i as f32 * 0.5).collect();
        let h: Vec<f16> = x.iter().map(|x| f16::from_f32(*x)).collect();
        let n = x.len() as u32;
        let (a, b) = (gpu.upload(&x).expect("up"), gpu.upload(&h).expect("up"));
        let mut y = gpu.alloc::<f32>(64).expect("it allocates");
        let mut z = gpu.alloc::<f16>(64).expect("it allocates");
        let run = both_precisions::launch(&a, &b, &mut y, &mut z, n).expect("a grid");
        gpu.run(&run).expect("it runs");
        let wanted = x.iter().zip(&h);
        let wanted: Vec<f32> = wanted
            .map(|(x, h)| lerp(*x, 2.0, 0.25) + larger([*h, f16::ONE]))
            .collect();
        assert_eq!(gpu.download(&y).expect("down"), wanted);
        let wanted: Vec<f16> = h
            .iter()
            .map(|h| lerp(*h, f16::from_f32(2.0), f16::from_f32(0.25)))
            .collect();
        assert_eq!(gpu.download(&z).expect("down"), wanted);
    }
}
