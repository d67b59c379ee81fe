use rlx_kernels::prelude::*;

#[device]
fn same<T: Copy>(x: T) -> T {
    x
}

#[device]
fn sign<const N: i32>(x: i32) -> i32 {
    x * N
}

#[device]
fn clause<T>(x: T) -> T
where
    T: Float,
{
    x
}

fn main() {}
