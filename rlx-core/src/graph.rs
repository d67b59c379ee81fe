//! The graph: an append-only SSA of operators over shaped values.

mod error;
mod infer;
mod op;

use std::fmt;

use rlx_kernels::{ElementwiseOp, FormatInfo};

pub use self::error::{Extent, GraphError, RegionError};
pub use self::infer::MAX_HEAD;
pub(crate) use self::infer::{check_name, infer};
pub use self::op::{MAX_REGION_INPUTS, Node, Op, Region, RopeLayout, Scores, Step};
use crate::dtype::{DType, Elem};
use crate::shape::Shape;

/// A value: of a graph, the one that the node of that number defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

impl ValueId {
    /// The value's place in a list by value.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// Operators in the order in which they are computed, and the values that a caller gets.
///
/// The methods that add a node check it whole: a graph made by them passes
/// [`verify`](crate::verify()) as soon as it has an output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    nodes: Vec<Node>,
    outputs: Vec<(String, ValueId)>,
}

impl Graph {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// A graph of these parts, unchecked: [`verify`](crate::verify()) says whether it is legal.
    pub fn from_parts(nodes: Vec<Node>, outputs: Vec<(String, ValueId)>) -> Self {
        Self { nodes, outputs }
    }

    /// The nodes; node `i` defines value `i`.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node that defines `id`.
    ///
    /// # Errors
    /// [`GraphError::NoSuchValue`] where the graph has no such value.
    pub fn node(&self, id: ValueId) -> Result<&Node, GraphError> {
        self.nodes.get(id.index()).ok_or(GraphError::NoSuchValue {
            value: id,
            nodes: self.nodes.len(),
        })
    }

    /// The values that a caller gets, by name.
    pub fn outputs(&self) -> &[(String, ValueId)] {
        &self.outputs
    }

    /// Adds a value that the caller gives with each run.
    ///
    /// # Errors
    /// [`GraphError`] where the name is empty or another input's, or the shape is too large.
    pub fn input(
        &mut self,
        name: impl Into<String>,
        shape: impl Into<Shape>,
        dtype: DType,
    ) -> Result<ValueId, GraphError> {
        self.push(
            Op::Input { name: name.into() },
            Some((shape.into(), dtype.into())),
        )
    }

    /// Adds a weight of shape `[k]`, `[n, k]` or, for experts, `[e, n, k]`.
    ///
    /// # Errors
    /// [`GraphError`] where the name is empty or another weight's, the rank is not 1 to 3, an
    /// extent is 0, `k` is no multiple of the format's block, or the shape is too large.
    pub fn weight(
        &mut self,
        name: impl Into<String>,
        shape: impl Into<Shape>,
        format: &'static FormatInfo,
    ) -> Result<ValueId, GraphError> {
        self.push(
            Op::Weight { name: name.into() },
            Some((shape.into(), Elem::Weight(format))),
        )
    }

    /// Adds an f32 value that stays on the device from one run to the next, zeros at first. Only
    /// [`Graph::append_rows`] takes it, once.
    ///
    /// # Errors
    /// [`GraphError`] where the name is empty or another state's, the rank is below 2, or the shape is
    /// too large.
    pub fn state(
        &mut self,
        name: impl Into<String>,
        shape: impl Into<Shape>,
    ) -> Result<ValueId, GraphError> {
        self.push(
            Op::State { name: name.into() },
            Some((shape.into(), Elem::F32)),
        )
    }

    /// Adds the elements of `x` in the shape `shape`.
    ///
    /// # Errors
    /// [`GraphError`] where `x` is a weight or the numbers of elements differ.
    pub fn reshape(&mut self, x: ValueId, shape: impl Into<Shape>) -> Result<ValueId, GraphError> {
        let shape = shape.into();
        self.push(Op::Reshape { x, shape }, None)
    }

    /// Adds the rotary position embedding of `x[t, h, d]` at `positions[t]`, by a `table[c, r]` of the cosines
    /// and then the sines of `r / 2` pairs for each position.
    ///
    /// # Errors
    /// [`GraphError`] where `x` is not f32 of rank 3, `table` no weight of rank 2 in F32 with an even `r` of
    /// at most `d`, `positions` not u32 of rank 1, or their `t` differ.
    pub fn rope(
        &mut self,
        x: ValueId,
        table: ValueId,
        positions: ValueId,
        layout: RopeLayout,
    ) -> Result<ValueId, GraphError> {
        self.push(
            Op::Rope {
                x,
                table,
                positions,
                layout,
            },
            None,
        )
    }

    /// Adds the state `cache[c, ..]` with `rows[t, ..]` at `positions[t]`, and keeps it for the next run.
    /// That positions are distinct can only be seen in a run; those past `c` write nothing.
    ///
    /// # Errors
    /// [`GraphError`] where `cache` is no state or was appended to before, `rows` are not f32 of its rank
    /// and inner extents, `positions` not u32 of rank 1, or their `t` differ.
    pub fn append_rows(
        &mut self,
        cache: ValueId,
        rows: ValueId,
        positions: ValueId,
    ) -> Result<ValueId, GraphError> {
        self.push(
            Op::AppendRows {
                cache,
                rows,
                positions,
            },
            None,
        )
    }

    /// Adds the attention of `q[t, h, d]` at `positions[t]` over the keys `k[c, g, d]` and values
    /// `v[c, g, d]` of the positions up to its own; `h / g` heads share a key.
    ///
    /// # Errors
    /// [`GraphError`] where `q`, `k` or `v` is not f32 of rank 3, `d` is over [`MAX_HEAD`],
    /// `h` no multiple of `g`, `positions` not u32 of rank 1, extents differ, or `scores` holds a number
    /// that makes none.
    pub fn attention(
        &mut self,
        q: ValueId,
        [k, v]: [ValueId; 2],
        positions: ValueId,
        scores: Scores,
    ) -> Result<ValueId, GraphError> {
        self.push(
            Op::Attention {
                q,
                k,
                v,
                positions,
                scores,
            },
            None,
        )
    }

    /// Adds `x[.., m, k] · w[n, k]ᵀ`, of shape `[.., m, n]`.
    ///
    /// # Errors
    /// [`GraphError`] where `x` is not f32 of rank 2 or more, `w` no weight of rank 2, or their `k`
    /// differ.
    pub fn matmul_bt(&mut self, x: ValueId, w: ValueId) -> Result<ValueId, GraphError> {
        self.push(Op::MatmulBt { x, w }, None)
    }

    /// Adds the product of each slot's row of `x`, `[t, s, k]` or `[t, k]` for the same row in all slots, with the
    /// weight of its expert `ids[t, s]` in `w[e, n, k]`, of shape `[t, s, n]`. An id that is no expert's gives
    /// zeros; one that the caller gives is refused in a run.
    ///
    /// # Errors
    /// [`GraphError`] where `x` is not f32 of rank 2 or 3, `w` no weight of rank 3, `ids` not u32 of rank 2,
    /// or their `t`, `s` or `k` differ.
    pub fn matmul_experts(
        &mut self,
        x: ValueId,
        w: ValueId,
        ids: ValueId,
    ) -> Result<ValueId, GraphError> {
        self.push(Op::MatmulExperts { x, w, ids }, None)
    }

    /// Adds the sum over the slots of `x[t, s, n]`, each times its `weights[t, s]`, of shape `[t, n]`.
    ///
    /// # Errors
    /// [`GraphError`] where `x` is not f32 of rank 3, `weights` not f32 of rank 2, or their `t` or `s` differ.
    pub fn combine_experts(&mut self, x: ValueId, weights: ValueId) -> Result<ValueId, GraphError> {
        self.push(Op::CombineExperts { x, weights }, None)
    }

    /// Adds the rows `ids[t]` of `w[n, k]`, f32 of shape `[t, k]`. That each id is below `n` can only
    /// be seen in a run.
    ///
    /// # Errors
    /// [`GraphError`] where `w` is no weight or f32 of rank 2, or `ids` not u32 of rank 1.
    pub fn gather_rows(&mut self, w: ValueId, ids: ValueId) -> Result<ValueId, GraphError> {
        self.push(Op::GatherRows { w, ids }, None)
    }

    /// Adds the weight `w` as f32 of the same shape.
    ///
    /// # Errors
    /// [`GraphError`] where `w` is no weight.
    pub fn dequantise(&mut self, w: ValueId) -> Result<ValueId, GraphError> {
        self.push(Op::Dequantise { w }, None)
    }

    /// Adds the RMS norm of `x[.., k]` over `k`, times `weight[k]`.
    ///
    /// # Errors
    /// [`GraphError`] where `x` is not f32 of rank 1 or more, `weight` no weight `[k]` in F32, or
    /// `eps` negative or not finite.
    pub fn rms_norm(
        &mut self,
        x: ValueId,
        weight: ValueId,
        eps: f32,
    ) -> Result<ValueId, GraphError> {
        self.push(Op::RmsNorm { x, weight, eps }, None)
    }

    /// Adds `op` applied to `args` element by element, under NumPy's broadcasting.
    ///
    /// # Errors
    /// [`GraphError`] where the number of `args` is not the operator's, one is neither f32 nor a weight in
    /// F32, or their shapes do not broadcast together.
    pub fn elementwise(
        &mut self,
        op: &'static ElementwiseOp,
        args: &[ValueId],
    ) -> Result<ValueId, GraphError> {
        self.push(
            Op::Elementwise {
                op,
                args: args.to_vec(),
            },
            None,
        )
    }

    /// Adds a region over `args`, under NumPy's broadcasting.
    ///
    /// # Errors
    /// [`GraphError`] where an argument is neither f32 nor a weight in F32, the shapes do not broadcast together, or the
    /// region is not well formed ([`RegionError`]).
    pub fn region(&mut self, region: Region, args: &[ValueId]) -> Result<ValueId, GraphError> {
        self.push(
            Op::Region {
                region,
                args: args.to_vec(),
            },
            None,
        )
    }

    /// Gives `value` to the caller as `name`.
    ///
    /// # Errors
    /// [`GraphError`] where the name is empty or another output's, or the value does not exist or is
    /// a weight.
    pub fn output(&mut self, name: impl Into<String>, value: ValueId) -> Result<(), GraphError> {
        let name = name.into();
        self.check_output(&name, value, self.outputs.len())?;
        self.outputs.push((name, value));
        Ok(())
    }

    /// Checks an output against the `earlier` first outputs.
    pub(crate) fn check_output(
        &self,
        name: &str,
        value: ValueId,
        earlier: usize,
    ) -> Result<(), GraphError> {
        let others = self
            .outputs
            .iter()
            .take(earlier)
            .map(|(other, _)| other.as_str());
        check_name("output", name, others)?;
        let node = self.node(value)?;
        match node.dtype {
            Elem::Dense(_) if matches!(node.op, Op::State { .. }) => {
                Err(GraphError::OutputIsState {
                    name: name.into(),
                    value,
                })
            }
            Elem::Dense(_) => Ok(()),
            Elem::Weight(_) => Err(GraphError::OutputIsWeight {
                name: name.into(),
                value,
            }),
        }
    }

    fn push(&mut self, op: Op, declared: Option<(Shape, Elem)>) -> Result<ValueId, GraphError> {
        let (shape, dtype) = infer(&self.nodes, &op, declared)?;
        // `infer` has seen that the number fits.
        let id = ValueId(self.nodes.len() as u32);
        self.nodes.push(Node { op, shape, dtype });
        Ok(id)
    }
}
