//! Runs graphs with native code, on rayon's threads: the reference for every other backend.
//!
//! Nothing is fused or lowered, so that what a pass does can be held against a run of the graph as it
//! was before. f32 in, f32 out, f32 accumulation in several lanes; a weight is decoded a few rows at
//! a time and never whole, but for `dequantise`.

mod attention;
mod elementwise;
mod experts;
mod lanes;
mod matmul;
mod norm;
mod rows;
mod states;
mod store;

use std::borrow::Cow;
use std::sync::{Arc, MutexGuard};

use rlx_core::{
    Elem, Graph, GraphError, Node, Op, PlanLimits, Region, Step, ValueId, VerifyError, Weights,
    verify,
};
use rlx_kernels::{Features, FormatInfo};

use self::elementwise::Argument;
use self::states::{Contents, States};
use self::store::Store;
use crate::backend::{Backend, Capabilities, CompileReport, Executable};
use crate::error::BackendError;
use crate::signature::Signature;
use crate::tensor::{Tensor, TensorData};

/// The backend that runs graphs on the host, in the rayon pool of whoever calls.
#[derive(Clone, Debug)]
pub struct CpuBackend {
    capabilities: Capabilities,
}

impl CpuBackend {
    /// The backend.
    pub fn new() -> Self {
        let limits = PlanLimits {
            storage_alignment: 4,
            max_binding: u64::MAX,
            max_buffer: u64::MAX,
        };
        let features = Features::NONE;
        Self {
            capabilities: Capabilities {
                features,
                limits,
                workgroup_bytes: 0,
                invocations: 0,
                subgroup_size: None,
                matrices: Vec::new(),
            },
        }
    }
}

impl Default for CpuBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn compile(
        &self,
        graph: &Graph,
        weights: &dyn Weights,
    ) -> Result<Box<dyn Executable>, BackendError> {
        let store = Store::owned(graph, weights)?;
        let states = States::of(&[graph])?;
        Ok(Box::new(CpuExecutable::new(graph, store, states)?))
    }

    fn compile_together(
        &self,
        graphs: &[&Graph],
        weights: &Arc<dyn Weights + Send>,
    ) -> Result<Vec<Box<dyn Executable>>, BackendError> {
        let states = States::of(graphs)?;
        let executables = graphs.iter().map(|graph| {
            let store = Store::shared(graph, weights)?;
            let executable = CpuExecutable::new(graph, store, states.clone())?;
            Ok(Box::new(executable) as Box<dyn Executable>)
        });
        executables.collect()
    }
}

/// A graph with the raw blocks of its weights.
struct CpuExecutable {
    graph: Graph,
    signature: Signature,
    weights: Store,
    states: States,
    /// For each node, the values that nothing reads after it.
    dead_after: Vec<Vec<ValueId>>,
    report: CompileReport,
}

impl CpuExecutable {
    fn new(graph: &Graph, weights: Store, states: States) -> Result<Self, BackendError> {
        verify(graph)?;
        let dead_after = dead_after(graph);
        let peak = peak(graph, &dead_after)?;
        let report = CompileReport {
            dispatches: graph
                .nodes()
                .iter()
                .filter_map(|node| label(graph, node))
                .collect(),
            fused: 0,
            peak,
            lower_bound: peak,
            weight_bytes: weights.bytes(),
        };
        Ok(Self {
            signature: Signature::of(graph),
            graph: graph.clone(),
            weights,
            states,
            dead_after,
            report,
        })
    }
}

impl Executable for CpuExecutable {
    fn run(&mut self, inputs: &[(&str, Tensor)]) -> Result<Vec<(String, Tensor)>, BackendError> {
        let mut inputs = self.signature.bind(inputs)?.into_iter();
        let mut run = Run {
            executable: self,
            values: Vec::with_capacity(self.graph.nodes().len()),
            states: self.states.lock(),
        };
        for (i, node) in self.graph.nodes().iter().enumerate() {
            let value = match &node.op {
                Op::Input { .. } => inputs.next().map(|tensor| Cow::Borrowed(&tensor.data)),
                Op::Weight { .. } | Op::State { .. } => None,
                Op::AppendRows { .. } => {
                    run.append(ValueId(i as u32), node)?;
                    None
                }
                Op::Reshape { x, .. } => {
                    Some(Cow::Owned(run.value(ValueId(i as u32), *x)?.clone()))
                }
                _ => Some(Cow::Owned(TensorData::F32(
                    run.compute(ValueId(i as u32), node)?,
                ))),
            };
            run.values.push(value);
            for dead in &self.dead_after[i] {
                run.values[dead.index()] = None;
            }
        }
        let outputs = self.graph.outputs().iter().map(|(name, id)| {
            let shape = self
                .graph
                .node(*id)
                .map_err(VerifyError::from)?
                .shape
                .clone();
            let data = match run.state(*id) {
                Some(contents) => TensorData::F32(contents.to_vec()),
                None => run.value(*id, *id)?.clone(),
            };
            Ok((name.clone(), Tensor { shape, data }))
        });
        outputs.collect()
    }

    fn report(&self) -> &CompileReport {
        &self.report
    }
}

/// A weight as the operators read it.
#[derive(Clone, Copy)]
struct WeightRows<'a> {
    bytes: &'a [u8],
    format: &'static FormatInfo,
    /// Rows.
    n: u64,
    /// Elements a row.
    k: usize,
}

impl<'a> WeightRows<'a> {
    /// `count` rows from row `first` on.
    fn slice(&self, first: u64, count: u64) -> WeightRows<'a> {
        let stride = self.stride() as u64;
        let range = (first * stride) as usize..((first + count) * stride) as usize;
        Self {
            bytes: &self.bytes[range],
            n: count,
            ..*self
        }
    }

    /// Bytes a row.
    fn stride(&self) -> usize {
        self.k / self.format.elems as usize * self.format.bytes as usize
    }

    /// Decodes row `row` into `to`, `k` elements.
    fn decode(&self, row: usize, to: &mut [f32]) {
        let stride = self.stride();
        (self.format.decode)(&self.bytes[row * stride..][..stride], to);
    }
}

/// The values of a run so far.
struct Run<'a> {
    executable: &'a CpuExecutable,
    values: Vec<Option<Cow<'a, TensorData>>>,
    states: MutexGuard<'a, Contents>,
}

impl Run<'_> {
    /// Computes the f32 elements of `node`.
    fn compute(&self, id: ValueId, node: &Node) -> Result<Vec<f32>, BackendError> {
        let mut y = zeros(id, node)?;
        match &node.op {
            // What runs do with these, they do themselves.
            Op::Input { .. }
            | Op::Weight { .. }
            | Op::State { .. }
            | Op::AppendRows { .. }
            | Op::Reshape { .. } => {}
            Op::Rope {
                x,
                table,
                positions,
                layout,
            } => {
                let (x, table) = (self.f32(id, *x)?, self.weight(id, *table)?);
                let positions = self.u32(id, *positions)?;
                let d = node.shape.last().unwrap_or(1) as usize;
                attention::rope(x, table, positions, *layout, d, &mut y);
            }
            Op::Attention {
                q,
                k,
                v,
                positions,
                scores,
            } => {
                let keys = &self.executable.graph.node(*k).map_err(VerifyError::from)?;
                let cache = attention::Cache {
                    keys: self.f32(id, *k)?,
                    values: self.f32(id, *v)?,
                    shape: keys.shape.dims(),
                };
                let (q, positions) = (self.f32(id, *q)?, self.u32(id, *positions)?);
                attention::attention(q, &cache, positions, scores, &mut y);
            }
            Op::MatmulBt { x, w } => {
                let (x, w) = (self.f32(id, *x)?, self.weight(id, *w)?);
                let m = x.len() / w.k;
                matmul::columns(x, w, m, &mut y);
                if m > 1 {
                    let columns = std::mem::replace(&mut y, zeros(id, node)?);
                    matmul::transpose(&columns, m, &mut y);
                }
            }
            Op::GatherRows { w, ids } => {
                let from = self.executable.graph.node(*w).map_err(VerifyError::from)?;
                let ids = self.u32(id, *ids)?;
                let rows = from.shape.dims().first().copied().unwrap_or(0);
                check_ids(id, node, ids, rows, "rows")?;
                match from.dtype {
                    Elem::Dense(_) => {
                        let k = node.shape.last().unwrap_or(1) as usize;
                        rows::take(self.f32(id, *w)?, k, ids, &mut y);
                    }
                    Elem::Weight(_) => rows::gather(self.weight(id, *w)?, ids, &mut y),
                }
            }
            Op::MatmulExperts { x, w, ids } => {
                let (x, w, ids) = (self.f32(id, *x)?, self.weight(id, *w)?, self.u32(id, *ids)?);
                let n = node.shape.last().unwrap_or(1);
                check_ids(id, node, ids, w.n.checked_div(n).unwrap_or(0), "experts")?;
                experts::matmul(x, w, ids, n, &mut y);
            }
            Op::CombineExperts { x, weights } => {
                let (x, weights) = (self.f32(id, *x)?, self.f32(id, *weights)?);
                let n = node.shape.last().unwrap_or(1) as usize;
                experts::combine(x, weights, n, &mut y);
            }
            Op::Dequantise { w } => rows::dequantise(self.weight(id, *w)?, &mut y),
            Op::RmsNorm { x, weight, eps } => {
                norm::rms_norm(self.f32(id, *x)?, self.weight(id, *weight)?, *eps, &mut y);
            }
            Op::Elementwise { op, args } => {
                let steps = vec![Step {
                    op,
                    operands: (0..args.len()).collect(),
                }];
                elementwise::region(
                    &Region { steps },
                    &self.arguments(id, args)?,
                    &node.shape,
                    &mut y,
                )?;
            }
            Op::Region { region, args } => {
                elementwise::region(region, &self.arguments(id, args)?, &node.shape, &mut y)?;
            }
        }
        Ok(y)
    }

    fn value(&self, reader: ValueId, id: ValueId) -> Result<&TensorData, BackendError> {
        let found = self.values.get(id.index()).and_then(Option::as_deref);
        found.ok_or_else(|| self.unreadable(reader, id))
    }

    /// The state that `id` is, if it is what was appended to one.
    fn state(&self, id: ValueId) -> Option<&[f32]> {
        let graph = &self.executable.graph;
        let Op::AppendRows { cache, .. } = graph.node(id).ok()?.op else {
            return None;
        };
        let Op::State { name } = &graph.node(cache).ok()?.op else {
            return None;
        };
        self.states.get(name).map(Vec::as_slice)
    }

    /// Writes the rows that `node` appends.
    fn append(&mut self, id: ValueId, node: &Node) -> Result<(), BackendError> {
        let Op::AppendRows {
            cache,
            rows,
            positions,
        } = node.op
        else {
            return Ok(());
        };
        let rows = self.f32(id, rows)?.to_vec();
        let positions = self.u32(id, positions)?.to_vec();
        let state = &self
            .executable
            .graph
            .node(cache)
            .map_err(VerifyError::from)?
            .op;
        let unreadable = self.unreadable(id, cache);
        let Op::State { name } = state else {
            return Err(unreadable);
        };
        let contents = self.states.get_mut(name).ok_or(unreadable)?;
        rows::append(&rows, &positions, contents);
        Ok(())
    }

    fn f32(&self, reader: ValueId, id: ValueId) -> Result<&[f32], BackendError> {
        if let Some(contents) = self.state(id) {
            return Ok(contents);
        }
        self.value(reader, id)?
            .as_f32()
            .ok_or_else(|| self.unreadable(reader, id))
    }

    fn u32(&self, reader: ValueId, id: ValueId) -> Result<&[u32], BackendError> {
        self.value(reader, id)?
            .as_u32()
            .ok_or_else(|| self.unreadable(reader, id))
    }

    fn weight(&self, reader: ValueId, id: ValueId) -> Result<WeightRows<'_>, BackendError> {
        let node = self.executable.graph.node(id).map_err(VerifyError::from)?;
        let unreadable = || self.unreadable(reader, id);
        let format = node.dtype.format().ok_or_else(unreadable)?;
        let (n, k) = match *node.shape.dims() {
            [k] => (1, k),
            [n, k] => (n, k),
            [experts, n, k] => (experts * n, k),
            _ => return Err(unreadable()),
        };
        let k = usize::try_from(k).map_err(|_| unreadable())?;
        Ok(WeightRows {
            bytes: self.executable.weights.weight(id, node)?,
            format,
            n,
            k,
        })
    }

    fn arguments<'a>(
        &'a self,
        reader: ValueId,
        args: &[ValueId],
    ) -> Result<Vec<Argument<'a>>, BackendError> {
        let argument = |&id: &ValueId| {
            let node = self.executable.graph.node(id).map_err(VerifyError::from)?;
            let data = match node.dtype {
                Elem::Dense(_) => Cow::Borrowed(self.f32(reader, id)?),
                Elem::Weight(_) => {
                    let mut values = zeros(id, node)?;
                    rows::dequantise(self.weight(reader, id)?, &mut values);
                    Cow::Owned(values)
                }
            };
            Ok(Argument {
                shape: &node.shape,
                data,
            })
        };
        args.iter().map(argument).collect()
    }

    /// `verify` has seen that every operand is there; this is what to say if it was wrong.
    fn unreadable(&self, node: ValueId, value: ValueId) -> BackendError {
        let op = self
            .executable
            .graph
            .node(node)
            .map(|node| node.op.to_string())
            .unwrap_or_default();
        VerifyError::from(GraphError::Order { node, op, value }).into()
    }
}

/// Whether all `ids` are below `rows`, the number `of` what a weight has.
fn check_ids(
    node: ValueId,
    at: &Node,
    ids: &[u32],
    rows: u64,
    of: &'static str,
) -> Result<(), BackendError> {
    let Some(position) = ids.iter().position(|&id| u64::from(id) >= rows) else {
        return Ok(());
    };
    Err(BackendError::RowId {
        node,
        op: at.op.to_string(),
        position,
        id: ids[position],
        rows,
        of,
    })
}

/// As many zeros as `node` has elements, or an error where the host has no room for them.
fn zeros(id: ValueId, node: &Node) -> Result<Vec<f32>, BackendError> {
    let bytes = node.dtype.bytes_of(&node.shape)?;
    let memory = || BackendError::Memory {
        what: format!("{id} = {}", node.op),
        bytes,
    };
    let len = usize::try_from(node.shape.elems()?).map_err(|_| memory())?;
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(len).map_err(|_| memory())?;
    zeros.resize(len, 0.0);
    Ok(zeros)
}

/// What a node is called in the report: its operator and the format of the weight that it reads.
fn label(graph: &Graph, node: &Node) -> Option<String> {
    let name = match &node.op {
        Op::Input { .. } | Op::Weight { .. } | Op::State { .. } => return None,
        op => op
            .to_string()
            .split('(')
            .next()
            .unwrap_or_default()
            .to_string(),
    };
    let mut formats = node
        .op
        .operands()
        .into_iter()
        .filter_map(|id| graph.node(id).ok()?.dtype.format());
    Some(
        formats
            .next()
            .map_or(name.clone(), |format| format!("{name}::{}", format.name)),
    )
}

/// For each node, the dense values whose last reader it is; a value that nothing reads is dead after
/// its own node, and an output never.
fn dead_after(graph: &Graph) -> Vec<Vec<ValueId>> {
    let nodes = graph.nodes();
    let mut last: Vec<usize> = (0..nodes.len()).collect();
    for (i, node) in nodes.iter().enumerate() {
        for operand in node.op.operands() {
            last[operand.index()] = i;
        }
    }
    let mut dead = vec![Vec::new(); nodes.len()];
    for (i, &reader) in last.iter().enumerate() {
        let id = ValueId(i as u32);
        if graph.outputs().iter().all(|(_, output)| *output != id) {
            dead[reader].push(id);
        }
    }
    dead
}

/// The bytes of the dense values that live at once, at their most.
fn peak(graph: &Graph, dead_after: &[Vec<ValueId>]) -> Result<u64, BackendError> {
    let bytes = |node: &Node| match node.dtype {
        Elem::Dense(_) => node.dtype.bytes_of(&node.shape),
        Elem::Weight(_) => Ok(0),
    };
    let (mut live, mut peak) = (0_u64, 0);
    for (node, dead) in graph.nodes().iter().zip(dead_after) {
        live = live.saturating_add(bytes(node)?);
        peak = peak.max(live);
        for id in dead {
            live = live.saturating_sub(bytes(&graph.nodes()[id.index()])?);
        }
    }
    Ok(peak)
}
