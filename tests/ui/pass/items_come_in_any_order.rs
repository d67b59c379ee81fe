//! A kernel before its helper, a helper before its own, a const last.

use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n), instances(F in [Q]))]
fn scaled<F: BlockFormat>(w: &[Packed<F>], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = scale(F::decode(w.block(i / F::ELEMS), i % F::ELEMS));
    }
}

#[device]
fn scale(x: f32) -> f32 {
    shift(x) * FACTOR
}

#[device]
fn shift(x: f32) -> f32 {
    x - 1.0
}

#[device]
const FACTOR: f32 = 0.25;

#[format(name = "Q", ggml = 99, elems = 8, bytes = 8, layout { qs: [u8; 8] })]
impl BlockFormat for Q {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.qs(i) as f32
    }
}

fn main() {
    assert_eq!(scaled::instances().len(), 1);
    assert_eq!(scale(5.0), 1.0);
}
