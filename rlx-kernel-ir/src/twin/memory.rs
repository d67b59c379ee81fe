//! Bindings, tables and workgroup variables as memories.

use rlx_kernel_twin::program::{Dim, Kind, Memory, MemoryId, Space};

use super::{Lower, Result, unsupported, words};
use crate::item::Kernel;
use crate::layout;
use crate::overrides;
use crate::span::Span;
use crate::types::{Scalar, Source, Type};

impl Lower<'_> {
    pub(super) fn memories(&self, kernel: &Kernel) -> Result<Vec<Memory>> {
        let mut all = Vec::new();
        for binding in &kernel.bindings {
            let writable = binding.writable;
            let space = Space::Storage { writable };
            if let Type::Packed(_) = binding.elem {
                all.push(Memory {
                    name: binding.name.clone(),
                    space,
                    stride: 1,
                    dims: Vec::new(),
                    len: Vec::new(),
                    components: 1,
                    kind: Kind::U32,
                    atomic: false,
                    granule: 4,
                });
                continue;
            }
            let stride = self.stride(&binding.elem, false, binding.span)?;
            let dims = vec![Dim { len: 0, stride }];
            all.push(self.shape(&binding.name, space, dims, &binding.elem, binding.span)?);
        }
        for table in &self.bound {
            let name = self
                .module
                .tables
                .get(*table)
                .map(|table| table.name.clone());
            all.push(Memory {
                name: name.unwrap_or_default(),
                space: Space::Storage { writable: false },
                stride: 4,
                dims: vec![Dim { len: 0, stride: 4 }],
                len: Vec::new(),
                components: 1,
                kind: Kind::U32,
                atomic: false,
                granule: 4,
            });
        }
        for var in &kernel.workgroup {
            let bytes = self.stride(&var.ty, true, var.span)?;
            let space = Space::Workgroup { bytes };
            let mut memory = self.shape(&var.name, space, Vec::new(), &var.ty, var.span)?;
            if let Some(len) = &var.len {
                let terms = overrides::formula(self.module, len);
                memory.len = terms.ok_or_else(|| unsupported("this length", len.span))?;
            }
            all.push(memory);
        }
        Ok(all)
    }

    fn shape(
        &self,
        name: &str,
        space: Space,
        mut dims: Vec<Dim>,
        ty: &Type,
        span: Span,
    ) -> Result<Memory> {
        let mut elem = ty;
        while let Type::Array(inner, len) = elem {
            let stride = self.stride(inner, matches!(space, Space::Workgroup { .. }), span)?;
            dims.push(Dim { len: *len, stride });
            elem = inner;
        }
        let (components, scalar, atomic) = match elem {
            Type::Atomic(scalar) => (1, Some(*scalar), true),
            Type::Vector(elem, len) => (u32::from(*len), elem.scalar(), false),
            other => (1, other.scalar(), false),
        };
        let kind = scalar.map_or(Kind::U32, kind);
        Ok(Memory {
            name: name.to_string(),
            space,
            stride: dims.first().map_or(4, |dim| dim.stride),
            dims,
            len: Vec::new(),
            components,
            kind,
            atomic,
            // Halves that share a word are places of their own.
            granule: if matches!(space, Space::Storage { .. }) && has_halves(self.module, elem) {
                2
            } else {
                4
            },
        })
    }

    /// Bytes from one element to the next. Workgroup memory, which no host sees, is packed words.
    pub(super) fn stride(&self, ty: &Type, packed: bool, span: Span) -> Result<u32> {
        let size = if packed {
            packed_words(self.module, ty).and_then(|words| words.checked_mul(4))
        } else {
            layout::on_device(self.module, ty)
                .and_then(|(size, align)| size.checked_next_multiple_of(align))
        };
        size.ok_or_else(|| unsupported(format!("memory of `{ty}`"), span))
    }

    /// The memory behind a slice.
    pub(super) fn source(&self, source: Source) -> MemoryId {
        let bindings = self
            .module
            .kernel
            .as_ref()
            .map_or(0, |kernel| kernel.bindings.len());
        MemoryId(match source {
            Source::Binding(index) => index,
            Source::Workgroup(index) => bindings + self.bound.len() + index,
            Source::Table(index) => {
                let place = self.bound.iter().position(|table| *table == index);
                bindings + place.unwrap_or_default()
            }
        } as u32)
    }
}

/// Words of a value or of atomics in workgroup memory.
fn packed_words(module: &crate::item::Module, ty: &Type) -> Option<u32> {
    match ty {
        Type::Atomic(_) => Some(1),
        Type::Array(elem, len) => packed_words(module, elem)?.checked_mul(*len),
        other => words(module, other),
    }
}

/// Whether halves lie in a value.
fn has_halves(module: &crate::item::Module, ty: &Type) -> bool {
    match ty {
        Type::Array(elem, _) => has_halves(module, elem),
        Type::Struct(id, _) => module.structure(*id).is_some_and(|structure| {
            let mut fields = structure.fields.iter();
            fields.any(|(_, ty)| has_halves(module, ty))
        }),
        other => other.scalar() == Some(Scalar::F16),
    }
}

/// Registers that lie in a row in memory as well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The first, counted from the value's first.
    pub register: u32,
    /// How many.
    pub count: u32,
    /// Bytes from the value's first.
    pub offset: u32,
    /// Whether each is half a word.
    pub halves: bool,
}

impl Lower<'_> {
    /// How a value lies in a memory.
    pub(super) fn runs(&self, memory: MemoryId, ty: &Type, span: Span) -> Result<Vec<Run>> {
        let space = self.memory(memory).map(|memory| memory.space);
        if let Some(Space::Workgroup { .. }) = space {
            return Ok(vec![Run {
                register: 0,
                count: self.words(ty, span)?,
                offset: 0,
                halves: false,
            }]);
        }
        let mut runs: Vec<Run> = Vec::new();
        self.push_runs(ty, (0, 0), &mut runs, span)?;
        Ok(runs)
    }

    fn push_runs(
        &self,
        ty: &Type,
        (register, offset): (u32, u32),
        runs: &mut Vec<Run>,
        span: Span,
    ) -> Result<()> {
        match ty {
            Type::Array(elem, len) => {
                let (words, stride) = (self.words(elem, span)?, self.stride(elem, false, span)?);
                for index in 0..*len {
                    let at = (register + index * words, offset + index * stride);
                    self.push_runs(elem, at, runs, span)?;
                }
            }
            Type::Struct(id, _) => {
                let offsets = layout::offsets(self.module, *id).unwrap_or_default();
                let fields = self
                    .module
                    .structure(*id)
                    .map_or(&[][..], |structure| &structure.fields);
                let mut register = register;
                for ((_, ty), at) in fields.iter().zip(offsets) {
                    self.push_runs(ty, (register, offset + at), runs, span)?;
                    register += self.words(ty, span)?;
                }
            }
            plain => {
                let count = self.words(plain, span)?;
                let halves = plain.scalar() == Some(Scalar::F16);
                let bytes = if halves { 2 } else { 4 };
                if let Some(last) = runs.last_mut()
                    && last.halves == halves
                    && last.offset + last.count * bytes == offset
                {
                    last.count += count;
                } else {
                    runs.push(Run {
                        register,
                        count,
                        offset,
                        halves,
                    });
                }
            }
        }
        Ok(())
    }
}

/// How a scalar is shown.
pub(super) fn kind(scalar: Scalar) -> Kind {
    match scalar {
        Scalar::Bool => Kind::Bool,
        Scalar::I32 => Kind::I32,
        Scalar::U32 => Kind::U32,
        Scalar::F32 => Kind::F32,
        Scalar::F16 => Kind::F16,
        Scalar::I64 => Kind::I64,
        Scalar::U64 => Kind::U64,
    }
}
