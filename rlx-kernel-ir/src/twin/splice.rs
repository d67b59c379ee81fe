//! Functions that were lowered by themselves, and their calls: the operators of a region.

use rlx_kernel_twin::program::op::Visit;
use rlx_kernel_twin::program::{Decoded, NameId, PlaceId, Program, Reg, Regs};

use super::{At, Location, Lower, Lowered, Result, STACK, Value, stmt, unsupported};
use crate::expr::Expr;
use crate::infer::infer_functions;
use crate::item::{Item, ItemId, Module};
use crate::span::Span;

/// Lowers function `item` of plain values by itself: its arguments are the first registers that are
/// not preloaded, its result those that follow.
pub fn lower_function(module: &Module, item: ItemId) -> Lowered {
    let (typed, problems) = infer_functions(module, &[item]);
    let index = typed
        .instances
        .iter()
        .position(|instance| instance.item == item);
    let mut lower = Lower::new(module, &typed, &[]);
    lower.program.workgroup_size = [1; 3];
    let done = match index {
        Some(index) if problems.is_empty() => lower.function(index),
        _ => Err(unsupported("a function with problems", Span::NONE)),
    };
    match done {
        Ok(()) => lower.finish(),
        Err(unsupported) => Lowered::Unsupported(unsupported),
    }
}

impl Lower<'_> {
    fn function(&mut self, index: usize) -> Result<()> {
        let typed = self.typed;
        let function = typed
            .instances
            .get(index)
            .map(|instance| &instance.function);
        let function = function.ok_or_else(|| unsupported("this function", Span::NONE))?;
        self.place_id(function.span);
        let mut locals = std::collections::BTreeMap::new();
        for param in &function.params {
            let words = self.words(&param.ty, function.span)?;
            let first = self.alloc(words, function.span)?;
            locals.insert(param.local, super::Binding::Registers(first));
        }
        let count = self.words(&function.ret, function.span)?;
        let result = Regs::new(self.alloc(count, function.span)?, count);
        let scoped = stmt::returns(&function.body);
        self.inline(function, locals, result, scoped)
    }

    /// A call of a function that was lowered before.
    pub(super) fn printed(
        &mut self,
        id: ItemId,
        args: &[Expr],
        expr: &Expr,
        want: Option<Reg>,
    ) -> Result<Value> {
        let span = expr.span;
        let Some(Item::Printed(printed)) = self.module.items.get(id.0) else {
            return Err(unsupported("this call", span));
        };
        let mut program = match Decoded::decode(&printed.twin) {
            Ok(Decoded::Program(program)) => program,
            Ok(Decoded::Unsupported { what, .. }) => return Err(unsupported(what, span)),
            Err(error) => {
                let what = format!("the operator `{}`: {error}", printed.name);
                return Err(unsupported(what, span));
            }
        };
        let stack = program.registers - program.preloads.len() as u32;
        let base = self.alloc(stack, span)?;
        let mut offset = 0;
        for arg in args {
            self.value(arg, Some(Reg(base.0 + offset)))?;
            offset += self.words(&arg.ty, arg.span)?;
        }
        let mut relocate = Relocate {
            from: program.preloads.len() as u32,
            preloads: self.preload_run(program.preloads.iter().copied()).0,
            stack: base.0,
            names: Vec::new(),
            places: self.known_places(&program),
        };
        for name in &program.names {
            relocate.names.push(self.name_id(name));
        }
        program.body.each(&mut relocate);
        if let Some(block) = self.blocks.last_mut() {
            block.append(&mut program.body.0);
        }
        let value = Value {
            first: Reg(base.0 + offset),
            owned: true,
        };
        let count = self.words(&expr.ty, span)?;
        Ok(self.deliver(value, count, want, span))
    }

    /// The places of a program that was lowered before.
    fn known_places(&mut self, program: &Program) -> Vec<PlaceId> {
        let mut ids = Vec::with_capacity(program.places.len());
        for place in &program.places {
            let file = program.files.get(place.file as usize);
            let at = At::Known(Location {
                file: file.cloned().unwrap_or_default(),
                line: place.line,
                column: place.column,
            });
            let known = self.spans.iter().position(|known| *known == at);
            let index = known.unwrap_or_else(|| {
                self.spans.push(at);
                self.spans.len() - 1
            });
            ids.push(PlaceId(index as u32));
        }
        ids
    }
}

/// Moves a program to where it is called.
struct Relocate {
    /// Its registers that are preloaded.
    from: u32,
    /// Where they are now.
    preloads: u32,
    /// Where the others are now.
    stack: u32,
    names: Vec<NameId>,
    places: Vec<PlaceId>,
}

impl Visit for Relocate {
    fn regs(&mut self, regs: &mut Regs) {
        let at = regs.first.0;
        regs.first.0 = match at.checked_sub(self.from) {
            None => self.preloads + at,
            Some(at) => (self.stack + at) | STACK,
        };
    }

    fn name(&mut self, name: &mut NameId) {
        *name = self.names.get(name.0 as usize).copied().unwrap_or_default();
    }

    fn place(&mut self, place: &mut PlaceId) {
        *place = self
            .places
            .get(place.0 as usize)
            .copied()
            .unwrap_or_default();
    }
}
