//! Structs, arrays of const length and generic floats among the params.
#![deny(warnings)]

mod shapes {
    use rlx_kernels::prelude::*;

    #[device]
    pub const SIDES: u32 = 3;

    #[device]
    #[derive(Clone, Copy)]
    pub struct Shape {
        pub sides: [f32; SIDES as usize],
        pub halves: Vec3<f16>,
        pub turned: bool_::Turned,
    }

    pub mod bool_ {
        use rlx_kernels::prelude::*;

        #[device]
        #[derive(Clone, Copy)]
        pub struct Turned {
            pub by: u64,
        }
    }

    pub mod kernels {
        use rlx_kernels::prelude::*;

        /// y[i] = a side of one of the shapes.
        #[kernel(workgroup_size(64), threads(n), instances(T in [f32, f16]))]
        pub fn sides<T: Float>(
            y: &mut [T],
            shapes: [super::Shape; super::SIDES * 2],
            scale: T,
            one: crate::shapes::Shape,
            n: u32,
        ) {
            let i = global_index();
            if i < n {
                y[i] = T::from_f32(shapes[i % 6].sides[i % 3] + one.sides[0]) * scale;
            }
        }
    }
}

fn main() {
    use rlx_kernels::prelude::*;

    let shape = shapes::Shape {
        sides: [1.0, 2.0, 3.0],
        halves: Vec3::splat(f16::ONE),
        turned: shapes::bool_::Turned { by: 1 },
    };
    let params = shapes::kernels::sides::Params::new([shape; 6], 0.5, shape, 8);
    assert_eq!(std::mem::size_of_val(&params), 6 * 80 + 16 + 80 + 16);
}
