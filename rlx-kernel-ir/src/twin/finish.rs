//! The finished program: registers numbered, places named.

use rlx_kernel_twin::program::op::Visit;
use rlx_kernel_twin::program::{Block, Decoded, Place, Program, Regs};

use super::{Lower, STACK, Unsupported};
use crate::span::Span;

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, as rustc names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// Where an instruction came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// A span of the front end's.
    Span(Span),
    /// A place that was known before: of an operator that a region calls.
    Known(Location),
}

/// A program whose places are spans yet, or the reason why there is none.
#[derive(Clone, Debug)]
pub enum Lowered {
    /// The program, and the span of each of its places.
    Program(Box<Program>, Vec<At>),
    /// What the twin does not know.
    Unsupported(Unsupported),
}

impl Lowered {
    /// What the compiled kernel carries, with the places that `locate` finds.
    pub fn encode(&self, mut locate: impl FnMut(Span) -> Location) -> Vec<u8> {
        let decoded = match self {
            Self::Program(program, spans) => {
                let mut program = (**program).clone();
                for at in spans {
                    let Location { file, line, column } = match at {
                        At::Span(span) => locate(*span),
                        At::Known(location) => location.clone(),
                    };
                    let known = program.files.iter().position(|known| *known == file);
                    let index = known.unwrap_or_else(|| {
                        program.files.push(file);
                        program.files.len() - 1
                    });
                    program.places.push(Place {
                        file: index as u32,
                        line,
                        column,
                    });
                }
                Decoded::Program(program)
            }
            Self::Unsupported(Unsupported { what, span }) => {
                let Location { file, line, column } = locate(*span);
                Decoded::Unsupported {
                    what: what.clone(),
                    file,
                    place: Place {
                        file: 0,
                        line,
                        column,
                    },
                }
            }
        };
        decoded.encode()
    }
}

/// Moves the registers of the stack behind those that are preloaded.
struct Number {
    preloads: u32,
}

impl Visit for Number {
    fn regs(&mut self, regs: &mut Regs) {
        if regs.first.0 & STACK != 0 {
            regs.first.0 = (regs.first.0 & !STACK) + self.preloads;
        }
    }
}

impl Lower<'_> {
    pub(super) fn finish(mut self) -> Lowered {
        let mut program = self.program;
        let preloads = program.preloads.len() as u32;
        program.registers = self.high + preloads;
        program.body = Block(self.blocks.pop().unwrap_or_default());
        program.body.each(&mut Number { preloads });
        Lowered::Program(Box::new(program), self.spans)
    }
}
