//! Cooperative matrices: what a subgroup holds together, and GPUs multiply at once.
//!
//! In a kernel a matrix is spread over the invocations of a subgroup, and each operation on it is one
//! of the whole subgroup. On the host, where a `#[device]` function runs as ordinary Rust, a matrix is
//! a value like any other.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, MulAssign, Sub, SubAssign};

use half::f16;

use crate::number::Float;
use crate::vector::Vec4;

/// Rows and columns of the largest matrix.
const MAX: usize = 16;

/// What a matrix is read from and written to: elements of type `T`, or `Vec4` of them.
pub trait MatrixElement<T>: Copy {
    /// Elements of the matrix in it.
    const LANES: usize;
    /// One of them.
    fn lane(self, index: usize) -> T;
    /// Puts one of them.
    fn put(&mut self, index: usize, value: T);
}

macro_rules! element {
    ($($scalar:ident)+) => { $(
        impl MatrixElement<$scalar> for $scalar {
            const LANES: usize = 1;
            fn lane(self, _: usize) -> $scalar {
                self
            }
            fn put(&mut self, _: usize, value: $scalar) {
                *self = value;
            }
        }

        impl MatrixElement<$scalar> for Vec4<$scalar> {
            const LANES: usize = 4;
            fn lane(self, index: usize) -> $scalar {
                let [x, y, z, w] = self.to_array();
                match index {
                    0 => x,
                    1 => y,
                    2 => z,
                    _ => w,
                }
            }
            fn put(&mut self, index: usize, value: $scalar) {
                match index {
                    0 => self.x = value,
                    1 => self.y = value,
                    2 => self.z = value,
                    _ => self.w = value,
                }
            }
        }
    )+ };
}

element! { f16 f32 }

macro_rules! matrix {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// `T` is `f16` or `f32`; it has `N` rows and `N` columns, 8 or 16.
        #[derive(Clone, Copy, PartialEq)]
        pub struct $name<T, const N: u32>([[T; MAX]; MAX]);

        impl<T: Float, const N: u32> $name<T, N> {
            /// A matrix of zeros.
            pub fn zero() -> Self {
                Self([[T::from_f32(0.0); MAX]; MAX])
            }

            /// Reads a matrix whose first row begins at `x[at]`, and each further row `stride` elements of
            /// `x` after the one before.
            ///
            /// # Panics
            /// On the host, where it passes the end of `x`.
            pub fn load_rows<E: MatrixElement<T>>(x: &[E], at: u32, stride: u32) -> Self {
                Self::of(|row, column| read(x, at, stride, (row, column)))
            }

            /// Reads a matrix whose first column begins at `x[at]`, and each further column `stride`
            /// elements of `x` after the one before.
            ///
            /// # Panics
            /// On the host, where it passes the end of `x`.
            pub fn load_columns<E: MatrixElement<T>>(x: &[E], at: u32, stride: u32) -> Self {
                Self::of(|row, column| read(x, at, stride, (column, row)))
            }

            /// Writes the matrix as [`load_rows`](Self::load_rows) reads it.
            ///
            /// # Panics
            /// On the host, where it passes the end of `y`.
            pub fn store_rows<E: MatrixElement<T>>(self, y: &mut [E], at: u32, stride: u32) {
                self.each(|row, column, value| write(y, at, stride, (row, column), value));
            }

            /// Writes the matrix as [`load_columns`](Self::load_columns) reads it.
            ///
            /// # Panics
            /// On the host, where it passes the end of `y`.
            pub fn store_columns<E: MatrixElement<T>>(self, y: &mut [E], at: u32, stride: u32) {
                self.each(|row, column, value| write(y, at, stride, (column, row), value));
            }

            fn of(element: impl Fn(usize, usize) -> T) -> Self {
                let mut matrix = Self::zero();
                for (row, line) in matrix.0.iter_mut().take(N as usize).enumerate() {
                    for (column, value) in line.iter_mut().take(N as usize).enumerate() {
                        *value = element(row, column);
                    }
                }
                matrix
            }

            fn each(self, mut put: impl FnMut(usize, usize, T)) {
                for (row, line) in self.0.iter().take(N as usize).enumerate() {
                    for (column, value) in line.iter().take(N as usize).enumerate() {
                        put(row, column, *value);
                    }
                }
            }
        }

        impl<T: Float, const N: u32> Add for $name<T, N> {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self::of(|row, column| self.0[row][column] + other.0[row][column])
            }
        }

        impl<T: Float, const N: u32> Sub for $name<T, N> {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self::of(|row, column| self.0[row][column] - other.0[row][column])
            }
        }

        impl<T: Float, const N: u32> Mul<T> for $name<T, N> {
            type Output = Self;
            fn mul(self, by: T) -> Self {
                Self::of(|row, column| self.0[row][column] * by)
            }
        }

        impl<T: Float, const N: u32> AddAssign for $name<T, N> {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl<T: Float, const N: u32> SubAssign for $name<T, N> {
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl<T: Float, const N: u32> MulAssign<T> for $name<T, N> {
            fn mul_assign(&mut self, by: T) {
                *self = *self * by;
            }
        }

        impl<const N: u32> Mul<$name<f32, N>> for f32 {
            type Output = $name<f32, N>;
            fn mul(self, matrix: $name<f32, N>) -> $name<f32, N> {
                matrix * self
            }
        }

        impl<const N: u32> Mul<$name<f16, N>> for f16 {
            type Output = $name<f16, N>;
            fn mul(self, matrix: $name<f16, N>) -> $name<f16, N> {
                matrix * self
            }
        }

        impl<T: fmt::Debug, const N: u32> fmt::Debug for $name<T, N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let rows = self.0.iter().take(N as usize);
                f.debug_list()
                    .entries(rows.map(|row| &row[..(N as usize).min(MAX)]))
                    .finish()
            }
        }
    };
}

matrix! {
    /// The left factor of [`multiply_add`].
    MatrixA
}
matrix! {
    /// The right factor of [`multiply_add`].
    MatrixB
}
matrix! {
    /// The summand and the result of [`multiply_add`].
    MatrixC
}

/// a · b + c. The sum is made in f32, or more exactly, in any order; where `S` is `f16` it is rounded to
/// one, once or after each step.
pub fn multiply_add<T: Float, S: Float, const N: u32>(
    a: MatrixA<T, N>,
    b: MatrixB<T, N>,
    c: MatrixC<S, N>,
) -> MatrixC<S, N> {
    MatrixC::of(|row, column| {
        let products = (0..N as usize).map(|k| a.0[row][k].to_f32() * b.0[k][column].to_f32());
        S::from_f32(products.fold(c.0[row][column].to_f32(), |sum, x| sum + x))
    })
}

fn place<T, E: MatrixElement<T>>(
    at: u32,
    stride: u32,
    (line, short): (usize, usize),
) -> (usize, usize) {
    let first = at as usize + line * stride as usize;
    (first + short / E::LANES, short % E::LANES)
}

fn read<T, E: MatrixElement<T>>(x: &[E], at: u32, stride: u32, to: (usize, usize)) -> T {
    let (index, lane) = place::<T, E>(at, stride, to);
    x[index].lane(lane)
}

fn write<T, E: MatrixElement<T>>(y: &mut [E], at: u32, stride: u32, to: (usize, usize), value: T) {
    let (index, lane) = place::<T, E>(at, stride, to);
    y[index].put(lane, value);
}

/// A scalar of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatrixScalar {
    /// `f16`
    F16,
    /// `f32`
    F32,
}

impl fmt::Display for MatrixScalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
        })
    }
}

/// A product of matrices: A of `m` × `k`, B of `k` × `n`, and C of `m` × `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A and rows of B.
    pub k: u32,
    /// The scalar of A and B; none where a kernel moves matrices of C alone.
    pub input: Option<MatrixScalar>,
    /// The scalar of C; none where a kernel moves matrices of A and B alone.
    pub output: Option<MatrixScalar>,
}

impl MatrixShape {
    /// Whether a device that multiplies `available` has the matrices of this product.
    pub fn is_among(&self, available: &[Self]) -> bool {
        let same = |wanted: Option<MatrixScalar>, found| wanted.is_none() || wanted == found;
        available.iter().any(|shape| {
            (shape.m, shape.n, shape.k) == (self.m, self.n, self.k)
                && same(self.input, shape.input)
                && same(self.output, shape.output)
        })
    }

    /// The shapes in words: `16x16x16 f16 -> f32, 16x16x16 f16 -> f16`; `none` for none.
    pub fn list(shapes: &[Self]) -> String {
        if shapes.is_empty() {
            return "none".into();
        }
        let shapes = shapes.iter().map(ToString::to_string);
        shapes.collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for MatrixShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { m, n, k, .. } = self;
        write!(f, "{m}x{n}x{k} ")?;
        match (self.input, self.output) {
            (Some(input), Some(output)) => write!(f, "{input} -> {output}"),
            (Some(input), None) => write!(f, "{input}"),
            (None, Some(output)) => write!(f, "-> {output}"),
            (None, None) => f.write_str("of any scalar"),
        }
    }
}
