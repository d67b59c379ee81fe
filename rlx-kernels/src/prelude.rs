//! What a file of kernels imports: `use rlx_kernels::prelude::*;`.

pub use crate::format::{Block, BlockFormat, Packed};
pub use crate::math::{
    dot, dot4_i8_packed, dot4_u8_packed, inverse_sqrt, select, to_f32, unpack2x16float,
    unpack4x_i8, unpack4x_u8,
};
pub use crate::vector::{Vec2, Vec3, Vec4, vec2, vec3, vec4};
pub use rlx_kernel_macros::{device, format, kernel};
