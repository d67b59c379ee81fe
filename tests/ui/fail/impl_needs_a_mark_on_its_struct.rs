use rlx_kernels::prelude::*;

#[device]
struct Complex {
    re: f32,
    im: f32,
}

#[device]
impl Complex {
    fn square(self) -> f32 {
        self.re * self.re + self.im * self.im
    }
}

fn main() {}
