//! Matrix products of every format on every adapter, at every precision, against f64: within NMSE 1e-10, of
//! halves 1e-6, of bytes 1e-4.
//!
//! One test a backend, format and row length, so that a new format is held without a line here. The
//! kernels are the same for all formats, so many shapes are tried for one format of each block size, and a
//! sample for the others; `RLX_PRODUCTS=all` tries the whole grid for all of them.

use std::env;

use kernel_specs::formats;
use libtest_mimic::{Arguments, Failed, Trial};
use rlx_backends::wgpu::{Context, ContextOptions, WgpuBackend};
use rlx_backends::{Backend, CpuBackend};
use rlx_conformance::product::{Case, F32_BOUND, HALF_BOUND, INT8_BOUND};
use rlx_core::Precision;
use rlx_kernels::FormatInfo;

/// The whole grid, by `RLX_PRODUCTS=all`: `cargo xtask conformance`.
const M: &[usize] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 512];
const N: &[usize] = &[1, 63, 64, 65, 127, 129, 576, 1023, 1536, 2880];
/// Row lengths; a format takes those that its blocks divide, and one block.
const K: &[usize] = &[256, 576, 1024, 2048, 4096, 14_336];
/// Row lengths that only dense weights have.
const DENSE_K: &[usize] = &[1, 7, 65, 80, 129, 588, 2051];
/// Rows of activations that dense weights have besides, with a few rows of the weight.
const DENSE_M: &[usize] = &[1056, 1057, 6271, 6272, 6273];
const DENSE_N: &[usize] = &[65, 129];

/// What is tried of each where the grid is not whole.
const SOME_M: &[usize] = &[1, 2, 3, 7, 8, 9, 32, 33];
const SOME_N: &[usize] = &[1, 63, 65, 576, 1536];
const SOME_K: &[usize] = &[1, 7, 65, 80, 129, 256, 576, 588, 1024, 2051, 4096];

/// And for a format that is not among these.
const WHOLE: &[&str] = &["F32", "Q4_0", "Q4_K"];
const SAMPLE_M: &[usize] = &[1, 9, 33];
const SAMPLE_N: &[usize] = &[1, 65, 576];
const SAMPLE_K: &[usize] = &[1, 65, 256, 1024];

/// How much of the grid is tried of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    All,
    Some,
    Sample,
}

impl Extent {
    fn of(format: &FormatInfo) -> Self {
        if env::var("RLX_PRODUCTS").is_ok_and(|what| what == "all") {
            Self::All
        } else if WHOLE.contains(&format.name) {
            Self::Some
        } else {
            Self::Sample
        }
    }

    fn has_length(self, format: &FormatInfo, k: usize) -> bool {
        match self {
            Self::All => true,
            Self::Some => SOME_K.contains(&k) || k == format.elems as usize,
            Self::Sample => SAMPLE_K.contains(&k) || k == format.elems as usize,
        }
    }

    fn rows(self) -> (&'static [usize], &'static [usize]) {
        match self {
            Self::All => (M, N),
            Self::Some => (SOME_M, SOME_N),
            Self::Sample => (SAMPLE_M, SAMPLE_N),
        }
    }
}

type Open = fn() -> Result<Box<dyn Backend>, Failed>;

/// What computes the products, and what their error may be.
const BACKENDS: &[(&str, Open, f64)] = &[
    ("cpu", || Ok(Box::new(CpuBackend::new())), F32_BOUND),
    ("adapter", || gpu(false, Precision::Exact), F32_BOUND),
    ("adapter_halves", || gpu(false, Precision::Half), HALF_BOUND),
    ("adapter_int8", || gpu(false, Precision::Int8), INT8_BOUND),
    ("webgpu_defaults", || gpu(true, Precision::Exact), F32_BOUND),
];

fn gpu(webgpu_defaults: bool, precision: Precision) -> Result<Box<dyn Backend>, Failed> {
    let options = ContextOptions {
        webgpu_defaults,
        ..ContextOptions::default()
    };
    let context = Context::new(&options)?;
    Ok(Box::new(
        WgpuBackend::new(context).with_precision(precision),
    ))
}

fn lengths(format: &FormatInfo) -> Vec<usize> {
    let elems = format.elems as usize;
    let mut lengths: Vec<usize> = K.iter().copied().filter(|k| k % elems == 0).collect();
    if elems == 1 {
        lengths.extend(DENSE_K);
    } else if !lengths.contains(&elems) {
        lengths.push(elems);
    }
    lengths
}

fn hold(
    open: Open,
    bound: f64,
    format: &'static FormatInfo,
    k: usize,
    (ms, ns): (&[usize], &[usize]),
) -> Result<(), Failed> {
    let backend = open()?;
    let mut case = Case::new(format, ms[ms.len() - 1], ns[ns.len() - 1], k);
    if bound > F32_BOUND {
        case = case.by_energy();
    }
    for &n in ns {
        for &m in ms {
            // One sum may be off by several times what is expected of many; the twin has the small shapes.
            if bound > F32_BOUND && m * n < 63 {
                continue;
            }
            let nmse = case.nmse(&*backend, m, n)?;
            // A NaN is no pass either.
            if nmse.is_nan() || nmse > bound {
                return Err(format!("m {m} n {n} k {k}: NMSE {nmse:e}").into());
            }
        }
    }
    Ok(())
}

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for &(backend, open, bound) in BACKENDS {
        for format in formats::ALL.iter().copied() {
            let extent = Extent::of(format);
            let name = format.name.to_lowercase();
            for k in lengths(format) {
                if extent.has_length(format, k) {
                    let run = move || hold(open, bound, format, k, extent.rows());
                    trials.push(Trial::test(format!("{backend}::{name}_with_k_{k}"), run));
                }
                if extent == Extent::All && DENSE_K.contains(&k) {
                    let run = move || hold(open, bound, format, k, (DENSE_M, DENSE_N));
                    let name = format!("{backend}::{name}_with_k_{k}_and_many_rows");
                    trials.push(Trial::test(name, run));
                }
            }
        }
    }
    if env::var("RLX_PRODUCTS").is_ok_and(|what| what == "all") {
        trials.push(Trial::test("large::q8_0_of_more_than_2_gib", || {
            // 2.25 GiB of blocks at least, and four times as much where they are decoded for the comparison.
            const N: usize = 556_000;
            let format = formats::by_name("Q8_0").ok_or("no such format")?;
            assert!(format.size_of(N as u64 * 4096) > Some(9 << 28));
            let ns: &[usize] = &[N];
            hold(
                || gpu(false, Precision::Exact),
                F32_BOUND,
                format,
                4096,
                (&[1, 9], ns),
            )
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}
