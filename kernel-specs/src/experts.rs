//! Products of rows with the weights of the experts that a router chose for them.
//!
//! A weight holds all experts, `experts · n` rows of `k`. Each of `rows` slots has an expert, `ids[slot]`,
//! and takes row `slot / per` of the activations.

pub mod combine_experts;
pub mod gemv_experts;
pub mod group_rows;
pub mod matmul_experts;
pub mod matmul_experts_halves;
