//! Functions and consts of a struct through imports, renames, whole paths and `pub(crate)`, defined
//! after their use.

use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n))]
fn renamed(y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = counters::Counter::new(i).get() + imports::by_another_name(i) + crate::counters::Counter::STEP;
    }
}

mod imports {
    use super::counters::Counter as C;
    use rlx_kernels::prelude::*;

    #[device]
    pub(crate) fn by_another_name(i: u32) -> u32 {
        let mut c = C::new(C::STEP);
        c.next();
        c.get() + i
    }
}

mod counters {
    use rlx_kernels::prelude::*;

    #[device]
    impl Counter {
        pub(crate) const STEP: u32 = 3;

        pub(crate) fn new(count: u32) -> Self {
            Counter { count }
        }

        pub(crate) fn next(&mut self) {
            self.count += Self::STEP;
        }

        pub(crate) fn get(&self) -> u32 {
            self.count
        }
    }

    #[device(impl)]
    #[derive(Clone, Copy)]
    pub(crate) struct Counter {
        count: u32,
    }
}

fn main() {
    let wgsl = &renamed::info().wgsl;
    assert!(wgsl.contains("fn counter_next(self_: ptr<function, Counter>)"), "{wgsl}");
    assert!(wgsl.contains("const COUNTER_STEP: u32 = 3u;"), "{wgsl}");
    assert_eq!(imports::by_another_name(1), 7);
}
