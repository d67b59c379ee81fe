//! `f16` on a device, against the same body compiled by rustc.

use rlx_backends::wgpu::{Context, ContextOptions, DeviceError};
use rlx_kernels::prelude::*;
use rlx_kernels::{Features, kernel::BindingSet};

use crate::every_device;

/// A half, as a const.
#[device]
const QUARTER: f16 = f16::from_f32_const(0.25);

/// A struct with halves, in variables.
#[device]
#[derive(Clone, Copy)]
pub struct Halves {
    one: f16,
    two: Vec2<f16>,
}

/// Sums, products, comparisons and what rounds exactly.
#[device]
pub fn halves(a: f16, b: f16) -> f16 {
    let pair = Halves {
        one: a * b + QUARTER,
        two: vec2(a, b) * f16::from_f32(2.0) - f16::from_f32(-0.5),
    };
    let mut all = [a, b, pair.one];
    all[1] += pair.two.x;
    all[2] -= f16::EPSILON * f16::from_f32(256.0);
    let largest = if all[0] < all[1] { all[1] } else { all[0] };
    let bounded = largest.clamp(f16::from_f32(-1000.0), f16::from_f32(1000.0));
    let whole = (a.to_f32() * 3.0).floor();
    bounded.floor() + all[2].abs().min(f16::MAX) + f16::from_f32(whole) + pair.two.y.trunc()
}

/// Vectors of halves.
#[device]
pub fn half_vectors(v: Vec4<f16>) -> Vec4<f16> {
    let w = to_f16(to_f32(v) * 0.5);
    let sum = dot(v, vec4(f16::ONE, f16::ZERO, f16::ZERO, f16::ONE));
    (w.max(-w) + v.floor()) * sum
}

/// Slices, params, workgroup memory and arrays of halves.
#[kernel(workgroup_size(64), threads(n))]
fn over_halves(
    x: &[f16],
    v: &[Vec4<f16>],
    y: &mut [f16],
    z: &mut [Vec4<f16>],
    first: f16,
    by: Vec2<f16>,
    n: u32,
    last: f16,
) {
    #[workgroup]
    let tile: [f16; 64];
    let i = global_index();
    let at = local_index();
    tile[at] = if i < n { x[i] } else { f16::ZERO };
    workgroup_barrier();
    if i < n {
        y[i] = halves(tile[at], x[(i + 1) % n]) + first * by.x + last * by.y;
        z[i] = half_vectors(v[i]);
    }
}

/// Quarters, so that every product and sum is exact, contracted or not.
fn numbers(len: usize) -> Vec<f16> {
    (0..len)
        .map(|i| f16::from_f32(((i * 37) % 49) as f32 / 4.0 - 6.0))
        .collect()
}

#[test]
fn halves_give_rustcs_bits_in_slices_params_structs_and_workgroup_memory() {
    for gpu in every_device() {
        let n = 200;
        let x = numbers(n);
        let v: Vec<_> = numbers(4 * n)
            .chunks(4)
            .map(|v| vec4(v[0], v[1], v[2], v[3]))
            .collect();
        let (first, by, last) = (
            f16::from_f32(1.5),
            vec2(f16::from_f32(2.0), f16::from_f32(-4.0)),
            f16::from_f32(0.125),
        );
        let (xs, vs) = (
            gpu.upload(&x).expect("it uploads"),
            gpu.upload(&v).expect("it uploads"),
        );
        let mut y = gpu.alloc::<f16>(n as u64).expect("it allocates");
        let mut z = gpu.alloc::<Vec4<f16>>(n as u64).expect("it allocates");
        let run = over_halves::launch(&xs, &vs, &mut y, &mut z, first, by, n as u32, last);
        gpu.run(&run.expect("a grid")).expect("it runs");
        let y = gpu.download(&y).expect("it downloads");
        let z = gpu.download(&z).expect("it downloads");
        for i in 0..n {
            let wanted = halves(x[i], x[(i + 1) % n]) + first * by.x + last * by.y;
            assert_eq!(y[i], wanted, "y[{i}] of {}", x[i]);
            assert_eq!(z[i], half_vectors(v[i]), "z[{i}] of {:?}", v[i]);
        }
    }
}

#[test]
fn a_kernel_with_halves_enables_them_in_both_headers_and_needs_the_feature() {
    let info = over_halves::info();
    assert_eq!(info.features.describe(), "f16");
    let web = info
        .wgsl_for_web(BindingSet::NONE)
        .expect("there are browsers with halves");
    for wgsl in [info.wgsl(BindingSet::NONE), web] {
        assert!(wgsl.starts_with("enable f16;\n"), "{wgsl}");
    }
    let offsets: Vec<_> = info.params.iter().map(|field| field.offset).collect();
    assert_eq!((offsets, info.params_size), (vec![0, 4, 8, 12], 16));
}

#[test]
fn a_device_without_halves_refuses_the_kernel_by_name() {
    let options = ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    };
    let plain = Context::new(&options).expect("an adapter");
    let x = plain.upload(&numbers(4)).expect("it uploads");
    let v = plain.upload(&[vec4(f16::ONE, f16::ONE, f16::ONE, f16::ONE)]);
    let v = v.expect("it uploads");
    let mut y = plain.alloc::<f16>(4).expect("it allocates");
    let mut z = plain.alloc::<Vec4<f16>>(1).expect("it allocates");
    let zero = f16::ZERO;
    let run = over_halves::launch(&x, &v, &mut y, &mut z, zero, vec2(zero, zero), 1, zero);
    match plain.run(&run.expect("a grid")) {
        Err(DeviceError::Features { kernel, needed, .. }) => {
            assert_eq!(kernel, "over_halves");
            assert_eq!(
                needed,
                Features {
                    f16: true,
                    ..Features::NONE
                }
            );
        }
        other => panic!("{other:?}"),
    }
}

/// The rounding of each function stays within what WGSL allows.
#[kernel(workgroup_size(64), threads(n))]
fn functions_of_halves(x: &[f16], y: &mut [f16], n: u32) {
    let i = global_index();
    if i < n {
        let v = x[i];
        y[i * 4] = v.sqrt();
        y[i * 4 + 1] = v.exp2();
        y[i * 4 + 2] = v.sin();
        y[i * 4 + 3] = v.mul_add(v, f16::ONE).powf(f16::from_f32(0.5));
    }
}

#[test]
fn functions_of_halves_are_as_accurate_as_wgsl_asks() {
    for gpu in every_device() {
        let x: Vec<_> = (0..64).map(|i| f16::from_f32(i as f32 / 32.0)).collect();
        let input = gpu.upload(&x).expect("it uploads");
        let mut y = gpu.alloc::<f16>(256).expect("it allocates");
        let run = functions_of_halves::launch(&input, &mut y, 64).expect("a grid");
        gpu.run(&run).expect("it runs");
        let y = gpu.download(&y).expect("it downloads");
        for (x, y) in x.iter().map(|x| f64::from(*x)).zip(y.chunks(4)) {
            let wanted = [x.sqrt(), x.exp2(), x.sin(), (x * x + 1.0).sqrt()];
            for (found, wanted) in y.iter().zip(wanted) {
                // The largest of WGSL's bounds here: `sin` within 2^-7; `exp2` of 2 by one unit of 4.
                assert!(
                    (f64::from(*found) - wanted).abs() <= 1.0 / 128.0,
                    "{found} for {wanted} of {x}"
                );
            }
        }
    }
}
