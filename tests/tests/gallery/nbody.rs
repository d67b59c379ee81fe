//! Gravity of all pairs (Nyland, Harris and Prins, GPU Gems 3, chapter 31).

use rlx_kernels::prelude::*;

use crate::{Near, Outcome, assert_near, every_device, floats, gamma};

/// What the body `by`, its mass in `w`, does to one at `at`, softened so that nothing is infinite.
#[device]
fn pull(at: Vec3<f32>, by: Vec4<f32>, softening: f32) -> Vec3<f32> {
    let away = vec3(by.x, by.y, by.z) - at;
    let square = away.x * away.x + away.y * away.y + away.z * away.z;
    let distance2 = square + softening * softening;
    let inverse = inverse_sqrt(distance2);
    away * (by.w * inverse * inverse * inverse)
}

/// acceleration[i] = Σⱼ of what body j does to body i. A workgroup fetches 64 bodies at a time.
#[kernel(workgroup_size(64), threads(n))]
fn accelerate(bodies: &[Vec4<f32>], acceleration: &mut [Vec4<f32>], n: u32, softening: f32) {
    #[workgroup]
    let tile: [Vec4<f32>; 64];
    let i = global_index();
    let me = local_index();
    let mut mine = Vec4::splat(0.0);
    if i < n {
        mine = bodies[i];
    }
    let at = vec3(mine.x, mine.y, mine.z);
    let mut sum = Vec3::splat(0.0);
    for first in (0..n).step_by(64) {
        if first + me < n {
            tile[me] = bodies[first + me];
        }
        workgroup_barrier();
        for j in 0..(n - first).min(64) {
            sum += pull(at, tile[j], softening);
        }
        workgroup_barrier();
    }
    if i < n {
        acceleration[i] = vec4(sum.x, sum.y, sum.z, 0.0);
    }
}

#[test]
fn every_body_pulls_every_other() -> Outcome {
    for gpu in every_device() {
        let softening = 0.25_f32;
        for n in [1, 63, 201] {
            let bodies: Vec<Vec4<f32>> = floats(7, 4 * n)
                .chunks(4)
                .map(|v| vec4(v[0], v[1], v[2], v[3].abs()))
                .collect();
            let mut acceleration = gpu.alloc::<Vec4<f32>>(n.into())?;
            let run = accelerate::launch(&gpu.upload(&bodies)?, &mut acceleration, n, softening)?;
            gpu.run(&run)?;
            let found: Vec<f32> = gpu
                .download(&acceleration)?
                .iter()
                .flat_map(|v| v.to_array())
                .collect();
            let wanted = bodies.iter().flat_map(|at| {
                let pulls: Vec<[f64; 3]> = bodies
                    .iter()
                    .map(|by| {
                        let away = [by.x - at.x, by.y - at.y, by.z - at.z].map(f64::from);
                        let square = away.iter().map(|d| d * d).sum::<f64>();
                        let distance2 = square + f64::from(softening).powi(2);
                        away.map(|d| d * f64::from(by.w) * distance2.powf(-1.5))
                    })
                    .collect();
                (0..4).map(move |axis| match axis {
                    3 => Near {
                        value: 0.0,
                        error: 0.0,
                    },
                    // The sum of squares has five roundings; the root is off by half of that and 2 ULP, its
                    // cube by three times as much; four products and the sum follow.
                    _ => Near {
                        value: pulls.iter().map(|pull| pull[axis]).sum(),
                        error: gamma(n + 30)
                            * pulls.iter().map(|pull| pull[axis].abs()).sum::<f64>(),
                    },
                })
            });
            assert_near(&found, wanted);
        }
    }
    Ok(())
}
