use rlx_kernels::prelude::*;

#[device]
fn half<T: Float>(x: T) -> T {
    x * T::from_f32(0.5)
}

#[kernel(workgroup_size(64), threads(n))]
fn halves(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = half(x[i]);
    }
}

fn main() {}
