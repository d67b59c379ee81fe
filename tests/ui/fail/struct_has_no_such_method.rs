use rlx_kernels::prelude::*;

#[device(impl)]
#[derive(Clone, Copy)]
struct Complex {
    re: f32,
    im: f32,
}

#[device]
impl Complex {
    fn new(re: f32, im: f32) -> Self {
        Self { re, im }
    }

    fn square(self) -> f32 {
        self.re * self.re + self.im * self.im
    }
}

#[kernel(workgroup_size(64), threads(n))]
fn squares(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = Complex::new(x[i], 1.0).norm();
    }
}

fn main() {}
