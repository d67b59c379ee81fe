use rlx_kernels::prelude::*;

#[device(impl)]
#[derive(Clone, Copy)]
struct Counter {
    count: u32,
}

#[device]
impl Counter {
    fn half(self) -> u32 {
        self.count / two()
    }
}

#[device]
fn two() -> f32 {
    2.0
}

#[device]
fn twice(counter: Counter) -> u32 {
    counter.half() * 2
}

#[kernel(workgroup_size(64), threads(n))]
fn counts(y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = twice(Counter { count: i });
    }
}

fn main() {}
