//! The kernels of rlx, one file a kernel family, one file a block format.
#![forbid(unsafe_code)]

pub mod attention;
pub mod elementwise;
pub mod experts;
pub mod formats;
pub mod index;
pub mod matmul;
pub mod norm;
pub mod quant;

use rlx_kernels::KernelInfo;

/// Every compiled kernel instance, family by family.
pub fn kernels() -> impl Iterator<Item = &'static KernelInfo> {
    [
        quant::dequantise::dequantise::instances(),
        quant::dequantise_f16::dequantise_f16::instances(),
        quant::quantise_int8::quantise_int8::instances(),
        quant::halve_rows::halve_rows::instances(),
        matmul::gemv::gemv::instances(),
        matmul::gemv::gemv_subgroup::instances(),
        matmul::gemv_int8::gemv_int8::instances(),
        matmul::matmul_bt::matmul_bt::instances(),
        matmul::matmul_halves::matmul_halves::instances(),
        experts::group_rows::group_rows::instances(),
        experts::gemv_experts::gemv_experts::instances(),
        experts::matmul_experts::matmul_experts::instances(),
        experts::matmul_experts_halves::matmul_experts_halves::instances(),
        experts::combine_experts::combine_experts::instances(),
        index::gather_rows::gather_rows::instances(),
        index::paste_columns::paste_columns::instances(),
        index::append_rows::append_rows::instances(),
        norm::rms_norm::rms_norm::instances(),
        attention::rope::rope::instances(),
        attention::attention::attention::instances(),
    ]
    .into_iter()
    .flatten()
    .copied()
}
