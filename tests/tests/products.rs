//! GEMV and matmul_bt, every format, every adapter: within NMSE 1e-10 of f64.
//!
//! One test a backend, format and row length, so that a new format is held without a line here. The
//! kernels are the same for all formats, so every shape is tried for one format of each block size, and a
//! sample for the others; `RLX_PRODUCTS=all` tries every shape for all of them.

use std::env;

use kernel_specs::formats;
use libtest_mimic::{Arguments, Failed, Trial};
use rlx_backends::wgpu::{Context, ContextOptions, WgpuBackend};
use rlx_backends::{Backend, CpuBackend};
use rlx_conformance::product::{Case, F32_BOUND};
use rlx_kernels::FormatInfo;

const M: &[usize] = &[1, 2, 3, 7, 8, 9, 32, 33];
const N: &[usize] = &[1, 63, 65, 576, 1536];
/// Row lengths; a format takes those that its blocks divide, and one block.
const K: &[usize] = &[256, 576, 1024, 4096];
/// Row lengths that only dense weights have.
const DENSE_K: &[usize] = &[1, 7, 65, 80, 129, 588, 2051];

/// What is tried of each for a format that is not among these.
const WHOLE: &[&str] = &["F32", "Q4_0", "Q4_K"];
const SAMPLE_M: &[usize] = &[1, 9, 33];
const SAMPLE_N: &[usize] = &[1, 65, 576];
const SAMPLE_K: &[usize] = &[1, 65, 256, 1024];

type Open = fn() -> Result<Box<dyn Backend>, Failed>;

const BACKENDS: &[(&str, Open)] = &[
    ("cpu", || Ok(Box::new(CpuBackend::new()))),
    ("adapter", || gpu(false)),
    ("webgpu_defaults", || gpu(true)),
];

fn gpu(webgpu_defaults: bool) -> Result<Box<dyn Backend>, Failed> {
    let options = ContextOptions {
        webgpu_defaults,
        ..ContextOptions::default()
    };
    let context = Context::new(&options)?;
    Ok(Box::new(WgpuBackend::new(context)))
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

/// Whether every shape is tried for `format`.
fn is_whole(format: &FormatInfo) -> bool {
    WHOLE.contains(&format.name) || env::var("RLX_PRODUCTS").is_ok_and(|what| what == "all")
}

fn hold(open: Open, format: &'static FormatInfo, k: usize) -> Result<(), Failed> {
    let backend = open()?;
    let (ms, ns) = if is_whole(format) {
        (M, N)
    } else {
        (SAMPLE_M, SAMPLE_N)
    };
    let case = Case::new(format, ms[ms.len() - 1], ns[ns.len() - 1], k);
    for &n in ns {
        for &m in ms {
            let nmse = case.nmse(&*backend, m, n)?;
            // A NaN is no pass either.
            if nmse.is_nan() || nmse > F32_BOUND {
                return Err(format!("m {m} n {n} k {k}: NMSE {nmse:e}").into());
            }
        }
    }
    Ok(())
}

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for &(backend, open) in BACKENDS {
        for format in formats::ALL.iter().copied() {
            let elems = format.elems as usize;
            let lengths = lengths(format).into_iter();
            let lengths =
                lengths.filter(|k| is_whole(format) || *k == elems || SAMPLE_K.contains(k));
            for k in lengths {
                let name = format!("{backend}::{}_with_k_{k}", format.name.to_lowercase());
                trials.push(Trial::test(name, move || hold(open, format, k)));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}
