//! What a file of kernels imports: `use rlx_kernels::prelude::*;`.

pub use crate::format::{Block, BlockFormat, IntegerFormat, Packed};
pub use crate::integer::mul_hi;
pub use crate::math::{
    all, any, cross, distance, dot, dot4_i8_packed, dot4_u8_packed, extract_bits, face_forward,
    first_leading_bit, first_trailing_bit, frexp_exp, frexp_fract, insert_bits, inverse_sqrt,
    ldexp, length, mix, normalize, pack2x16float, pack2x16snorm, pack2x16unorm, pack4x_i8,
    pack4x_i8_clamp, pack4x_u8, pack4x_u8_clamp, pack4x8snorm, pack4x8unorm, quantize_to_f16,
    reflect, refract, saturate, select, smoothstep, step, to_f16, to_f32, to_i32, to_u32,
    unpack2x16float, unpack2x16snorm, unpack2x16unorm, unpack4x_i8, unpack4x_u8, unpack4x8snorm,
    unpack4x8unorm,
};
pub use crate::matrix::{MatrixA, MatrixB, MatrixC, multiply_add};
pub use crate::number::{Float, Signed as _};
pub use crate::simulate::{Report, SimError, SimOptions};
pub use crate::trace;
pub use crate::vector::{Vec2, Vec3, Vec4, vec2, vec3, vec4};
pub use half::f16;
pub use rlx_kernel_macros::{device, format, kernel};
