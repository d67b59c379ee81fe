use rlx_kernels::prelude::*;

#[device(impl)]
#[derive(Clone, Copy)]
struct Complex {
    re: f32,
    im: f32,
}

#[device]
impl Complex {
    const I: Self = Self { re: 0.0, im: 1.0 };

    fn square(self) -> f32 {
        self.re * self.re + self.im * self.im
    }
}

#[kernel(workgroup_size(64), threads(n))]
fn squares(y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = Complex::unit().square() + Complex::ONE.square();
    }
}

fn main() {}
