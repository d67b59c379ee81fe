//! From a graph to dispatches. Guarantee: every value of the graph has its place in the program,
//! and every op that computes has its dispatches.

mod compiled;
mod epilogue;
mod product;
mod region;
pub mod road;
mod shard;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kernel_specs::{attention, experts, index, norm, quant};
use rlx_kernels::{Dispatch, DispatchError, Features, FormatInfo, KernelInfo, MatrixShape};

use crate::dtype::Elem;
use crate::graph::{Graph, Node, Op, Region, RopeLayout, Scores, Step, ValueId};
use crate::program::{Program, ProgramValue, ValueKind};
use crate::shape::{Shape, ShapeError};

use epilogue::Epilogue;
use shard::Shard;

pub use region::sample_region;

/// What the device at hand has, and what a product may lose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerOptions {
    /// Features that kernels may need.
    pub features: Features,
    /// The products of matrices that kernels may ask for.
    pub matrices: Vec<MatrixShape>,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Invocations a workgroup.
    pub invocations: u32,
    /// Bytes of a binding: a larger weight is taken in parts.
    pub binding_bytes: u64,
    /// How exact matrix products are.
    pub precision: Precision,
    /// Whether elementwise regions become the ends of products.
    pub epilogues: bool,
}

/// How exact matrix products are, the least exact first. Sums are made in f32 always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// Activations may be rounded to bytes, with a scale for each 32; NMSE about 1e-5.
    Int8,
    /// Activations and decoded weights may be rounded to halves; NMSE about 1e-7.
    Half,
    /// All in f32.
    #[default]
    Exact,
}

impl Default for LowerOptions {
    /// What every device with WebGPU has.
    fn default() -> Self {
        Self {
            features: Features::NONE,
            matrices: Vec::new(),
            workgroup_bytes: 16_384,
            invocations: 256,
            binding_bytes: 128 << 20,
            precision: Precision::Exact,
            epilogues: true,
        }
    }
}

impl LowerOptions {
    /// Whether the device has what `kernel` needs.
    pub fn has(&self, kernel: &KernelInfo) -> bool {
        let [x, y, z] = kernel.workgroup_size.map(u64::from);
        kernel.features.within(self.features)
            && kernel.workgroup_bytes <= self.workgroup_bytes
            && x * y * z <= u64::from(self.invocations)
            && kernel
                .matrices
                .iter()
                .all(|shape| shape.is_among(&self.matrices))
    }
}

/// Why a graph cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// No kernel is compiled for the format of a weight.
    #[error("{node}: no kernel `{kernel}` for weights in {format}")]
    Format {
        /// The node.
        node: String,
        /// The kernel that was looked for.
        kernel: &'static str,
        /// The format.
        format: &'static str,
    },
    /// An extent or a number of elements that kernels cannot count.
    #[error("{node}: {what} is {value}; kernels count with 32 bits, up to {max}", max = u32::MAX)]
    TooLarge {
        /// The node.
        node: String,
        /// What is too large.
        what: &'static str,
        /// How large it is.
        value: u64,
    },
    /// A weight is larger than a binding, and is not taken in parts.
    #[error(
        "{node}: weight {weight} passes the {limit} bytes of a binding; only products and gathers take it in parts"
    )]
    Indivisible {
        /// The node.
        node: String,
        /// The weight.
        weight: ValueId,
        /// Bytes of a binding.
        limit: u64,
    },
    /// A shape is impossible.
    #[error("{node}: {source}")]
    Shape {
        /// The node.
        node: String,
        /// What is wrong.
        source: ShapeError,
    },
    /// A dispatch is impossible.
    #[error("{node}: {source}")]
    Dispatch {
        /// The node.
        node: String,
        /// What is wrong.
        source: DispatchError,
    },
    /// The kernel of an elementwise region does not compile.
    #[error("{node}: the kernel of this region does not compile: {message}")]
    Region {
        /// The node.
        node: String,
        /// What the kernel compiler says.
        message: String,
    },
}

/// Lowers `graph`, which [`verify`](crate::verify()) accepts.
///
/// # Errors
/// [`LowerError`] for the first op that no kernel can do.
pub fn lower(graph: &Graph, options: &LowerOptions) -> Result<Program, LowerError> {
    let mut lowering = Lowering {
        graph,
        options,
        program: Program::default(),
        temporaries: Vec::new(),
        shards: HashMap::new(),
        claims: HashMap::new(),
        deferred: HashSet::new(),
        epilogues: HashMap::new(),
        last_use: Vec::new(),
        regions: HashMap::new(),
    };
    if options.epilogues {
        lowering.claims = product::claims(graph);
    }
    lowering.last_use = last_uses(graph, &lowering.claims);
    for (index, node) in graph.nodes().iter().enumerate() {
        lowering.node(ValueId(index as u32), node)?;
    }
    lowering.program.values.append(&mut lowering.temporaries);
    lowering.program.outputs = graph.outputs().to_vec();
    Ok(lowering.program)
}

/// The last node that reads each value; outputs are read by the end, and what a claimed product reads by the
/// region that claims it.
fn last_uses(graph: &Graph, claims: &HashMap<ValueId, ValueId>) -> Vec<usize> {
    let mut last = vec![0; graph.nodes().len()];
    for (index, node) in graph.nodes().iter().enumerate() {
        let claimed = claims.get(&ValueId(index as u32));
        let reader = claimed.map_or(index, |region| region.index());
        for operand in node.op.operands() {
            let last = &mut last[operand.index()];
            *last = reader.max(*last);
        }
    }
    for (_, value) in graph.outputs() {
        last[value.index()] = usize::MAX;
    }
    // Who reads a view reads what it is of.
    for (index, node) in graph.nodes().iter().enumerate().rev() {
        if let Op::Reshape { x, .. } = node.op {
            last[x.index()] = last[x.index()].max(last[index]);
        }
    }
    last
}

struct Lowering<'g> {
    graph: &'g Graph,
    options: &'g LowerOptions,
    program: Program,
    /// Values of roads, which come after those of the graph.
    temporaries: Vec<ProgramValue>,
    /// Of each weight, the first of which is its own value.
    shards: HashMap<ValueId, Vec<Shard>>,
    /// Products with the nodes that may be their ends.
    claims: HashMap<ValueId, ValueId>,
    /// Those of them that wait for that node.
    deferred: HashSet<ValueId>,
    /// Kernels of products with an end, by the hash of the product's own.
    epilogues: HashMap<(u64, Epilogue), Arc<KernelInfo>>,
    last_use: Vec<usize>,
    /// Kernels of regions by what they compute.
    regions: HashMap<region::Key, Arc<KernelInfo>>,
}

/// A node in the words of an error.
fn describe(id: ValueId, node: &Node) -> String {
    format!("node {id} = {} of shape {}", node.op, node.shape)
}

impl Lowering<'_> {
    fn node(&mut self, id: ValueId, node: &Node) -> Result<(), LowerError> {
        let bytes = node
            .dtype
            .bytes_of(&node.shape)
            .map_err(|source| LowerError::Shape {
                node: describe(id, node),
                source,
            })?;
        let kind = match &node.op {
            Op::Input { name } => {
                self.program.inputs.push((name.clone(), id));
                ValueKind::Input
            }
            Op::Weight { name } => return self.weight(id, node, name, bytes),
            Op::State { name } => ValueKind::State { name: name.clone() },
            _ => ValueKind::Temporary,
        };
        self.program.values.push(ProgramValue {
            bytes,
            kind,
            alias_of: match node.op {
                Op::Reshape { x, .. } => Some(x),
                Op::AppendRows { cache, .. } => Some(cache),
                _ => None,
            },
        });
        let dispatch = match &node.op {
            Op::Input { .. } | Op::Weight { .. } | Op::State { .. } | Op::Reshape { .. } => {
                return Ok(());
            }
            Op::MatmulBt { x, w } => return self.matmul(id, node, [*x, *w], None, None),
            Op::MatmulExperts { x, w, ids } => {
                return self.matmul(id, node, [*x, *w], Some(*ids), None);
            }
            Op::CombineExperts { x, weights } => {
                if self.elems32(id, node, "the number of values", *x)? == 0 {
                    return Ok(());
                }
                let dims = self.graph.nodes()[x.index()].shape.dims();
                // Each is at most their product.
                let [tokens, per, n] = [0, 1, 2].map(|axis| dims[axis] as u32);
                let params = experts::combine_experts::combine_experts::Params::new(tokens, per, n);
                let kernel = experts::combine_experts::combine_experts::info();
                let bindings = [*x, *weights, id];
                experts::combine_experts::combine_experts::dispatch(kernel, bindings, params)
                    .map_err(|e| impossible(id, node, e))?
            }
            Op::GatherRows { w, ids } => {
                let shards = self.shards(*w);
                let kernel = self.instance(
                    id,
                    node,
                    *w,
                    "gather_rows",
                    index::gather_rows::gather_rows::instance,
                )?;
                let tokens = self.elems32(id, node, "the number of ids", *ids)?;
                let [_, k] = self.matrix(id, node, *w)?;
                Self::count32(
                    id,
                    node,
                    "the number of elements",
                    Self::elems(id, node, &node.shape)?,
                )?;
                for Shard {
                    value,
                    first,
                    count,
                } in shards
                {
                    let params =
                        index::gather_rows::gather_rows::Params::new(tokens, k, count, first);
                    let bindings = [value, *ids, id];
                    let dispatch =
                        index::gather_rows::gather_rows::dispatch(kernel, bindings, params);
                    let dispatch = dispatch.map_err(|e| impossible(id, node, e))?;
                    self.program.dispatches.push(dispatch);
                }
                return Ok(());
            }
            Op::Dequantise { w } => {
                let kernel = self.instance(
                    id,
                    node,
                    *w,
                    "dequantise",
                    quant::dequantise::dequantise::instance,
                )?;
                self.whole(id, node, *w)?;
                let n = self.elems32(id, node, "the number of weights", *w)?;
                let params = quant::dequantise::dequantise::Params::new(n);
                quant::dequantise::dequantise::dispatch(kernel, [*w, id], params)
                    .map_err(|e| impossible(id, node, e))?
            }
            Op::RmsNorm { x, weight, eps } => {
                let n = self.elems32(id, node, "the number of elements", *x)?;
                let k = Self::count32(
                    id,
                    node,
                    "the length of a row",
                    node.shape.last().unwrap_or(1),
                )?;
                let rows = n.checked_div(k).unwrap_or(0);
                let params = norm::rms_norm::rms_norm::Params::new(rows, k, *eps);
                let kernel = norm::rms_norm::rms_norm::info();
                norm::rms_norm::rms_norm::dispatch(kernel, [*x, *weight, id], params)
                    .map_err(|e| impossible(id, node, e))?
            }
            Op::Rope {
                x,
                table,
                positions,
                layout,
            } => {
                self.elems32(id, node, "the number of elements", *x)?;
                self.whole(id, node, *table)?;
                let [capacity, r] = self.matrix(id, node, *table)?;
                // Each is at most their product.
                let [rows, heads, d] = [0, 1, 2].map(|axis| node.shape.dims()[axis] as u32);
                let gap = match layout {
                    RopeLayout::Adjacent => 1,
                    RopeLayout::Halves => r / 2,
                };
                let params = attention::rope::rope::Params::new(rows, heads, d, r, gap, capacity);
                let kernel = attention::rope::rope::info();
                attention::rope::rope::dispatch(kernel, [*x, *table, *positions, id], params)
                    .map_err(|e| impossible(id, node, e))?
            }
            Op::AppendRows {
                cache,
                rows,
                positions,
            } => {
                self.elems32(id, node, "the number of elements", *cache)?;
                let count = self.elems32(id, node, "the number of values", *rows)?;
                if count == 0 {
                    return Ok(());
                }
                let capacity = node.shape.dims()[0] as u32;
                let rows_shape = &self.graph.nodes()[rows.index()].shape;
                let rows_count = rows_shape.dims()[0] as u32;
                let width = count / rows_count;
                let params =
                    index::append_rows::append_rows::Params::new(rows_count, width, capacity);
                let kernel = index::append_rows::append_rows::info();
                index::append_rows::append_rows::dispatch(kernel, [*rows, *positions, id], params)
                    .map_err(|e| impossible(id, node, e))?
            }
            Op::Attention {
                q,
                k,
                v,
                positions,
                scores,
            } => {
                self.elems32(id, node, "the number of elements", *q)?;
                self.elems32(id, node, "the number of keys' elements", *k)?;
                let [rows, heads, d] = [0, 1, 2].map(|axis| node.shape.dims()[axis] as u32);
                let keys = self.graph.nodes()[k.index()].shape.dims();
                let [capacity, groups] = [0, 1].map(|axis| keys[axis] as u32);
                let Scores {
                    scale,
                    window,
                    softcap,
                } = *scores;
                let params = attention::attention::attention::Params::new(
                    rows,
                    heads,
                    groups,
                    d,
                    capacity,
                    window.unwrap_or(u32::MAX),
                    scale,
                    softcap.unwrap_or(0.0),
                );
                let kernel = attention::attention::attention::info();
                let bindings = [*q, *k, *v, *positions, id];
                attention::attention::attention::dispatch(kernel, bindings, params)
                    .map_err(|e| impossible(id, node, e))?
            }
            Op::Elementwise { op, args } => {
                // `mul(x, x)` binds `x` once, as a region does.
                let mut distinct = args.clone();
                distinct.sort_unstable();
                distinct.dedup();
                let operands = args
                    .iter()
                    .filter_map(|arg| distinct.binary_search(arg).ok());
                let region = Region {
                    steps: vec![Step {
                        op,
                        operands: operands.collect(),
                    }],
                };
                if self.end(id, node, &region, &distinct)? {
                    return Ok(());
                }
                self.region(id, node, &region, &distinct)?
            }
            Op::Region { region, args } => {
                if self.end(id, node, region, args)? {
                    return Ok(());
                }
                self.region(id, node, region, args)?
            }
        };
        self.program.dispatches.push(dispatch);
        Ok(())
    }

    /// Checks that an operand is no weight in parts.
    fn whole(&self, id: ValueId, node: &Node, w: ValueId) -> Result<(), LowerError> {
        match self.shards.get(&w).map(Vec::as_slice) {
            Some([_, _, ..]) => Err(LowerError::Indivisible {
                node: describe(id, node),
                weight: w,
                limit: self.options.binding_bytes,
            }),
            _ => Ok(()),
        }
    }

    /// A value of a road's own.
    fn temporary(&mut self, bytes: u64) -> ValueId {
        self.own_value(bytes, ValueKind::Temporary)
    }

    /// A value that is none of the graph's.
    fn own_value(&mut self, bytes: u64, kind: ValueKind) -> ValueId {
        let id = self.graph.nodes().len() + self.temporaries.len();
        self.temporaries.push(ProgramValue {
            bytes,
            kind,
            alias_of: None,
        });
        ValueId(id as u32)
    }

    fn region(
        &mut self,
        id: ValueId,
        node: &Node,
        region: &Region,
        args: &[ValueId],
    ) -> Result<Dispatch<ValueId>, LowerError> {
        let shapes: Vec<&Shape> = args
            .iter()
            .map(|arg| &self.graph.nodes()[arg.index()].shape)
            .collect();
        let n = Self::count32(
            id,
            node,
            "the number of elements",
            Self::elems(id, node, &node.shape)?,
        )?;
        for arg in args {
            self.whole(id, node, *arg)?;
        }
        let in_place = args.iter().position(|arg| {
            let value = &self.program.values[arg.index()];
            let shape = &self.graph.nodes()[arg.index()].shape;
            // The result may take the place of a value that nothing reads after it, itself or a view of it.
            self.last_use[arg.index()] == id.index()
                && value.kind == ValueKind::Temporary
                && value.alias_of.is_none()
                && *shape == node.shape
        });
        let lowered =
            region::Lowered::new(region, &node.shape, &shapes, n, in_place).map_err(|source| {
                LowerError::Shape {
                    node: describe(id, node),
                    source,
                }
            })?;
        let kernel = if let Some(kernel) = self.regions.get(&lowered.key) {
            Arc::clone(kernel)
        } else {
            let kernel = lowered
                .key
                .compile()
                .map_err(|message| LowerError::Region {
                    node: describe(id, node),
                    message,
                })?;
            let kernel = Arc::new(kernel);
            self.regions
                .insert(lowered.key.clone(), Arc::clone(&kernel));
            kernel
        };
        let mut bindings: Vec<ValueId> = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            if Some(index) != in_place {
                bindings.push(*arg);
            }
        }
        bindings.push(id);
        if let Some(index) = in_place {
            self.program.values[id.index()].alias_of = Some(args[index]);
        }
        lowered
            .dispatch(kernel, bindings, n)
            .map_err(|error| impossible(id, node, error))
    }

    /// The instance of a kernel for the format of weight `w`.
    fn instance(
        &self,
        id: ValueId,
        node: &Node,
        w: ValueId,
        name: &'static str,
        find: impl Fn(&str) -> Option<&'static KernelInfo>,
    ) -> Result<&'static KernelInfo, LowerError> {
        let format = self.format(w);
        find(format.name).ok_or_else(|| LowerError::Format {
            node: describe(id, node),
            kernel: name,
            format: format.name,
        })
    }

    fn format(&self, w: ValueId) -> &'static FormatInfo {
        match self.graph.nodes()[w.index()].dtype {
            Elem::Weight(format) => format,
            Elem::Dense(_) => &<kernel_specs::formats::F32 as rlx_kernels::BlockFormat>::INFO,
        }
    }

    /// Rows and row length of a weight.
    fn matrix(&self, id: ValueId, node: &Node, w: ValueId) -> Result<[u32; 2], LowerError> {
        let shape = &self.graph.nodes()[w.index()].shape;
        let k = shape.last().unwrap_or(1);
        let elems = Self::elems(id, node, shape)?;
        let rows = elems.checked_div(k).unwrap_or(0);
        let bytes = self.program.values[w.index()].bytes;
        Self::count32(id, node, "the size of the weight in bytes", bytes)?;
        Ok([
            Self::count32(id, node, "the number of rows", rows)?,
            Self::count32(id, node, "the length of a row", k)?,
        ])
    }

    fn elems(id: ValueId, node: &Node, shape: &Shape) -> Result<u64, LowerError> {
        shape.elems().map_err(|source| LowerError::Shape {
            node: describe(id, node),
            source,
        })
    }

    fn elems32(
        &self,
        id: ValueId,
        node: &Node,
        what: &'static str,
        value: ValueId,
    ) -> Result<u32, LowerError> {
        let elems = Self::elems(id, node, &self.graph.nodes()[value.index()].shape)?;
        Self::count32(id, node, what, elems)
    }

    fn count32(
        id: ValueId,
        node: &Node,
        what: &'static str,
        value: u64,
    ) -> Result<u32, LowerError> {
        // Kernels step past the end by up to a tile before they look.
        match u32::try_from(value) {
            Ok(count) if count <= u32::MAX - 1024 => Ok(count),
            _ => Err(LowerError::TooLarge {
                node: describe(id, node),
                what,
                value,
            }),
        }
    }
}

fn impossible(id: ValueId, node: &Node, source: DispatchError) -> LowerError {
    LowerError::Dispatch {
        node: describe(id, node),
        source,
    }
}
