//! How fast the twin is, in invocation-steps a second on one core: instructions, times the
//! invocations that take part in them. `cargo run --release -p rlx-kernels --example twin_speed`

use std::time::Instant;

use rlx_kernels::prelude::*;

/// y[i] = a polynomial of x[i], by Horner.
#[kernel(workgroup_size(256), threads(n))]
fn polynomial(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        let v = x[i];
        let mut sum = 0.0;
        for k in 0..32 {
            sum = sum * v + k as f32;
        }
        y[i] = sum;
    }
}

/// c = a · b, of 64 × 64, through tiles of 16 × 16.
#[kernel(workgroup_size(16, 16), groups(4, 4))]
fn product(a: &[f32], b: &[f32], c: &mut [f32]) {
    #[workgroup]
    let left: [[f32; 16]; 16];
    #[workgroup]
    let right: [[f32; 16]; 16];
    let me = local_id();
    let at = global_id();
    let mut sum = 0.0;
    for first in (0..64).step_by(16) {
        left[me.y][me.x] = a[at.y * 64 + first + me.x];
        right[me.y][me.x] = b[(first + me.y) * 64 + at.x];
        workgroup_barrier();
        for k in 0..16 {
            sum += left[me.y][k] * right[k][me.x];
        }
        workgroup_barrier();
    }
    c[at.y * 64 + at.x] = sum;
}

/// Copies, with little else.
#[kernel(workgroup_size(256), threads(n))]
fn copy(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[i];
    }
}

fn measure(name: &str, mut run: impl FnMut() -> Result<Report, SimError>) -> Result<(), SimError> {
    run()?;
    let start = Instant::now();
    let mut steps = 0;
    while start.elapsed().as_secs_f64() < 1.0 {
        steps += run()?.steps;
    }
    let rate = steps as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{name:12} {rate:7.1} million invocation-steps a second");
    Ok(())
}

fn main() -> Result<(), SimError> {
    let options = SimOptions::default();
    let n = 1 << 16;
    let x: Vec<f32> = (0..n).map(|i| (i % 100) as f32 / 100.0).collect();
    let mut y = vec![0.0; n as usize];
    measure("polynomial", || {
        polynomial::simulate(&x, &mut y, n, &options)
    })?;
    measure("product", || {
        product::simulate(&x[..4096], &x[..4096], &mut y[..4096], &options)
    })?;
    measure("copy", || copy::simulate(&x, &mut y, n, &options))?;
    Ok(())
}
