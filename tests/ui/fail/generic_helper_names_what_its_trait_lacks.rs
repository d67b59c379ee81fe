use rlx_kernels::prelude::*;

#[device]
trait Activation {
    const K: f32;
    fn apply(x: f32) -> f32;
}

#[device]
fn activated<A: Activation>(x: f32) -> f32 {
    let k: u32 = A::K;
    A::gradient(x) * A::LIMIT + A::apply(k)
}

fn main() {}
