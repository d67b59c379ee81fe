//! The bytes of a kernel's slices.
//!
//! A struct that lies badly in a slice is refused where the kernel is compiled, and is no `Pod` then. The
//! choice between the two traits, by what method lookup tries first, keeps rustc from saying so again.

use bytemuck::Pod;

/// A `&[T]`.
#[derive(Debug)]
pub struct Input<'a, T>(pub &'a [T]);

/// A `&mut [T]`.
#[derive(Debug)]
pub struct Output<'a, T>(pub Option<&'a mut [T]>);

/// The bytes of what may lie in a slice.
pub trait OfPod<'a> {
    /// `&[u8]` or `&mut [u8]`.
    type Bytes;

    /// The bytes; an output gives them once.
    fn bytes(&mut self) -> Self::Bytes;
}

impl<'a, T: Pod> OfPod<'a> for Input<'a, T> {
    type Bytes = &'a [u8];

    fn bytes(&mut self) -> &'a [u8] {
        bytemuck::cast_slice(self.0)
    }
}

impl<'a, T: Pod> OfPod<'a> for Output<'a, T> {
    type Bytes = &'a mut [u8];

    fn bytes(&mut self) -> &'a mut [u8] {
        self.0.take().map_or(&mut [], bytemuck::cast_slice_mut)
    }
}

/// No bytes, of what has been refused.
pub trait OfRefused<'a> {
    /// `&[u8]` or `&mut [u8]`.
    type Bytes;

    /// Nothing.
    fn bytes(&mut self) -> Self::Bytes;
}

impl<'a, T> OfRefused<'a> for &mut Input<'a, T> {
    type Bytes = &'a [u8];

    fn bytes(&mut self) -> &'a [u8] {
        &[]
    }
}

impl<'a, T> OfRefused<'a> for &mut Output<'a, T> {
    type Bytes = &'a mut [u8];

    fn bytes(&mut self) -> &'a mut [u8] {
        &mut []
    }
}
