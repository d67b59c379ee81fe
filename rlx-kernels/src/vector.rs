//! Vectors of two, three and four components, with WGSL's componentwise operators.

use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Index, IndexMut, Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub,
    SubAssign,
};

use bytemuck::{Pod, Zeroable};
use half::f16;

use crate::math::{Choose, Geometric, Mask};
use crate::number::{Float, Number, Signed};

/// Vectors of numbers, which have a dot product.
pub trait Dot {
    /// A component.
    type Scalar;
    /// Σ aᵢ·bᵢ, from the first component on.
    fn dot(self, other: Self) -> Self::Scalar;
}

macro_rules! vector {
    ($(#[$doc:meta])* $name:ident, $ctor:ident, $len:literal, $($field:ident)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(C)]
        pub struct $name<T> {
            $(#[doc = concat!("Component `", stringify!($field), "`.")] pub $field: T,)+
        }

        #[doc = concat!("A [`", stringify!($name), "`] of its components.")]
        pub const fn $ctor<T>($($field: T),+) -> $name<T> {
            $name { $($field),+ }
        }

        impl<T: Copy> $name<T> {
            /// Every component `value`.
            pub const fn splat(value: T) -> Self {
                Self { $($field: value),+ }
            }

            /// The vector of `f` of each component.
            pub fn map<U>(self, f: impl Fn(T) -> U) -> $name<U> {
                $name { $($field: f(self.$field)),+ }
            }

            /// The vector of `f` of each component and that of another.
            pub(crate) fn with(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
                Self { $($field: f(self.$field, other.$field)),+ }
            }

            /// The components in order.
            pub fn to_array(self) -> [T; $len] {
                [$(self.$field),+]
            }
        }

        // Sound: `repr(C)`, all fields of one type `T`, so there is no padding and every bit
        // pattern of plain `T`s is a value.
        #[allow(unsafe_code)]
        unsafe impl<T: Zeroable> Zeroable for $name<T> {}
        #[allow(unsafe_code)]
        unsafe impl<T: Pod> Pod for $name<T> {}

        vector!(@op $name Add add AddAssign add_assign $($field)+);
        vector!(@op $name Sub sub SubAssign sub_assign $($field)+);
        vector!(@op $name Mul mul MulAssign mul_assign $($field)+);
        vector!(@op $name Div div DivAssign div_assign $($field)+);

        vector!(@op $name Rem rem RemAssign rem_assign $($field)+);
        vector!(@op $name BitAnd bitand BitAndAssign bitand_assign $($field)+);
        vector!(@op $name BitOr bitor BitOrAssign bitor_assign $($field)+);
        vector!(@op $name BitXor bitxor BitXorAssign bitxor_assign $($field)+);
        vector!(@op $name Shl shl ShlAssign shl_assign $($field)+);
        vector!(@op $name Shr shr ShrAssign shr_assign $($field)+);

        impl<T: Copy + Add<Output = T> + Mul<Output = T>> Dot for $name<T> {
            type Scalar = T;
            fn dot(self, other: Self) -> T {
                vector!(@sum $(self.$field * other.$field),+)
            }
        }

        impl<T: Neg<Output = T>> Neg for $name<T> {
            type Output = Self;
            fn neg(self) -> Self {
                Self { $($field: -self.$field),+ }
            }
        }

        impl<T> Index<usize> for $name<T> {
            type Output = T;

            /// The component of that number.
            ///
            /// # Panics
            /// Where there is none.
            fn index(&self, at: usize) -> &T {
                [$(&self.$field),+][at]
            }
        }

        impl<T> IndexMut<usize> for $name<T> {
            fn index_mut(&mut self, at: usize) -> &mut T {
                let fields = [$(&mut self.$field),+];
                let Some(field) = fields.into_iter().nth(at) else {
                    panic!("a vector of {} components has none of number {at}", $len);
                };
                field
            }
        }

        impl<T: Number> $name<T> {
            vector!(@method $($field)+, min(other), "The smaller of each two components.");
            vector!(@method $($field)+, max(other), "The larger of each two components.");
            vector!(@method $($field)+, clamp(low, high), "Each component held to `low` to `high`.");
        }

        impl<T: Signed> $name<T> {
            vector!(@method $($field)+, abs(), "Each component without its sign.");
        }

        impl<T: Float> $name<T> {
            vector!(@method $($field)+, sqrt(), "√ of each component.");
            vector!(@method $($field)+, exp(), "e to the power of each component.");
            vector!(@method $($field)+, exp2(), "2 to the power of each component.");
            vector!(@method $($field)+, ln(), "The natural logarithm of each component.");
            vector!(@method $($field)+, log2(), "The logarithm to base 2 of each component.");
            vector!(@method $($field)+, powf(exponent), "Each component to the power of `exponent`'s.");
            vector!(@method $($field)+, sin(), "The sine of each component.");
            vector!(@method $($field)+, cos(), "The cosine of each component.");
            vector!(@method $($field)+, tan(), "The tangent of each component.");
            vector!(@method $($field)+, asin(), "The arc sine of each component.");
            vector!(@method $($field)+, acos(), "The arc cosine of each component.");
            vector!(@method $($field)+, atan(), "The arc tangent of each component.");
            vector!(@method $($field)+, atan2(x), "The arc tangent of each point (`x`, self).");
            vector!(@method $($field)+, sinh(), "The hyperbolic sine of each component.");
            vector!(@method $($field)+, cosh(), "The hyperbolic cosine of each component.");
            vector!(@method $($field)+, tanh(), "The hyperbolic tangent of each component.");
            vector!(@method $($field)+, floor(), "The next integer below each component.");
            vector!(@method $($field)+, ceil(), "The next integer above each component.");
            vector!(@method $($field)+, trunc(), "Each component towards zero.");
            vector!(@method $($field)+, round_ties_even(), "The integer nearest to each component, of two the even one.");
            vector!(@method $($field)+, mul_add(a, b), "self · a + b");
            vector!(@method $($field)+, asinh(), "The inverse hyperbolic sine of each component.");
            vector!(@method $($field)+, acosh(), "The inverse hyperbolic cosine of each component.");
            vector!(@method $($field)+, atanh(), "The inverse hyperbolic tangent of each component.");
            vector!(@method $($field)+, to_radians(), "Each component's degrees in radians.");
            vector!(@method $($field)+, to_degrees(), "Each component's radians in degrees.");
            vector!(@method $($field)+, recip(), "1 over each component.");
            vector!(@method $($field)+, fract(), "Each component without its integer part, with its sign.");
            vector!(@method $($field)+, round(), "The integer nearest to each component, of two the one farther from zero.");

            /// Each component to the power of `exponent`.
            #[must_use]
            pub fn powi(self, exponent: i32) -> Self {
                Self { $($field: T::powi(self.$field, exponent)),+ }
            }
        }

        rlx_kernel_macros::__swizzles!($name);

        impl<T: PartialOrd> $name<T> {
            vector!(@compare $name $($field)+, cmpeq ==, "Which components are equal.");
            vector!(@compare $name $($field)+, cmpne !=, "Which components differ.");
            vector!(@compare $name $($field)+, cmplt <, "Which components are less than the other's.");
            vector!(@compare $name $($field)+, cmple <=, "Which components are at most the other's.");
            vector!(@compare $name $($field)+, cmpgt >, "Which components are greater than the other's.");
            vector!(@compare $name $($field)+, cmpge >=, "Which components are at least the other's.");
        }

        impl<T: Not<Output = T>> Not for $name<T> {
            type Output = Self;
            fn not(self) -> Self {
                Self { $($field: !self.$field),+ }
            }
        }

        impl Mask for $name<bool> {
            fn any(self) -> bool {
                $(self.$field)||+
            }
            fn all(self) -> bool {
                $(self.$field)&&+
            }
        }

        impl<T> Choose<$name<T>> for $name<bool> {
            fn choose(self, a: $name<T>, b: $name<T>) -> $name<T> {
                $name { $($field: if self.$field { a.$field } else { b.$field }),+ }
            }
        }

        impl<T: Float> Geometric for $name<T>
        where
            T: Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T> + Neg<Output = T>,
        {
            type Scalar = T;
            fn dot(self, other: Self) -> T {
                Dot::dot(self, other)
            }
            fn scaled(self, by: T) -> Self {
                self * by
            }
            fn plus(self, other: Self) -> Self {
                self + other
            }
        }

        vector!(@scalar $name f16 $($field)+);
        vector!(@scalar $name i64 $($field)+);
        vector!(@scalar $name u64 $($field)+);
        vector!(@scalar $name f32 $($field)+);
        vector!(@scalar $name i32 $($field)+);
        vector!(@scalar $name u32 $($field)+);
    };
    (@op $name:ident $op:ident $method:ident $assign:ident $assign_method:ident $($field:ident)+) => {
        impl<T: $op<Output = T>> $op for $name<T> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self { $($field: self.$field.$method(other.$field)),+ }
            }
        }
        impl<T: $op<Output = T> + Copy> $op<T> for $name<T> {
            type Output = Self;
            fn $method(self, scalar: T) -> Self {
                Self { $($field: self.$field.$method(scalar)),+ }
            }
        }
        impl<T: $assign + Copy> $assign<T> for $name<T> {
            fn $assign_method(&mut self, scalar: T) {
                $(self.$field.$assign_method(scalar);)+
            }
        }
        impl<T: $assign> $assign for $name<T> {
            fn $assign_method(&mut self, other: Self) {
                $(self.$field.$assign_method(other.$field);)+
            }
        }
    };
    (@method $($field:ident)+, $method:ident(), $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn $method(self) -> Self {
            Self { $($field: T::$method(self.$field)),+ }
        }
    };
    (@method $($field:ident)+, $method:ident($a:ident), $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn $method(self, $a: Self) -> Self {
            Self { $($field: T::$method(self.$field, $a.$field)),+ }
        }
    };
    (@method $($field:ident)+, $method:ident($a:ident, $b:ident), $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn $method(self, $a: Self, $b: Self) -> Self {
            Self { $($field: T::$method(self.$field, $a.$field, $b.$field)),+ }
        }
    };
    (@compare $name:ident $($field:ident)+, $method:ident $op:tt, $doc:literal) => {
        #[doc = $doc]
        pub fn $method(self, other: Self) -> $name<bool> {
            $name { $($field: self.$field $op other.$field),+ }
        }
    };
    (@sum $first:expr $(, $rest:expr)*) => {
        $first $(+ $rest)*
    };
    (@scalar $name:ident $scalar:ident $($field:ident)+) => {
        impl Add<$name<$scalar>> for $scalar {
            type Output = $name<$scalar>;
            fn add(self, vector: $name<$scalar>) -> $name<$scalar> {
                $name { $($field: self + vector.$field),+ }
            }
        }
        impl Sub<$name<$scalar>> for $scalar {
            type Output = $name<$scalar>;
            fn sub(self, vector: $name<$scalar>) -> $name<$scalar> {
                $name { $($field: self - vector.$field),+ }
            }
        }
        impl Div<$name<$scalar>> for $scalar {
            type Output = $name<$scalar>;
            fn div(self, vector: $name<$scalar>) -> $name<$scalar> {
                $name { $($field: self / vector.$field),+ }
            }
        }
        impl Mul<$name<$scalar>> for $scalar {
            type Output = $name<$scalar>;
            fn mul(self, vector: $name<$scalar>) -> $name<$scalar> {
                $name { $($field: self * vector.$field),+ }
            }
        }
    };
}

vector! {
    /// Two components: `vec2<T>` in WGSL.
    Vec2, vec2, 2, x y
}
vector! {
    /// Three components: `vec3<T>` in WGSL.
    Vec3, vec3, 3, x y z
}
vector! {
    /// Four components: `vec4<T>` in WGSL.
    Vec4, vec4, 4, x y z w
}
