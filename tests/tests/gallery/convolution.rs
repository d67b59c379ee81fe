//! 2-D convolution through tiles with a halo (Podlozhnyuk, Image Convolution with CUDA, 2007).

use rlx_kernels::prelude::*;

use crate::{Outcome, assert_near, every_device, floats, sum_of_products};

/// Rows and columns of the image that a workgroup makes.
#[device]
const TILE: u32 = 16;

/// How far the filter reaches.
#[device]
const RADIUS: u32 = 2;

/// Rows and columns of the filter.
#[device]
const FILTER: u32 = 2 * RADIUS + 1;

/// Rows and columns of the image that a tile needs.
#[device]
const HALO: u32 = TILE + 2 * RADIUS;

/// out[y, x] = Σ filter[j, i] · image[y + j - 2, x + i - 2], with zeros around the image.
#[kernel(workgroup_size(16, 16), threads(width, height))]
fn convolve(image: &[f32], filter: &[f32], out: &mut [f32], width: u32, height: u32) {
    #[workgroup]
    let tile: [[f32; HALO]; HALO];
    let corner = workgroup_id() * TILE;
    for i in (local_index()..HALO * HALO).step_by(TILE * TILE) {
        let x = (corner.x + i % HALO) as i32 - RADIUS as i32;
        let y = (corner.y + i / HALO) as i32 - RADIUS as i32;
        let inside = 0 <= x && x < width as i32 && 0 <= y && y < height as i32;
        tile[i / HALO][i % HALO] = if inside {
            image[y as u32 * width + x as u32]
        } else {
            0.0
        };
    }
    workgroup_barrier();
    let me = local_id();
    let x = corner.x + me.x;
    let y = corner.y + me.y;
    if x < width && y < height {
        let mut sum = 0.0;
        for j in 0..FILTER {
            for i in 0..FILTER {
                sum += filter[j * FILTER + i] * tile[me.y + j][me.x + i];
            }
        }
        out[y * width + x] = sum;
    }
}

#[test]
fn images_of_any_size_are_filtered_up_to_their_edges() -> Outcome {
    for gpu in every_device() {
        let filter = floats(17, FILTER * FILTER);
        for (width, height) in [(1, 1), (17, 15), (83, 45)] {
            let image = floats(18, width * height);
            let mut out = gpu.alloc::<f32>(image.len() as u64)?;
            let (image_buffer, filter_buffer) = (gpu.upload(&image)?, gpu.upload(&filter)?);
            let run = convolve::launch(&image_buffer, &filter_buffer, &mut out, width, height)?;
            gpu.run(&run)?;
            let wanted = (0..width * height).map(|at| {
                let term = |f: u32| {
                    let x = (at % width + f % FILTER).checked_sub(RADIUS)?;
                    let y = (at / width + f / FILTER).checked_sub(RADIUS)?;
                    let inside = x < width && y < height;
                    let pixel = inside.then(|| image[(y * width + x) as usize])?;
                    Some(f64::from(filter[f as usize]) * f64::from(pixel))
                };
                sum_of_products((0..FILTER * FILTER).map(|f| term(f).unwrap_or(0.0)), 1)
            });
            assert_near(&gpu.download(&out)?, wanted);
        }
    }
    Ok(())
}
