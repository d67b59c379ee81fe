//! The types of matrices that a subgroup holds.

use rlx_kernel_ir::matrix::{self, Role};
use rlx_kernel_ir::{Argument, Type, generic};

use super::body::BodyParser;
use crate::paths;

impl BodyParser<'_> {
    /// The type that a path such as `MatrixA<f16, 16>` names; none for any other.
    pub fn matrix_type(&mut self, path: &syn::Path) -> Option<Type> {
        let last = path.segments.last()?;
        let role = Role::named(&paths::name(&last.ident))?;
        Some(self.matrix(role, last))
    }

    /// The type before the function in a path such as `MatrixA::<f16, 16>::load_rows`.
    pub fn matrix_owner(&mut self, path: &syn::Path) -> Option<Type> {
        let owner = path.segments.iter().rev().nth(1)?;
        let role = Role::named(&paths::name(&owner.ident))?;
        Some(self.matrix(role, owner))
    }

    fn matrix(&mut self, role: Role, segment: &syn::PathSegment) -> Type {
        let name = role.rust();
        let arguments = match &segment.arguments {
            syn::PathArguments::AngleBracketed(list) => {
                let list = list.args.iter();
                list.map(|argument| self.argument(argument)).collect()
            }
            _ => Vec::new(),
        };
        let [Argument::Type(elem), Argument::Const(size)] = arguments.as_slice() else {
            if !arguments.contains(&Argument::Type(Type::Error)) {
                let message = format!("nothing tells which `{name}` this is");
                let scalar = if role == Role::C { "f32" } else { "f16" };
                let help = format!(
                    "write its scalar, and its rows and columns: `{name}::<{scalar}, 16>`, or `{name}<{scalar}, 16>` as a type"
                );
                self.sink.error_help(segment, message, help);
            }
            return Type::Error;
        };
        let is_open = generic::parameter_of_length(*size).is_some();
        match elem {
            Type::Error => return Type::Error,
            Type::Scalar(scalar) if is_open || matrix::exists(role, *size, *scalar) => {}
            Type::Param(..) => {}
            other => {
                let message = format!("no GPU has a matrix such as `{name}<{other}, {size}>`");
                let help = format!("there are {}", matrix::products());
                self.sink.error_help(segment, message, help);
                return Type::Error;
            }
        }
        Type::Matrix(Box::new(elem.clone()), role, *size)
    }

    /// `parsed`, unless it is what does not lie in memory: matrices.
    pub fn in_memory(&mut self, ty: &syn::Type, parsed: Type) -> Type {
        let mut leaf = &parsed;
        while let Type::Array(elem, _) = leaf {
            leaf = elem;
        }
        let Type::Matrix(elem, ..) = leaf else {
            return parsed;
        };
        let message = format!("a `{leaf}` has no place in memory: a subgroup holds it");
        let help = format!(
            "keep it in a variable of the kernel, and its elements here, as `{elem}`: `load_rows` and `store_rows` move them"
        );
        self.sink.error_help(ty, message, help);
        Type::Error
    }
}
