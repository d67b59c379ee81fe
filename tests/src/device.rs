//! Device items of another crate than the kernels that use them.

use rlx_kernels::prelude::*;

/// A complex number.
#[device(impl)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    /// The real part.
    pub re: f32,
    /// The imaginary part.
    pub im: f32,
}

#[device]
impl Complex {
    /// √-1
    pub const I: Self = Self { re: 0.0, im: 1.0 };

    /// self · b
    pub fn mul(self, b: Self) -> Self {
        Self {
            re: self.re * b.re - self.im * b.im,
            im: self.re * b.im + self.im * b.re,
        }
    }

    /// Multiplies by a real number.
    pub fn scale(&mut self, by: f32) {
        self.re = halved::<f32, 1>(self.re) * (by + by);
        self.im *= by;
    }
}

/// x, halved `TIMES` times.
#[device]
pub fn halved<T: Float, const TIMES: u32>(x: T) -> T {
    let mut y = x;
    for _ in 0..TIMES {
        y *= T::from_f32(HALF);
    }
    y
}

/// What nobody outside of this crate can name.
#[device]
const HALF: f32 = 0.5;
