//! Whole paths, relative paths and `pub(crate)` all work, and a helper's own helpers may be private.

use rlx_kernels::prelude::*;

pub mod outer {
    pub mod inner {
        use rlx_kernels::prelude::*;

        #[device]
        fn square(x: f32) -> f32 {
            x * x
        }

        #[device]
        pub(crate) fn quartic(x: f32) -> f32 {
            square(square(x))
        }

        pub mod deepest {
            use rlx_kernels::prelude::*;

            #[device]
            pub(in crate::outer) fn octic(x: f32) -> f32 {
                let q = super::quartic(x);
                q * q
            }
        }
    }

    use rlx_kernels::prelude::*;

    #[kernel(workgroup_size(64), threads(n))]
    pub fn powers(x: &[f32], y: &mut [f32], n: u32) {
        let i = global_index();
        if i < n {
            y[i] = inner::quartic(x[i]) + self::inner::deepest::octic(x[i]);
        }
    }
}

#[kernel(workgroup_size(64), threads(n))]
fn fourth(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = crate::outer::inner::quartic(x[i]);
    }
}

fn main() {
    assert!(outer::powers::info().wgsl.contains("fn square("));
    assert!(fourth::info().wgsl.contains("fn quartic("));
}
