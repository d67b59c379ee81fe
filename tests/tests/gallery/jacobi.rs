//! Jacobi's iteration for Poisson's equation on a grid of five-point stencils.

use rlx_kernels::prelude::*;

use crate::{Near, Outcome, assert_near, every_device, floats, gamma};

/// next = (the four neighbours + f) / 4 inside of a grid whose edge is fixed: one sweep towards
/// -∇²u = f, f in units of the spacing squared.
#[kernel(workgroup_size(16, 16), threads(width, height))]
fn sweep(u: &[f32], f: &[f32], next: &mut [f32], width: u32, height: u32) {
    let x = global_id().x;
    let y = global_id().y;
    if x >= width || y >= height {
        return;
    }
    let i = y * width + x;
    if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
        next[i] = u[i];
    } else {
        next[i] = (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + f[i]) * 0.25;
    }
}

#[test]
fn sweeps_stay_within_the_roundings_of_each() -> Outcome {
    for gpu in every_device() {
        for (width, height) in [(1, 4), (33, 17), (50, 71)] {
            let (start, force) = (floats(25, width * height), floats(26, width * height));
            let f = gpu.upload(&force)?;
            let mut u = gpu.upload(&start)?;
            let mut next = gpu.alloc::<f32>(start.len() as u64)?;
            let mut exact: Vec<f64> = start.iter().map(|u| f64::from(*u)).collect();
            // A sweep averages what was off before, and adds five roundings of its own.
            let mut error = 0.0;
            for _ in 0..25 {
                gpu.run(&sweep::launch(&u, &f, &mut next, width, height)?)?;
                std::mem::swap(&mut u, &mut next);
                let largest = exact.iter().map(|u| u.abs()).fold(0.0, f64::max) + error;
                error += gamma(5) * (4.0 * largest + 1.0) / 4.0;
                let (w, h) = (width as usize, height as usize);
                let old = exact.clone();
                for y in 1..h.saturating_sub(1) {
                    for x in 1..w.saturating_sub(1) {
                        let at = y * w + x;
                        let around = old[at - 1] + old[at + 1] + old[at - w] + old[at + w];
                        exact[at] = (around + f64::from(force[at])) / 4.0;
                    }
                }
            }
            let wanted = exact.into_iter().map(|value| Near { value, error });
            assert_near(&gpu.download(&u)?, wanted);
        }
    }
    Ok(())
}
