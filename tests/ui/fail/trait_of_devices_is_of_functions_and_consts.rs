use rlx_kernels::prelude::*;

#[device]
trait Shape {
    fn area(&self) -> f32;
}

#[device]
trait Halved {
    fn half(x: f32) -> f32 {
        x / 2.0
    }
}

#[device]
trait Of<T> {
    fn of(x: T) -> T;
}

#[device]
trait Typed {
    type Output;
}

#[device]
trait Tabled {
    const TABLE: [f32; 4];
}

#[device]
trait Defaulted {
    const K: f32 = 1.0;
}

fn main() {}
