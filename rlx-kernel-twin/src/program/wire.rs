//! The encoding: bytes, small numbers first (LEB128), strings with their length.

use super::code::{
    Binary, Convert, Fence, Input, Kind, Move, Pack, Raw, Reduce, Scan, Ternary, Unary, Unpack,
    Update,
};
use super::op::{Block, PlaceId, Step, Tile};
use crate::formula::Term;

use super::{Decoded, Dim, MAX_DEPTH, Memory, Place, Preload, Program, Space};

/// The first byte; it changes with the encoding.
const VERSION: u8 = 2;

/// Why bytes are no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// There are none: the kernel was made without a twin.
    #[error("the kernel carries no twin")]
    Empty,
    /// They were made by another version.
    #[error("the twin is of version {found}, expected {VERSION}: build the kernel anew")]
    Version {
        /// The first byte.
        found: u8,
    },
    /// They end early.
    #[error("the twin ends after {0} bytes, within an instruction")]
    End(usize),
    /// A number that means nothing.
    #[error("{number} is no {what}")]
    Number {
        /// What was expected.
        what: &'static str,
        /// What was found.
        number: u8,
    },
    /// A text that is not UTF-8.
    #[error("a name is not UTF-8")]
    Text,
    /// Something beyond what a program may have.
    #[error("{what} {number} is beyond {limit}")]
    Beyond {
        /// What.
        what: &'static str,
        /// Which.
        number: u64,
        /// How many there are.
        limit: u64,
    },
}

/// What is left of the bytes.
pub struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    depth: u32,
}

impl Reader<'_> {
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        let byte = self.bytes.get(self.at).ok_or(DecodeError::End(self.at))?;
        self.at += 1;
        Ok(*byte)
    }

    /// A count of things that take at least a byte each.
    fn count(&mut self) -> Result<usize, DecodeError> {
        let count = u32::get(self)? as usize;
        let left = self.bytes.len() - self.at;
        if count > left {
            return Err(DecodeError::End(self.bytes.len()));
        }
        Ok(count)
    }
}

/// What has an encoding.
pub trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

impl Wire for u32 {
    fn put(&self, out: &mut Vec<u8>) {
        let mut left = *self;
        while left >= 0x80 {
            out.push(left as u8 | 0x80);
            left >>= 7;
        }
        out.push(left as u8);
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut value = 0_u32;
        for shift in (0..35).step_by(7) {
            let byte = input.byte()?;
            value |= u32::from(byte & 0x7f).wrapping_shl(shift);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(DecodeError::Number {
            what: "number of 32 bits",
            number: 0xff,
        })
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(input.byte()? != 0)
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = input.count()?;
        let bytes = input.bytes.get(input.at..input.at + count);
        let bytes = bytes.ok_or(DecodeError::End(input.at))?;
        input.at += count;
        String::from_utf8(bytes.to_vec()).map_err(|_| DecodeError::Text)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        for item in self {
            item.put(out);
        }
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = input.count()?;
        let mut items = Self::new();
        for _ in 0..count {
            items.push(T::get(input)?);
        }
        Ok(items)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(inner) = self {
            inner.put(out);
        }
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(if bool::get(input)? {
            Some(T::get(input)?)
        } else {
            None
        })
    }
}

macro_rules! wire_codes {
    ($($name:ident)+) => { $(
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                out.push(*self as u8);
            }

            fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let number = input.byte()?;
                let code = Self::ALL.get(usize::from(number)).copied();
                code.ok_or(DecodeError::Number { what: stringify!($name), number })
            }
        }
    )+ };
}

wire_codes! { Kind Input Unary Binary Convert Ternary Unpack Pack Update Reduce Scan Move Raw Fence }

macro_rules! wire_structs {
    ($($name:ident { $($field:ident),+ })+) => { $(
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)+
            }

            fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(Self { $($field: Wire::get(input)?),+ })
            }
        }
    )+ };
}

wire_structs! {
    Place { file, line, column }
    Dim { len, stride }
    Tile { memory, address, offset, stride, size, unit, component, rows, half }
    Memory { name, space, stride, dims, len, components, kind, atomic, granule }
    Program { workgroup_size, params_size, registers, preloads, memories, names, files, places, body }
}

impl Wire for [u32; 3] {
    fn put(&self, out: &mut Vec<u8>) {
        for number in self {
            number.put(out);
        }
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok([u32::get(input)?, u32::get(input)?, u32::get(input)?])
    }
}

impl Wire for Space {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Storage { writable } => out.push(u8::from(*writable)),
            Self::Workgroup { bytes } => {
                out.push(2);
                bytes.put(out);
            }
        }
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match input.byte()? {
            0 => Ok(Self::Storage { writable: false }),
            1 => Ok(Self::Storage { writable: true }),
            2 => Ok(Self::Workgroup {
                bytes: Wire::get(input)?,
            }),
            number => Err(DecodeError::Number {
                what: "space",
                number,
            }),
        }
    }
}

impl Wire for Term {
    fn put(&self, out: &mut Vec<u8>) {
        let operation = match self {
            Self::Number(number) => {
                out.push(0);
                return number.put(out);
            }
            Self::Override(index) => {
                out.push(1);
                return (*index as u32).put(out);
            }
            Self::Add => 2,
            Self::Sub => 3,
            Self::Mul => 4,
            Self::Div => 5,
            Self::Rem => 6,
        };
        out.push(operation);
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(match input.byte()? {
            0 => Self::Number(Wire::get(input)?),
            1 => Self::Override(u32::get(input)? as usize),
            2 => Self::Add,
            3 => Self::Sub,
            4 => Self::Mul,
            5 => Self::Div,
            6 => Self::Rem,
            number => {
                return Err(DecodeError::Number {
                    what: "term",
                    number,
                });
            }
        })
    }
}

impl Wire for Preload {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Const(bits) => {
                out.push(0);
                bits.put(out);
            }
            Self::Param(offset) => {
                out.push(1);
                offset.put(out);
            }
            Self::Length(memory) => {
                out.push(2);
                memory.put(out);
            }
            Self::Input(input) => {
                out.push(3);
                input.put(out);
            }
            Self::ParamHalf(offset) => {
                out.push(4);
                offset.put(out);
            }
            Self::Override(index) => {
                out.push(5);
                index.put(out);
            }
        }
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(match input.byte()? {
            0 => Self::Const(Wire::get(input)?),
            1 => Self::Param(Wire::get(input)?),
            2 => Self::Length(Wire::get(input)?),
            3 => Self::Input(Wire::get(input)?),
            4 => Self::ParamHalf(Wire::get(input)?),
            5 => Self::Override(Wire::get(input)?),
            number => {
                return Err(DecodeError::Number {
                    what: "preload",
                    number,
                });
            }
        })
    }
}

impl Wire for Step {
    fn put(&self, out: &mut Vec<u8>) {
        self.at.put(out);
        self.op.put(out);
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            at: PlaceId::get(input)?,
            op: Wire::get(input)?,
        })
    }
}

impl Wire for Block {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn get(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        if input.depth == MAX_DEPTH {
            return Err(DecodeError::Beyond {
                what: "block within blocks",
                number: u64::from(MAX_DEPTH) + 1,
                limit: u64::from(MAX_DEPTH),
            });
        }
        input.depth += 1;
        let steps = Vec::get(input)?;
        input.depth -= 1;
        Ok(Self(steps))
    }
}

pub(super) fn encode(decoded: &Decoded) -> Vec<u8> {
    let mut out = vec![VERSION];
    match decoded {
        Decoded::Program(program) => {
            out.push(0);
            program.put(&mut out);
        }
        Decoded::Unsupported { what, file, place } => {
            out.push(1);
            what.put(&mut out);
            file.put(&mut out);
            place.put(&mut out);
        }
    }
    out
}

pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, DecodeError> {
    if bytes.is_empty() {
        return Err(DecodeError::Empty);
    }
    let mut input = Reader {
        bytes,
        at: 0,
        depth: 0,
    };
    let found = input.byte()?;
    if found != VERSION {
        return Err(DecodeError::Version { found });
    }
    match input.byte()? {
        0 => Ok(Decoded::Program(Wire::get(&mut input)?)),
        1 => Ok(Decoded::Unsupported {
            what: Wire::get(&mut input)?,
            file: Wire::get(&mut input)?,
            place: Wire::get(&mut input)?,
        }),
        number => Err(DecodeError::Number {
            what: "kind of twin",
            number,
        }),
    }
}
