//! Traits, their `impl`s and kernels over them, in modules of their own, in any order.
#![deny(warnings)]

mod kernels {
    use rlx_kernels::prelude::*;

    use crate::kinds::{Double, Half};
    use crate::traits::Change as Changes;

    #[device]
    fn twice<C: Changes>(x: f32) -> f32 {
        C::of(C::of(x)) + C::BY
    }

    /// y[i] = C twice.
    #[kernel(workgroup_size(64), threads(n), instances(C in [Double, Half, crate::kinds::Third]))]
    pub fn changed<C: super::traits::Change>(y: &mut [f32], n: u32) {
        let i = global_index();
        if i < n {
            y[i] = twice::<C>(y[i]) + C::of(1.0);
        }
    }
}

mod kinds {
    use rlx_kernels::prelude::*;

    #[device]
    impl crate::traits::Change for Half {
        const BY: f32 = 0.5;
        fn of(x: f32) -> f32 {
            x * Self::BY
        }
    }

    #[device(impl Change)]
    pub struct Half;

    #[device(impl Change)]
    pub struct Third;

    use super::traits::Change;

    #[device]
    impl Change for Third {
        const BY: f32 = Double::BY - 1.5;
        fn of(x: f32) -> f32 {
            Double::of(x) * 0.25
        }
    }

    #[device(impl Change)]
    pub struct Double;

    #[device]
    impl Change for Double {
        const BY: f32 = 2.0;
        fn of(x: f32) -> f32 {
            x * Self::BY
        }
    }
}

mod traits {
    use rlx_kernels::prelude::*;

    #[device]
    pub trait Change {
        const BY: f32;
        fn of(x: f32) -> f32;
    }
}

fn main() {
    let labels = kernels::changed::instances().iter().map(|kernel| &*kernel.instance);
    assert_eq!(labels.collect::<Vec<_>>(), ["Double", "Half", "Third"]);
}
