use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn wrong(x: &[u32], y: &mut [u32], n: u32) {
    let i = global_index();
    'rows: for r in 0..n {
        for c in 0..r {
            if x[c] == r {
                break 'columns;
            }
        }
    }
    y[i] = 1;
}

fn main() {}
