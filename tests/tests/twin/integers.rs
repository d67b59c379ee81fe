//! Integers are the same bit for bit, whatever is done with them: random programs over every exact
//! operation, on a device and on the twin. A program is data, and one kernel runs them all.

use proptest::prelude::{
    ProptestConfig, Strategy, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use proptest::test_runner::TestCaseError;
use rlx_backends::wgpu::Context;
use rlx_conformance::devices::gpu;
use rlx_kernels::prelude::*;
use rlx_kernels::{Check, SimOptions};

/// Operations of unsigned integers.
#[device]
fn unsigned(op: u32, a: u32, b: u32, c: u32) -> u32 {
    match op {
        0 => a + b,
        1 => a - b,
        2 => a * b,
        3 => a / b,
        4 => a % b,
        5 => a & b,
        6 => a | b,
        7 => a ^ b,
        8 => a << b,
        9 => a >> b,
        10 => !a,
        11 => a.min(b),
        12 => a.max(b),
        13 => a.clamp(b.min(c), b.max(c)),
        14 => a.count_ones(),
        15 => a.leading_zeros(),
        16 => a.trailing_zeros(),
        17 => a.reverse_bits(),
        18 => first_leading_bit(a),
        19 => first_trailing_bit(a),
        20 => a.rotate_left(b),
        21 => a.rotate_right(b),
        22 => a.abs_diff(b),
        23 => a.is_power_of_two() as u32,
        24 => a.pow(5),
        25 => mul_hi(a, b),
        26 => extract_bits(a, b % 32, c % (33 - b % 32)),
        27 => insert_bits(a, b, c % 32, b % (33 - c % 32)),
        28 => dot4_u8_packed(a, b),
        29 => pack4x_u8(unpack4x_u8(a) + unpack4x_u8(b)),
        30 => pack4x_u8_clamp(unpack4x_u8(a) * unpack4x_u8(b)),
        31 => select(a, b, c > 7),
        32 => (a < b) as u32 + 2 * ((a <= b) as u32) + 4 * ((a == b) as u32),
        33 => (a > b) as u32 + 2 * ((a >= b) as u32) + 4 * ((a != b) as u32),
        34 => a.wrapping_add(b).wrapping_mul(c).wrapping_sub(a),
        35 => (a & 0x00ff_ffff) as f32 as u32,
        36 => (a as u64 * b as u64 / (c as u64 + 1)) as u32,
        37 => (a as u64).wrapping_mul(b as u64 + 7).wrapping_sub(c as u64) as u32,
        _ => a.next_multiple_of(b % 1024 + 1),
    }
}

/// Operations of signed integers.
#[device]
fn signed(op: u32, a: i32, b: i32, c: i32) -> i32 {
    match op {
        0 => a + b,
        1 => a - b,
        2 => a * b,
        3 => a / b,
        4 => a % b,
        5 => a & b,
        6 => a | b,
        7 => a ^ b,
        8 => a << (b as u32),
        9 => a >> (b as u32),
        10 => !a,
        11 => -a,
        12 => a.min(b),
        13 => a.max(b),
        14 => a.clamp(b.min(c), b.max(c)),
        15 => a.abs(),
        16 => a.signum(),
        17 => a.reverse_bits(),
        18 => a.count_ones() as i32,
        19 => first_leading_bit(a),
        20 => first_trailing_bit(a),
        21 => a.abs_diff(b) as i32,
        22 => a.rem_euclid(b),
        23 => a.pow(3),
        24 => dot4_i8_packed(a as u32, b as u32),
        25 => pack4x_i8(unpack4x_i8(a as u32) - unpack4x_i8(b as u32)) as i32,
        26 => pack4x_i8_clamp(unpack4x_i8(a as u32) * unpack4x_i8(b as u32)) as i32,
        27 => select(a, b, c < 0),
        28 => (a < b) as i32 + 2 * ((a <= b) as i32) + 4 * ((a == b) as i32),
        29 => (a > b) as i32 - 2 * ((a >= b) as i32) + 4 * ((a != b) as i32),
        30 => (a >> 8) as f32 as i32,
        31 => (vec3(a, b, c) * vec3(c, a, b) - b).y,
        32 => ((a as i64) * (b as i64) >> 13) as i32,
        33 => (a as i64 - (b as i64) * 3 < c as i64) as i32,
        _ => a.wrapping_mul(b).wrapping_sub(c),
    }
}

/// Runs a program on the four registers of each of `n` invocations. A step says, from its lowest bits
/// on: six of the operation, one whether it is signed, two each of its operands and its result.
#[kernel(workgroup_size(64), threads(n))]
#[requires(x.len() >= n, y.len() >= n, code.len() >= steps)]
fn evaluate(code: &[u32], x: &[[u32; 4]], y: &mut [[u32; 4]], n: u32, steps: u32) {
    let i = global_index();
    if i < n {
        let mut r = x[i];
        for at in 0..steps {
            let step = code[at];
            let a = r[(step >> 7) & 3];
            let b = r[(step >> 9) & 3];
            let c = r[(step >> 11) & 3];
            let op = step & 63;
            if step & 64 == 0 {
                r[(step >> 13) & 3] = unsigned(op, a, b, c);
            } else {
                r[(step >> 13) & 3] = signed(op, a as i32, b as i32, c as i32) as u32;
            }
        }
        y[i] = r;
    }
}

/// What the twin has to say of overflows is not the point here: what they give is.
fn quiet() -> SimOptions {
    let checks = [Check::Wrap, Check::Division, Check::Shift, Check::Cast];
    checks
        .into_iter()
        .fold(SimOptions::default(), SimOptions::allow)
}

/// Numbers at the edges, more often than others.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        0..=u32::MAX,
        0_u32..40,
        (0_u32..40).prop_map(u32::wrapping_neg),
        (0_u32..32, 0_u32..3)
            .prop_map(|(bit, off)| (1_u32 << bit).wrapping_add(off).wrapping_sub(1)),
    ]
}

fn check(gpu: &Context, code: &[u32], x: &[[u32; 4]]) -> Result<(), TestCaseError> {
    let (n, steps) = (x.len() as u32, code.len() as u32);
    let mut wanted = vec![[0; 4]; x.len()];
    let report = evaluate::simulate(code, x, &mut wanted, n, steps, &quiet());
    let report = report.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert!(report.is_clean(), "{report}");
    let found = || -> Result<Vec<[u32; 4]>, Box<dyn std::error::Error>> {
        let (code, x) = (gpu.upload(code)?, gpu.upload(x)?);
        let mut y = gpu.alloc::<[u32; 4]>(n.into())?;
        gpu.run(&evaluate::launch(&code, &x, &mut y, n, steps)?)?;
        Ok(gpu.download(&y)?)
    };
    let found = found().map_err(|error| TestCaseError::fail(error.to_string()))?;
    for ((x, found), wanted) in x.iter().zip(found).zip(wanted) {
        prop_assert_eq!(found, wanted, "of {:?}: the device, then the twin", x);
    }
    Ok(())
}

/// The operations of one sign and the numbers that steps name them by.
fn operations() -> impl Strategy<Value = u32> {
    prop_oneof![0_u32..39, (0_u32..35).prop_map(|op| op | 64)]
}

#[test]
fn random_programs_of_integers_give_the_same_bits_on_a_device_and_on_the_twin() {
    let gpu = gpu();
    let step = (operations(), 0_u32..256).prop_map(|(op, operands)| op | operands << 7);
    let rows = prop::collection::vec([number(), number(), number(), number()], 1..64);
    let programs = (prop::collection::vec(step, 1..12), rows);
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |((code, x) in programs)| check(&gpu, &code, &x)?);
}

#[test]
fn every_operation_gives_the_same_bits_of_every_pair_of_edges() {
    const EDGES: [u32; 14] = [
        0,
        1,
        2,
        7,
        31,
        32,
        33,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_ffff,
        0xffff_fffe,
        0x00ff_8001,
        0x1234_5678,
    ];
    let gpu = gpu();
    let mut x = Vec::new();
    for a in EDGES {
        for b in EDGES {
            x.push([a, b, a ^ b, b.wrapping_sub(a)]);
        }
    }
    for op in (0..39).chain((0..35).map(|op| op | 64)) {
        // a = r[0], b = r[1], c = r[2], into r[3].
        let step = op | 1 << 9 | 2 << 11 | 3 << 13;
        if let Err(error) = check(&gpu, &[step], &x) {
            panic!("operation {} of kind {}: {error}", op & 63, op >> 6);
        }
    }
}
