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
    /// A dense value that stays on the device from one run to the next, zeros at first; what
    /// [`Op::AppendRows`] writes.
    State {
        /// Its name, under which executables that are compiled together share it.
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
        /// Weight or f32 `[n, k]`.
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
    /// The same elements in another shape.
    Reshape {
        /// f32 or u32, as many elements as `shape` has.
        x: ValueId,
        /// The new shape.
        shape: Shape,
    },
    /// Rotary position embedding: each pair `(a, b)` of the first `r` elements of a head becomes
    /// `(a cos - b sin, a sin + b cos)`; the others stay.
    Rope {
        /// f32 `[t, h, d]`.
        x: ValueId,
        /// Weight `[c, r]` in F32, `r` even and at most `d`: a row for each position, the cosines of the
        /// `r / 2` pairs and then their sines.
        table: ValueId,
        /// u32 `[t]`; a row at a position past `c` becomes zeros.
        positions: ValueId,
        /// Which elements are a pair.
        layout: RopeLayout,
    },
    /// `cache` with the rows at `positions` replaced, in its place.
    AppendRows {
        /// State `[c, ..]`.
        cache: ValueId,
        /// f32 `[t, ..]`.
        rows: ValueId,
        /// u32 `[t]`, distinct; a row at a position past `c` is left out.
        positions: ValueId,
    },
    /// Causal attention over a cache: `y[t, h] = Σᵢ softmaxᵢ(scale · q[t, h] · k[i, h / (h / g)]) · v[i, ..]`
    /// over the positions `i` up to `positions[t]`.
    Attention {
        /// f32 `[t, h, d]`.
        q: ValueId,
        /// f32 `[c, g, d]`, with `h` a multiple of `g`.
        k: ValueId,
        /// f32 `[c, g, d]`.
        v: ValueId,
        /// u32 `[t]`; a row at a position past `c` becomes zeros.
        positions: ValueId,
        /// How scores are made.
        scores: Scores,
    },
    /// One operator applied to each element, under NumPy's broadcasting.
    Elementwise {
        /// The operator.
        op: &'static ElementwiseOp,
        /// f32 or weights in F32, one for each of the operator's operands.
        args: Vec<ValueId>,
    },
    /// Several elementwise operators in one; made by the regions pass.
    Region {
        /// What is computed of each element.
        region: Region,
        /// f32 or weights in F32, distinct, at most [`MAX_REGION_INPUTS`].
        args: Vec<ValueId>,
    },
}

/// Which elements of a head [`Op::Rope`] takes as a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RopeLayout {
    /// `2 i` and `2 i + 1`, as in GPT-J and in Llama's GGUF files.
    Adjacent,
    /// `i` and `i + r / 2`, as in GPT-NeoX.
    Halves,
}

/// How [`Op::Attention`] makes its scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// What products are multiplied with; finite.
    pub scale: f32,
    /// How many positions, its own among them, a row sees at most; all before it if none.
    pub window: Option<u32>,
    /// The soft cap `c · tanh(score / c)`; positive and finite.
    pub softcap: Option<f32>,
}

impl Op {
    /// The values that the operator reads, in order.
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            Self::Input { .. } | Self::Weight { .. } | Self::State { .. } => Vec::new(),
            Self::MatmulBt { x, w } => vec![*x, *w],
            Self::MatmulExperts { x, w, ids } => vec![*x, *w, *ids],
            Self::CombineExperts { x, weights } => vec![*x, *weights],
            Self::GatherRows { w, ids } => vec![*w, *ids],
            Self::Dequantise { w } => vec![*w],
            Self::RmsNorm { x, weight, .. } => vec![*x, *weight],
            Self::Reshape { x, .. } => vec![*x],
            Self::Rope {
                x,
                table,
                positions,
                ..
            } => vec![*x, *table, *positions],
            Self::AppendRows {
                cache,
                rows,
                positions,
            } => vec![*cache, *rows, *positions],
            Self::Attention {
                q, k, v, positions, ..
            } => vec![*q, *k, *v, *positions],
            Self::Elementwise { args, .. } | Self::Region { args, .. } => args.clone(),
        }
    }

    /// The same operator over other values.
    #[must_use]
    pub fn map(&self, mut value: impl FnMut(ValueId) -> ValueId) -> Self {
        let mut op = self.clone();
        match &mut op {
            Self::Input { .. } | Self::Weight { .. } | Self::State { .. } => {}
            Self::MatmulBt { x: a, w: b }
            | Self::GatherRows { w: a, ids: b }
            | Self::CombineExperts { x: a, weights: b }
            | Self::RmsNorm {
                x: a, weight: b, ..
            } => (*a, *b) = (value(*a), value(*b)),
            Self::MatmulExperts { x, w, ids } => {
                (*x, *w, *ids) = (value(*x), value(*w), value(*ids));
            }
            Self::Rope {
                x: a,
                table: b,
                positions: c,
                ..
            }
            | Self::AppendRows {
                cache: a,
                rows: b,
                positions: c,
            } => (*a, *b, *c) = (value(*a), value(*b), value(*c)),
            Self::Attention {
                q, k, v, positions, ..
            } => {
                (*q, *k, *v, *positions) = (value(*q), value(*k), value(*v), value(*positions));
            }
            Self::Dequantise { w: x } | Self::Reshape { x, .. } => *x = value(*x),
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
            Self::State { name } => return write!(f, "state `{name}`"),
            Self::MatmulBt { .. } => f.write_str("matmul_bt")?,
            Self::MatmulExperts { .. } => f.write_str("matmul_experts")?,
            Self::CombineExperts { .. } => f.write_str("combine_experts")?,
            Self::GatherRows { .. } => f.write_str("gather_rows")?,
            Self::Dequantise { .. } => f.write_str("dequantise")?,
            Self::RmsNorm { .. } => f.write_str("rms_norm")?,
            Self::Reshape { .. } => f.write_str("reshape")?,
            Self::Rope { .. } => f.write_str("rope")?,
            Self::AppendRows { .. } => f.write_str("append_rows")?,
            Self::Attention { .. } => f.write_str("attention")?,
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
