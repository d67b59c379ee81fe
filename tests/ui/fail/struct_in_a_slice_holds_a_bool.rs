use rlx_kernels::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Cell {
    alive: bool,
    age: u32,
}

#[kernel(workgroup_size(64), threads(n))]
fn step(cells: &mut [Cell], n: u32) {
    let i = global_index();
    if i < n {
        cells[i].age += 1;
    }
}

fn main() {}
