//! Well-known kernels, each written from its public description and held to a plain computation on
//! the host: on a device, and on the CPU twin, which finds nothing wrong.

use rlx_conformance::devices::{self, Device, Outcome};

mod attention;
mod bitonic;
mod compaction;
mod convolution;
mod edit_distance;
mod fft;
mod gemv;
mod histogram;
mod jacobi;
mod life;
mod mandelbrot;
mod matmul;
mod nbody;
mod packed_matmul;
mod radix_sort;
mod random;
mod reduction;
mod scan;
mod sgemm;
mod softmax;
mod spmv;
mod transpose;

/// Barriers that the twin does not miss, by kernel and number.
const SPARED: &[(&str, usize)] = &[
    // What is read after them, the same invocation has written, at these sizes.
    ("scan_blocks", 1),
    ("fft", 2),
];

/// An adapter, and the twin, which must miss each barrier of each kernel.
fn every_device() -> [Device; 2] {
    devices::every_device().map(|device| device.without_barriers(SPARED))
}

/// Numbers from -1 to 1.
fn floats(seed: u64, len: u32) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..len).map(|_| random.f32() * 2.0 - 1.0).collect()
}

/// Numbers below `end`.
fn words(seed: u64, len: u32, end: u32) -> Vec<u32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..len).map(|_| random.u32(..end)).collect()
}

/// γₙ, the most that `n` roundings in a row can do, as a share of the magnitudes that they round
/// (Higham, Accuracy and Stability of Numerical Algorithms, lemma 3.1).
fn gamma(n: u32) -> f64 {
    let roundings = f64::from(n) * 2.0_f64.powi(-24);
    roundings / (1.0 - roundings)
}

/// A number as it should be, and how far from it a result may lie.
#[derive(Clone, Copy, Debug)]
struct Near {
    value: f64,
    error: f64,
}

/// A sum of f32 products in f64. Where each is rounded, and their sum in any order, after which
/// come `more` roundings, f32 is no farther from it than this.
fn sum_of_products(terms: impl Iterator<Item = f64> + Clone, more: u32) -> Near {
    let count = terms.clone().count() as u32;
    Near {
        value: terms.clone().sum(),
        error: gamma(count + more) * terms.map(f64::abs).sum::<f64>(),
    }
}

#[track_caller]
fn assert_near(found: &[f32], wanted: impl Iterator<Item = Near>) {
    let mut found = found.iter();
    for (i, Near { value, error }) in wanted.enumerate() {
        let found = f64::from(*found.next().expect("as many results as are wanted"));
        let off = (found - value).abs();
        assert!(
            off <= error,
            "{i}: {found} is {off:e} from {value}, more than {error:e}"
        );
    }
    assert_eq!(found.len(), 0, "no more results than are wanted");
}
