//! Traits of the author's: generic functions and kernels over the types that have them.

use rlx_kernels::kernel::BindingSet;
use rlx_kernels::prelude::*;

use super::{every_device, words};

/// What is done to a number.
#[device]
pub trait Activation {
    /// A factor.
    const K: f32;
    /// How often.
    const TIMES: u32;
    /// The function.
    fn apply(x: f32) -> f32;
    /// Of four.
    fn apply4(x: Vec4<f32>) -> Vec4<f32>;
}

/// What is done to a slice.
#[device]
pub trait Gather {
    /// An element.
    fn at(x: &[f32], i: u32) -> f32;
}

/// Types in another module, one of them with two traits and functions of its own.
pub mod kinds {
    use rlx_kernels::prelude::*;

    use super::{Activation, Gather as Reads};

    /// max(x, 0)
    #[device(impl Activation)]
    pub struct Relu;

    #[device]
    impl Activation for Relu {
        const K: f32 = 0.5;
        const TIMES: u32 = 1;
        fn apply(x: f32) -> f32 {
            x.max(0.0)
        }
        fn apply4(x: Vec4<f32>) -> Vec4<f32> {
            x.max(Vec4::splat(0.0))
        }
    }

    /// A line.
    #[device(impl, impl Activation + Reads)]
    #[derive(Clone, Copy)]
    pub struct Line {
        slope: f32,
    }

    #[device]
    impl Line {
        /// Through the origin.
        pub const UNIT: Self = Self { slope: Self::K };

        fn of(self, x: f32) -> f32 {
            self.slope * x + Self::shift::<2>(x)
        }

        /// Generic within an `impl`.
        pub fn shift<const BY: u32>(x: f32) -> f32 {
            x + BY as f32
        }

        /// Generic over types within an `impl`.
        pub fn of_any<A: Activation, T: Float>(self, x: T) -> f32 {
            self.of(A::apply(x.to_f32())) * A::K
        }
    }

    #[device]
    impl Activation for Line {
        const K: f32 = 0.25;
        const TIMES: u32 = 3;
        fn apply(x: f32) -> f32 {
            Line::UNIT.of(x)
        }
        fn apply4(x: Vec4<f32>) -> Vec4<f32> {
            vec4(
                Self::apply(x.x),
                Self::apply(x.y),
                Self::apply(x.z),
                Self::apply(x.w),
            )
        }
    }

    #[device]
    impl Reads for Line {
        fn at(x: &[f32], i: u32) -> f32 {
            x[i] + x[(i + 1) % x.len()]
        }
    }

    /// Every other element.
    #[device(impl Reads)]
    pub struct Even;

    #[device]
    impl Reads for Even {
        fn at(x: &[f32], i: u32) -> f32 {
            x[i & !1]
        }
    }
}

/// `A` as often as it says.
#[device]
pub fn repeated<A: Activation>(x: f32) -> f32 {
    let mut y = x;
    #[unroll]
    for _ in 0..A::TIMES {
        y = A::apply(y) * A::K;
    }
    y
}

#[device]
fn through<A: Activation, G: Gather>(x: &[f32], i: u32) -> f32 {
    let v = A::apply4(Vec4::splat(G::at(x, i)));
    repeated::<A>(G::at(x, i)) + v.w
}

/// One function of all of them.
#[device]
pub fn traits(x: u32) -> u32 {
    let v = (x % 1000) as f32 - 500.0;
    let line = kinds::Line::shift::<3>(v);
    let sum = repeated::<kinds::Relu>(v) + repeated::<kinds::Line>(v) + line;
    sum.to_bits()
}

pure! {
    generic_functions_over_traits_give_rustcs_bits: traits_kernel(traits);
}

/// y[i] = A of what G gathers.
#[kernel(workgroup_size(64), threads(n), instances(A in [kinds::Relu, kinds::Line], G in [kinds::Even, kinds::Line]))]
#[requires(x.len() >= n, y.len() >= n)]
fn activated<A: Activation, G: Gather>(x: &[f32], y: &mut [f32], n: u32) {
    let i = global_index();
    if i < n {
        let mut sum = [0.0; A::TIMES as usize];
        sum[0] = through::<A, G>(x, i);
        y[i] =
            sum[0] + A::K * A::apply(x[i]) + kinds::Line::of_any::<A, f32>(kinds::Line::UNIT, x[i]);
    }
}

#[test]
fn a_kernel_over_traits_has_an_instance_for_each_of_their_types() {
    let labels: Vec<_> = activated::instances()
        .iter()
        .map(|kernel| &*kernel.instance)
        .collect();
    assert_eq!(
        labels,
        ["Relu, Even", "Relu, Line", "Line, Even", "Line, Line"]
    );
    let x: Vec<f32> = (0..100)
        .map(|i| (i * 37 % 50) as f32 * 0.5 - 12.0)
        .collect();
    let one = |i: usize| {
        let line = kinds::Line::UNIT.of_any::<kinds::Relu, f32>(x[i]);
        let at = x[i & !1];
        repeated::<kinds::Relu>(at) + kinds::Relu::apply(at) + 0.5 * x[i].max(0.0) + line
    };
    let other = |i: usize| {
        let line = kinds::Line::UNIT.of_any::<kinds::Line, f32>(x[i]);
        let at = x[i] + x[(i + 1) % 100];
        let through = repeated::<kinds::Line>(at) + kinds::Line::apply(at);
        through + 0.25 * kinds::Line::apply(x[i]) + line
    };
    for device in every_device() {
        let a = device.upload(&x).expect("it uploads");
        let mut y = device.alloc::<f32>(100).expect("it allocates");
        let run = activated::launch::<kinds::Relu, kinds::Even, _>(&a, &mut y, 100);
        device.run(&run.expect("a grid")).expect("it runs");
        let wanted: Vec<f32> = (0..100).map(one).collect();
        assert_eq!(device.download(&y).expect("it downloads"), wanted);
        let run = activated::launch::<kinds::Line, kinds::Line, _>(&a, &mut y, 100);
        device.run(&run.expect("a grid")).expect("it runs");
        let wanted: Vec<f32> = (0..100).map(other).collect();
        assert_eq!(device.download(&y).expect("it downloads"), wanted);
    }
    let kernel = activated::instance("Relu, Line").expect("one");
    let wgsl = kernel.wgsl(BindingSet::NONE);
    for text in [
        "fn relu_apply(x_1: f32) -> f32 {",
        "const RELU_K: f32 = 0.5;",
        "relu_apply4(",
    ] {
        assert!(wgsl.contains(text), "{text} is not in\n{wgsl}");
    }
    assert!(
        !wgsl.contains("Relu"),
        "a type without fields is printed:\n{wgsl}"
    );
}
