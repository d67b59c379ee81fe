//! Items: the kernel, its helpers, consts and formats.

use crate::expr::{Expr, ExprKind};
use crate::generic::Generic;
use crate::overrides::Override;
use crate::span::Span;
use crate::stmt::Block;
use crate::types::Type;

/// Index of an item in [`Module::items`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId(pub usize);

/// Index of a variable in [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub usize);

/// A kernel with everything that it reaches.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Helpers, consts and formats.
    pub items: Vec<Item>,
    /// The tables of the formats among them.
    pub tables: Vec<Table>,
    /// The kernel; none while a helper is checked by itself.
    pub kernel: Option<Kernel>,
}

/// An item that a kernel may reach by a path.
#[derive(Clone, Debug)]
pub enum Item {
    /// A `#[device]` function.
    Function(Function),
    /// A `#[device]` const.
    Const(Const),
    /// A `#[format]`.
    Format(Format),
    /// A `#[device]` struct.
    Struct(Struct),
    /// A `#[device]` trait.
    Trait(Trait),
    /// A parameter of a generic function.
    Generic(Generic),
    /// A const parameter of the kernel.
    Override(Override),
    /// A function that was compiled before: an elementwise operator in a region.
    Printed(Printed),
}

/// The file and line of an item, for messages that reach its user in another crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file as rustc names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// A function: a helper, or the body of a kernel.
#[derive(Clone, Debug)]
pub struct Function {
    /// The author's name.
    pub name: String,
    /// The name that its WGSL begins with.
    pub wgsl_name: String,
    /// Its generic parameters.
    pub generics: Vec<ItemId>,
    /// Whether its first parameter is `self`.
    pub method: bool,
    /// Parameters in order; each is a local too.
    pub params: Vec<Parameter>,
    /// Result.
    pub ret: Type,
    /// Variables, parameters included.
    pub locals: Vec<Local>,
    /// The body.
    pub body: Block,
    /// The name's place.
    pub span: Span,
    /// Where it is defined.
    pub origin: Origin,
}

impl Default for Function {
    /// A function without a name that does nothing.
    fn default() -> Self {
        Self {
            name: String::new(),
            wgsl_name: String::new(),
            generics: Vec::new(),
            method: false,
            params: Vec::new(),
            ret: Type::Unit,
            locals: Vec::new(),
            body: Block::default(),
            span: Span::NONE,
            origin: Origin::default(),
        }
    }
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The local that holds it.
    pub local: LocalId,
    /// Its declared type.
    pub ty: Type,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// The author's name.
    pub name: String,
    /// Declared type, or [`Type::Unknown`].
    pub ty: Type,
    /// Whether it is `mut`.
    pub mutable: bool,
    /// The name's place.
    pub span: Span,
}

/// A const.
#[derive(Clone, Debug)]
pub struct Const {
    /// The author's name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Expr,
    /// Where it is defined.
    pub origin: Origin,
}

/// A function of plain values in its printed form.
#[derive(Clone, Debug)]
pub struct Printed {
    /// Its name in the texts.
    pub name: String,
    /// Parameter types.
    pub params: Vec<Type>,
    /// Result.
    pub ret: Type,
    /// The WGSL of the function and of the helpers it calls, by name.
    pub texts: Vec<(String, String)>,
    /// The function as [`lower_function`](crate::twin::lower_function) encodes it.
    pub twin: Vec<u8>,
}

/// A struct of values.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name in WGSL: the author's, or close to it.
    pub name: String,
    /// The name's place.
    pub span: Span,
    /// The places of its fields.
    pub spans: Vec<Span>,
    /// Whether the host's struct is `Copy`.
    pub copied: bool,
    /// Fields in order.
    pub fields: Vec<(String, Type)>,
    /// Functions of its `impl`s, by name.
    pub functions: Vec<(String, ItemId)>,
    /// Their consts.
    pub consts: Vec<(String, ItemId)>,
    /// Where it is defined.
    pub origin: Origin,
}

/// What a type has that stands for a parameter.
#[derive(Clone, Debug)]
pub struct Trait {
    /// The author's name.
    pub name: String,
    /// The signatures of its functions, by name, with bodies that say nothing.
    pub functions: Vec<(String, Function)>,
    /// The types of its consts.
    pub consts: Vec<(String, Type)>,
    /// Where it is defined.
    pub origin: Origin,
}

/// A block format.
#[derive(Clone, Debug)]
pub struct Format {
    /// The scheme's name, such as `Q4_K`.
    pub name: String,
    /// What kernels may ask of it.
    pub consts: FormatConsts,
    /// Fields in order.
    pub fields: Vec<Field>,
    /// Its functions, by name.
    pub functions: Vec<(String, ItemId)>,
    /// Where it is defined.
    pub origin: Origin,
}

/// The consts of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatConsts {
    /// `ELEMS`, weights a block.
    pub elems: u32,
    /// `BYTES` a block.
    pub bytes: u32,
    /// What its weights are as integers, where they are.
    pub integers: Option<Integers>,
}

/// The weights of a format as signed bytes times a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers {
    /// `RUN`, consecutive weights that share a scale.
    pub run: u32,
    /// `HAS_MINIMUM`, whether a minimum is taken off.
    pub minimum: bool,
}

impl FormatConsts {
    /// The number of that name.
    pub fn number(&self, name: &str) -> Option<u32> {
        match name {
            "ELEMS" => Some(self.elems),
            "BYTES" => Some(self.bytes),
            "RUN" => self.integers.map(|integers| integers.run),
            _ => None,
        }
    }

    /// The value of the const of that name.
    pub fn value(&self, name: &str) -> Option<ExprKind> {
        let number = self.number(name).map(|number| ExprKind::Int(number.into()));
        number.or_else(|| match name {
            "HAS_MINIMUM" => Some(ExprKind::Bool(self.integers?.minimum)),
            _ => None,
        })
    }
}

/// A table of words that a format decodes with: a read-only storage binding of the kernels that use
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name in WGSL.
    pub name: String,
    /// Words.
    pub len: u32,
    /// The format that it belongs to.
    pub format: ItemId,
    /// Its place among that format's tables.
    pub index: usize,
}

/// [`Field::count`] of a field without an end, `[f32]`: dense formats, whose blocks hold one weight.
pub const OPEN: u32 = u32::MAX;

/// A field of a format's layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The accessor's name.
    pub name: String,
    /// The type of its elements.
    pub kind: FieldKind,
    /// Elements; `None` for a single one, which is read without an index; [`OPEN`] for a field that
    /// goes on into the blocks that follow.
    pub count: Option<u32>,
    /// Bytes from the block's start.
    pub offset: u32,
}

/// What lies in memory, in little-endian order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldKind {
    /// `u8`, read as `u32`.
    U8,
    /// `i8`, read as `i32`.
    I8,
    /// `u16`, read as `u32`.
    U16,
    /// `i16`, read as `i32`.
    I16,
    /// `u32`
    U32,
    /// `f16`, read as `f32`.
    F16,
    /// `f32`
    F32,
}

impl FieldKind {
    /// Bytes of one element.
    pub fn size(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The type that an accessor gives.
    pub fn ty(self) -> Type {
        match self {
            Self::U8 | Self::U16 | Self::U32 => Type::U32,
            Self::I8 | Self::I16 => Type::I32,
            Self::F16 | Self::F32 => Type::F32,
        }
    }

    /// The kind that a layout's type names.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "u8" => Self::U8,
            "i8" => Self::I8,
            "u16" => Self::U16,
            "i16" => Self::I16,
            "u32" => Self::U32,
            "f16" => Self::F16,
            "f32" => Self::F32,
            _ => return None,
        })
    }

    /// The name in a layout, and of the load in WGSL and Rust.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::F16 => "f16",
            Self::F32 => "f32",
        }
    }
}

/// A kernel: its interface and its body.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The body; slices and params of its signature are not among its parameters.
    pub function: Function,
    /// `&[T]` and `&mut [T]` parameters, in order.
    pub bindings: Vec<KernelBinding>,
    /// The other parameters, in order.
    pub params: Vec<KernelParam>,
    /// Workgroup variables.
    pub workgroup: Vec<WorkgroupVar>,
    /// Invocations by dimension, with the defaults of overrides.
    pub workgroup_size: [u32; 3],
    /// The same as expressions, where they name overrides.
    pub workgroup_exprs: [Option<Expr>; 3],
    /// Where they are given.
    pub workgroup_size_span: Span,
    /// The conditions of its `#[requires(..)]`.
    pub requires: Vec<Requires>,
}

/// A condition that holds wherever a kernel runs.
#[derive(Clone, Debug)]
pub struct Requires {
    /// The condition, over params and the lengths of slices; without types.
    pub condition: Expr,
    /// As its author wrote it.
    pub text: String,
}

impl Default for Kernel {
    /// A kernel that does nothing.
    fn default() -> Self {
        Self {
            function: Function::default(),
            bindings: Vec::new(),
            params: Vec::new(),
            workgroup: Vec::new(),
            workgroup_size: [1; 3],
            workgroup_exprs: [const { None }; 3],
            workgroup_size_span: Span::NONE,
            requires: Vec::new(),
        }
    }
}

/// A slice parameter of a kernel.
#[derive(Clone, Debug)]
pub struct KernelBinding {
    /// The author's name.
    pub name: String,
    /// Element type: [`Type::Packed`], or a type with a layout.
    pub elem: Type,
    /// Whether it is `&mut`.
    pub writable: bool,
    /// The parameter's place.
    pub span: Span,
}

/// A plain parameter of a kernel.
#[derive(Clone, Debug)]
pub struct KernelParam {
    /// The author's name.
    pub name: String,
    /// A scalar, a vector, a struct or an array of them.
    pub ty: Type,
    /// Whether its halves are held as `f32`, so that all instances of a generic kernel have their
    /// params at the same places.
    pub widened: bool,
    /// The parameter's place.
    pub span: Span,
}

impl KernelParam {
    /// The type that holds it in the params.
    pub fn held(&self) -> Type {
        if self.widened {
            crate::param::widened(&self.ty)
        } else {
            self.ty.clone()
        }
    }
}

/// `#[workgroup] let name: [T; N];`
#[derive(Clone, Debug)]
pub struct WorkgroupVar {
    /// The author's name.
    pub name: String,
    /// Its type, with the defaults of overrides.
    pub ty: Type,
    /// Its length, where that names overrides.
    pub len: Option<Expr>,
    /// The declaration's place.
    pub span: Span,
}

impl Module {
    /// The format behind `id`.
    pub fn format(&self, id: ItemId) -> Option<&Format> {
        match self.items.get(id.0) {
            Some(Item::Format(format)) => Some(format),
            _ => None,
        }
    }

    /// The struct behind `id`.
    pub fn structure(&self, id: ItemId) -> Option<&Struct> {
        match self.items.get(id.0) {
            Some(Item::Struct(structure)) => Some(structure),
            _ => None,
        }
    }

    /// The trait behind `id`.
    pub fn device_trait(&self, id: ItemId) -> Option<&Trait> {
        match self.items.get(id.0) {
            Some(Item::Trait(item)) => Some(item),
            _ => None,
        }
    }

    /// The function behind `id`.
    pub fn function(&self, id: ItemId) -> Option<&Function> {
        match self.items.get(id.0) {
            Some(Item::Function(function)) => Some(function),
            _ => None,
        }
    }
}
