//! Counts of bytes, privatised (Podlozhnyuk, Histogram calculation in CUDA, 2007).

use rlx_kernels::prelude::*;

use crate::{Outcome, every_device, words};

/// bins[b] += how many of the first `n` bytes of `x` are b, four bytes a word. Each workgroup counts
/// in its own memory, and adds what it has counted once.
#[kernel(workgroup_size(256), threads(n.div_ceil(4)))]
fn histogram(x: &[u32], bins: &mut [AtomicU32], n: u32) {
    #[workgroup]
    let counts: [AtomicU32; 256];
    let me = local_index();
    let word = global_index();
    if word < n.div_ceil(4) {
        let bytes = unpack4x_u8(x[word]);
        for i in 0..(n - word * 4).min(4) {
            counts[bytes[i]].fetch_add(1);
        }
    }
    workgroup_barrier();
    let count = counts[me].load();
    if count > 0 {
        bins[me].fetch_add(count);
    }
}

#[test]
fn every_byte_is_counted_once() -> Outcome {
    for gpu in every_device() {
        for n in [1_u32, 1023, 1025, 100_003] {
            // Squares, so that some bytes come far more often than others.
            let bytes: Vec<u8> = words(3, n, 256)
                .iter()
                .map(|x| (x * x / 256) as u8)
                .collect();
            // Past the end of the last word lies a byte that is not to be counted.
            let packed: Vec<u32> = bytes
                .chunks(4)
                .map(|word| {
                    word.iter()
                        .rev()
                        .fold(0xff, |packed, byte| packed << 8 | u32::from(*byte))
                })
                .collect();
            let mut wanted = vec![0_u32; 256];
            for byte in &bytes {
                wanted[usize::from(*byte)] += 1;
            }
            let mut bins = gpu.alloc::<u32>(256)?;
            gpu.run(&histogram::launch(&gpu.upload(&packed)?, &mut bins, n)?)?;
            assert_eq!(gpu.download(&bins)?, wanted, "{n} bytes");
        }
    }
    Ok(())
}
