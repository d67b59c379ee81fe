//! Matrix products: their roads over the parts of a weight, and what becomes their end.

use std::collections::HashMap;
use std::sync::Arc;

use kernel_specs::index::paste_columns::paste_columns;
use rlx_kernels::KernelRef;

use super::epilogue::{Epilogue, MAX_BINDINGS};
use super::road::{self, Experts, Operand, Product, Road};
use super::shard::Shard;
use super::{LowerError, Lowering, describe, impossible};
use crate::graph::{Graph, Node, Op, Region, ValueId};
use crate::shape::Shape;

/// A region at the end of a product.
pub(super) struct End {
    /// The region's own value.
    result: ValueId,
    epilogue: Epilogue,
    /// What it reads besides the product, in order.
    others: Vec<ValueId>,
}

/// The products that elementwise nodes may be the ends of, each with the only node that reads it: one for each
/// such node, the last.
pub(super) fn claims(graph: &Graph) -> HashMap<ValueId, ValueId> {
    let mut readers: Vec<usize> = vec![0; graph.nodes().len()];
    for node in graph.nodes() {
        let mut operands = node.op.operands();
        operands.sort_unstable();
        operands.dedup();
        for operand in operands {
            readers[operand.index()] += 1;
        }
    }
    for (_, value) in graph.outputs() {
        readers[value.index()] += 1;
    }
    let mut claims = HashMap::new();
    for (index, node) in graph.nodes().iter().enumerate() {
        let (Op::Elementwise { args, .. } | Op::Region { args, .. }) = &node.op else {
            continue;
        };
        let products = args.iter().filter(|arg| {
            let product = &graph.nodes()[arg.index()];
            let is_product = matches!(product.op, Op::MatmulBt { .. } | Op::MatmulExperts { .. });
            is_product && readers[arg.index()] == 1 && product.shape == node.shape
        });
        if let Some(product) = products.max() {
            claims.insert(*product, ValueId(index as u32));
        }
    }
    claims
}

impl Lowering<'_> {
    /// A region as the end of the product that waits for it; whether there is one.
    pub(super) fn end(
        &mut self,
        id: ValueId,
        node: &Node,
        region: &Region,
        args: &[ValueId],
    ) -> Result<bool, LowerError> {
        let Some(at) = args.iter().position(|arg| self.deferred.contains(arg)) else {
            return Ok(false);
        };
        let graph = self.graph;
        let shapes: Vec<&Shape> = args
            .iter()
            .map(|arg| &graph.nodes()[arg.index()].shape)
            .collect();
        let epilogue = Epilogue::new(region, &node.shape, &shapes, at).map_err(|source| {
            LowerError::Shape {
                node: describe(id, node),
                source,
            }
        })?;
        for arg in args {
            self.whole(id, node, *arg)?;
        }
        let others = args.iter().copied().filter(|arg| *arg != args[at]);
        let end = End {
            result: id,
            epilogue,
            others: others.collect(),
        };
        let product = &graph.nodes()[args[at].index()];
        let (operands, ids) = match product.op {
            Op::MatmulBt { x, w } => ([x, w], None),
            Op::MatmulExperts { x, w, ids } => ([x, w], Some(ids)),
            _ => return Ok(false),
        };
        self.matmul(args[at], product, operands, ids, Some(&end))?;
        Ok(true)
    }

    /// Whether product `id`, of whole weights by `road`, waits for the region that is to be its end.
    fn waits(&self, id: ValueId, shards: &[Shard], road: &Road) -> bool {
        let (Some(region), Some(kernel), [_]) = (self.claims.get(&id), road.kernel, shards) else {
            return false;
        };
        let inputs = match &self.graph.nodes()[region.index()].op {
            Op::Region { args, .. } => args.len(),
            Op::Elementwise { args, .. } => {
                let mut distinct = args.clone();
                distinct.sort_unstable();
                distinct.dedup();
                distinct.len()
            }
            _ => return false,
        };
        kernel.bindings.len() + kernel.tables.len() + inputs - 1 <= MAX_BINDINGS
    }

    /// A product, of `ids` where each slot has its own expert, with an end where it has one.
    pub(super) fn matmul(
        &mut self,
        id: ValueId,
        node: &Node,
        [x, w]: [ValueId; 2],
        ids: Option<ValueId>,
        end: Option<&End>,
    ) -> Result<(), LowerError> {
        let [all, k] = self.matrix(id, node, w)?;
        let elems = self.elems32(id, node, "the number of activations", x)?;
        let m = elems.checked_div(k).unwrap_or(0);
        let results = Self::elems(id, node, &node.shape)?;
        Self::count32(id, node, "the number of results", results)?;
        if results == 0 && ids.is_some() {
            return Ok(());
        }
        let shards = self.shards(w);
        let product = |shard: &Shard| -> Result<Product, LowerError> {
            let &Shard { first, count, .. } = shard;
            let Some(ids) = ids else {
                return Ok(Product::of(m, count, k));
            };
            // Each is at most the number of rows of all experts.
            let experts = self.graph.nodes()[w.index()].shape.dims()[0] as u32;
            let experts = Experts {
                count: experts,
                slots: self.elems32(id, node, "the number of slots", ids)?,
                first,
                here: count,
            };
            Ok(Product {
                m,
                n: all / experts.count,
                k,
                experts: Some(experts),
            })
        };
        let products: Vec<Product> = shards.iter().map(product).collect::<Result<_, _>>()?;
        let format = self.format(w);
        let road = road::best(format, &products[0], self.options);
        let Some(kernel) = road.kernel else {
            return Err(LowerError::Format {
                node: describe(id, node),
                kernel: road.name,
                format: format.name,
            });
        };
        if end.is_none() && self.waits(id, &shards, &road) {
            self.deferred.insert(id);
            // It never lies in memory.
            self.program.values[id.index()].bytes = 0;
            return Ok(());
        }
        let result = end.map_or(id, |end| end.result);
        let own = road.temporaries(&products[0]).into_iter();
        let own: Vec<ValueId> = own.map(|bytes| self.temporary(bytes)).collect();
        for (index, (shard, product)) in shards.iter().zip(&products).enumerate() {
            // Experts write the rows of their slots; rows of a weight are columns of the result.
            let is_part = shards.len() > 1 && ids.is_none();
            let result = if is_part {
                self.temporary(u64::from(m) * u64::from(shard.count) * 4)
            } else {
                result
            };
            let value = |operand| match operand {
                Operand::Weight => shard.value,
                Operand::Activations => x,
                // Only grouped products have them.
                Operand::Ids => ids.unwrap_or(x),
                Operand::Result => result,
                Operand::Temporary(index) => own[index],
            };
            let dispatches = road
                .dispatches(kernel, product)
                .map_err(|error| impossible(id, node, error))?;
            // What goes before the product itself is the same for all parts.
            let skipped = if index == 0 { 0 } else { dispatches.len() - 1 };
            let dispatches = dispatches.into_iter().skip(skipped);
            let dispatches = dispatches.map(|dispatch| dispatch.map(value));
            self.program.dispatches.extend(dispatches);
            if let Some(end) = end {
                self.put_end(id, node, end)?;
            }
            if is_part {
                let params = paste_columns::Params::new(m, shard.count, shard.first, all);
                let kernel = paste_columns::info();
                let pasted = paste_columns::dispatch(kernel, [result, id], params)
                    .map_err(|error| impossible(id, node, error))?;
                self.program.dispatches.push(pasted);
            }
        }
        Ok(())
    }

    /// Puts an end to the last dispatch, a product.
    fn put_end(&mut self, id: ValueId, node: &Node, end: &End) -> Result<(), LowerError> {
        let Some(dispatch) = self.program.dispatches.last_mut() else {
            return Ok(());
        };
        let key = (dispatch.kernel.hash, end.epilogue.clone());
        let kernel = if let Some(kernel) = self.epilogues.get(&key) {
            Arc::clone(kernel)
        } else {
            let composed = end.epilogue.compose(&dispatch.kernel);
            let kernel = Arc::new(composed.map_err(|message| LowerError::Region {
                node: describe(id, node),
                message,
            })?);
            self.epilogues.insert(key, Arc::clone(&kernel));
            kernel
        };
        dispatch.kernel = KernelRef::Shared(kernel);
        dispatch.bindings.extend(&end.others);
        Ok(())
    }
}
