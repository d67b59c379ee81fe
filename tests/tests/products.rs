//! GEMV and matmul_bt, every format, every shape, every adapter: within NMSE 1e-10 of f64.

use kernel_specs::formats;
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

fn gpu(webgpu_defaults: bool) -> Box<dyn Backend> {
    let options = ContextOptions {
        webgpu_defaults,
        ..ContextOptions::default()
    };
    let context = Context::new(&options).expect("an adapter; `cargo xtask demo` installs lavapipe");
    Box::new(WgpuBackend { context })
}

fn hold(backend: &dyn Backend, format: &'static FormatInfo) {
    let elems = format.elems as usize;
    let mut lengths: Vec<usize> = K.iter().copied().filter(|k| k % elems == 0).collect();
    if elems == 1 {
        lengths.extend(DENSE_K);
    } else if !lengths.contains(&elems) {
        lengths.push(elems);
    }
    for k in lengths {
        let case = Case::new(format, M[M.len() - 1], N[N.len() - 1], k);
        for &n in N {
            for &m in M {
                let nmse = case.nmse(backend, m, n).expect("a product");
                assert!(
                    nmse <= F32_BOUND,
                    "{} on {}: m {m} n {n} k {k} has NMSE {nmse:e}",
                    format.name,
                    backend.name()
                );
            }
        }
    }
}

macro_rules! products {
    ($($name:ident: $format:ident;)+) => {
        mod cpu {
            $(#[test]
            fn $name() {
                super::hold(&super::CpuBackend::new(), super::format(stringify!($format)));
            })+
        }
        mod adapter {
            $(#[test]
            fn $name() {
                super::hold(&*super::gpu(false), super::format(stringify!($format)));
            })+
        }
        mod webgpu_defaults {
            $(#[test]
            fn $name() {
                super::hold(&*super::gpu(true), super::format(stringify!($format)));
            })+
        }
        #[test]
        fn every_format_is_held() {
            let held = [$(stringify!($format)),+];
            let all: Vec<_> = formats::ALL.iter().map(|format| format.name).collect();
            assert_eq!(held.as_slice(), all.as_slice());
        }
    };
}

fn format(name: &str) -> &'static FormatInfo {
    formats::by_name(name).expect("a format of the table")
}

products! {
    f32: F32;
    f16: F16;
    q4_0: Q4_0;
    q4_1: Q4_1;
    q8_0: Q8_0;
    q4_k: Q4_K;
    q6_k: Q6_K;
}
