//! Raw, shadowed, unused and non-ASCII names, and names that WGSL keeps for itself.

use rlx_kernels::prelude::*;

#[device]
fn r#match(r#in: f32, _: f32, _factor: f32) -> f32 {
    r#in * 2.0
}

#[device]
fn array(x: f32) -> f32 {
    r#match(x, x, x)
}

#[kernel(workgroup_size(64), threads(r#type))]
fn r#loop(r#ref: &[f32], y: &mut [f32], r#type: u32) {
    let größe = array(r#ref[0]);
    let größe = größe + 1.0;
    let Δ = größe;
    let N = r#type;
    let N = N + 1;
    let texture_2d = Δ + r#type as f32;
    let select = texture_2d;
    y[N] = select;
}

fn main() {
    assert_eq!(r#loop::info().name, "loop");
    assert_eq!(r#loop::info().params[0].name, "type");
}
