//! Calls of helpers, which are inlined.

use std::collections::BTreeMap;

use rlx_kernel_twin::program::{Op, Reg, Regs};

use super::access::Place;
use super::{Binding, Frame, Lower, Result, Value, stmt, unsupported};
use crate::consteval::Env;
use crate::expr::Expr;
use crate::item::{Function, LocalId};
use crate::types::Type;

impl<'m> Lower<'m> {
    pub(super) fn instance(
        &mut self,
        index: usize,
        args: &[Expr],
        expr: &Expr,
        want: Option<Reg>,
    ) -> Result<Value> {
        let span = expr.span;
        let typed = self.typed;
        let instance = typed.instances.get(index);
        let function = instance.map(|instance| &instance.function);
        let function = function.ok_or_else(|| unsupported("this call", span))?;
        let count = self.words(&function.ret, span)?;
        let first = self.target(want, count, span)?;
        let mut locals: BTreeMap<LocalId, Binding> = BTreeMap::new();
        for (param, arg) in function.params.iter().zip(args) {
            let binding = match &param.ty {
                Type::Pointer(_) => Binding::Place(self.pointee(arg)?),
                ty => {
                    let words = self.words(ty, arg.span)?;
                    let to = self.alloc(words, arg.span)?;
                    self.value(arg, Some(to))?;
                    Binding::Registers(to)
                }
            };
            locals.insert(param.local, binding);
        }
        let scoped = stmt::returns(&function.body);
        let result = Regs::new(first, count);
        self.inline(function, locals, result, scoped)?;
        Ok(Value { first, owned: true })
    }

    /// The body of a function whose parameters are bound.
    pub(super) fn inline(
        &mut self,
        function: &'m Function,
        locals: BTreeMap<LocalId, Binding>,
        result: Regs,
        scoped: bool,
    ) -> Result<()> {
        self.frames.push(Frame {
            function,
            locals,
            result,
            scoped,
            env: Env::new(),
        });
        let inlined = self.body(result);
        self.frames.pop();
        inlined
    }

    /// The place that a `&mut` argument borrows.
    fn pointee(&mut self, arg: &Expr) -> Result<Place> {
        self.place(arg, true)
    }

    fn body(&mut self, result: Regs) -> Result<()> {
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let (function, scoped) = (frame.function, frame.scoped);
        if scoped {
            self.push_block(function.span)?;
        }
        self.block(&function.body, Some(result))?;
        if scoped {
            let body = self.pop_block();
            self.emit(Op::Scope { body }, function.span);
        }
        Ok(())
    }
}
