//! One kernel, run on the first adapter found.

use kernel_specs::elementwise::activation::silu;
use rlx_backends::wgpu::{Context, ContextOptions};
use rlx_kernels::prelude::*;

/// y = silu(x) * scale
#[kernel(workgroup_size(256), threads(n))]
pub fn scaled_silu(x: &[f32], y: &mut [f32], n: u32, scale: f32) {
    let i = global_index();
    if i < n {
        y[i] = silu(x[i]) * scale;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Context::new(&ContextOptions::default())?;
    let x = gpu.upload(&[-1.0_f32, 0.0, 1.0, 2.0])?;
    let mut y = gpu.alloc::<f32>(4)?;
    gpu.run(&scaled_silu::launch(&x, &mut y, 4, 0.5)?)?;
    println!("{:?}", gpu.download(&y)?);
    Ok(())
}
