//! Instructions.

use super::code::{
    Binary, Convert, Fence, Kind, Move, Pack, Raw, Reduce, Scan, Ternary, Unary, Unpack, Update,
};
use super::wire::{DecodeError, Reader, Wire};

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident)+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                self.0.put(out);
            }

            fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
                u32::get(input).map(Self)
            }
        }
    )+ };
}

index! {
    /// A register: a word for each invocation.
    Reg
    /// One of [`Program::memories`](super::Program::memories).
    MemoryId
    /// One of [`Program::names`](super::Program::names).
    NameId
    /// One of [`Program::places`](super::Program::places).
    PlaceId
}

/// A run of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Regs {
    /// The first.
    pub first: Reg,
    /// How many.
    pub count: u32,
}

impl Regs {
    /// `count` registers from `first` on.
    pub fn new(first: Reg, count: u32) -> Self {
        Self { first, count }
    }

    /// Register `index` of the run.
    pub fn at(self, index: u32) -> Reg {
        Reg(self.first.0 + index)
    }
}

impl Wire for Regs {
    fn put(&self, out: &mut Vec<u8>) {
        self.first.put(out);
        self.count.put(out);
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            first: Wire::get(input)?,
            count: Wire::get(input)?,
        })
    }
}

/// Where a matrix lies in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// The memory.
    pub memory: MemoryId,
    /// The byte address of its first element; 0 without one.
    pub address: Option<Reg>,
    /// What is added to it.
    pub offset: u32,
    /// From one row, or column, to the next, in elements of the memory.
    pub stride: Reg,
    /// Rows and columns.
    pub size: u32,
    /// Bytes of an element of the memory.
    pub unit: u32,
    /// Bytes of an element of the matrix.
    pub component: u32,
    /// Whether it is rows that lie in a row, rather than columns.
    pub rows: bool,
    /// Whether elements are halves of words.
    pub half: bool,
}

impl Visited for Tile {
    fn visit(&mut self, visit: &mut dyn Visit) {
        self.memory.visit(visit);
        self.address.visit(visit);
        self.stride.visit(visit);
    }
}

/// Instructions in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block(pub Vec<Step>);

/// An instruction and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Where it came from.
    pub at: PlaceId,
    /// What it does.
    pub op: Op,
}

/// Looks at, or changes, what an instruction refers to.
pub trait Visit {
    /// A register that is read or written.
    fn regs(&mut self, regs: &mut Regs);
    /// A memory.
    fn memory(&mut self, _memory: &mut MemoryId) {}
    /// A name.
    fn name(&mut self, _name: &mut NameId) {}
    /// The place of an instruction.
    fn place(&mut self, _place: &mut PlaceId) {}
    /// A block begins.
    fn enter(&mut self) {}
    /// A block ends.
    fn leave(&mut self) {}
}

/// What a field of an instruction refers to.
trait Visited {
    fn visit(&mut self, _visit: &mut dyn Visit) {}
}

impl Visited for Reg {
    fn visit(&mut self, visit: &mut dyn Visit) {
        let mut regs = Regs::new(*self, 1);
        visit.regs(&mut regs);
        *self = regs.first;
    }
}

impl Visited for Regs {
    fn visit(&mut self, visit: &mut dyn Visit) {
        visit.regs(self);
    }
}

impl Visited for MemoryId {
    fn visit(&mut self, visit: &mut dyn Visit) {
        visit.memory(self);
    }
}

impl Visited for NameId {
    fn visit(&mut self, visit: &mut dyn Visit) {
        visit.name(self);
    }
}

impl Visited for Block {
    fn visit(&mut self, visit: &mut dyn Visit) {
        self.each(visit);
    }
}

impl<T: Visited> Visited for Option<T> {
    fn visit(&mut self, visit: &mut dyn Visit) {
        if let Some(inner) = self {
            inner.visit(visit);
        }
    }
}

macro_rules! plain {
    ($($ty:ty)+) => { $(impl Visited for $ty {})+ };
}

plain! { u32 bool Unary Binary Convert Ternary Unpack Pack Update Reduce Scan Move Raw Fence Kind }

impl Block {
    /// Shows `visit` everything that the instructions refer to.
    pub fn each(&mut self, visit: &mut dyn Visit) {
        visit.enter();
        for step in &mut self.0 {
            visit.place(&mut step.at);
            step.op.visit(visit);
        }
        visit.leave();
    }
}

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty),* $(,)? })+) => {
        /// What an instruction does.
        ///
        /// All but [`Op::Copy`] write their results whether or not an invocation takes part: a result
        /// is a register of its own, which nobody reads who did not compute it.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Op {
            $($(#[$doc])* $name { $($(#[$field_doc])* $field: $ty),* },)+
        }

        /// The numbers of the instructions in the encoding.
        #[derive(Clone, Copy)]
        #[repr(u8)]
        enum Number { $($name),+ }

        impl Op {
            fn visit(&mut self, visit: &mut dyn Visit) {
                match self {
                    $(Self::$name { $($field),* } => { $($field.visit(visit);)* let _ = &visit; })+
                }
            }
        }

        impl Wire for Op {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$name { $($field),* } => {
                        out.push(Number::$name as u8);
                        $($field.put(out);)*
                    })+
                }
            }

            fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let number = input.byte()?;
                $(if number == Number::$name as u8 {
                    return Ok(Self::$name { $($field: Wire::get(input)?),* });
                })+
                Err(DecodeError::Number { what: "instruction", number })
            }
        }
    };
}

ops! {
    /// Copies registers, for the invocations that take part alone.
    Copy {
        /// Where to.
        to: Regs,
        /// From the register on.
        from: Regs,
    }
    /// One operand.
    Unary {
        /// The operation.
        op: Unary,
        /// The result.
        to: Reg,
        /// The operand.
        a: Reg,
    }
    /// Two operands.
    Binary {
        /// The operation.
        op: Binary,
        /// The result.
        to: Reg,
        /// The first operand.
        a: Reg,
        /// The second.
        b: Reg,
    }
    /// Three operands.
    Ternary {
        /// The operation.
        op: Ternary,
        /// The result.
        to: Reg,
        /// The first operand.
        a: Reg,
        /// The second.
        b: Reg,
        /// The third.
        c: Reg,
    }
    /// One operand of 64 bits.
    WideUnary {
        /// The operation.
        op: Unary,
        /// The result.
        to: Regs,
        /// The operand.
        a: Regs,
    }
    /// Two operands of 64 bits; a shift is by one register.
    Wide {
        /// The operation.
        op: Binary,
        /// The result: one register for a comparison.
        to: Regs,
        /// The first operand.
        a: Regs,
        /// The second.
        b: Regs,
    }
    /// From or to 64 bits.
    Convert {
        /// The conversion.
        op: Convert,
        /// The result.
        to: Regs,
        /// The operand.
        a: Regs,
    }
    /// `a` with `count` bits of `b` from bit `offset` on.
    InsertBits {
        /// The result.
        to: Reg,
        /// What it is put into.
        a: Reg,
        /// The bits.
        b: Reg,
        /// Where.
        offset: Reg,
        /// How many.
        count: Reg,
    }
    /// A word to components.
    Unpack {
        /// The conversion.
        op: Unpack,
        /// The components.
        to: Regs,
        /// The word.
        a: Reg,
    }
    /// Components to a word.
    Pack {
        /// The conversion.
        op: Pack,
        /// The word.
        to: Reg,
        /// The components.
        a: Regs,
    }
    /// `add + index * stride`, where `index` is below `len`; nowhere otherwise.
    Index {
        /// The address.
        to: Reg,
        /// The address that it is added to.
        add: Option<Reg>,
        /// The index.
        index: Reg,
        /// What an element takes.
        stride: u32,
        /// Elements.
        len: Reg,
        /// Whether the index is an `i32`.
        signed: bool,
        /// Whether the element is written.
        written: bool,
        /// What is indexed.
        what: NameId,
    }
    /// Reads words.
    Load {
        /// The words.
        to: Regs,
        /// From where.
        memory: MemoryId,
        /// The byte address; 0 without one.
        address: Option<Reg>,
        /// What is added to it.
        offset: u32,
    }
    /// Writes words.
    Store {
        /// The words.
        from: Regs,
        /// Where to.
        memory: MemoryId,
        /// The byte address; 0 without one.
        address: Option<Reg>,
        /// What is added to it.
        offset: u32,
    }
    /// Reads halves of a word as `f32`.
    LoadHalf {
        /// The halves.
        to: Regs,
        /// From where.
        memory: MemoryId,
        /// The byte address; 0 without one.
        address: Option<Reg>,
        /// What is added to it.
        offset: u32,
    }
    /// Writes `f32` as halves of a word.
    StoreHalf {
        /// The halves.
        from: Regs,
        /// Where to.
        memory: MemoryId,
        /// The byte address; 0 without one.
        address: Option<Reg>,
        /// What is added to it.
        offset: u32,
    }
    /// Changes a word at once.
    Atomic {
        /// How.
        op: Update,
        /// The word from before.
        to: Reg,
        /// Where.
        memory: MemoryId,
        /// The byte address; 0 without one.
        address: Option<Reg>,
        /// What is added to it.
        offset: u32,
        /// The operand; the expected word of a compare and exchange.
        a: Reg,
        /// The new word of a compare and exchange.
        b: Reg,
    }
    /// Reads packed data at any byte address.
    Packed {
        /// What lies there.
        op: Raw,
        /// The value.
        to: Reg,
        /// From where.
        memory: MemoryId,
        /// The byte address.
        address: Reg,
    }
    /// Reads registers by a number that is computed.
    Pick {
        /// The values.
        to: Regs,
        /// The variable.
        from: Regs,
        /// The first register of the variable to read.
        address: Reg,
        /// What is added to it.
        offset: u32,
    }
    /// Writes registers by a number that is computed, for the invocations that take part alone.
    Put {
        /// The values.
        from: Regs,
        /// The variable.
        to: Regs,
        /// The first register of the variable to write.
        address: Reg,
        /// What is added to it.
        offset: u32,
    }
    /// Waits for the workgroup.
    Barrier {
        /// The memory that it orders.
        fence: Fence,
    }
    /// A reduction or scan over the subgroup.
    Reduce {
        /// The operation.
        op: Reduce,
        /// How far.
        scan: Scan,
        /// The result.
        to: Reg,
        /// The operand.
        a: Reg,
    }
    /// Another invocation's value.
    Move {
        /// Whose.
        op: Move,
        /// The value.
        to: Reg,
        /// The operand.
        a: Reg,
        /// The number, mask or delta.
        by: Reg,
    }
    /// Who says yes, as 128 bits.
    Ballot {
        /// Four words.
        to: Regs,
        /// The condition.
        a: Reg,
    }
    /// Whether the invocation is the first of its subgroup.
    Elect {
        /// The answer.
        to: Reg,
    }
    /// Reads a matrix of the subgroup.
    MatrixLoad {
        /// The matrix.
        to: Reg,
        /// Where it lies.
        tile: Tile,
    }
    /// Writes a matrix of the subgroup.
    MatrixStore {
        /// The matrix.
        from: Reg,
        /// Where it goes.
        tile: Tile,
    }
    /// A · B + C of matrices of the subgroup.
    MatrixMultiplyAdd {
        /// The sum.
        to: Reg,
        /// The left factor.
        a: Reg,
        /// The right factor.
        b: Reg,
        /// What is added.
        c: Reg,
        /// Rows and columns.
        size: u32,
        /// Whether the sum is of halves.
        half: bool,
    }
    /// A sum or difference of matrices of the subgroup.
    MatrixBinary {
        /// The operation.
        op: Binary,
        /// The result.
        to: Reg,
        /// The first operand.
        a: Reg,
        /// The second.
        b: Reg,
        /// Rows and columns.
        size: u32,
        /// Whether elements are halves.
        half: bool,
    }
    /// A matrix of the subgroup, times a number.
    MatrixScale {
        /// The result.
        to: Reg,
        /// The matrix.
        a: Reg,
        /// The number.
        by: Reg,
        /// Rows and columns.
        size: u32,
        /// Whether elements are halves.
        half: bool,
    }
    /// A branch.
    If {
        /// The condition.
        condition: Reg,
        /// Where it holds.
        then: Block,
        /// Where it does not.
        otherwise: Block,
    }
    /// Repeats until nobody is left.
    Loop {
        /// What is repeated.
        body: Block,
        /// What follows it, also after a `continue`.
        continuing: Block,
    }
    /// What a return leaves.
    Scope {
        /// The body of a function.
        body: Block,
    }
    /// What has no barrier in it: invocations may run it in turns. Made by [`Program::in_turns`].
    ///
    /// [`Program::in_turns`]: super::Program::in_turns
    Turns {
        /// What each of them runs.
        body: Block,
    }
    /// Leaves the loop where the condition is `when`.
    BreakIf {
        /// The condition.
        condition: Reg,
        /// What it is where the loop is left.
        when: bool,
    }
    /// Leaves the loop.
    Break {}
    /// Goes on with the loop.
    Continue {}
    /// Leaves the scope.
    Return {}
    /// Shows a value.
    Trace {
        /// The author's expression.
        what: NameId,
        /// How to show a register.
        kind: Kind,
        /// The value.
        a: Regs,
    }
}
