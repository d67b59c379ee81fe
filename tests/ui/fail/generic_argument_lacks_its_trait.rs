use rlx_kernels::prelude::*;

#[device]
trait Activation {
    const K: f32;
    fn apply(x: f32) -> f32;
}

#[device(impl)]
#[derive(Clone, Copy)]
struct Line {
    slope: f32,
}

#[device]
impl Line {
    fn of(self, x: f32) -> f32 {
        self.slope * x
    }
}

#[device]
fn activated<A: Activation>(x: f32) -> f32 {
    A::apply(x) * A::K
}

#[kernel(workgroup_size(64), threads(n))]
fn all(y: &mut [f32], n: u32, slope: f32) {
    let i = global_index();
    if i < n {
        let line = Line { slope };
        y[i] = activated::<Line>(line.of(y[i])) + activated(1.0) + activated::<f32>(2.0);
    }
}

fn main() {}
