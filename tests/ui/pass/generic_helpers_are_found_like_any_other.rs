//! Generic helpers through renames, nested modules and `pub(crate)`, defined after their use, and
//! called by one another.

use rlx_kernels::prelude::*;

#[kernel(workgroup_size(64), threads(n), instances(F in [formats::Bytes]))]
fn decoded<F: BlockFormat>(w: &[Packed<F>], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = imports::first(w, i) + numbers::deep::scaled::<2>(1.5);
    }
}

mod imports {
    use super::numbers::weight as one;
    use rlx_kernels::prelude::*;

    #[device]
    pub(crate) fn first<G: BlockFormat>(w: &[Packed<G>], i: u32) -> f32 {
        one::<G>(w.block(i), 0) + one(w.block(i), 1)
    }
}

mod numbers {
    use rlx_kernels::prelude::*;

    #[device]
    pub(crate) fn weight<F: BlockFormat>(b: Block<F>, i: u32) -> f32 {
        F::decode(b, i)
    }

    pub mod deep {
        use rlx_kernels::prelude::*;

        #[device]
        pub fn scaled<const BY: u32>(x: f32) -> f32 {
            halved::<f32>(x) * BY as f32
        }

        #[device]
        fn halved<T: Float>(x: T) -> T {
            x * T::from_f32(0.5)
        }
    }
}

mod formats {
    use rlx_kernels::prelude::*;

    #[format(name = "B", ggml = 99, elems = 8, bytes = 8, layout { q: [u8; 8] })]
    impl BlockFormat for Bytes {
        fn decode(b: Block<Self>, i: u32) -> f32 {
            b.q(i) as f32
        }
    }
}

fn main() {
    let wgsl = &decoded::instances()[0].wgsl;
    assert!(wgsl.contains("fn scaled(x: f32) -> f32 {\n    return halved(x) * 2.0;"), "{wgsl}");
    assert_eq!(numbers::deep::scaled::<4>(3.0), 6.0);
}
