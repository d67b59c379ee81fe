//! Operations of integers, floats and vectors, against rustc's.

use rlx_kernels::prelude::*;

use crate::{every_device, words};

/// A table as a const.
#[device]
const PRIMES: [u32; 8] = [2, 3, 5, 7, 11, 13, 17, 19];

/// A table of vectors and one of tables.
#[device]
const CORNERS: [Vec2<u32>; 3] = [vec2(1, 2), vec2(3, 4), vec2(5, 6)];
#[device]
const GRID: [[i32; 3]; 2] = [[1, -2, 3], [-4, 5, -6]];

/// Consts of arrays, by constants and by variables.
#[device]
pub fn tables(x: u32) -> u32 {
    let corner = CORNERS[x % 3];
    let mut sum = PRIMES[3] + PRIMES[x % 8] * corner.x + CORNERS[1].y;
    let grid = GRID;
    for i in 0..3 {
        sum = sum.wrapping_add((GRID[x & 1][i] * grid[1][2 - i]) as u32);
    }
    sum
}

/// Methods of integers that WGSL has no function for.
#[device]
pub fn integer_operations(x: u32) -> u32 {
    let y = x.rotate_left(x % 67) ^ x.rotate_right(7) ^ (x + 1).rotate_left(0);
    let signed = (x as i32) >> 3;
    let by = (x % 13) as i32 + 1;
    let mut sum = y.abs_diff(x) ^ signed.abs_diff(by * 1000);
    sum ^= (x % 10_000).next_multiple_of(x % 61 + 1) << 3;
    sum ^=
        (x & (x - (x & 1))).is_power_of_two() as u32 + (1u32 << (x % 32)).is_power_of_two() as u32;
    sum ^= signed.rem_euclid(by) as u32 ^ signed.rem_euclid(-by) as u32;
    sum ^= (signed.signum() + 5) as u32;
    sum ^= mul_hi(x, y) ^ mul_hi(y | 0xffff_0000, 0xffff_ffff);
    sum ^= (x % 20).pow(7) ^ ((x % 7 + 3) * 2).pow(2) ^ (by - 7).pow(5) as u32 ^ x.pow(0);
    sum ^= first_leading_bit(x) ^ first_trailing_bit(x & 0xff) ^ first_leading_bit(signed) as u32;
    sum
}

/// Swizzles, masks and choices by component.
#[device]
pub fn vector_operations(x: u32) -> u32 {
    let v = vec4(x & 255, (x >> 8) & 255, (x >> 16) & 255, x >> 24);
    let w = v.wzyx() + v.xxyy();
    let mask = v.cmplt(w) & !v.yzwx().cmpeq(w);
    let chosen = select(v, w, mask);
    let two = chosen.zw() * v.xyz().yx();
    let whole = select(two, two.yx(), any(mask)) + vec2(1, 2);
    let low = v
        .min(w)
        .max(v.zwxy())
        .clamp(vec4(3, 3, 3, 3), vec4(200, 210, 220, 230));
    let all_of = all(v.xy().cmple(vec2(200, 200))) as u32 + 2 * (any(v.cmpgt(w)) as u32);
    let others = all(v.cmpne(w)) as u32 + 4 * (any(v.cmpge(vec4(250, 250, 250, 250))) as u32);
    whole.x * 3 + whole.y + low.x + low.y * 5 + low.zzw().z + all_of * 1000 + others * 10_000
}

/// Components by number, read and written.
#[device]
pub fn components(x: u32) -> u32 {
    let mut v = vec4(x, x >> 7, x >> 13, x >> 21);
    let mut w = vec2(x as f32, 0.5);
    let mut sum = vec3(1, 2, 3)[x % 3];
    for i in 0..4 {
        v[i] = v[3 - i] ^ (v[(x + i) % 4] << 1);
        sum += v[i] / 8;
    }
    w[x % 2] += 1.0;
    sum ^ (w[0] + w[1] * 3.0).to_bits()
}

/// The rounding that Rust means, which is exact.
#[device]
pub fn roundings(x: u32) -> u32 {
    let a = ((x % 4001) as f32 - 2000.0) * 0.125;
    let v = vec2(a, -a * 3.0).round() + vec2(a, a).fract() * 8.0;
    let whole = (a + 0.5).round();
    let half = f16::from_f32((x % 65) as f32 * 0.25 - 8.0).round();
    whole.to_bits() ^ a.fract().to_bits() ^ v.x.to_bits() ^ v.y.to_bits() ^ half.to_f32().to_bits()
}

/// Fractions and exponents, and vectors as integers.
#[device]
pub fn parts_of_numbers(x: u32) -> u32 {
    let a = ((x % 8001) as f32 - 4000.0) * 0.0625;
    let v = vec3(a, a * -300.0, 1.0 / (1 << (x % 29)) as f32);
    let fractions = frexp_fract(v);
    let exponents = frexp_exp(v);
    let whole = to_i32(v * 2.0 + 0.5);
    let clipped = to_u32(vec2(v.z * 100.0, 7.75)) + to_u32(whole.xy().abs());
    let back = ldexp(frexp_fract(a), frexp_exp(a)) == a;
    (fractions.x + fractions.y * 2.0 + fractions.z).to_bits()
        ^ (exponents.x * 31 + exponents.y * 7 + exponents.z) as u32
        ^ ((whole.x ^ whole.y ^ whole.z) as u32) << 3
        ^ (clipped.x + clipped.y) << 9
        ^ (back as u32) << 30
}

/// Fields of bits of signed numbers and vectors, sums that stop at the end, and what divides what.
#[device]
pub fn fields_of_bits(x: u32) -> u32 {
    let signed = (x as i32) >> 2;
    let at = x % 37;
    let many = (x >> 8) % 40;
    let mut sum = extract_bits(signed, at, many) as u32;
    sum ^= insert_bits(signed, 0x55, at, many) as u32;
    let v =
        extract_bits(vec3(x, x >> 3, !x), 5, 9) + insert_bits(vec3(x, 1, 2), vec3(7, x, 3), 4, 11);
    let w = extract_bits(vec2(signed, -signed), at, 6);
    sum ^= v.x ^ v.y ^ v.z ^ (w.x * 3) as u32 ^ (w.y * 5) as u32;
    sum ^= x.saturating_add(x << 1).saturating_sub(x >> 1) ^ at.saturating_sub(many);
    sum ^ signed.unsigned_abs() ^ (x.is_multiple_of(many + 1) as u32)
}

/// Numbers and vectors in both orders, a mixture by one number, and what is exact of 1 / x.
#[device]
pub fn numbers_with_vectors(x: u32) -> u32 {
    let a = (x % 1001) as f32 * 0.25;
    let v = vec3(a, a + 1.0, 8.0);
    let w = (1.0 - v) + (v - 1.0) * 0.5 + 2.0 * v + (0.5 + v);
    let quarter = mix(v, w, 0.25) + mix(w, v, vec3(0.5, 0.25, 1.0));
    let small = 64.0 / vec2(1.0, (1 << (x % 5)) as f32) + vec2(4.0, 0.5).recip() + (2.0f32).recip();
    let ints = 7 - vec2(x % 5, x % 3) + (100 / vec2(x % 7 + 1, 3));
    (quarter.x + quarter.y * 2.0 + quarter.z).to_bits()
        ^ (small.x + small.y).to_bits()
        ^ ints.x
        ^ (ints.y << 9)
}

/// Powers whose exponents are variables of unrolled loops.
#[device]
pub fn unrolled_powers(x: u32) -> u32 {
    let base = x % 7 + 2;
    let half = (1 << (x % 4)) as f32 * 0.5;
    let mut sum = 0;
    let mut total = 0.0;
    #[unroll]
    for e in 0..4 {
        sum ^= base.pow(e) << (e * 3);
        #[unroll]
        for f in (0..=2).step_by(2) {
            if f < e {
                sum ^= (base + e).pow(2 * (e - f)) << f;
            }
            total += half.powi((e + f) as i32);
        }
    }
    sum ^ total.to_bits()
}

pure! {
    fields_of_bits_give_rustcs_bits: fields_of_bits_kernel(fields_of_bits);
    numbers_with_vectors_give_rustcs_bits: numbers_with_vectors_kernel(numbers_with_vectors);
    powers_of_an_unrolled_loops_variable_give_rustcs_bits: unrolled_powers_kernel(unrolled_powers);
    tables_in_consts_give_rustcs_bits: tables_kernel(tables);
    integer_operations_give_rustcs_bits: integer_operations_kernel(integer_operations);
    vector_operations_give_rustcs_bits: vector_operations_kernel(vector_operations);
    parts_of_numbers_give_rustcs_bits: parts_of_numbers_kernel(parts_of_numbers);
    components_by_number_are_rustcs: components_kernel(components);
    roundings_give_rustcs_bits: roundings_kernel(roundings);
}

/// Functions of floats and their vectors.
#[device]
pub fn float_operations(a: f32, b: f32) -> [f32; 16] {
    let v = vec3(a, b, 0.5);
    let w = vec3(b, 1.0 - a, 2.0);
    let n = normalize(w);
    let r = reflect(v, n);
    let t = refract(normalize(v), n, 0.75);
    let f = face_forward(v, w, n);
    let m = mix(v, w, Vec3::splat(0.25))
        + step(v, w)
        + smoothstep(Vec3::splat(0.0), Vec3::splat(2.0), v);
    [
        length(v),
        distance(v, w),
        n.y,
        r.x + r.y + r.z,
        t.x + t.y + t.z,
        f.z,
        m.x + m.y + m.z,
        saturate(a - 0.5) + saturate(v).y,
        ldexp(a, 3) + ldexp(b, -2),
        a.powi(3) + v.powi(2).x + b.powi(7) + (a + 1.0).powi(-2),
        a.asinh() + (a + 1.0).acosh() + (a * 0.4).atanh(),
        a.to_degrees() + b.to_radians(),
        mix(a, b, 0.75) + step(a, b) + smoothstep(0.0, 2.0, b),
        v.sqrt().x + v.exp().y + v.sin().z,
        v.zxy().mul_add(w, v).x,
        dot(v.xy(), w.yz()),
    ]
}

#[kernel(workgroup_size(64), threads(n))]
fn over_floats(x: &[f32], y: &mut [[f32; 16]], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = float_operations(x[i], x[(i + 1) % n]);
    }
}

#[test]
fn float_operations_are_as_accurate_as_wgsl_asks() {
    for gpu in every_device() {
        let n = 64_usize;
        let x: Vec<f32> = (0..n)
            .map(|i| ((i * 29) % 64) as f32 / 32.0 + 0.01)
            .collect();
        let input = gpu.upload(&x).expect("it uploads");
        let mut y = gpu.alloc::<[f32; 16]>(n as u64).expect("it allocates");
        let run = over_floats::launch(&input, &mut y, n as u32).expect("a grid");
        gpu.run(&run).expect("it runs");
        for (i, found) in gpu.download(&y).expect("it downloads").iter().enumerate() {
            let wanted = float_operations(x[i], x[(i + 1) % n]);
            for (row, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                // The loosest of WGSL's bounds here is that of `sin`, 2^-11 at most.
                let bound = 1e-3 * wanted.abs().max(1.0);
                assert!(
                    (found - wanted).abs() <= bound,
                    "row {row} of {}: {found} for {wanted}",
                    x[i]
                );
            }
        }
    }
}

/// `as` between all scalar types that have it.
#[device]
pub fn all_casts(x: u32) -> [u32; 13] {
    let truth = x & 1 == 1;
    let i = (x as i32) >> 8;
    let f = (x >> 8) as f32;
    let wide = (i as i64) * 3 + (truth as i64);
    let long = ((f as u64) * 5).wrapping_add((i as u64) ^ (truth as u64));
    [
        wide as u32,
        long as i32 as u32,
        (long >> 9) as f32 as u32,
        (wide as f32) as i32 as u32,
        (wide as u64 >> 32) as u32,
        truth as i32 as u32,
        ((long as i64) >> 40) as u32,
        (i as u64 >> 7) as u32,
        ((i as f32) as i64 >> 3) as u32,
        (f as u64 * 7) as u32,
        (f as i64 - 5) as i32 as u32,
        ((x as u64) << 20 >> 11) as u32,
        (x as i64 >> 9) as u32,
    ]
}

#[kernel(workgroup_size(64), threads(n))]
fn over_casts(x: &[u32], y: &mut [[u32; 13]], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = all_casts(x[i]);
    }
}

#[test]
fn casts_between_all_widths_give_rustcs_bits() {
    for gpu in every_device() {
        let x = words(1000);
        let input = gpu.upload(&x).expect("it uploads");
        let mut y = gpu.alloc::<[u32; 13]>(1000).expect("it allocates");
        let run = over_casts::launch(&input, &mut y, 1000).expect("a grid");
        gpu.run(&run).expect("it runs");
        for (x, found) in x.iter().zip(gpu.download(&y).expect("it downloads")) {
            assert_eq!(found, all_casts(*x), "of {x}");
        }
    }
}
