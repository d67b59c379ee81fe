//! What an operator demands of its operands, and the value that it gives.

use crate::dtype::Elem;
use crate::graph::{
    Extent, GraphError, MAX_REGION_INPUTS, Node, Op, Region, RegionError, Scores, Step, ValueId,
};
use crate::shape::{Shape, ShapeError};

/// The longest head that attention takes.
pub const MAX_HEAD: u64 = 512;

/// The ggml number of F32, which norms take their weights in.
const GGML_F32: u32 = 0;

/// Checks `op` as the node after `nodes` and gives its shape and element type. Inputs and weights
/// have them `declared`; all other operators imply them.
pub(crate) fn infer(
    nodes: &[Node],
    op: &Op,
    declared: Option<(Shape, Elem)>,
) -> Result<(Shape, Elem), GraphError> {
    let number = u32::try_from(nodes.len()).map_err(|_| GraphError::TooManyNodes)?;
    let at = At {
        nodes,
        op,
        id: ValueId(number),
    };
    let (shape, elem) = match op {
        Op::Input { name } => at.input(name, declared)?,
        Op::Weight { name } => at.weight(name, declared)?,
        Op::MatmulBt { x, w } => at.matmul_bt(*x, *w)?,
        Op::MatmulExperts { x, w, ids } => at.matmul_experts(*x, *w, *ids)?,
        Op::CombineExperts { x, weights } => at.combine_experts(*x, *weights)?,
        Op::GatherRows { w, ids } => at.gather_rows(*w, *ids)?,
        Op::Dequantise { w } => (at.weight_operand("w", *w)?.clone(), Elem::F32),
        Op::RmsNorm { x, weight, eps } => at.rms_norm(*x, *weight, *eps)?,
        Op::State { name } => at.state(name, declared)?,
        Op::Reshape { x, shape } => at.reshape(*x, shape)?,
        Op::Rope {
            x,
            table,
            positions,
            ..
        } => at.rope(*x, *table, *positions)?,
        Op::AppendRows {
            cache,
            rows,
            positions,
        } => at.append_rows(*cache, *rows, *positions)?,
        Op::Attention {
            q,
            k,
            v,
            positions,
            scores,
        } => at.attention(*q, [*k, *v], *positions, scores)?,
        Op::Elementwise { op, args } => at.elementwise(op.arity, args)?,
        Op::Region { region, args } => at.region(region, args)?,
    };
    elem.bytes_of(&shape).map_err(|source| at.shape(source))?;
    Ok((shape, elem))
}

/// Checks that a name says something and is not among `others`.
pub(crate) fn check_name<'a>(
    kind: &'static str,
    name: &str,
    mut others: impl Iterator<Item = &'a str>,
) -> Result<(), GraphError> {
    if name.is_empty() {
        return Err(GraphError::EmptyName { kind });
    }
    if others.any(|other| other == name) {
        return Err(GraphError::DuplicateName {
            kind,
            name: name.into(),
        });
    }
    Ok(())
}

/// The node that is being checked.
struct At<'a> {
    nodes: &'a [Node],
    op: &'a Op,
    id: ValueId,
}

impl<'a> At<'a> {
    fn input(
        &self,
        name: &str,
        declared: Option<(Shape, Elem)>,
    ) -> Result<(Shape, Elem), GraphError> {
        let others = self.nodes.iter().filter_map(|node| match &node.op {
            Op::Input { name } => Some(name.as_str()),
            _ => None,
        });
        check_name("input", name, others)?;
        match declared {
            Some((shape, elem @ Elem::Dense(_))) => Ok((shape, elem)),
            _ => Err(self.operand("input", "f32 or u32", "a weight".into())),
        }
    }

    fn weight(
        &self,
        name: &str,
        declared: Option<(Shape, Elem)>,
    ) -> Result<(Shape, Elem), GraphError> {
        let others = self.nodes.iter().filter_map(|node| match &node.op {
            Op::Weight { name } => Some(name.as_str()),
            _ => None,
        });
        check_name("weight", name, others)?;
        let Some((shape, elem @ Elem::Weight(format))) = declared else {
            return Err(self.operand("weight", "a weight format", "a dense dtype".into()));
        };
        if !(1..=3).contains(&shape.rank()) || shape.dims().contains(&0) {
            return Err(self.operand(
                "weight",
                "[k], [n, k] or [e, n, k] without an extent of 0",
                shape.to_string(),
            ));
        }
        if !shape
            .last()
            .is_some_and(|k| k.is_multiple_of(u64::from(format.elems)))
        {
            let (format, elems) = (format.name, format.elems);
            return Err(self.shape(ShapeError::Blocks {
                shape,
                format,
                elems,
            }));
        }
        Ok((shape, elem))
    }

    fn matmul_bt(&self, x: ValueId, w: ValueId) -> Result<(Shape, Elem), GraphError> {
        let (x, w) = (
            self.dense_operand("x", x, Elem::F32)?,
            self.weight_operand("w", w)?,
        );
        let ([batch @ .., m, k], &[n, row]) = (x.dims(), w.dims()) else {
            let (operand, expected, found) = if w.rank() == 2 {
                ("x", "[.., m, k]", x)
            } else {
                ("w", "[n, k]", w)
            };
            return Err(self.operand(operand, expected, found.to_string()));
        };
        if *k != row {
            return Err(self.mismatch(Extent::Last, ("x", x), ("w", w)));
        }
        Ok((Shape::from([batch, &[*m, n]].concat()), Elem::F32))
    }

    fn matmul_experts(
        &self,
        x: ValueId,
        w: ValueId,
        ids: ValueId,
    ) -> Result<(Shape, Elem), GraphError> {
        let (x, w, ids) = (
            self.dense_operand("x", x, Elem::F32)?,
            self.weight_operand("w", w)?,
            self.dense_operand("ids", ids, Elem::U32)?,
        );
        let &[_, n, k] = w.dims() else {
            return Err(self.operand("w", "[e, n, k]", w.to_string()));
        };
        let &[t, s] = ids.dims() else {
            return Err(self.operand("ids", "[t, s]", ids.to_string()));
        };
        let (tokens, row) = match *x.dims() {
            [tokens, row] => (tokens, row),
            [tokens, slots, row] if slots == s => (tokens, row),
            [_, _, _] => return Err(self.mismatch(Extent::First, ("x", x), ("ids", ids))),
            _ => return Err(self.operand("x", "[t, k] or [t, s, k]", x.to_string())),
        };
        if row != k {
            return Err(self.mismatch(Extent::Last, ("x", x), ("w", w)));
        }
        if tokens != t {
            return Err(self.mismatch(Extent::First, ("x", x), ("ids", ids)));
        }
        Ok((Shape::from([t, s, n]), Elem::F32))
    }

    fn combine_experts(&self, x: ValueId, weights: ValueId) -> Result<(Shape, Elem), GraphError> {
        let (x, weights) = (
            self.dense_operand("x", x, Elem::F32)?,
            self.dense_operand("weights", weights, Elem::F32)?,
        );
        let &[t, s, n] = x.dims() else {
            return Err(self.operand("x", "[t, s, n]", x.to_string()));
        };
        if *weights.dims() != [t, s] {
            return Err(self.mismatch(Extent::First, ("x", x), ("weights", weights)));
        }
        Ok((Shape::from([t, n]), Elem::F32))
    }

    fn gather_rows(&self, w: ValueId, ids: ValueId) -> Result<(Shape, Elem), GraphError> {
        let w = match self.value(w)?.dtype {
            Elem::Dense(_) => self.dense_operand("w", w, Elem::F32)?,
            Elem::Weight(_) => self.weight_operand("w", w)?,
        };
        let ids = self.dense_operand("ids", ids, Elem::U32)?;
        let &[_, k] = w.dims() else {
            return Err(self.operand("w", "[n, k]", w.to_string()));
        };
        let &[t] = ids.dims() else {
            return Err(self.operand("ids", "[t]", ids.to_string()));
        };
        Ok((Shape::from([t, k]), Elem::F32))
    }

    fn rms_norm(&self, x: ValueId, weight: ValueId, eps: f32) -> Result<(Shape, Elem), GraphError> {
        let (x, w) = (
            self.dense_operand("x", x, Elem::F32)?,
            self.weight_operand("weight", weight)?,
        );
        self.check_f32("weight", weight)?;
        let &[k] = w.dims() else {
            return Err(self.operand("weight", "[k]", w.to_string()));
        };
        match x.last() {
            None => return Err(self.operand("x", "[.., k]", x.to_string())),
            Some(last) if last != k => {
                return Err(self.mismatch(Extent::Last, ("x", x), ("weight", w)));
            }
            Some(_) => {}
        }
        if !eps.is_finite() || eps < 0.0 {
            return Err(GraphError::Eps {
                node: self.id,
                op: self.op.to_string(),
                eps,
            });
        }
        Ok((x.clone(), Elem::F32))
    }

    fn elementwise(&self, arity: usize, args: &[ValueId]) -> Result<(Shape, Elem), GraphError> {
        if args.len() != arity || args.is_empty() {
            let (node, op, found) = (self.id, self.op.to_string(), args.len());
            return Err(GraphError::Arity {
                node,
                op,
                expected: arity.max(1),
                found,
            });
        }
        self.broadcast(args)
    }

    fn region(&self, region: &Region, args: &[ValueId]) -> Result<(Shape, Elem), GraphError> {
        let found = self.broadcast(args)?;
        region.check(args).map_err(|source| GraphError::Region {
            node: self.id,
            op: self.op.to_string(),
            source,
        })?;
        Ok(found)
    }

    fn broadcast(&self, args: &[ValueId]) -> Result<(Shape, Elem), GraphError> {
        let mut shape = Shape::default();
        for &arg in args {
            let arg = match self.value(arg)?.dtype {
                Elem::Weight(_) => {
                    self.check_f32("operand", arg)?;
                    self.weight_operand("operand", arg)?
                }
                Elem::Dense(_) => self.dense_operand("operand", arg, Elem::F32)?,
            };
            shape = shape.broadcast(arg).map_err(|source| self.shape(source))?;
        }
        Ok((shape, Elem::F32))
    }

    fn state(
        &self,
        name: &str,
        declared: Option<(Shape, Elem)>,
    ) -> Result<(Shape, Elem), GraphError> {
        let others = self.nodes.iter().filter_map(|node| match &node.op {
            Op::State { name } => Some(name.as_str()),
            _ => None,
        });
        check_name("state", name, others)?;
        match declared {
            Some((shape, Elem::F32)) if shape.rank() >= 2 => Ok((shape, Elem::F32)),
            Some((shape, elem)) => {
                Err(self.operand("state", "f32 [c, ..]", format!("{elem} {shape}")))
            }
            None => Err(self.operand("state", "f32 [c, ..]", "no shape".into())),
        }
    }

    fn reshape(&self, x: ValueId, shape: &Shape) -> Result<(Shape, Elem), GraphError> {
        let found = self.value(x)?;
        let elem = match found.dtype {
            Elem::U32 => Elem::U32,
            _ => Elem::F32,
        };
        let from = self.dense_operand("x", x, elem)?;
        let count = |shape: &Shape| shape.elems().map_err(|source| self.shape(source));
        if count(from)? != count(shape)? {
            return Err(GraphError::Reshape {
                node: self.id,
                op: self.op.to_string(),
                from: from.clone(),
                to: shape.clone(),
            });
        }
        Ok((shape.clone(), elem))
    }

    fn rope(
        &self,
        x: ValueId,
        table: ValueId,
        positions: ValueId,
    ) -> Result<(Shape, Elem), GraphError> {
        let x = self.dense_operand("x", x, Elem::F32)?;
        self.weight_operand("table", table)?;
        self.check_f32("table", table)?;
        let table = self.weight_operand("table", table)?;
        let &[t, _, d] = x.dims() else {
            return Err(self.operand("x", "[t, h, d]", x.to_string()));
        };
        match *table.dims() {
            [_, r] if r % 2 == 0 && r <= d => {}
            _ => {
                return Err(self.operand(
                    "table",
                    "[c, r], r even and at most d",
                    format!("{table} for x {x}"),
                ));
            }
        }
        self.positions(t, ("x", x), positions)?;
        Ok((x.clone(), Elem::F32))
    }

    fn append_rows(
        &self,
        cache: ValueId,
        rows: ValueId,
        positions: ValueId,
    ) -> Result<(Shape, Elem), GraphError> {
        let found = self.value(cache)?;
        let again = self.nodes.iter().any(|node| match node.op {
            Op::AppendRows { cache: other, .. } => other == cache,
            _ => false,
        });
        if again || !matches!(found.op, Op::State { .. }) {
            return Err(self.operand(
                "cache",
                "a state that nothing was appended to yet",
                format!("{cache} = {}", found.op),
            ));
        }
        let cache = &found.shape;
        let rows = self.dense_operand("rows", rows, Elem::F32)?;
        let (Some((_, inner)), Some((&t, row))) =
            (cache.dims().split_first(), rows.dims().split_first())
        else {
            return Err(self.operand("rows", "[t, ..]", rows.to_string()));
        };
        if inner != row {
            return Err(self.mismatch(Extent::Inner, ("rows", rows), ("cache", cache)));
        }
        self.positions(t, ("rows", rows), positions)?;
        Ok((cache.clone(), Elem::F32))
    }

    fn attention(
        &self,
        q: ValueId,
        [k, v]: [ValueId; 2],
        positions: ValueId,
        scores: &Scores,
    ) -> Result<(Shape, Elem), GraphError> {
        let q = self.dense_operand("q", q, Elem::F32)?;
        let k = self.dense_operand("k", k, Elem::F32)?;
        let v = self.dense_operand("v", v, Elem::F32)?;
        let &[t, heads, d] = q.dims() else {
            return Err(self.operand("q", "[t, h, d]", q.to_string()));
        };
        let &[_, groups, row] = k.dims() else {
            return Err(self.operand("k", "[c, g, d]", k.to_string()));
        };
        if k != v {
            return Err(self.mismatch(Extent::All, ("k", k), ("v", v)));
        }
        if d != row {
            return Err(self.mismatch(Extent::Last, ("q", q), ("k", k)));
        }
        if d > MAX_HEAD {
            return Err(self.operand("q", "of heads of at most 512", q.to_string()));
        }
        if groups == 0 || heads % groups != 0 {
            return Err(self.operand(
                "q",
                "of a multiple of the heads of k",
                format!("{q} for k {k}"),
            ));
        }
        let Scores {
            scale,
            window,
            softcap,
        } = *scores;
        if !scale.is_finite() {
            return Err(self.operand("scale", "finite", scale.to_string()));
        }
        if let Some(cap) = softcap.filter(|cap| !(cap.is_finite() && *cap > 0.0)) {
            return Err(self.operand("softcap", "positive and finite", cap.to_string()));
        }
        if window == Some(0) {
            return Err(self.operand("window", "at least 1", "0".into()));
        }
        self.positions(t, ("q", q), positions)?;
        Ok((q.clone(), Elem::F32))
    }

    /// One position for each of `t` rows.
    fn positions(
        &self,
        t: u64,
        (name, of): (&'static str, &Shape),
        positions: ValueId,
    ) -> Result<(), GraphError> {
        let positions = self.dense_operand("positions", positions, Elem::U32)?;
        match *positions.dims() {
            [count] if count == t => Ok(()),
            [_] => Err(self.mismatch(Extent::First, (name, of), ("positions", positions))),
            _ => Err(self.operand("positions", "[t]", positions.to_string())),
        }
    }

    /// Checks that a weight, if it is one, is in F32.
    fn check_f32(&self, operand: &'static str, weight: ValueId) -> Result<(), GraphError> {
        let format = self.value(weight)?.dtype.format();
        match format.filter(|format| format.ggml_type != GGML_F32) {
            Some(format) => Err(self.operand(operand, "a weight in F32", format.name.into())),
            None => Ok(()),
        }
    }

    fn value(&self, value: ValueId) -> Result<&'a Node, GraphError> {
        let (node, op) = (self.id, self.op);
        self.nodes
            .get(value.index())
            .ok_or_else(|| GraphError::Order {
                node,
                op: op.to_string(),
                value,
            })
    }

    fn dense_operand(
        &self,
        operand: &'static str,
        value: ValueId,
        elem: Elem,
    ) -> Result<&'a Shape, GraphError> {
        let found = self.value(value)?;
        if let Op::State { name } = &found.op {
            return Err(self.operand(
                operand,
                "computed: only append_rows takes a state",
                format!("state `{name}`"),
            ));
        }
        if found.dtype != elem {
            let expected = if elem == Elem::U32 { "u32" } else { "f32" };
            return Err(self.operand(operand, expected, format!("{value}, {}", found.dtype)));
        }
        Ok(&found.shape)
    }

    fn weight_operand(
        &self,
        operand: &'static str,
        value: ValueId,
    ) -> Result<&'a Shape, GraphError> {
        let found = self.value(value)?;
        if found.dtype.format().is_none() {
            return Err(self.operand(operand, "a weight", format!("{value}, {}", found.dtype)));
        }
        Ok(&found.shape)
    }

    fn shape(&self, source: ShapeError) -> GraphError {
        GraphError::Shape {
            node: self.id,
            op: self.op.to_string(),
            source,
        }
    }

    fn operand(&self, operand: &'static str, expected: &'static str, found: String) -> GraphError {
        GraphError::Operand {
            node: self.id,
            op: self.op.to_string(),
            operand,
            expected,
            found,
        }
    }

    fn mismatch(
        &self,
        which: Extent,
        (a, a_shape): (&'static str, &Shape),
        (b, b_shape): (&'static str, &Shape),
    ) -> GraphError {
        let (a_shape, b_shape) = (a_shape.clone(), b_shape.clone());
        GraphError::Extents {
            node: self.id,
            op: self.op.to_string(),
            which,
            a,
            a_shape,
            b,
            b_shape,
        }
    }
}

impl Region {
    /// Checks that the region is well formed over `args`: what it takes is there, what is there it
    /// takes.
    fn check(&self, args: &[ValueId]) -> Result<(), RegionError> {
        if args.len() > MAX_REGION_INPUTS {
            return Err(RegionError::Inputs { found: args.len() });
        }
        if let Some((_, &value)) = args
            .iter()
            .enumerate()
            .find(|(i, arg)| args[..*i].contains(arg))
        {
            return Err(RegionError::Repeated { value });
        }
        let mut used = vec![false; args.len() + self.steps.len()];
        for (step, Step { op, operands }) in self.steps.iter().enumerate() {
            if operands.len() != op.arity {
                let (expected, found) = (op.arity, operands.len());
                return Err(RegionError::Arity {
                    step,
                    op: op.name,
                    expected,
                    found,
                });
            }
            for &operand in operands {
                match used.get_mut(operand) {
                    Some(used) if operand < args.len() + step => *used = true,
                    _ => {
                        return Err(RegionError::Order {
                            step,
                            op: op.name,
                            operand,
                        });
                    }
                }
            }
        }
        // The last step is the result; a region without steps has none.
        if used.pop().is_none() || self.steps.is_empty() {
            return Err(RegionError::Empty);
        }
        match used.iter().position(|used| !used) {
            Some(value) => Err(RegionError::Unused { value }),
            None => Ok(()),
        }
    }
}
