use rlx_kernels::prelude::*;

// Syntax, types, uniformity, constants: one mistake each, and nothing that follows from one.
#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let partial: [f32; 64];
    let me = local_index();
    let text = format!("{}", n);
    let twice = text + text;
    let half = n * 0.5;
    partial[me] = half;
    if me < 32 {
        workgroup_barrier();
    }
    let shifted = n << 40;
    y[global_index()] = partial[me] + twice + shifted as f32;
}

fn main() {}
