use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64))]
fn sums(x: &[u64], y: &mut [u64], n: u32) {
    let i = global_id().x;
    y[i] = x[i] + n;
    y[i] = x[x[i]];
    y[i] = subgroup_add(x[i]);
    y[i] = x[i].count_ones();
}

fn main() {}
