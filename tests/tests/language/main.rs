//! Each construct of the language on a device, against the same body compiled by rustc, or against
//! what the host computes.

use rlx_backends::wgpu::{Context, ContextOptions};
use rlx_conformance::devices::{every_device, gpu};
use rlx_kernels::kernel::BindingSet;
use rlx_kernels::prelude::*;

/// Numbers with all kinds of bits.
fn words(len: u32) -> Vec<u32> {
    (0..len)
        .map(|i| i.wrapping_mul(2_654_435_761) ^ (i << 7))
        .collect()
}

/// `if`, `match` and blocks as values, shadowing, nested.
#[device]
pub fn choices(x: u32) -> u32 {
    let y = if x % 3 == 0 {
        let x = x / 3;
        x + 1
    } else if x % 3 == 1 {
        match x % 7 {
            0 | 1 => 100,
            2 => {
                let doubled = x % 1000 * 2;
                doubled + 5
            }
            _ => x % 17,
        }
    } else {
        0
    };
    let x = {
        let y = y % 50;
        y * y
    };
    x + if x > 100 && (if y % 2 == 0 { y > 20 } else { y > 30 }) {
        1
    } else {
        2
    }
}

/// Nested loops with `break`, `continue`, early `return`, steps and compound assignment.
#[device]
pub fn loops(x: u32) -> u32 {
    let mut sum = x % 10;
    for i in (0..20).step_by(3) {
        if i == 9 {
            continue;
        }
        let mut j = 0;
        while j < i {
            j += 1;
            if j == 7 {
                break;
            }
            sum ^= i * j;
        }
        if sum % 1000 == 999 {
            return sum;
        }
    }
    let mut left = x % 5;
    loop {
        if left == 0 {
            break;
        }
        left -= 1;
        sum <<= 1;
        sum |= left & 1;
    }
    for k in 1..=3 {
        sum += k;
    }
    sum
}

/// Arrays, vectors, indices and components as places.
#[device]
pub fn places(x: u32) -> u32 {
    let mut a = [[0; 3]; 2];
    let mut v = vec4(x & 255, (x >> 8) & 255, 3, 4);
    for i in 0..6 {
        a[i / 3][i % 3] += i + x % 9;
    }
    v.x += a[1][2];
    v.w *= 2;
    let w = v + vec4(1, 2, 3, 4);
    let at = x % 3;
    a[1][at] = w.y;
    a[0][0] + a[1][0] * 3 + a[1][1] * 5 + a[1][2] * 7 + w.x + w.w
}

/// `as` between all scalar types, suffixes, and bits.
#[device]
pub fn casts(x: u32) -> u32 {
    let signed = (x as i32) >> 3;
    let float = (x >> 9) as f32 * 0.5;
    let negative = -((x & 1023) as f32) / 8.0;
    let truth = (x & 1 == 1) as u32;
    (signed as u32)
        ^ (float as u32)
        ^ ((negative as i32) as u32)
        ^ (truth + 0x1f_u32 + 0b101 + 7u32)
        ^ float.to_bits()
}

/// Integer methods.
#[device]
pub fn integers(x: u32) -> u32 {
    let y =
        x.count_ones() + x.leading_zeros() * 3 + (x | 1).trailing_zeros() + x.reverse_bits() % 97;
    let z = x
        .wrapping_mul(2_654_435_761)
        .wrapping_add(y)
        .wrapping_sub(12_345);
    z.min(1 << 30).max(5)
        + (z % 1000).div_ceil(7)
        + (z % 100).clamp(20, 30)
        + ((z as i32) / 2).abs() as u32 % 11
}

/// Packed data.
#[device]
pub fn packing(x: u32) -> u32 {
    let bytes = unpack4x_u8(x);
    let signed = unpack4x_i8(x);
    let a = pack4x_u8(bytes * vec4(1, 2, 3, 4));
    let b = pack4x_i8(signed);
    let c = pack4x_i8_clamp(signed * vec4(3, 3, 3, 3)) ^ pack4x_u8_clamp(bytes * vec4(2, 2, 2, 2));
    let d = insert_bits(x, 0x2a, 5, 6) ^ extract_bits(x, 3, 9);
    a ^ b ^ c ^ d ^ (dot4_i8_packed(x, a) as u32) ^ dot4_u8_packed(x, b)
}

/// A struct of values, through helpers, fields and arrays.
#[device]
#[derive(Clone, Copy)]
pub struct Pair {
    low: u32,
    both: Vec2<u32>,
    inner: Inner,
}

/// A struct in a struct.
#[device]
#[derive(Clone, Copy)]
pub struct Inner {
    bits: [u32; 2],
}

#[device]
fn pair(x: u32) -> Pair {
    let both = vec2(x & 255, x >> 8);
    Pair {
        inner: Inner {
            bits: [x ^ 1, x ^ 2],
        },
        low: x & 0xffff,
        both,
    }
}

/// Structs.
#[device]
pub fn structs(x: u32) -> u32 {
    let mut a = pair(x);
    let b = pair(x ^ 0x5555);
    a.low += b.both.x;
    a.both.y ^= b.low;
    a.inner.bits[1] += 7;
    let many = [a, b];
    let mut sum = 0;
    for i in 0..2 {
        sum ^= many[i].low ^ many[i].both.y ^ many[i].inner.bits[0] ^ many[i].inner.bits[1];
    }
    sum
}

#[device]
fn bump(a: &mut u32) -> u32 {
    *a += 1;
    *a
}

/// What Rust evaluates first: the value, then the place.
#[device]
pub fn effects(x: u32) -> u32 {
    let mut a = x % 3;
    let mut t = [0; 8];
    a += bump(&mut a);
    t[a % 8] = bump(&mut a);
    t[bump(&mut a) % 8] = a + 10;
    t[bump(&mut a) % 8] += bump(&mut a);
    let pair = [bump(&mut a), a];
    let mut sum = a + pair[0] * 3 + pair[1] * 5;
    for i in 0..8 {
        sum = sum * 7 + t[i];
    }
    sum
}

/// Ranges that end where their type does.
#[device]
pub fn last_values(x: u32) -> u32 {
    let mut rounds = 0;
    for _ in (u32::MAX - x % 5)..=u32::MAX {
        rounds += 1;
    }
    for i in 1..=x % 7 {
        if i == 3 {
            continue;
        }
        rounds += i * 100;
    }
    for i in (u32::MAX - 20 + x % 3..=u32::MAX - x % 2).step_by(7) {
        rounds += i % 1000;
    }
    let few = (x % 4) as i32;
    for i in i32::MAX - few..=i32::MAX {
        rounds += (i % 10) as u32;
    }
    rounds
        .wrapping_add(x.div_ceil(4))
        .wrapping_add(u32::MAX.div_ceil(x % 9 + 1))
}

/// A loop that is left from a `match`, and a function that only its loop leaves.
#[device]
pub fn departures(x: u32) -> u32 {
    let mut at = x % 1000;
    let mut steps = 0;
    for round in 0..50 {
        let add = match at % 11 {
            0 => break,
            3 | 4 => {
                at += 5;
                continue;
            }
            5 => match round {
                7 | 9 => break,
                _ => 2,
            },
            _ => 1,
        };
        at += add;
        steps += add;
    }
    loop {
        match steps % 4 {
            0 => return at * 100 + steps,
            3 => {}
            _ => at += 1,
        }
        steps += 1;
    }
}

/// Outer loops left and continued from within inner ones.
#[device]
pub fn labels(x: u32) -> u32 {
    let mut sum = 0;
    'outer: for i in 0..6 {
        'middle: for j in 0..5 {
            let mut k = 0;
            while k < 4 {
                k += 1;
                if (i + j + k) % 7 == x % 7 {
                    continue 'middle;
                }
                if i * j * k > 20 + x % 40 {
                    continue 'outer;
                }
                if i + j + k > 7 + x % 5 {
                    break 'outer;
                }
                match k {
                    3 => {
                        sum += 100;
                        break 'middle;
                    }
                    _ => sum += 1,
                }
            }
            sum += 10_000;
        }
        sum += 1_000_000;
    }
    'alone: loop {
        sum += 7;
        if sum % 5 == x % 5 {
            break 'alone;
        }
    }
    sum
}

macro_rules! pure {
    ($($test:ident: $kernel:ident($function:ident);)+) => {
        $(
            #[kernel(workgroup_size(64), threads(n))]
            fn $kernel(x: &[u32], y: &mut [u32], n: u32) {
                let i = global_index();
                if i < n {
                    y[i] = $function(x[i]);
                }
            }

            #[test]
            fn $test() {
                for gpu in every_device() {
                    let x = words(3000);
                    let input = gpu.upload(&x).expect("it uploads");
                    let mut output = gpu.alloc::<u32>(3000).expect("it allocates");
                    let run = $kernel::launch(&input, &mut output, 3000).expect("a grid");
                    gpu.run(&run).expect("it runs");
                    let found = gpu.download(&output).expect("it downloads");
                    for (x, found) in x.iter().zip(found) {
                        assert_eq!(found, $function(*x), "of {x}");
                    }
                }
            }
        )+
    };
}

pure! {
    choices_as_values_give_rustcs_bits: choices_kernel(choices);
    loops_give_rustcs_bits: loops_kernel(loops);
    labels_lead_where_rusts_do: labels_kernel(labels);
    places_give_rustcs_bits: places_kernel(places);
    casts_give_rustcs_bits: casts_kernel(casts);
    integer_methods_give_rustcs_bits: integers_kernel(integers);
    packed_data_give_rustcs_bits: packing_kernel(packing);
    structs_give_rustcs_bits: structs_kernel(structs);
    vectors_give_rustcs_bits: vectors_kernel(vectors);
    effects_happen_in_rusts_order: effects_kernel(effects);
    loops_are_left_from_a_match_and_by_return_alone: departures_kernel(departures);
    ranges_to_the_last_value_end: last_values_kernel(last_values);
}

/// bins[x % 64] counts; a workgroup counts in its own memory first.
#[kernel(workgroup_size(128), threads(n))]
fn histogram(x: &[u32], bins: &mut [AtomicU32], extremes: &mut [AtomicI32], n: u32) {
    #[workgroup]
    let local: [AtomicU32; 64];
    let i = global_index();
    if i < n {
        local[x[i] % 64].fetch_add(1);
        extremes[0].fetch_min(x[i] as i32);
        extremes[1].fetch_max(x[i] as i32);
        extremes[2].fetch_xor(x[i] as i32);
        extremes[3].compare_exchange(0, 7);
    }
    workgroup_barrier();
    if local_index() < 64 {
        let count = local[local_index()].load();
        if count > 0 {
            bins[local_index()].fetch_add(count);
        }
    }
}

#[test]
fn atomics_in_workgroup_and_storage_memory_count_every_invocation() {
    for gpu in every_device() {
        let x = words(5000);
        let input = gpu.upload(&x).expect("it uploads");
        let mut bins = gpu.alloc::<u32>(64).expect("it allocates");
        let mut extremes = gpu.alloc::<i32>(4).expect("it allocates");
        let run = histogram::launch(&input, &mut bins, &mut extremes, 5000).expect("a grid");
        gpu.run(&run).expect("it runs");
        let mut wanted = vec![0; 64];
        for x in &x {
            wanted[(x % 64) as usize] += 1;
        }
        assert_eq!(gpu.download(&bins).expect("it downloads"), wanted);
        let signed = || x.iter().map(|x| *x as i32);
        let wanted = [
            signed().min().unwrap_or(0).min(0),
            signed().max().unwrap_or(0).max(0),
            signed().fold(0, |a, b| a ^ b),
            7,
        ];
        assert_eq!(gpu.download(&extremes).expect("it downloads"), wanted);
    }
}

/// Row 0 the size, then one row an operation; a workgroup is 64 invocations.
#[kernel(workgroup_size(64), threads(n))]
fn subgroups(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    let v = x[i];
    let sum = subgroup_add(v);
    let inclusive = subgroup_inclusive_add(v);
    let exclusive = subgroup_exclusive_add(v);
    let least = subgroup_min(v);
    let most = subgroup_max(v);
    let first = subgroup_broadcast_first(v);
    let swapped = subgroup_shuffle_xor(v, 1);
    let second = subgroup_shuffle(v, 1);
    let odd = subgroup_ballot(v % 2 == 1).x;
    let all = subgroup_all(v < 100);
    let any = subgroup_any(v == 5);
    let elected = subgroup_elect();
    let third = subgroup_broadcast(v, 2);
    let bits = subgroup_or(v) ^ subgroup_and(v) ^ subgroup_xor(v);
    y[i] = subgroup_size();
    y[n + i] = sum;
    y[2 * n + i] = inclusive;
    y[3 * n + i] = exclusive;
    y[4 * n + i] = least;
    y[5 * n + i] = most;
    y[6 * n + i] = first;
    y[7 * n + i] = swapped;
    y[8 * n + i] = second;
    y[9 * n + i] = odd;
    y[10 * n + i] = all as u32 + 2 * (any as u32) + 4 * (elected as u32);
    y[11 * n + i] = third;
    y[12 * n + i] = bits;
    y[13 * n + i] = subgroup_lane();
}

#[test]
fn subgroup_operations_do_what_they_say_at_whatever_size_the_device_has() {
    for gpu in every_device() {
        let n = 128_usize;
        let x: Vec<u32> = words(n as u32).iter().map(|x| x % 90).collect();
        let input = gpu.upload(&x).expect("it uploads");
        let mut output = gpu.alloc::<u32>(14 * n as u64).expect("it allocates");
        let run = subgroups::launch(&input, &mut output, n as u32).expect("a grid");
        gpu.run(&run).expect("it runs");
        let y = gpu.download(&output).expect("it downloads");
        let size = y[0] as usize;
        assert!(size >= 4, "a subgroup has at least four invocations here");
        for (group, values) in x.chunks(size).enumerate() {
            for (lane, value) in values.iter().enumerate() {
                let at = |row: usize| y[row * n + group * size + lane];
                let fold = |f: fn(u32, u32) -> u32| values.iter().copied().reduce(f).unwrap_or(0);
                let sum: u32 = values.iter().sum();
                let before: u32 = values[..lane].iter().sum();
                assert_eq!(at(0) as usize, size);
                assert_eq!(at(1), sum);
                assert_eq!(at(2), before + value);
                assert_eq!(at(3), before);
                assert_eq!(at(4), fold(u32::min));
                assert_eq!(at(5), fold(u32::max));
                assert_eq!(at(6), values[0]);
                assert_eq!(at(7), values[lane ^ 1]);
                assert_eq!(at(8), values[1]);
                let odd = (0..size.min(32))
                    .map(|lane| (values[lane] % 2) << lane)
                    .sum::<u32>();
                assert_eq!(at(9), odd);
                let flags = 1 + 2 * u32::from(values.contains(&5)) + 4 * u32::from(lane == 0);
                assert_eq!(at(10), flags);
                assert_eq!(at(11), values[2]);
                assert_eq!(
                    at(12),
                    fold(|a, b| a | b) ^ fold(|a, b| a & b) ^ fold(|a, b| a ^ b)
                );
                assert_eq!(at(13) as usize, lane);
            }
        }
    }
}

/// The first invocation decides for all of its workgroup.
#[kernel(workgroup_size(32), threads(n))]
fn decided_together(x: &[u32], y: &mut [u32], n: u32) {
    #[workgroup]
    let decision: u32;
    #[workgroup]
    let arrived: AtomicU32;
    arrived.fetch_add(1);
    if local_index() == 0 {
        decision = x[workgroup_index()];
    }
    let rounds = workgroup_uniform_load(decision) + arrived.load() - 32;
    let i = global_index();
    if i < n {
        y[i] = rounds * 100 + local_index();
    }
}

#[test]
fn a_uniform_load_gives_all_invocations_what_one_has_written() {
    for gpu in every_device() {
        let input = gpu.upload(&[3_u32, 8, 1]).expect("it uploads");
        let mut output = gpu.alloc::<u32>(96).expect("it allocates");
        let run = decided_together::launch(&input, &mut output, 96).expect("a grid");
        gpu.run(&run).expect("it runs");
        let wanted: Vec<u32> = (0..96)
            .map(|i| [3, 8, 1][i as usize / 32] * 100 + i % 32)
            .collect();
        assert_eq!(gpu.download(&output).expect("it downloads"), wanted);
    }
}

/// Vectors and a scalar after them, in a params struct with gaps.
#[kernel(workgroup_size(1), threads(n))]
fn params_with_gaps(
    y: &mut [f32],
    n: u32,
    a: Vec3<f32>,
    b: f32,
    c: Vec2<i32>,
    d: Vec4<u32>,
    e: u32,
) {
    if global_index() < n {
        y[0] = a.x;
        y[1] = a.y;
        y[2] = a.z;
        y[3] = b;
        y[4] = c.x as f32;
        y[5] = c.y as f32;
        y[6] = d.x as f32;
        y[7] = d.w as f32;
        y[8] = e as f32;
    }
}

#[test]
fn params_reach_the_kernel_whatever_gaps_lie_between_them() {
    for gpu in every_device() {
        let mut y = gpu.alloc::<f32>(9).expect("it allocates");
        let run = params_with_gaps::launch(
            &mut y,
            1,
            vec3(1.0, 2.0, 3.0),
            4.0,
            vec2(-5, 6),
            vec4(7, 0, 0, 8),
            9,
        );
        gpu.run(&run.expect("a grid")).expect("it runs");
        let found = gpu.download(&y).expect("it downloads");
        assert_eq!(found, [1.0, 2.0, 3.0, 4.0, -5.0, 6.0, 7.0, 8.0, 9.0]);
    }
}

#[test]
fn params_in_immediates_and_in_a_uniform_buffer_give_the_same() {
    let plain = ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    };
    let uniform = Context::new(&plain).expect("an adapter");
    assert!(!uniform.has_immediates_for(params_with_gaps::info()));
    let immediate = gpu();
    assert!(
        immediate.has_immediates_for(params_with_gaps::info()),
        "every software adapter has immediates"
    );
    let run = |gpu: &Context| {
        let mut y = gpu.alloc::<f32>(9).expect("it allocates");
        let (a, c, d) = (vec3(0.5, 2.5, -3.0), vec2(i32::MIN, 6), vec4(7, 1, 2, 8));
        let run = params_with_gaps::launch(&mut y, 1, a, 4.0, c, d, 9);
        gpu.run(&run.expect("a grid")).expect("it runs");
        gpu.download(&y).expect("it downloads")
    };
    assert_eq!(run(&uniform), run(&immediate));
    let text = params_with_gaps::info().wgsl_with_immediates(BindingSet::NONE);
    let text = text.expect("params without f16");
    assert!(
        text.contains("\nvar<immediate> params: Params;\n"),
        "{text}"
    );
}

/// y[i] = x[i] + x[i + 1]
#[kernel(workgroup_size(64), threads(n))]
#[requires(n % 4 == 0, x.len() > n, y.len() >= n)]
fn neighbours(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[i] + x[i + 1];
    }
}

#[test]
fn a_launch_against_the_kernels_requirements_is_an_error_that_prints_the_values() {
    for gpu in every_device() {
        let x = gpu.upload(&[1.0_f32; 8]).expect("it uploads");
        let mut y = gpu.alloc::<f32>(8).expect("it allocates");
        assert!(neighbours::launch(&x, &mut y, 4).is_ok());
        let error = neighbours::launch(&x, &mut y, 8).expect_err("x has no element 8");
        let text = "kernel `neighbours` requires `x.len() > n`, but x.len() = 8, n = 8";
        assert_eq!(error.to_string(), text);
        let error = neighbours::launch(&x, &mut y, 6).expect_err("6 is no multiple of 4");
        assert_eq!(
            error.to_string(),
            "kernel `neighbours` requires `n % 4 == 0`, but n = 6"
        );
        let by_value = neighbours::dispatch(neighbours::info(), [0, 1], neighbours::Params::new(6));
        assert!(by_value.is_err(), "a dispatch checks what it can see");
    }
}

/// The side of a tile.
#[device]
const SIDE: u32 = 8;

/// y[i] = Σ of the row of tile that i is in, where a tile is 8 × 8.
#[kernel(workgroup_size(SIDE, SIDE), groups(n.div_ceil(SIDE * SIDE)))]
#[requires(x.len() >= n, n % (SIDE * SIDE) == 0)]
fn rows_of_tiles(x: &[u32], y: &mut [u32], n: u32) {
    #[workgroup]
    let tile: [u32; (SIDE * SIDE) as usize];
    let i = workgroup_index() * (SIDE * SIDE) + local_index();
    tile[local_index()] = x[i];
    workgroup_barrier();
    let mut sum = 0;
    for at in 0..SIDE {
        sum += tile[local_id().y * SIDE + at];
    }
    if i < n {
        y[i] = sum;
    }
}

#[test]
fn one_const_sizes_workgroup_memory_and_grid() {
    assert_eq!(rows_of_tiles::info().workgroup_size, [8, 8, 1]);
    for gpu in every_device() {
        let x: Vec<u32> = (0..128).collect();
        let input = gpu.upload(&x).expect("it uploads");
        let mut output = gpu.alloc::<u32>(128).expect("it allocates");
        let run = rows_of_tiles::launch(&input, &mut output, 128).expect("a grid");
        assert_eq!(run.grid, [2, 1, 1]);
        gpu.run(&run).expect("it runs");
        let wanted: Vec<u32> = (0..128).map(|i| i / 8 * 64 + 28).collect();
        assert_eq!(gpu.download(&output).expect("it downloads"), wanted);
    }
}

/// Vectors against a scalar, in place, and their dot products.
#[device]
pub fn vectors(x: u32) -> u32 {
    let mut a = vec3(x & 63, (x >> 6) & 63, 3);
    a *= 5;
    a += vec3(1, 2, 3);
    let b = vec2((x & 15) as f32, 0.5);
    dot(a, a) + dot(b, b) as u32
}

mod consts;
mod crates;
mod generics;
mod half;
mod limits;
mod matrices;
mod methods;
mod operations;
mod params;
mod shared;
mod traits;
mod wide;
