use rlx_kernels::prelude::*;

#[device(impl)]
#[derive(Clone, Copy)]
struct Counter {
    count: u32,
}

#[device]
impl Counter {
    fn zero() -> Self {
        Self { count: 0 }
    }

    fn get(self) -> u32 {
        self.count
    }
}

#[kernel(workgroup_size(64), threads(n))]
fn counts(y: &mut [u32], n: u32) {
    let i = global_index();
    let counter = Counter { count: i };
    if i < n {
        y[i] = counter.zero().get();
    }
}

fn main() {}
