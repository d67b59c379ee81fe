//! The operators of the graph.

use std::fmt;

use rlx_kernels::ElementwiseOp;

use crate::dtype::Elem;
use crate::graph::ValueId;
use crate::shape::Shape;

/// Inputs that a region may have: with its result, the eight storage bindings that every WebGPU
/// device grants.
pub const MAX_REGION_INPUTS: usize = 7;

/// One value of the graph and how it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The operator, with its operands.
    pub op: Op,
    /// The shape of the value.
    pub shape: Shape,
    /// What the value holds.
    pub dtype: Elem,
}

/// An operator and its operands.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A dense value that the caller gives with each run.
    Input {
        /// The caller's name for it.
        name: String,
    },
    /// A weight `[k]`, `[n, k]` or, for experts, `[e, n, k]`; `k` is a multiple of the format's block.
    Weight {
        /// The tensor's name.
        name: String,
    },
    /// `y[.., m, n] = Σₖ x[.., m, k] · w[n, k]`.
    MatmulBt {
        /// f32 `[.., m, k]`.
        x: ValueId,
        /// Weight `[n, k]`.
        w: ValueId,
    },
    /// `y[t, s, n] = Σₖ x[t, s, k] · w[ids[t, s], n, k]`: each slot `s` of a token `t` with its own expert.
    MatmulExperts {
        /// f32 `[t, s, k]`, or `[t, k]` for the same row in all slots.
        x: ValueId,
        /// Weight `[e, n, k]`.
        w: ValueId,
        /// u32 `[t, s]`.
        ids: ValueId,
    },
    /// `y[t, n] = Σₛ weights[t, s] · x[t, s, n]`.
    CombineExperts {
        /// f32 `[t, s, n]`.
        x: ValueId,
        /// f32 `[t, s]`.
        weights: ValueId,
    },
    /// `y[t, k] = w[ids[t], k]`.
    GatherRows {
        /// Weight `[n, k]`.
        w: ValueId,
        /// u32 `[t]`.
        ids: ValueId,
    },
    /// The weight as f32, in the same shape.
    Dequantise {
        /// Weight of any shape.
        w: ValueId,
    },
    /// `y[.., k] = x[.., k] / sqrt(mean(x²) + eps) · weight[k]`, the mean over `k`.
    RmsNorm {
        /// f32 `[.., k]`.
        x: ValueId,
        /// Weight `[k]` in F32.
        weight: ValueId,
        /// Added to the mean; finite and not negative.
        eps: f32,
    },
    /// One operator applied to each element, under NumPy's broadcasting.
    Elementwise {
        /// The operator.
        op: &'static ElementwiseOp,
        /// f32, one for each of the operator's operands.
        args: Vec<ValueId>,
    },
    /// Several elementwise operators in one; made by the regions pass.
    Region {
        /// What is computed of each element.
        region: Region,
        /// f32, distinct, at most [`MAX_REGION_INPUTS`].
        args: Vec<ValueId>,
    },
}

impl Op {
    /// The values that the operator reads, in order.
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            Self::Input { .. } | Self::Weight { .. } => Vec::new(),
            Self::MatmulBt { x, w } => vec![*x, *w],
            Self::MatmulExperts { x, w, ids } => vec![*x, *w, *ids],
            Self::CombineExperts { x, weights } => vec![*x, *weights],
            Self::GatherRows { w, ids } => vec![*w, *ids],
            Self::Dequantise { w } => vec![*w],
            Self::RmsNorm { x, weight, .. } => vec![*x, *weight],
            Self::Elementwise { args, .. } | Self::Region { args, .. } => args.clone(),
        }
    }

    /// The same operator over other values.
    #[must_use]
    pub fn map(&self, mut value: impl FnMut(ValueId) -> ValueId) -> Self {
        let mut op = self.clone();
        match &mut op {
            Self::Input { .. } | Self::Weight { .. } => {}
            Self::MatmulBt { x: a, w: b }
            | Self::GatherRows { w: a, ids: b }
            | Self::CombineExperts { x: a, weights: b }
            | Self::RmsNorm {
                x: a, weight: b, ..
            } => (*a, *b) = (value(*a), value(*b)),
            Self::MatmulExperts { x, w, ids } => {
                (*x, *w, *ids) = (value(*x), value(*w), value(*ids));
            }
            Self::Dequantise { w } => *w = value(*w),
            Self::Elementwise { args, .. } | Self::Region { args, .. } => {
                for arg in args {
                    *arg = value(*arg);
                }
            }
        }
        op
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { name } => return write!(f, "input `{name}`"),
            Self::Weight { name } => return write!(f, "weight `{name}`"),
            Self::MatmulBt { .. } => f.write_str("matmul_bt")?,
            Self::MatmulExperts { .. } => f.write_str("matmul_experts")?,
            Self::CombineExperts { .. } => f.write_str("combine_experts")?,
            Self::GatherRows { .. } => f.write_str("gather_rows")?,
            Self::Dequantise { .. } => f.write_str("dequantise")?,
            Self::RmsNorm { .. } => f.write_str("rms_norm")?,
            Self::Elementwise { op, .. } => f.write_str(op.name)?,
            Self::Region { region, .. } => {
                let names: Vec<_> = region.steps.iter().map(|step| step.op.name).collect();
                write!(f, "region[{}]", names.join(" "))?;
            }
        }
        let operands: Vec<_> = self.operands().iter().map(ToString::to_string).collect();
        write!(f, "({})", operands.join(", "))
    }
}

/// What a region computes of each element: value `i` is argument `i` where there are more than `i`
/// arguments, and the result of step `i - args` past them. The last step is the region's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The operators, each after those whose results it takes.
    pub steps: Vec<Step>,
}

/// One operator of a [`Region`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operator.
    pub op: &'static ElementwiseOp,
    /// Values of the region, one for each of the operator's operands.
    pub operands: Vec<usize>,
}
