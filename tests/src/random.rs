//! Random weights, activations and row numbers, the same in every run.

use fastrand::Rng;
use rlx_kernels::FormatInfo;

/// Activations between -1 and 1.
pub fn activations(seed: u64, len: usize) -> Vec<f32> {
    let mut rng = Rng::with_seed(seed);
    (0..len).map(|_| rng.f32() * 2.0 - 1.0).collect()
}

/// Row numbers below `rows`, which is not 0.
pub fn ids(seed: u64, len: usize, rows: u32) -> Vec<u32> {
    let mut rng = Rng::with_seed(seed);
    (0..len).map(|_| rng.u32(..rows.max(1))).collect()
}

/// `each` different numbers below `rows` for each of `groups`; as many as there are, where they are fewer.
pub fn choices(seed: u64, groups: usize, each: usize, rows: u32) -> Vec<u32> {
    let mut rng = Rng::with_seed(seed);
    let mut all = Vec::with_capacity(groups * each);
    for _ in 0..groups {
        let mut group: Vec<u32> = rng.choose_multiple(0..rows, each);
        rng.shuffle(&mut group);
        all.extend(group);
    }
    all
}

/// `count` blocks of `format`: random bits, but for scales that would drown the others. The weights
/// of a block are finite and the largest of them lies between 1e-3 and 10.
pub fn blocks(format: &FormatInfo, seed: u64, count: usize) -> Vec<u8> {
    let mut rng = Rng::with_seed(seed);
    let (bytes, elems) = (format.bytes as usize, format.elems as usize);
    let mut weights = vec![0.0; elems];
    let mut pool = Vec::new();
    let pool_blocks = (4096 / elems).max(32);
    while pool.len() < pool_blocks * bytes {
        let block: Vec<u8> = (0..bytes).map(|_| rng.u8(..)).collect();
        (format.decode)(&block, &mut weights);
        let largest = weights
            .iter()
            .fold(0.0_f32, |max, weight| max.max(weight.abs()));
        let usable = weights.iter().all(|weight| weight.is_finite());
        if usable && (1e-3..=10.0).contains(&largest) {
            pool.extend_from_slice(&block);
        }
    }
    let mut out = Vec::with_capacity(count * bytes);
    for _ in 0..count {
        let at = rng.usize(..pool_blocks) * bytes;
        out.extend_from_slice(&pool[at..at + bytes]);
    }
    out
}
