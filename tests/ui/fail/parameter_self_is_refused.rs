use rlx_kernels::prelude::*;

struct Scale(f32);

impl Scale {
    #[device]
    fn apply(&self, x: f32) -> f32 {
        x * self.0
    }
}

fn main() {}
