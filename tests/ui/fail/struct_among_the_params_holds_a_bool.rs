use rlx_kernels::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Light {
    power: f32,
    on: [bool; 2],
}

#[device]
#[derive(Clone, Copy)]
struct Scene {
    lights: [Light; 4],
}

#[kernel(workgroup_size(64), threads(n))]
fn shade(y: &mut [f32], sun: Light, n: u32) {
    let i = global_index();
    if i < n {
        y[i] = sun.power;
    }
}

#[kernel(workgroup_size(64), threads(n))]
fn shade_all(y: &mut [f32], scene: Scene, n: u32) {
    let i = global_index();
    if i < n {
        y[i] = scene.lights[i % 4].power;
    }
}

fn main() {}
