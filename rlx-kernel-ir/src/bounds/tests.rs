use std::cell::Cell;

use super::facts::Facts;
use super::poly::Poly;

fn poly(terms: &[(i128, &[u16])]) -> Poly {
    let mut sum = Poly::default();
    for (factor, atoms) in terms {
        let mut product = Poly::constant(*factor);
        for atom in *atoms {
            product = product.times(&Poly::atom(*atom)).unwrap();
        }
        sum = sum.plus(1, &product).unwrap();
    }
    sum
}

#[test]
fn bounds_follow_from_facts_by_integer_steps() {
    // k = 256 q, x.len() ≥ k, len ≤ 2^30
    let mut facts = Facts::default();
    for max in [1 << 30, 1 << 24, 128] {
        facts.fresh(max);
    }
    facts.add(Some(poly(&[(1, &[0]), (-256, &[1])])));
    facts.add(Some(poly(&[(1, &[2]), (-1, &[])])));
    let goal = poly(&[((1 << 32) - 512, &[]), (-256, &[1])]);
    assert!(facts.prove(goal, &Cell::new(1000)));
}

#[test]
fn an_address_in_a_packed_row_is_below_its_end() {
    let mut facts = Facts::default();
    // Words, k / 32, rows, blocks, row, column / 8, the block of the column, and what is left of it.
    let tops = [
        (1 << 30) - 1,
        33_554_431,
        u32::MAX.into(),
        126_322_566,
        u32::MAX.into(),
        u32::MAX.into(),
        33_554_430,
        3,
    ];
    for max in tops {
        facts.fresh(max);
    }
    let [words, k, rows, blocks, row, column, block, rest] = [0, 1, 2, 3, 4, 5, 6, 7];
    facts.add(Some(poly(&[(-17, &[blocks]), (2, &[words])])));
    facts.add(Some(poly(&[(1, &[blocks]), (-1, &[k, rows])])));
    facts.add(Some(poly(&[(-1, &[row]), (1, &[rows]), (-1, &[])])));
    facts.add(Some(poly(&[(-1, &[column]), (4, &[k]), (-1, &[])])));
    facts.add(Some(poly(&[(-1, &[rest]), (-4, &[block]), (1, &[column])])));
    facts.add(Some(poly(&[(1, &[rest]), (4, &[block]), (-1, &[column])])));
    facts.define(block, poly(&[(8, &[column])]), 32);
    let below = |last| poly(&[(last, &[]), (-34, &[block]), (-34, &[row, k])]);
    assert!(facts.prove(below(u32::MAX.into()), &Cell::new(1000)));
    let inside = below(-34).plus(1, &poly(&[(4, &[words])])).unwrap();
    assert!(facts.prove(inside, &Cell::new(1000)));
    let past = below(-35).plus(1, &poly(&[(4, &[words])])).unwrap();
    assert!(!facts.prove(past, &Cell::new(1000)));
}

/// Random small kernels, and an interpreter of them.
mod random {
    use std::collections::HashMap;

    use crate::bounds::prove;
    use crate::builtin::{Builtin, Form};
    use crate::expr::{BinaryOp, Expr, ExprKind};
    use crate::infer::Typed;
    use crate::item::{
        Function, Kernel, KernelBinding, KernelParam, Local, LocalId, Module, Requires,
    };
    use crate::span::Span;
    use crate::stmt::{Block, Stmt};
    use crate::types::{Source, Type};

    /// Rounds of a loop after which it counts as one that does not end.
    const ROUNDS: usize = 3000;

    struct Maker {
        state: u64,
        spans: u32,
        locals: Vec<Local>,
        /// Variables in scope, and whether they may be assigned.
        scope: Vec<(LocalId, bool)>,
    }

    impl Maker {
        fn below(&mut self, n: u64) -> u64 {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            self.state % n
        }

        fn span(&mut self) -> Span {
            self.spans += 1;
            Span(self.spans)
        }

        fn number(&mut self) -> Expr {
            let value = match self.below(12) {
                0 => u64::from(u32::MAX),
                1 => 1 << 31,
                2 => 100 + self.below(1000),
                _ => self.below(9),
            };
            Expr::u32(value, Span::NONE)
        }

        fn u32(&mut self, depth: u64) -> Expr {
            let kind = match if depth == 0 {
                self.below(5)
            } else {
                self.below(12)
            } {
                1 => ExprKind::Param(0),
                2 => ExprKind::Param(1),
                3 => match Builtin::find("local_index", Form::Function) {
                    Some(builtin) => ExprKind::Builtin(builtin, Vec::new()),
                    None => return self.number(),
                },
                4 | 5 if !self.scope.is_empty() => {
                    let at = self.below(self.scope.len() as u64) as usize;
                    ExprKind::Local(self.scope[at].0)
                }
                0 | 4 | 5 => return self.number(),
                6 => {
                    let name = ["min", "max", "div_ceil"][self.below(3) as usize];
                    let args = vec![self.u32(depth - 1), self.u32(depth - 1)];
                    match Builtin::find(name, Form::Method) {
                        Some(builtin) => ExprKind::Builtin(builtin, args),
                        None => return self.number(),
                    }
                }
                7 => {
                    let (condition, one, other) =
                        (self.bool(1), self.u32(depth - 1), self.u32(depth - 1));
                    let tail = |value| Block {
                        stmts: Vec::new(),
                        tail: Some(Box::new(value)),
                    };
                    let other = Expr::typed(ExprKind::Block(tail(other)), Span::NONE, Type::U32);
                    ExprKind::If(Box::new(condition), tail(one), Some(Box::new(other)))
                }
                _ => {
                    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
                    let all = [
                        Add, Add, Sub, Mul, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr,
                    ];
                    let op = all[self.below(all.len() as u64) as usize];
                    let a = self.u32(depth - 1);
                    let b = if op.is_shift() {
                        Expr::u32(self.below(32), Span::NONE)
                    } else {
                        self.u32(depth - 1)
                    };
                    ExprKind::Binary(op, Box::new(a), Box::new(b))
                }
            };
            let span = self.span();
            Expr::typed(kind, span, Type::U32)
        }

        fn bool(&mut self, depth: u64) -> Expr {
            use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
            let kind = if depth > 0 && self.below(4) == 0 {
                let op = [And, Or][self.below(2) as usize];
                ExprKind::Binary(
                    op,
                    Box::new(self.bool(depth - 1)),
                    Box::new(self.bool(depth - 1)),
                )
            } else {
                let op = [Lt, Lt, Lt, Le, Gt, Ge, Eq, Ne][self.below(8) as usize];
                ExprKind::Binary(op, Box::new(self.u32(1)), Box::new(self.u32(1)))
            };
            Expr::typed(kind, Span::NONE, Type::BOOL)
        }

        fn local(&mut self, mutable: bool) -> LocalId {
            let id = LocalId(self.locals.len());
            self.locals.push(Local {
                name: format!("v{}", id.0),
                ty: Type::U32,
                mutable,
                span: Span::NONE,
            });
            self.scope.push((id, mutable));
            id
        }

        fn block(&mut self, depth: u64) -> Block {
            let outer = self.scope.len();
            let count = 1 + self.below(4);
            let stmts = (0..count).map(|_| self.stmt(depth)).collect();
            self.scope.truncate(outer);
            Block { stmts, tail: None }
        }

        fn write(&mut self) -> Stmt {
            let index = self.u32(2);
            let slice = Type::Slice {
                elem: Box::new(Type::U32),
                writable: true,
                source: Some(Source::Binding(0)),
            };
            let base = Expr::typed(ExprKind::Binding(0), Span::NONE, slice);
            // The place of an index of its own.
            let index = Expr {
                span: self.span(),
                ..index
            };
            let kind = ExprKind::Index(Box::new(base), Box::new(index));
            Stmt::Assign {
                place: Expr::typed(kind, Span::NONE, Type::U32),
                op: None,
                value: Expr::u32(1, Span::NONE),
                span: Span::NONE,
            }
        }

        fn stmt(&mut self, depth: u64) -> Stmt {
            match self.below(if depth == 0 { 5 } else { 9 }) {
                0 | 1 => {
                    let init = Some(self.u32(2));
                    let mutable = self.below(2) == 0;
                    Stmt::Let {
                        local: self.local(mutable),
                        init,
                        span: Span::NONE,
                    }
                }
                2 => {
                    let value = self.u32(2);
                    let open: Vec<_> = self.scope.iter().filter(|(_, open)| *open).collect();
                    let Some((local, _)) = open.first() else {
                        return self.write();
                    };
                    let place = Expr::typed(ExprKind::Local(*local), Span::NONE, Type::U32);
                    let op = [
                        None,
                        Some(BinaryOp::Add),
                        Some(BinaryOp::Mul),
                        Some(BinaryOp::Div),
                    ];
                    Stmt::Assign {
                        place,
                        op: op[self.below(4) as usize],
                        value,
                        span: self.span(),
                    }
                }
                3 | 4 => self.write(),
                5 | 6 => {
                    let condition = Box::new(self.bool(2));
                    let mut then = self.block(depth - 1);
                    if self.below(4) == 0 {
                        then.stmts.push(Stmt::Return(None, Span::NONE));
                    }
                    let otherwise = (self.below(3) == 0).then(|| {
                        let block = self.block(depth - 1);
                        Box::new(Expr::typed(ExprKind::Block(block), Span::NONE, Type::Unit))
                    });
                    let kind = ExprKind::If(condition, then, otherwise);
                    Stmt::Expr(Expr::typed(kind, Span::NONE, Type::Unit))
                }
                7 => {
                    let condition = self.bool(1);
                    let condition = Expr {
                        span: self.span(),
                        ..condition
                    };
                    let mut body = self.block(depth - 1);
                    if self.below(2) == 0 {
                        body.stmts.push(Stmt::Break(Span::NONE));
                    }
                    Stmt::While { condition, body }
                }
                _ => {
                    let (start, end) = (self.u32(1), self.u32(1));
                    let step = (self.below(2) == 0).then(|| self.u32(0));
                    let outer = self.scope.len();
                    let local = self.local(false);
                    let body = self.block(depth - 1);
                    self.scope.truncate(outer);
                    Stmt::For {
                        local,
                        start,
                        end,
                        inclusive: false,
                        step,
                        body,
                        unroll: false,
                        span: self.span(),
                    }
                }
            }
        }

        fn kernel(&mut self) -> (Module, Typed) {
            let body = self.block(3);
            let function = Function {
                name: "random".into(),
                wgsl_name: "random".into(),
                ret: Type::Unit,
                locals: std::mem::take(&mut self.locals),
                body,
                ..Function::default()
            };
            let param = |name: &str| KernelParam {
                name: name.into(),
                ty: Type::U32,
                widened: false,
                span: Span::NONE,
            };
            let kernel = Kernel {
                function: function.clone(),
                bindings: vec![KernelBinding {
                    name: "y".into(),
                    elem: Type::U32,
                    writable: true,
                    span: Span::NONE,
                }],
                params: vec![param("n"), param("k")],
                workgroup_size: [64, 1, 1],
                requires: self.requires(),
                ..Kernel::default()
            };
            let module = Module {
                kernel: Some(kernel),
                ..Module::default()
            };
            let typed = Typed {
                kernel: Some(function),
                ..Typed::default()
            };
            (module, typed)
        }

        fn requires(&mut self) -> Vec<Requires> {
            let e = |kind| Expr::new(kind, Span::NONE);
            let bin = |op, a, b| e(ExprKind::Binary(op, Box::new(a), Box::new(b)));
            let param = |index| e(ExprKind::Param(index));
            let length = || {
                let binding = Box::new(e(ExprKind::Binding(0)));
                e(ExprKind::Method(
                    binding,
                    "len".into(),
                    Span::NONE,
                    Vec::new(),
                ))
            };
            let all = [
                bin(BinaryOp::Ge, length(), param(0)),
                bin(
                    BinaryOp::Ge,
                    length(),
                    bin(BinaryOp::Mul, param(0), param(1)),
                ),
                bin(
                    BinaryOp::Eq,
                    bin(BinaryOp::Rem, param(1), Expr::u32(4, Span::NONE)),
                    Expr::u32(0, Span::NONE),
                ),
                bin(BinaryOp::Gt, param(1), Expr::u32(0, Span::NONE)),
            ];
            let chosen = all.into_iter().filter(|_| self.below(2) == 0);
            chosen
                .map(|condition| Requires {
                    condition,
                    text: String::new(),
                })
                .collect()
        }
    }

    /// One invocation.
    struct Run {
        params: [u32; 2],
        length: u32,
        local_index: u32,
        env: HashMap<LocalId, u32>,
        /// Indices that were taken, with whether each was in range.
        taken: Vec<(Span, bool)>,
        endless: Option<Span>,
        steps: usize,
    }

    enum Flow {
        On,
        Broke,
        Left,
    }

    impl Run {
        fn u32(&mut self, expr: &Expr) -> u32 {
            match &expr.kind {
                ExprKind::Int(value) => *value as u32,
                ExprKind::Param(index) => self.params[*index],
                ExprKind::Local(local) => self.env.get(local).copied().unwrap_or(0),
                ExprKind::Builtin(builtin, args) => match args.as_slice() {
                    [a, b] => {
                        let (a, b) = (self.u32(a), self.u32(b));
                        match builtin.name {
                            "min" => a.min(b),
                            "max" => a.max(b),
                            _ if b == 0 => a,
                            _ => a.div_ceil(b),
                        }
                    }
                    _ => self.local_index,
                },
                ExprKind::If(condition, then, Some(otherwise)) => {
                    if self.bool(condition) {
                        then.tail.as_ref().map_or(0, |tail| self.u32(tail))
                    } else {
                        self.u32(otherwise)
                    }
                }
                ExprKind::Block(block) => block.tail.as_ref().map_or(0, |tail| self.u32(tail)),
                ExprKind::Binary(op, a, b) => {
                    let (a, b) = (self.u32(a), self.u32(b));
                    apply(*op, a, b)
                }
                _ => 0,
            }
        }

        fn bool(&mut self, expr: &Expr) -> bool {
            let ExprKind::Binary(op, a, b) = &expr.kind else {
                return false;
            };
            match op {
                BinaryOp::And => self.bool(a) && self.bool(b),
                BinaryOp::Or => self.bool(a) || self.bool(b),
                _ => {
                    let (a, b) = (self.u32(a), self.u32(b));
                    match op {
                        BinaryOp::Lt => a < b,
                        BinaryOp::Le => a <= b,
                        BinaryOp::Gt => a > b,
                        BinaryOp::Ge => a >= b,
                        BinaryOp::Eq => a == b,
                        _ => a != b,
                    }
                }
            }
        }

        fn block(&mut self, block: &Block) -> Flow {
            for stmt in &block.stmts {
                self.steps += 1;
                if self.steps > 20_000 || self.endless.is_some() {
                    return Flow::Left;
                }
                match self.stmt(stmt) {
                    Flow::On => {}
                    other => return other,
                }
            }
            Flow::On
        }

        fn stmt(&mut self, stmt: &Stmt) -> Flow {
            match stmt {
                Stmt::Let { local, init, .. } => {
                    let value = init.as_ref().map_or(0, |init| self.u32(init));
                    self.env.insert(*local, value);
                }
                Stmt::Assign {
                    place, op, value, ..
                } => match &place.kind {
                    ExprKind::Index(_, index) => {
                        let at = self.u32(index);
                        self.taken.push((index.span, at < self.length));
                    }
                    ExprKind::Local(local) => {
                        let value = self.u32(value);
                        let old = self.env.get(local).copied().unwrap_or(0);
                        let new = op.map_or(value, |op| apply(op, old, value));
                        self.env.insert(*local, new);
                    }
                    _ => {}
                },
                Stmt::Expr(expr) => match &expr.kind {
                    ExprKind::If(condition, then, otherwise) => {
                        if self.bool(condition) {
                            return self.block(then);
                        }
                        if let Some(Expr {
                            kind: ExprKind::Block(block),
                            ..
                        }) = otherwise.as_deref()
                        {
                            return self.block(block);
                        }
                    }
                    _ => return Flow::On,
                },
                Stmt::While { condition, body } => {
                    for round in 0.. {
                        if !self.bool(condition) {
                            break;
                        }
                        if round == ROUNDS {
                            self.endless = Some(condition.span);
                            return Flow::Left;
                        }
                        match self.block(body) {
                            Flow::On => {}
                            Flow::Broke => break,
                            Flow::Left => return Flow::Left,
                        }
                    }
                }
                Stmt::For {
                    local,
                    start,
                    end,
                    step,
                    body,
                    span,
                    ..
                } => {
                    let (mut at, end) = (self.u32(start), self.u32(end));
                    let step = step.as_ref().map_or(1, |step| self.u32(step));
                    let mut first = true;
                    while at < end {
                        self.env.insert(*local, at);
                        match self.block(body) {
                            Flow::On => {}
                            Flow::Broke => break,
                            Flow::Left => return Flow::Left,
                        }
                        let next = at.wrapping_add(step);
                        if next <= at {
                            // It begins anew, or stands still.
                            if next < end && first {
                                self.endless = Some(*span);
                            }
                            first = false;
                            if self.endless.is_some() {
                                return Flow::Left;
                            }
                        }
                        at = next;
                    }
                }
                Stmt::Break(_) => return Flow::Broke,
                Stmt::Return(..) => return Flow::Left,
                _ => {}
            }
            Flow::On
        }
    }

    fn apply(op: BinaryOp, a: u32, b: u32) -> u32 {
        match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div => a.checked_div(b).unwrap_or(a),
            BinaryOp::Rem => a.checked_rem(b).unwrap_or(0),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Shl => a << (b & 31),
            _ => a >> (b & 31),
        }
    }

    /// Whether the kernel's requirements hold.
    fn holds(module: &Module, run: &Run) -> bool {
        let Some(kernel) = &module.kernel else {
            return false;
        };
        let value = |expr: &Expr| -> u64 { exact(expr, run) };
        kernel.requires.iter().all(|requires| {
            let ExprKind::Binary(op, a, b) = &requires.condition.kind else {
                return false;
            };
            match op {
                BinaryOp::Ge => value(a) >= value(b),
                BinaryOp::Gt => value(a) > value(b),
                _ => value(a) == value(b),
            }
        })
    }

    fn exact(expr: &Expr, run: &Run) -> u64 {
        match &expr.kind {
            ExprKind::Int(value) => *value,
            ExprKind::Param(index) => run.params[*index].into(),
            ExprKind::Method(..) => run.length.into(),
            ExprKind::Binary(BinaryOp::Mul, a, b) => exact(a, run).saturating_mul(exact(b, run)),
            ExprKind::Binary(_, a, b) => exact(a, run) % exact(b, run),
            _ => 0,
        }
    }

    #[test]
    fn what_is_proved_holds_on_every_run() {
        let (mut proved, mut outside, mut loops) = (0, 0, 0);
        for seed in 1..=100_u64 {
            let mut maker = Maker {
                state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
                spans: 0,
                locals: Vec::new(),
                scope: Vec::new(),
            };
            let (module, typed) = maker.kernel();
            let proof = prove(&module, &typed);
            for _ in 0..40 {
                let mut some = || match maker.below(10) {
                    0 => u32::MAX - maker.below(5) as u32,
                    1 => maker.below(1 << 20) as u32,
                    _ => maker.below(40) as u32,
                };
                let params = [some(), some()];
                let tight = params[0].saturating_mul(params[1].max(1));
                let length = if maker.below(3) == 0 {
                    1 + maker.below(200) as u32
                } else {
                    tight.max(params[0]).clamp(1, 1 << 30)
                };
                let mut run = Run {
                    params,
                    length,
                    local_index: maker.below(64) as u32,
                    env: HashMap::new(),
                    taken: Vec::new(),
                    endless: None,
                    steps: 0,
                };
                if !holds(&module, &run) {
                    continue;
                }
                let body = &typed.kernel.as_ref().unwrap().body;
                run.block(body);
                for (span, inside) in &run.taken {
                    if proof.problems.iter().any(|problem| problem.span == *span) {
                        outside += 1;
                        assert!(!inside, "seed {seed}: {span:?} is not outside: {body:#?}");
                    } else if !proof.indices.iter().any(|open| open.span == *span) {
                        proved += 1;
                        assert!(
                            inside,
                            "seed {seed}: {span:?} is not inside with {params:?}, length {length}: {body:#?}"
                        );
                    }
                }
                if let Some(span) = run.endless {
                    loops += 1;
                    assert!(
                        proof.loops.iter().any(|open| open.span == span),
                        "seed {seed}: {span:?} does not end with {params:?}: {body:#?}"
                    );
                }
            }
        }
        // The test says something.
        assert!(proved > 50 && loops > 0, "{proved} {outside} {loops}");
    }
}
