use rlx_kernels::prelude::*;

/// y[i] = 1
#[allow(uncoalesced_acces)]
#[kernel(workgroup_size(64), threads(n))]
pub fn ones(y: &mut [f32], n: u32) {
    let i = global_index();
    #[allow(bank_conflicts)]
    if i < n {
        y[i] = 1.0;
    }
}

/// 1
#[device]
#[allow(unused_params)]
pub fn one() -> f32 {
    1.0
}

fn main() {}
