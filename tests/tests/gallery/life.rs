//! The game of life (Gardner, Scientific American, October 1970), on a torus.

use rlx_kernels::prelude::*;

use crate::{Outcome, every_device, words};

/// One generation of `width` × `height` cells, 1 alive and 0 dead.
#[kernel(workgroup_size(8, 8), threads(width, height))]
fn generation(cells: &[u32], next: &mut [u32], width: u32, height: u32) {
    let id = global_id();
    if id.x < width && id.y < height {
        let mut neighbours = 0;
        for dy in 0..3 {
            for dx in 0..3 {
                if dx != 1 || dy != 1 {
                    // One less, around the edge.
                    let x = (id.x + width + dx - 1) % width;
                    let y = (id.y + height + dy - 1) % height;
                    neighbours += cells[y * width + x];
                }
            }
        }
        let i = id.y * width + id.x;
        next[i] = match neighbours {
            2 => cells[i],
            3 => 1,
            _ => 0,
        };
    }
}

/// The same, by walking the eight directions.
fn wanted(cells: &[u32], width: u32, height: u32) -> Vec<u32> {
    let (w, h) = (i64::from(width), i64::from(height));
    let alive = |x: i64, y: i64| cells[(y.rem_euclid(h) * w + x.rem_euclid(w)) as usize] == 1;
    let directions = [
        (-1, -1),
        (0, -1),
        (1, -1),
        (-1, 0),
        (1, 0),
        (-1, 1),
        (0, 1),
        (1, 1),
    ];
    (0..h * w)
        .map(|i| (i % w, i / w))
        .map(|(x, y)| {
            let around = directions
                .iter()
                .filter(|(dx, dy)| alive(x + dx, y + dy))
                .count();
            u32::from(around == 3 || around == 2 && alive(x, y))
        })
        .collect()
}

#[test]
fn twenty_generations_live_as_conway_said() -> Outcome {
    for gpu in every_device() {
        for (width, height) in [(3, 3), (61, 37)] {
            let mut world = words(6, width * height, 2);
            let mut cells = gpu.upload(&world)?;
            let mut next = gpu.alloc::<u32>(world.len() as u64)?;
            for _ in 0..20 {
                gpu.run(&generation::launch(&cells, &mut next, width, height)?)?;
                std::mem::swap(&mut cells, &mut next);
                world = wanted(&world, width, height);
            }
            assert_eq!(gpu.download(&cells)?, world);
        }
    }
    Ok(())
}
