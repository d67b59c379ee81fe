//! Block formats: one file a scheme, one line in the table below.
//!
//! Layouts and formulas are ggml's (`ggml-common.h`, `ggml-quants.c`); decoding is bit-exact against
//! ggml's own decoder.

use rlx_kernels::FormatInfo;

mod bytes;
mod codebook;
mod fp4;
mod superblock;

rlx_kernels::formats! {
    dense {
        f32::F32,
        f16::F16,
        bf16::BF16,
    }
    integers {
        q4_0::Q4_0,
        q4_1::Q4_1,
        q5_0::Q5_0,
        q5_1::Q5_1,
        q8_0::Q8_0,
        q2_k::Q2K,
        q3_k::Q3K,
        q4_k::Q4K,
        q5_k::Q5K,
        q6_k::Q6K,
        q8_k::Q8K,
        iq4_nl::IQ4NL,
        iq4_xs::IQ4XS,
        iq2_xxs::IQ2XXS,
        iq2_xs::IQ2XS,
        iq2_s::IQ2S,
        iq3_xxs::IQ3XXS,
        iq3_s::IQ3S,
        iq1_s::IQ1S,
        iq1_m::IQ1M,
        tq1_0::TQ1_0,
        tq2_0::TQ2_0,
        mxfp4::MXFP4,
        nvfp4::NVFP4,
        q1_0::Q1_0,
        q2_0::Q2_0,
    }
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
