//! Types of what a subgroup does with matrices.

use super::Infer;
use super::expr::value_span;
use crate::builtin::{Builtin, Form};
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::item::Function;
use crate::matrix::{self, MatrixOp, Role};
use crate::span::Span;
use crate::types::{Scalar, Type};

/// What to do instead of reaching into a matrix.
pub(super) const NO_ELEMENTS: &str = "a subgroup holds a matrix together, and no device tells who has which element: write it to workgroup memory by `store_rows`, and read it there";

impl Infer<'_> {
    /// `MatrixA::<T, N>::name(args)`, of which `ty` is the type.
    pub(super) fn matrix_call(
        &mut self,
        ty: Type,
        (name, at): (&str, Span),
        args: &mut Vec<Expr>,
        span: Span,
    ) -> (ExprKind, Type) {
        for arg in args.iter_mut() {
            self.expr(arg);
        }
        let Some(builtin) = Builtin::find(name, Form::Function) else {
            let (owner, member) = name.rsplit_once("::").unwrap_or(("", name));
            let message = format!("`{owner}` has no function `{member}`");
            let help = "it has `zero`, `load_rows` and `load_columns`";
            let error = self.error(Diagnostic::new(at, message).help(help));
            return (ExprKind::Int(0), error);
        };
        if let Err(error) = self.arity(builtin, args, span) {
            return (ExprKind::Int(0), error);
        }
        if let Some(problem) = self.missing(&ty, at) {
            return (ExprKind::Int(0), self.error(problem));
        }
        match (builtin.wgsl, std::mem::take(args).as_slice()) {
            (crate::builtin::Spelling::Matrix(MatrixOp::Load { .. }), [slice, index, stride]) => {
                let place = self.matrix_place(&ty, (slice, index, stride), false);
                let kind =
                    place.map(|place| ExprKind::Builtin(builtin, vec![place, stride.clone()]));
                kind.map_or((ExprKind::Int(0), Type::Error), |kind| (kind, ty))
            }
            _ => (ExprKind::Builtin(builtin, Vec::new()), ty),
        }
    }

    /// The problem with a type of which no GPU has matrices.
    fn missing(&self, ty: &Type, at: Span) -> Option<Diagnostic> {
        let Type::Matrix(elem, role, size) = self.table.deep(ty) else {
            return None;
        };
        let scalar = elem.scalar()?;
        if matrix::exists(role, size, scalar) {
            return None;
        }
        let message = format!("no GPU has a matrix such as `{}`", self.spell(ty));
        Some(Diagnostic::new(at, message).help(format!("there are {}", matrix::products())))
    }

    /// The problem with a function, instantiated by a call at `at`, that declares what no GPU has.
    pub(super) fn missing_in(&self, function: &Function, at: Span) -> Option<Diagnostic> {
        let locals = function.locals.iter().map(|local| &local.ty);
        let problem = locals.chain([&function.ret]).find_map(|ty| {
            let mut ty = ty;
            while let Type::Array(inner, _) | Type::Pointer(inner) = ty {
                ty = inner;
            }
            self.missing(ty, at)
        });
        problem.map(|problem| problem.rule(&function.name, &function.origin))
    }

    /// `multiply_add(a, b, c)` and the methods of matrices, whose arguments are typed and as many as
    /// they should be.
    pub(super) fn matrix(
        &mut self,
        builtin: &'static Builtin,
        args: &[Expr],
        span: Span,
    ) -> (ExprKind, Type) {
        let wrong = (ExprKind::Int(0), Type::Error);
        match (builtin.wgsl, args) {
            (crate::builtin::Spelling::Matrix(MatrixOp::MultiplyAdd), [a, b, c]) => {
                let Some(ty) = self.product([a, b, c], span) else {
                    return wrong;
                };
                (ExprKind::Builtin(builtin, args.to_vec()), ty)
            }
            (_, [this, slice, index, stride]) => {
                let ty = self.table.deep(&this.ty);
                if !matches!(ty, Type::Matrix(..)) {
                    if ty != Type::Error {
                        let (name, found) = (builtin.name, self.describe(&ty));
                        let message = format!("`{name}` is of a matrix, found {found}");
                        self.error(Diagnostic::new(this.span, message));
                    }
                    return wrong;
                }
                let Some(place) = self.matrix_place(&ty, (slice, index, stride), true) else {
                    return wrong;
                };
                let args = vec![this.clone(), place, stride.clone()];
                (ExprKind::Builtin(builtin, args), Type::Unit)
            }
            _ => wrong,
        }
    }

    /// The type of A · B + C.
    fn product(&mut self, args: [&Expr; 3], span: Span) -> Option<Type> {
        let mut found: Vec<(Scalar, u32)> = Vec::new();
        let mut is_right = true;
        for (arg, role) in args.into_iter().zip(Role::ALL) {
            match self.table.deep(&arg.ty) {
                Type::Matrix(elem, has, size) if has == role => {
                    found.extend(elem.scalar().map(|scalar| (scalar, size)));
                }
                Type::Error => is_right = false,
                other => {
                    let (letter, name) = (role.letter(), role.rust());
                    let message = format!(
                        "`multiply_add(a, b, c)` takes a `{name}` as {}, found {}",
                        letter.to_lowercase(),
                        self.describe(&other)
                    );
                    let help = match other {
                        Type::Matrix(elem, _, size) => {
                            let elem = self.spell(&elem);
                            format!("load it as `{name}::<{elem}, {size}>`")
                        }
                        _ => format!("load one: `{name}::<f16, 16>::load_rows(x, at, stride)`"),
                    };
                    self.error(Diagnostic::new(value_span(arg), message).help(help));
                    is_right = false;
                }
            }
        }
        let [(a, m), (b, n), (c, k)] = found[..] else {
            return None;
        };
        if !is_right {
            return None;
        }
        if a != b || m != n || n != k || !matrix::multiplies(m, a, c) {
            let all = args.map(|arg| self.describe(&arg.ty)).join(", ");
            let message = format!("no GPU multiplies {all}");
            let help = format!("there are {}", matrix::products());
            self.error(Diagnostic::new(span, message).help(help));
            return None;
        }
        Some(self.table.deep(&args[2].ty))
    }

    /// The place of the first element of a matrix of type `ty` in a slice.
    fn matrix_place(
        &mut self,
        ty: &Type,
        (slice, index, stride): (&Expr, &Expr, &Expr),
        written: bool,
    ) -> Option<Expr> {
        let before = self.diagnostics.len();
        for number in [index, stride] {
            self.expect(number, &Type::U32, &number.ty);
        }
        let name = self.place_name(slice);
        let Type::Matrix(scalar, ..) = ty else {
            return None;
        };
        let spelled = (self.spell(scalar), self.spell(ty));
        let (scalar_name, matrix) = (&spelled.0, &spelled.1);
        let mutable = if written { "mut " } else { "" };
        let (elem, writable) = match self.table.shallow(&slice.ty) {
            Type::Error => return None,
            Type::Slice { elem, writable, .. } => (self.table.deep(&elem), writable),
            other => {
                let verb = if written { "written to" } else { "read from" };
                let message = format!(
                    "a `{matrix}` is {verb} a slice, found {}",
                    self.describe(&other)
                );
                let help = match slice.kind {
                    ExprKind::Workgroup(_) => format!("borrow it: `&{mutable}{name}`"),
                    _ => "slices are bindings and workgroup memory".into(),
                };
                self.error(Diagnostic::new(slice.span, message).help(help));
                return None;
            }
        };
        let unit = match &elem {
            Type::Vector(elem, 4) => elem,
            other => other,
        };
        if unit != &**scalar && *unit != Type::Error {
            let verb = if written {
                "is written to"
            } else {
                "is read from"
            };
            let message = format!(
                "a `{matrix}` {verb} a slice of `{scalar_name}` or `Vec4<{scalar_name}>`, found a slice of {}",
                self.describe(&elem)
            );
            let help = format!(
                "take it as `{name}: &{mutable}[{scalar_name}]`, or convert it into workgroup memory of `{scalar_name}`"
            );
            self.error(Diagnostic::new(slice.span, message).help(help));
        } else if written && !writable {
            let (message, help) = match &slice.kind {
                ExprKind::Ref(..) => (
                    format!("`&{name}` is borrowed to be read"),
                    format!("borrow it to be written: `&mut {name}`"),
                ),
                _ => (
                    format!("`{name}` is a read-only binding"),
                    format!("take it as `{name}: &mut [{elem}]`"),
                ),
            };
            self.error(Diagnostic::new(slice.span, message).help(help));
        }
        if self.diagnostics.len() > before {
            return None;
        }
        let base = match &slice.kind {
            ExprKind::Ref(_, inner) => (**inner).clone(),
            _ => slice.clone(),
        };
        let place = ExprKind::Index(Box::new(base), Box::new(index.clone()));
        Some(Expr::typed(place, slice.span, elem))
    }

    /// The type of `left op right` where either is a matrix; `None` where none is.
    pub(super) fn matrix_operator(
        &mut self,
        op: BinaryOp,
        span: Span,
        left: (&Expr, &Type),
        right: (&Expr, &Type),
    ) -> Option<Type> {
        let (a, b) = (left.1, right.1);
        let has = "matrices have `+` and `-` of two of one type, and `*` by a scalar";
        let (message, help) = match (op, a, b) {
            (_, Type::Matrix(..), Type::Matrix(..)) if op == BinaryOp::Mul => (
                "`*` is no product of matrices".to_string(),
                "write `multiply_add(a, b, c)`, with `MatrixC::<f32, 16>::zero()` where nothing is added",
            ),
            (BinaryOp::Add | BinaryOp::Sub, Type::Matrix(..), Type::Matrix(..)) => {
                if let Some(ty) = self.unify(a, b) {
                    return Some(ty);
                }
                let (l, r) = (self.describe(a), self.describe(b));
                (
                    format!(
                        "`{}` needs two operands of one type: the left is {l}, the right is {r}",
                        op.text()
                    ),
                    has,
                )
            }
            (BinaryOp::Mul, Type::Matrix(elem, ..), _) => {
                self.expect(right.0, elem, b);
                return Some(a.clone());
            }
            (BinaryOp::Mul, _, Type::Matrix(elem, ..)) => {
                self.expect(left.0, elem, a);
                return Some(b.clone());
            }
            (_, Type::Matrix(..), _) | (_, _, Type::Matrix(..)) => {
                let found = match a {
                    Type::Matrix(..) => self.describe(a),
                    _ => self.describe(b),
                };
                (format!("`{}` does not take {found}", op.text()), has)
            }
            _ => return None,
        };
        Some(self.error(Diagnostic::new(span, message).help(help)))
    }
}
