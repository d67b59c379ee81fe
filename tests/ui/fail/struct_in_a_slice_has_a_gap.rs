use rlx_kernels::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Particle {
    position: Vec3<f32>,
    velocity: Vec3<f32>,
    mass: f32,
}

#[device]
#[derive(Clone, Copy)]
struct Light {
    color: Vec4<f32>,
    power: f32,
}

#[kernel(workgroup_size(64), threads(n))]
fn step(p: &mut [Particle], lights: &[Light], n: u32) {
    let i = global_index();
    if i < n {
        p[i].mass += lights[0].power;
    }
}

fn main() {}
