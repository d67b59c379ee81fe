//! The set of the c for which z² + c stays bounded (Brooks and Matelski, 1978).

use rlx_kernels::prelude::*;

use crate::{Outcome, every_device, gamma};

/// Steps until z² + c from 0 has left the circle of 2; `limit` if it has not.
#[device]
fn escape(c: Vec2<f32>, limit: u32) -> u32 {
    let mut z = Vec2::splat(0.0);
    for step in 0..limit {
        if z.x * z.x + z.y * z.y > 4.0 {
            return step;
        }
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    }
    limit
}

/// steps[y, x] of c = corner + spacing · (x, y), for `width` × `height` pixels.
#[kernel(workgroup_size(8, 8), threads(width, height))]
fn mandelbrot(
    steps: &mut [u32],
    width: u32,
    height: u32,
    corner: Vec2<f32>,
    spacing: f32,
    limit: u32,
) {
    let id = global_id();
    if id.x < width && id.y < height {
        let c = corner + spacing * vec2(id.x as f32, id.y as f32);
        steps[id.y * width + id.x] = escape(c, limit);
    }
}

/// The same in f64, with a bound of how far f32 may have gone from it; `None` where f32 may have
/// left the circle in another step.
fn wanted(c: [f64; 2], limit: u32) -> Option<u32> {
    let [mut x, mut y, mut error] = [0.0_f64; 3];
    for step in 0..limit {
        let square = x * x + y * y;
        let size = square.sqrt() + error;
        let doubt = 2.0 * square.sqrt() * error + error * error + gamma(2) * size * size;
        if (square - 4.0).abs() <= doubt {
            return None;
        }
        if square > 4.0 {
            return Some(step);
        }
        // A component is two products, their sum and c's: four roundings of at most |z|² + |c|, in
        // two components.
        let rounded = gamma(4) * (size * size + c[0].hypot(c[1])) * 2.0_f64.sqrt();
        error = 2.0 * square.sqrt() * error + error * error + rounded;
        [x, y] = [x * x - y * y + c[0], 2.0 * x * y + c[1]];
    }
    Some(limit)
}

#[test]
fn points_escape_when_they_do_in_f64() -> Outcome {
    for gpu in every_device() {
        let (width, height, limit) = (101, 75, 60);
        // Exact in f32, so that both compute the same points.
        let (corner, spacing) = (vec2(-2.25_f32, -1.15625), 1.0 / 32.0_f32);
        let mut steps = gpu.alloc::<u32>(u64::from(width * height))?;
        let run = mandelbrot::launch(&mut steps, width, height, corner, spacing, limit)?;
        gpu.run(&run)?;
        let mut decided = 0;
        for (at, found) in (0..).zip(gpu.download(&steps)?) {
            let point = [
                corner.x + spacing * (at % width) as f32,
                corner.y + spacing * (at / width) as f32,
            ];
            if let Some(wanted) = wanted(point.map(f64::from), limit) {
                decided += 1;
                assert_eq!(found, wanted, "at {point:?}");
            }
        }
        assert!(decided > width * height * 98 / 100, "{decided} points");
    }
    Ok(())
}
