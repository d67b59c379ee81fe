use rlx_kernels::prelude::*;

#[device(impl)]
#[derive(Clone, Copy)]
struct Counter {
    count: u32,
}

#[device]
impl Counter {
    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count
    }
}

#[kernel(workgroup_size(64), threads(n))]
fn counts(y: &mut [u32], n: u32) {
    let i = global_index();
    let fixed = Counter { count: i };
    let mut many = [fixed, fixed];
    if i < n {
        y[i] = fixed.next() + many[0].next();
    }
}

fn main() {}
