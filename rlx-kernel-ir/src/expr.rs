//! Expressions.

use crate::builtin::Builtin;
use crate::generic::Argument;
use crate::item::{FieldKind, ItemId, LocalId};
use crate::span::Span;
use crate::stmt::Block;
use crate::types::{Source, Type};

/// An expression with its place and, after inference, its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it came from.
    pub span: Span,
    /// Its type; [`Type::Unknown`] before inference.
    pub ty: Type,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer literal.
    Int(u64),
    /// An integer literal that was written in hexadecimal.
    Hex(u64),
    /// A float literal, as written without suffix and underscores.
    Float(String),
    /// `true` or `false`.
    Bool(bool),
    /// A local variable or a function's parameter.
    Local(LocalId),
    /// A storage binding of the kernel.
    Binding(usize),
    /// A field of the kernel's params.
    Param(usize),
    /// A workgroup variable of the kernel.
    Workgroup(usize),
    /// A table of the module.
    Table(usize),
    /// A `#[device]` const.
    Const(ItemId),
    /// An associated const of a scalar type, such as `f32::MAX`, as WGSL text.
    Literal(&'static str),
    /// `-x`, `!x`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b` and its kind.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `x as T`
    Cast(Box<Expr>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `v.x`
    Field(Box<Expr>, String),
    /// A call of a `#[device]` function.
    Call(ItemId, Vec<Expr>),
    /// A call of a generic `#[device]` function with its generic arguments.
    CallOf(ItemId, Vec<Argument>, Vec<Expr>),
    /// A call of a function that is known by its name alone: a builtin. The span is the name's.
    Named(String, Span, Vec<Expr>),
    /// `receiver.method(args)`. The span is the method's name's.
    Method(Box<Expr>, String, Span, Vec<Expr>),
    /// `[a, b, c]`
    Array(Vec<Expr>),
    /// `Name { field: value, .. }`, in the author's order.
    Struct(ItemId, Vec<(String, Expr)>),
    /// `[value; N]`
    Repeat(Box<Expr>, u32),
    /// `if c { a } else { b }`
    If(Box<Expr>, Block, Option<Box<Expr>>),
    /// `{ … }`
    Block(Block),
    /// `match x { … }`: patterns (empty for `_`) and values.
    Match(Box<Expr>, Vec<(Vec<Expr>, Expr)>),
    /// `&x`, `&mut x`, as an argument.
    Ref(bool, Box<Expr>),
    /// `*x` of a `&mut` parameter.
    Deref(Box<Expr>),
    /// After inference: a call of a specialised function; slices are gone from its arguments.
    Instance(usize, Vec<Expr>),
    /// After inference: a call of a function in its printed form.
    Printed(ItemId, Vec<Expr>),
    /// After inference: a call of a builtin.
    Builtin(&'static Builtin, Vec<Expr>),
    /// After inference: a field of a block, read at a byte address.
    Load {
        /// The packed slice.
        source: Source,
        /// What lies there.
        kind: FieldKind,
        /// A power of two that divides every address, at most 4.
        align: u32,
        /// Bytes from the start of the slice.
        address: Box<Expr>,
    },
    /// After inference: the length of a slice, in elements.
    Length(Source),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl BinaryOp {
    /// The operator's text, alike in Rust and WGSL.
    pub fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::And => "&&",
            Self::Or => "||",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// Whether the result is a `bool` of two operands of any one scalar type.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge
        )
    }

    /// Whether the operands must be `bool`.
    pub fn is_logical(self) -> bool {
        matches!(self, Self::And | Self::Or)
    }

    /// Whether the operands must be integers (or, but for shifts, `bool`).
    pub fn is_bitwise(self) -> bool {
        matches!(
            self,
            Self::BitAnd | Self::BitOr | Self::BitXor | Self::Shl | Self::Shr
        )
    }

    /// Whether it shifts.
    pub fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr)
    }
}

impl Expr {
    /// An expression of unknown type.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self {
            kind,
            span,
            ty: Type::Unknown,
        }
    }

    /// An expression of known type.
    pub fn typed(kind: ExprKind, span: Span, ty: Type) -> Self {
        Self { kind, span, ty }
    }

    /// A `u32` literal.
    pub fn u32(value: u64, span: Span) -> Self {
        Self::typed(ExprKind::Int(value), span, Type::U32)
    }

    /// `self op other` on `u32`, with the neutral elements folded away; sums lean to the left with
    /// their constants last.
    #[must_use]
    pub fn u32_op(self, op: BinaryOp, other: Self) -> Self {
        if op == BinaryOp::Add {
            match (self.kind, other.kind) {
                (kind, ExprKind::Binary(BinaryOp::Add, a, b)) => {
                    let this = Self { kind, ..self };
                    return this.u32_op(BinaryOp::Add, *a).u32_op(BinaryOp::Add, *b);
                }
                (ExprKind::Binary(BinaryOp::Add, a, b), kind)
                    if matches!(b.kind, ExprKind::Int(_)) =>
                {
                    let other = Self { kind, ..other };
                    return if let ExprKind::Int(_) = other.kind {
                        a.u32_op(BinaryOp::Add, b.u32_op(BinaryOp::Add, other))
                    } else {
                        let sum = a.u32_op(BinaryOp::Add, other);
                        sum.plus(*b)
                    };
                }
                (kind, other_kind) => {
                    return Self { kind, ..self }.plus(Self {
                        kind: other_kind,
                        ..other
                    });
                }
            }
        }
        self.folded(op, other)
    }

    fn plus(self, other: Self) -> Self {
        self.folded(BinaryOp::Add, other)
    }

    fn folded(self, op: BinaryOp, other: Self) -> Self {
        match (op, &self.kind, &other.kind) {
            (BinaryOp::Add, ExprKind::Int(0), _) | (BinaryOp::Mul, ExprKind::Int(1), _) => other,
            (BinaryOp::Add, _, ExprKind::Int(0)) | (BinaryOp::Mul, _, ExprKind::Int(1)) => self,
            (BinaryOp::Mul, ExprKind::Int(a), ExprKind::Int(b)) => Self::u32(a * b, self.span),
            (BinaryOp::Add, ExprKind::Int(a), ExprKind::Int(b)) => Self::u32(a + b, self.span),
            _ => {
                let span = self.span;
                Self::typed(
                    ExprKind::Binary(op, Box::new(self), Box::new(other)),
                    span,
                    Type::U32,
                )
            }
        }
    }
}
