//! Random numbers: xorshift, with a state, and Philox, a function of a counter.

use rlx_kernels::prelude::*;

use crate::{Outcome, every_device, words};

/// The next number (Marsaglia, Xorshift RNGs, 2003).
#[device]
fn xorshift32(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

/// y[j, i] is number j of the sequence from seeds[i], of `each` numbers.
#[kernel(workgroup_size(64), threads(n))]
fn xorshift(seeds: &[u32], y: &mut [u32], n: u32, each: u32) {
    let i = global_index();
    if i < n {
        let mut state = seeds[i];
        for j in 0..each {
            y[j * n + i] = xorshift32(&mut state);
        }
    }
}

/// The upper half of the 64 bits of a · b.
#[device]
fn multiply_high(a: u32, b: u32) -> u32 {
    let low = (a & 0xffff) * (b & 0xffff);
    let middle = (a >> 16) * (b & 0xffff) + (low >> 16);
    let other = (a & 0xffff) * (b >> 16) + (middle & 0xffff);
    (a >> 16) * (b >> 16) + (middle >> 16) + (other >> 16)
}

/// Philox4x32-10 (Salmon and others, Parallel Random Numbers: As Easy as 1, 2, 3, 2011).
#[device]
fn philox4x32(counter: Vec4<u32>, key: Vec2<u32>) -> Vec4<u32> {
    let mut c = counter;
    let mut k = key;
    for _ in 0..10 {
        c = vec4(
            multiply_high(0xcd9e_8d57, c.z) ^ c.y ^ k.x,
            c.z.wrapping_mul(0xcd9e_8d57),
            multiply_high(0xd251_1f53, c.x) ^ c.w ^ k.y,
            c.x.wrapping_mul(0xd251_1f53),
        );
        k = vec2(k.x.wrapping_add(0x9e37_79b9), k.y.wrapping_add(0xbb67_ae85));
    }
    c
}

/// y[i] = philox of the counter that is `i` past `first`.
#[kernel(workgroup_size(64), threads(n))]
fn philox(y: &mut [Vec4<u32>], n: u32, first: Vec4<u32>, key: Vec2<u32>) {
    let i = global_index();
    if i < n {
        y[i] = philox4x32(first + vec4(i, 0, 0, 0), key);
    }
}

#[test]
fn xorshift_gives_marsaglias_sequence_from_each_seed() -> Outcome {
    for gpu in every_device() {
        let (n, each) = (77, 13);
        let mut seeds = words(20, n, u32::MAX);
        seeds[0] = 2_463_534_242;
        let mut y = gpu.alloc::<u32>(u64::from(n * each))?;
        gpu.run(&xorshift::launch(&gpu.upload(&seeds)?, &mut y, n, each)?)?;
        let mut states = seeds;
        let mut wanted = Vec::new();
        for _ in 0..each {
            wanted.extend(states.iter_mut().map(xorshift32));
        }
        let found = gpu.download(&y)?;
        assert_eq!(found[0], 723_471_715);
        assert_eq!(found, wanted);
    }
    Ok(())
}

#[test]
fn philox_gives_the_known_answers_of_random123() -> Outcome {
    for gpu in every_device() {
        let mut y = gpu.alloc::<Vec4<u32>>(1)?;
        for (counter, key, wanted) in [
            (
                [0; 4],
                [0; 2],
                [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
            ),
            (
                [u32::MAX; 4],
                [u32::MAX; 2],
                [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            ),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ] {
            let [c0, c1, c2, c3] = counter;
            let run = philox::launch(&mut y, 1, vec4(c0, c1, c2, c3), vec2(key[0], key[1]))?;
            gpu.run(&run)?;
            assert_eq!(gpu.download(&y)?[0].to_array(), wanted);
        }
    }
    Ok(())
}

#[test]
fn philox_of_many_counters_is_that_of_64_bit_products() -> Outcome {
    for gpu in every_device() {
        let n = 1001;
        let mut y = gpu.alloc::<Vec4<u32>>(n.into())?;
        gpu.run(&philox::launch(&mut y, n, vec4(5, 6, 7, 8), vec2(9, 10))?)?;
        for (i, found) in (0..).zip(gpu.download(&y)?) {
            let mut c = [5 + i, 6, 7, 8_u32];
            let mut k = [9, 10_u32];
            for _ in 0..10 {
                let [a, b] = [0xd251_1f53 * u64::from(c[0]), 0xcd9e_8d57 * u64::from(c[2])];
                let high = |x: u64| (x >> 32) as u32;
                c = [
                    high(b) ^ c[1] ^ k[0],
                    b as u32,
                    high(a) ^ c[3] ^ k[1],
                    a as u32,
                ];
                k = [
                    k[0].wrapping_add(0x9e37_79b9),
                    k[1].wrapping_add(0xbb67_ae85),
                ];
            }
            assert_eq!(found.to_array(), c, "counter {i}");
        }
    }
    Ok(())
}
