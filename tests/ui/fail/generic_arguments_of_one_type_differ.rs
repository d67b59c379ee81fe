use rlx_kernels::prelude::*;

#[device]
fn middle<T: Float>(a: T, b: T) -> T {
    (a + b) * T::from_f32(0.5)
}

#[kernel(workgroup_size(64), threads(n))]
fn middles(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = middle(x[i], n);
    }
}

fn main() {}
