use rlx_kernels::prelude::*;

#[device(impl)]
#[derive(Clone, Copy)]
struct Counter {
    count: u32,
}

#[device]
impl Counter {
    fn square(self) -> u32 {
        self.count.pow(two())
    }
}

#[device]
fn two() -> u32 {
    2
}

#[device]
fn twice(counter: Counter) -> u32 {
    counter.square() * 2
}

#[kernel(workgroup_size(64), threads(n))]
fn counts(y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = twice(Counter { count: i });
    }
}

fn main() {}
