//! The typed kernel as a program of the CPU twin: the third thing, beside its WGSL and its host code,
//! that a kernel is compiled to.
//!
//! Helpers are inlined, vectors and arrays are runs of registers, and everything happens in Rust's
//! order. What the printer spells, this file computes: the two read the same tree.

mod access;
mod builtin;
mod call;
mod expr;
mod finish;
mod library;
mod matrix;
mod memory;
mod operator;
mod splice;
mod stmt;
mod unroll;

use std::collections::{BTreeMap, HashMap};

pub use finish::{At, Location, Lowered};
use rlx_kernel_twin::program::{
    MAX_DEPTH, MAX_REGISTERS, Memory, NameId, Op, PlaceId, Preload, Program, Reg, Regs, Step,
};
pub use splice::lower_function;

use crate::consteval::Env;
use crate::expr::Expr;
use crate::infer::Typed;
use crate::item::{Function, ItemId, LocalId, Module};
use crate::span::Span;
use crate::types::{Scalar, Type};
use access::Place;

/// Something that the twin does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What.
    pub what: String,
    /// Where.
    pub span: Span,
}

type Result<T> = std::result::Result<T, Unsupported>;

/// Lowers the kernel of `module`, whose params lie at `offsets`.
pub fn lower(
    module: &Module,
    typed: &Typed,
    params: &[(u32, u32)],
    params_size: u32,
    tables: &[usize],
) -> Lowered {
    let mut lower = Lower::new(module, typed, params);
    lower.bound = tables.to_vec();
    match lower.kernel(params_size) {
        Ok(()) => lower.finish(),
        Err(unsupported) => Lowered::Unsupported(unsupported),
    }
}

/// The bit of registers on the stack, until it is known how many are preloaded.
const STACK: u32 = 1 << 31;

/// The registers of a value.
#[derive(Clone, Copy, Debug)]
struct Value {
    first: Reg,
    /// Whether it is nobody's variable, so that nothing changes it.
    owned: bool,
}

/// What a local stands for.
#[derive(Clone, Debug)]
enum Binding {
    /// These registers.
    Registers(Reg),
    /// The place that a `&mut` was given.
    Place(Place),
}

/// A function that is being inlined.
struct Frame<'m> {
    function: &'m Function,
    locals: BTreeMap<LocalId, Binding>,
    /// Where a `return` puts its value.
    result: Regs,
    /// Whether there is a `return` to be left by.
    scoped: bool,
    /// Values of unrolled loop variables.
    env: Env,
}

struct Lower<'m> {
    module: &'m Module,
    typed: &'m Typed,
    params: &'m [(u32, u32)],
    program: Program,
    preloads: HashMap<Preload, Reg>,
    longs: BTreeMap<u64, Reg>,
    tables: BTreeMap<ItemId, Reg>,
    /// The tables of the module that are bound, in order.
    bound: Vec<usize>,
    param_registers: BTreeMap<usize, Reg>,
    names: BTreeMap<String, NameId>,
    places: BTreeMap<Span, PlaceId>,
    spans: Vec<At>,
    /// The next free register of the stack, and the most that were in use.
    next: u32,
    high: u32,
    blocks: Vec<Vec<Step>>,
    frames: Vec<Frame<'m>>,
}

impl<'m> Lower<'m> {
    fn new(module: &'m Module, typed: &'m Typed, params: &'m [(u32, u32)]) -> Self {
        Self {
            module,
            typed,
            params,
            program: Program::default(),
            preloads: HashMap::new(),
            longs: BTreeMap::new(),
            tables: BTreeMap::new(),
            bound: Vec::new(),
            param_registers: BTreeMap::new(),
            names: BTreeMap::new(),
            places: BTreeMap::new(),
            spans: Vec::new(),
            next: 0,
            high: 0,
            blocks: vec![Vec::new()],
            frames: Vec::new(),
        }
    }

    fn kernel(&mut self, params_size: u32) -> Result<()> {
        let (Some(kernel), Some(function)) = (&self.module.kernel, &self.typed.kernel) else {
            return Err(unsupported("a module without a kernel", Span::NONE));
        };
        self.program.workgroup_size = kernel.workgroup_size;
        self.program.params_size = params_size;
        self.program.memories = self.memories(kernel)?;
        // The kernel's own place is the first.
        self.place_id(function.span);
        let scoped = stmt::returns(&function.body);
        self.frames.push(Frame {
            function,
            locals: BTreeMap::new(),
            result: Regs::default(),
            scoped,
            env: Env::new(),
        });
        if scoped {
            self.blocks.push(Vec::new());
        }
        self.block(&function.body, None)?;
        if scoped {
            let body = self.pop_block();
            self.emit(Op::Scope { body }, function.span);
        }
        self.frames.pop();
        Ok(())
    }

    // What instructions refer to.

    fn emit(&mut self, op: Op, span: Span) {
        let at = self.place_id(span);
        if let Some(block) = self.blocks.last_mut() {
            block.push(Step { at, op });
        }
    }

    fn pop_block(&mut self) -> rlx_kernel_twin::program::Block {
        rlx_kernel_twin::program::Block(self.blocks.pop().unwrap_or_default())
    }

    /// Opens a block.
    fn push_block(&mut self, span: Span) -> Result<()> {
        if self.blocks.len() as u32 + 1 >= MAX_DEPTH {
            return Err(unsupported("blocks nested as deep as here", span));
        }
        self.blocks.push(Vec::new());
        Ok(())
    }

    fn place_id(&mut self, span: Span) -> PlaceId {
        let spans = &mut self.spans;
        if span == Span::NONE && !spans.is_empty() {
            return PlaceId(0);
        }
        *self.places.entry(span).or_insert_with(|| {
            spans.push(At::Span(span));
            PlaceId(spans.len() as u32 - 1)
        })
    }

    fn name_id(&mut self, name: &str) -> NameId {
        if let Some(id) = self.names.get(name) {
            return *id;
        }
        let id = NameId(self.program.names.len() as u32);
        self.program.names.push(name.to_string());
        self.names.insert(name.to_string(), id);
        id
    }

    // Registers.

    /// `count` registers, free until the statement ends.
    fn alloc(&mut self, count: u32, span: Span) -> Result<Reg> {
        let first = self.next;
        self.next = first.saturating_add(count);
        if self.next > MAX_REGISTERS / 2 {
            return Err(unsupported(
                format!("variables of {} words", self.next),
                span,
            ));
        }
        self.high = self.high.max(self.next);
        Ok(Reg(first | STACK))
    }

    /// A register that holds `preload`.
    fn preload(&mut self, preload: Preload) -> Reg {
        let list = &mut self.program.preloads;
        *self.preloads.entry(preload).or_insert_with(|| {
            list.push(preload);
            Reg(list.len() as u32 - 1)
        })
    }

    /// Registers in a row that hold `preloads`.
    fn preload_run(&mut self, preloads: impl IntoIterator<Item = Preload>) -> Reg {
        let list = &mut self.program.preloads;
        let first = Reg(list.len() as u32);
        list.extend(preloads);
        first
    }

    fn constant(&mut self, bits: u32) -> Reg {
        self.preload(Preload::Const(bits))
    }

    /// A constant of as many words as `ty` has.
    fn constant_of(&mut self, bits: u64, ty: &Type) -> Reg {
        if !is_wide(ty) {
            return self.constant(bits as u32);
        }
        if let Some(first) = self.longs.get(&bits) {
            return *first;
        }
        let words = [bits as u32, (bits >> 32) as u32];
        let first = self.preload_run(words.map(Preload::Const));
        self.longs.insert(bits, first);
        first
    }

    /// The value in `want`, where the caller wants it somewhere.
    fn deliver(&mut self, value: Value, count: u32, want: Option<Reg>, span: Span) -> Value {
        match want {
            Some(to) if to != value.first => {
                let (to, from) = (Regs::new(to, count), Regs::new(value.first, count));
                self.emit(Op::Copy { to, from }, span);
                Value {
                    first: to.first,
                    owned: true,
                }
            }
            _ => value,
        }
    }

    /// `want`, or fresh registers.
    fn target(&mut self, want: Option<Reg>, count: u32, span: Span) -> Result<Reg> {
        match want {
            Some(reg) => Ok(reg),
            None => self.alloc(count, span),
        }
    }

    /// Registers that a value of the type takes.
    fn words(&self, ty: &Type, span: Span) -> Result<u32> {
        words(self.module, ty).ok_or_else(|| unsupported(format!("a value of type `{ty}`"), span))
    }

    fn local_name(&self, local: LocalId) -> &'m str {
        let function = self.frames.last().map(|frame| frame.function);
        let local = function.and_then(|function| function.locals.get(local.0));
        local.map_or("", |local| &local.name)
    }

    fn memory(&self, id: rlx_kernel_twin::program::MemoryId) -> Option<&Memory> {
        self.program.memories.get(id.0 as usize)
    }

    /// The value of a constant integer or bool.
    fn eval(&self, expr: &Expr) -> Option<i128> {
        match expr.ty {
            Type::Scalar(Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64) => {
                let none = Env::new();
                let env = self.frames.last().map_or(&none, |frame| &frame.env);
                crate::consteval::eval(self.module, env, expr)
            }
            _ => None,
        }
    }
}

fn unsupported(what: impl Into<String>, span: Span) -> Unsupported {
    Unsupported {
        what: what.into(),
        span,
    }
}

/// Registers that a value of the type takes; `None` for what has no value.
fn words(module: &Module, ty: &Type) -> Option<u32> {
    match ty {
        Type::Unit | Type::Never => Some(0),
        Type::Scalar(Scalar::I64 | Scalar::U64) => Some(2),
        // A matrix is named by one.
        Type::Scalar(_) | Type::Block { .. } | Type::Matrix(..) => Some(1),
        Type::Vector(elem, len) => words(module, elem)?.checked_mul(u32::from(*len)),
        Type::Array(elem, len) => words(module, elem)?.checked_mul(*len),
        Type::Struct(id, _) => {
            let mut all = 0_u32;
            for (_, field) in &module.structure(*id)?.fields {
                all = all.checked_add(words(module, field)?)?;
            }
            Some(all)
        }
        _ => None,
    }
}

/// Whether it is an integer of 64 bits, or a vector of such.
fn is_wide(ty: &Type) -> bool {
    matches!(ty.scalar(), Some(Scalar::I64 | Scalar::U64))
}
