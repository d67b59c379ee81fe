//! A path names one macro and one function, whatever they are imported as.

use rlx_kernels::prelude::*;

mod helpers {
    use rlx_kernels::prelude::*;

    #[device]
    pub fn double(x: f32) -> f32 {
        x * 2.0
    }

    #[device]
    pub const OFFSET: f32 = 0.5;
}

use helpers::OFFSET as SHIFT;
use helpers::double as twice;

#[kernel(workgroup_size(64), threads(n))]
fn shifted(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = twice(x[i]) + SHIFT;
    }
}

fn main() {
    assert!(shifted::info().wgsl.contains("fn double("));
    assert_eq!(twice(2.0) + SHIFT, 4.5);
}
