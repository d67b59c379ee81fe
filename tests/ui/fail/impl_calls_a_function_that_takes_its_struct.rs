use rlx_kernels::prelude::*;

#[device(impl)]
#[derive(Clone, Copy)]
struct Counter {
    count: u32,
}

#[device]
impl Counter {
    fn half(self) -> u32 {
        half_of(self)
    }
}

#[device]
fn half_of(counter: Counter) -> u32 {
    counter.count / 2
}

fn main() {}
