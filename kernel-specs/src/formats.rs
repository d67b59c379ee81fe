//! Block formats: one file a scheme, one line in the table below.
//!
//! Layouts and formulas are ggml's (`ggml-common.h`, `ggml-quants.c`); decoding is bit-exact against
//! ggml's own decoder.

use rlx_kernels::FormatInfo;

mod nibble;

rlx_kernels::formats! {
    f32::F32,
    f16::F16,
    q4_0::Q4_0,
    q4_1::Q4_1,
    q5_0::Q5_0,
    q8_0::Q8_0,
    q4_k::Q4K,
    q6_k::Q6K,
}

/// The format of a name, such as `Q4_K`.
pub fn by_name(name: &str) -> Option<&'static FormatInfo> {
    ALL.iter().copied().find(|format| format.name == name)
}

/// The format of a type number in GGUF files.
pub fn by_ggml_type(number: u32) -> Option<&'static FormatInfo> {
    ALL.iter()
        .copied()
        .find(|format| format.ggml_type == number)
}
