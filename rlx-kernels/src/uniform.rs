//! Structs among the params of a kernel.

use std::marker::PhantomData;

use bytemuck::Pod;

/// A `#[device]` struct, which kernels take as a param: `#[device]` implements it.
pub trait Uniform {
    /// The struct as a uniform buffer lays it out, in rows of 16 bytes.
    type Uniform: Pod;
    /// The value as a uniform buffer holds it.
    fn uniform(self) -> Self::Uniform;
}

/// The rows that a `T` takes among the params. What is no [`Uniform`] gets those of [`NoUniform`], and
/// the error is the kernel's.
#[doc(hidden)]
#[derive(Debug)]
pub struct Rows<T>(PhantomData<T>);

impl<T: Uniform> Rows<T> {
    /// How many there are.
    pub const COUNT: usize = size_of::<T::Uniform>() / 16;

    /// The rows of a value.
    pub fn of<const COUNT: usize>(value: T) -> [[u32; 4]; COUNT] {
        let value = value.uniform();
        let mut rows = [[0; 4]; COUNT];
        let (to, from) = (
            bytemuck::cast_slice_mut(&mut rows),
            bytemuck::bytes_of(&value),
        );
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from;
        }
        rows
    }
}

/// What stands in for [`Rows`] of a type that is no [`Uniform`].
#[doc(hidden)]
pub trait NoUniform<T>: Sized {
    /// One row.
    const COUNT: usize = 1;

    /// Zeros.
    fn of<const COUNT: usize>(_: T) -> [[u32; 4]; COUNT] {
        [[0; 4]; COUNT]
    }
}

impl<T> NoUniform<T> for Rows<T> {}
