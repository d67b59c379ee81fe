//! The ops that can be measured, a file each.

mod dequant;
mod gather;
mod product;

use clap::ValueEnum;
use rlx_core::LowerOptions;
use rlx_kernels::FormatInfo;
use serde::Serialize;

use super::work::{Shape, Work};
use crate::error::CliError;

/// Something that kernels do with a matrix of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// A product with few rows of activations
    Gemv,
    /// A product with many
    Gemm,
    /// A product with the weights of the experts that each row of activations uses
    Moe,
    /// All weights to f32
    Dequant,
    /// Rows by their numbers
    Gather,
}

/// Which of the ways to do an op.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Roads {
    /// The one that a graph takes.
    Preferred,
    /// Every one that fits.
    All,
    /// The one of that name, where it fits.
    Named(String),
}

impl Op {
    /// Its name as an argument.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gemv => "gemv",
            Self::Gemm => "gemm",
            Self::Moe => "moe",
            Self::Dequant => "dequant",
            Self::Gather => "gather",
        }
    }

    /// The shapes that are measured where none is given: those of ggml's own measurements.
    pub fn shapes(self) -> Vec<Shape> {
        match self {
            Self::Gemv => product::gemv_shapes(),
            Self::Gemm => product::gemm_shapes(),
            Self::Moe => product::moe_shapes(),
            Self::Dequant => dequant::shapes(),
            Self::Gather => gather::shapes(),
        }
    }

    /// Whether `m` means something.
    pub fn has_rows(self) -> bool {
        self != Self::Dequant
    }

    /// Whether a product with so many rows goes by this name.
    pub fn is_for(self, m: u32) -> bool {
        match self {
            Self::Gemv => m <= product::FEW,
            Self::Gemm => m > product::FEW,
            Self::Moe | Self::Dequant | Self::Gather => true,
        }
    }

    /// The ways to do it on such a device; none where those that are wanted do not fit.
    pub fn works(
        self,
        format: &'static FormatInfo,
        shape: Shape,
        device: &LowerOptions,
        roads: &Roads,
    ) -> Result<Vec<Work>, CliError> {
        match self {
            Self::Gemv | Self::Gemm | Self::Moe => product::works(format, shape, device, roads),
            Self::Dequant => dequant::work(format, shape, roads),
            Self::Gather => gather::work(format, shape, roads),
        }
    }
}

impl Roads {
    /// The names of all roads of all ops.
    pub fn names() -> impl Iterator<Item = &'static str> {
        product::roads().chain([dequant::NAME, gather::NAME])
    }

    /// Whether the road `name` is wanted, which is `preferred` to all after it.
    fn want(&self, name: &str, preferred: bool) -> bool {
        match self {
            Self::Preferred => preferred,
            Self::All => true,
            Self::Named(wanted) => wanted == name,
        }
    }
}

/// The bytes of `elems` weights in `format`, which are whole blocks.
fn weight_bytes(format: &FormatInfo, elems: u64) -> u64 {
    elems / u64::from(format.elems) * u64::from(format.bytes)
}
