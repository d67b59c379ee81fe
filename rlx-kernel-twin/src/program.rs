//! A kernel as instructions.

pub mod code;
pub mod op;
mod turns;
mod verify;
pub(crate) mod wire;

use code::Input;
pub use code::{Binary, Convert, Kind, Pack, Reduce, Ternary, Unary, Unpack, Update};
pub use op::{Block, MemoryId, NameId, Op, PlaceId, Reg, Regs, Step};
pub use wire::DecodeError;

use crate::formula::{self, Term};

/// Registers of a program, over all its variables: a kernel that needs more is not run.
pub const MAX_REGISTERS: u32 = 1 << 16;

/// The most invocations of a workgroup that any device has.
pub const MAX_LANES: u64 = 1024;

/// The most bytes of workgroup memory that any device has.
pub const MAX_WORKGROUP_BYTES: u64 = 1 << 20;

/// Blocks within blocks.
pub const MAX_DEPTH: u32 = 200;

/// A kernel, lowered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Invocations by dimension.
    pub workgroup_size: [u32; 3],
    /// Bytes of the params.
    pub params_size: u32,
    /// Registers, each a word an invocation. The first hold [`Self::preloads`].
    pub registers: u32,
    /// What the first registers hold when a workgroup begins; nothing writes to them.
    pub preloads: Vec<Preload>,
    /// Storage bindings in order, then workgroup variables.
    pub memories: Vec<Memory>,
    /// Names of variables, for messages.
    pub names: Vec<String>,
    /// Files of the places.
    pub files: Vec<String>,
    /// Places in the author's source.
    pub places: Vec<Place>,
    /// What an invocation does.
    pub body: Block,
}

/// What a register holds when a workgroup begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preload {
    /// These bits.
    Const(u32),
    /// The word at this byte of the params.
    Param(u32),
    /// The half at this byte of the params, as `f32`.
    ParamHalf(u32),
    /// The elements of a storage binding, or of an array of the workgroup.
    Length(MemoryId),
    /// A value of the invocation.
    Input(Input),
    /// The value of the const parameter of this number.
    Override(u32),
}

/// A place in the author's source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index into [`Program::files`].
    pub file: u32,
    /// Line, from 1; 0 where it is not known.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A storage binding or a workgroup variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The author's name.
    pub name: String,
    /// What kind of memory it is.
    pub space: Space,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Lengths of the arrays from the outside in, each with the bytes from one element to the next;
    /// 0 for a slice, whose length a run gives.
    pub dims: Vec<Dim>,
    /// The elements of a workgroup array that const parameters size; empty where `dims` say it.
    pub len: Vec<Term>,
    /// Components of a vector element; 1 for a scalar.
    pub components: u32,
    /// How to show a value.
    pub kind: Kind,
    /// Whether it is read and written by atomics alone.
    pub atomic: bool,
    /// Bytes that are written at once, at the least.
    pub granule: u32,
}

impl Memory {
    /// Bytes from one component of a vector to the next.
    pub fn component_bytes(&self) -> u32 {
        match (self.kind, self.space) {
            (Kind::F16, Space::Storage { .. }) => 2,
            (kind, _) => 4 * kind.words(),
        }
    }
}

/// One dimension of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Elements.
    pub len: u32,
    /// Bytes from one to the next.
    pub stride: u32,
}

/// What kind of memory a variable lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// A storage binding.
    Storage {
        /// Whether it is `&mut`.
        writable: bool,
    },
    /// Memory of the workgroup, of this many bytes.
    Workgroup {
        /// Bytes.
        bytes: u32,
    },
}

/// An array of the workgroup that const parameters give no possible length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsized {
    /// The author's name.
    pub name: String,
    /// The length that they give, if it is a number.
    pub len: Option<u64>,
}

/// What a compiled kernel carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// A program.
    Program(Program),
    /// The reason why there is none.
    Unsupported {
        /// What the twin does not know.
        what: String,
        /// The file.
        file: String,
        /// Where in it.
        place: Place,
    },
}

impl Decoded {
    /// The encoding.
    pub fn encode(&self) -> Vec<u8> {
        wire::encode(self)
    }

    /// What `bytes` encode.
    ///
    /// # Errors
    /// [`DecodeError`] for anything that [`Self::encode`] did not make: every register, memory, name
    /// and place of what comes out is there.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let decoded = wire::decode(bytes)?;
        if let Self::Program(program) = &decoded {
            verify::verify(program)?;
        }
        Ok(decoded)
    }
}

impl Program {
    /// The program for these values of the kernel's const parameters, which may size arrays of the
    /// workgroup.
    ///
    /// # Errors
    /// [`Unsized`] where an array would have more bytes than any device has, or its length is no number.
    pub fn sized(mut self, overrides: &[i64]) -> Result<Self, Unsized> {
        for memory in &mut self.memories {
            if memory.len.is_empty() {
                continue;
            }
            let len = formula::value(&memory.len, overrides);
            let unsized_ = || Unsized {
                name: memory.name.clone(),
                len,
            };
            let elements = len.and_then(|len| u32::try_from(len).ok());
            let elements = elements.filter(|len| *len != 0).ok_or_else(unsized_)?;
            let bytes = elements.checked_mul(memory.stride);
            let bytes = bytes.filter(|bytes| u64::from(*bytes) <= MAX_WORKGROUP_BYTES);
            let bytes = bytes.ok_or_else(unsized_)?;
            memory.space = Space::Workgroup { bytes };
            if let Some(dim) = memory.dims.first_mut() {
                dim.len = elements;
            }
        }
        Ok(self)
    }

    /// The storage bindings.
    pub fn bindings(&self) -> impl Iterator<Item = &Memory> {
        self.memories
            .iter()
            .filter(|memory| matches!(memory.space, Space::Storage { .. }))
    }

    /// Whether anything depends on the size of subgroups.
    pub fn uses_subgroups(&self) -> bool {
        fn any(block: &Block) -> bool {
            block.0.iter().any(|step| match &step.op {
                Op::Reduce { .. }
                | Op::Move { .. }
                | Op::Ballot { .. }
                | Op::Elect { .. }
                | Op::MatrixLoad { .. }
                | Op::MatrixStore { .. }
                | Op::MatrixMultiplyAdd { .. }
                | Op::MatrixBinary { .. }
                | Op::MatrixScale { .. } => true,
                Op::If {
                    then, otherwise, ..
                } => any(then) || any(otherwise),
                Op::Loop { body, continuing } => any(body) || any(continuing),
                Op::Scope { body } | Op::Turns { body } => any(body),
                _ => false,
            })
        }
        let is_subgroup = |preload: &Preload| {
            matches!(
                preload,
                Preload::Input(
                    Input::SubgroupLane
                        | Input::SubgroupSize
                        | Input::SubgroupId
                        | Input::NumSubgroups
                )
            )
        };
        self.preloads.iter().any(is_subgroup) || any(&self.body)
    }

    /// Invocations of a workgroup.
    pub fn lanes(&self) -> u32 {
        self.workgroup_size.iter().product()
    }
}
