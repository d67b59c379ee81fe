//! Guarantees that no elementwise operator is left that its only reader could have computed itself:
//! such operators become one [`Op::Region`] with their reader.

use crate::graph::{Graph, MAX_REGION_INPUTS, Node, Op, Region, Step, ValueId};
use crate::verify::verify;

/// Fuses elementwise operators into regions, and says how many nodes that saved.
///
/// An operator joins the region of its readers where all of them are in one region, its shape is the
/// region's, no output names it, and the region keeps to [`MAX_REGION_INPUTS`] inputs. Since every
/// reader is inside, no path leaves a region and comes back. An operator that nothing joins stays an
/// [`Op::Elementwise`].
pub fn fuse_regions(graph: &Graph) -> (Graph, usize) {
    let regions = assign(graph);
    let mut new_ids: Vec<ValueId> = Vec::with_capacity(graph.nodes().len());
    let mut nodes: Vec<Node> = Vec::new();
    for (i, node) in graph.nodes().iter().enumerate() {
        let renamed = |id: ValueId| new_ids.get(id.index()).copied().unwrap_or(id);
        let id = ValueId(nodes.len() as u32);
        match &regions[i] {
            Membership::Inner => {}
            Membership::Root(group) if group.members.len() > 1 => {
                let args = group.inputs.iter().map(|&arg| renamed(arg)).collect();
                let op = Op::Region {
                    region: compose(graph, group),
                    args,
                };
                nodes.push(Node { op, ..node.clone() });
            }
            Membership::Root(_) | Membership::None => {
                nodes.push(Node {
                    op: node.op.map(renamed),
                    ..node.clone()
                });
            }
        }
        // An inner node's number is read by its region alone, which has its own numbering.
        new_ids.push(id);
    }
    let outputs = graph.outputs().iter().map(|(name, id)| {
        let id = new_ids.get(id.index()).copied().unwrap_or(*id);
        (name.clone(), id)
    });
    let saved = graph.nodes().len() - nodes.len();
    let fused = Graph::from_parts(nodes, outputs.collect());
    debug_assert!(
        verify(graph).is_err() || verify(&fused).is_ok(),
        "{:?}",
        verify(&fused)
    );
    (fused, saved)
}

/// What the pass makes of a node.
enum Membership {
    /// Not elementwise.
    None,
    /// Computed inside the region of a later node.
    Inner,
    /// The result of a region.
    Root(Group),
}

/// The nodes of a region and the values that it reads.
struct Group {
    /// In descending order.
    members: Vec<ValueId>,
    /// Distinct, in ascending order.
    inputs: Vec<ValueId>,
}

/// Gives each elementwise node its region, from the last node to the first, so that a node comes
/// after all of its readers.
fn assign(graph: &Graph) -> Vec<Membership> {
    let nodes = graph.nodes();
    let mut readers: Vec<Readers> = vec![Readers::None; nodes.len()];
    for (_, id) in graph.outputs() {
        if let Some(readers) = readers.get_mut(id.index()) {
            *readers = Readers::Many;
        }
    }
    let mut membership: Vec<Membership> = Vec::with_capacity(nodes.len());
    membership.resize_with(nodes.len(), || Membership::None);
    for (i, node) in nodes.iter().enumerate().rev() {
        let mut home = None;
        if let Op::Elementwise { args, .. } = &node.op {
            let id = ValueId(i as u32);
            let joined = match readers[i] {
                Readers::Region(root) if nodes[root].shape == node.shape => {
                    match &mut membership[root] {
                        Membership::Root(group) => group.join(id, args).then_some(root),
                        _ => None,
                    }
                }
                _ => None,
            };
            home = joined.or(Some(i));
            membership[i] = match joined {
                Some(_) => Membership::Inner,
                None => Membership::Root(Group {
                    members: vec![id],
                    inputs: distinct(args),
                }),
            };
        }
        for operand in node.op.operands() {
            if let Some(readers) = readers.get_mut(operand.index()) {
                *readers = readers.with(home);
            }
        }
    }
    membership
}

/// Who reads a value, as far as it decides whether the value can be inside a region.
#[derive(Clone, Copy)]
enum Readers {
    /// Nobody so far.
    None,
    /// Nodes of one region, the one with this root.
    Region(usize),
    /// An output, several regions, or a node that is not elementwise.
    Many,
}

impl Readers {
    fn with(self, region: Option<usize>) -> Self {
        match (self, region) {
            (Self::None, Some(root)) => Self::Region(root),
            (Self::Region(root), Some(other)) if root == other => self,
            _ => Self::Many,
        }
    }
}

impl Group {
    /// Takes `id` in, unless the region would then read too many values.
    fn join(&mut self, id: ValueId, args: &[ValueId]) -> bool {
        let outside = self.inputs.iter().copied().filter(|&input| input != id);
        let inputs = distinct(&outside.chain(args.iter().copied()).collect::<Vec<_>>());
        if inputs.len() > MAX_REGION_INPUTS {
            return false;
        }
        self.members.push(id);
        self.inputs = inputs;
        true
    }
}

fn distinct(values: &[ValueId]) -> Vec<ValueId> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    values
}

/// The region of `group`, its steps in node order.
fn compose(graph: &Graph, group: &Group) -> Region {
    let members: Vec<ValueId> = group.members.iter().rev().copied().collect();
    let place = |id: &ValueId| {
        let inner = || {
            members
                .binary_search(id)
                .ok()
                .map(|step| group.inputs.len() + step)
        };
        // Every operand of a member is an input or a member; the default is never taken.
        group
            .inputs
            .binary_search(id)
            .ok()
            .or_else(inner)
            .unwrap_or(usize::MAX)
    };
    let steps = members
        .iter()
        .filter_map(|id| match &graph.nodes()[id.index()].op {
            Op::Elementwise { op, args } => Some(Step {
                op,
                operands: args.iter().map(place).collect(),
            }),
            _ => None,
        });
    Region {
        steps: steps.collect(),
    }
}
