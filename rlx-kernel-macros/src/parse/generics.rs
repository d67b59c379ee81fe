//! The parameters of a generic function.

use quote::ToTokens;
use rlx_kernel_ir::{Argument, Bound, Generic, ItemId, Type};

use super::body::BodyParser;
use super::{Resolver, Sink, Target, ty};
use crate::paths;

/// A parameter of a device function.
pub struct Parameter {
    /// The author's name.
    pub name: String,
    /// What may stand for it.
    pub of: Of,
}

/// What may stand for a parameter, as its tokens tell it.
pub enum Of {
    /// A bound that the language knows.
    Known(Bound),
    /// A `#[device]` trait.
    Trait(syn::Path),
}

/// The parameters of a device function.
///
/// # Errors
/// What a device function cannot be generic over.
pub fn parameters(generics: &syn::Generics) -> syn::Result<Vec<Parameter>> {
    if let Some(clause) = &generics.where_clause {
        let message = "write the bound beside the parameter: `fn f<T: Float>(x: T)`";
        return Err(syn::Error::new_spanned(clause, message));
    }
    generics.params.iter().map(parameter).collect()
}

fn parameter(param: &syn::GenericParam) -> syn::Result<Parameter> {
    match param {
        syn::GenericParam::Type(param) => {
            let bounds: Vec<_> = param.bounds.iter().collect();
            let [syn::TypeParamBound::Trait(bound)] = bounds.as_slice() else {
                let name = &param.ident;
                let message = format!(
                    "a device function is generic over formats, floats and `#[device]` traits: write `{name}: BlockFormat`, `{name}: Float` or one trait"
                );
                return Err(syn::Error::new_spanned(param, message));
            };
            let of = match named(&bound.path) {
                Some(bound) => Of::Known(bound),
                None => Of::Trait(bound.path.clone()),
            };
            Ok(Parameter {
                name: paths::name(&param.ident),
                of,
            })
        }
        syn::GenericParam::Const(param) => {
            let ty = param.ty.to_token_stream().to_string();
            if !matches!(ty.as_str(), "u32" | "usize") {
                let message = "a const parameter is a `u32`, or a `usize` where it is the length of an array; kernels see a `u32`";
                return Err(syn::Error::new_spanned(&param.ty, message));
            }
            Ok(Parameter {
                name: paths::name(&param.ident),
                of: Of::Known(Bound::Const),
            })
        }
        syn::GenericParam::Lifetime(param) => {
            let message = "a device function needs no lifetimes; remove it";
            Err(syn::Error::new_spanned(param, message))
        }
    }
}

fn named(path: &syn::Path) -> Option<Bound> {
    match path.segments.last()?.ident.to_string().as_str() {
        "BlockFormat" | "IntegerFormat" => Some(Bound::Format),
        "Float" => Some(Bound::Float),
        _ => None,
    }
}

/// The traits that type parameters are bound by, but for those that the language knows.
pub fn traits(generics: &syn::Generics) -> Vec<syn::Path> {
    let all = parameters(generics).unwrap_or_default();
    let traits = all.into_iter().filter_map(|parameter| match parameter.of {
        Of::Trait(path) => Some(path),
        Of::Known(_) => None,
    });
    traits.collect()
}

/// The parameters as items of the module, of which `first` is the number of the first; their names
/// mean them in `resolver` from here on.
pub fn declare(
    sink: &mut Sink,
    generics: &syn::Generics,
    first: usize,
    resolver: &mut Resolver,
) -> Vec<Generic> {
    let all = parameters(generics).unwrap_or_default().into_iter();
    let generics = all.enumerate().map(|(index, parameter)| {
        let bound = match &parameter.of {
            Of::Known(bound) => *bound,
            Of::Trait(path) => {
                if let Some(Target::Trait(id)) = resolver.targets.get(&paths::text(path)) {
                    Bound::Trait(*id)
                } else {
                    let help =
                        "it is a `#[device] trait`, `BlockFormat`, `IntegerFormat` or `Float`";
                    sink.error_help(path, "this is no trait that kernels know", help);
                    Bound::Float
                }
            }
        };
        let target = Target::Generic(ItemId(first + index), bound);
        resolver.targets.insert(parameter.name.clone(), target);
        Generic {
            name: parameter.name,
            bound,
        }
    });
    generics.collect()
}

/// The names of the parameters of a function.
pub fn names(generics: &syn::Generics) -> Vec<String> {
    let names = generics.params.iter().filter_map(|param| match param {
        syn::GenericParam::Type(param) => Some(paths::name(&param.ident)),
        syn::GenericParam::Const(param) => Some(paths::name(&param.ident)),
        syn::GenericParam::Lifetime(_) => None,
    });
    names.collect()
}

/// The names of the type parameters that are floats.
pub fn floats(generics: &syn::Generics) -> Vec<String> {
    let is_float = |bound: &syn::TypeParamBound| matches!(bound, syn::TypeParamBound::Trait(bound) if named(&bound.path) == Some(Bound::Float));
    let floats = generics.type_params();
    let floats = floats.filter(|param| param.bounds.iter().any(is_float));
    floats.map(|param| paths::name(&param.ident)).collect()
}

impl BodyParser<'_> {
    /// The generic arguments of the last segment of a path; none where it has none.
    pub fn arguments(&mut self, path: &syn::Path) -> Option<Vec<Argument>> {
        let syn::PathArguments::AngleBracketed(list) = &path.segments.last()?.arguments else {
            return None;
        };
        Some(list.args.iter().map(|arg| self.argument(arg)).collect())
    }

    pub fn argument(&mut self, argument: &syn::GenericArgument) -> Argument {
        match argument {
            syn::GenericArgument::Type(syn::Type::Infer(_)) => Argument::Open,
            syn::GenericArgument::Type(syn::Type::Path(path)) => {
                let name = paths::text(&path.path);
                match self.resolver.targets.get(&name) {
                    Some(Target::Format(format)) => Argument::Format(format.id),
                    Some(Target::Generic(id, Bound::Format)) => Argument::Format(*id),
                    Some(Target::Generic(id, Bound::Trait(_))) => {
                        Argument::Type(Type::Param(*id, name))
                    }
                    Some(Target::Struct(id, name)) => {
                        Argument::Type(Type::Struct(*id, name.clone()))
                    }
                    Some(Target::Generic(id, Bound::Const)) => {
                        Argument::Const(rlx_kernel_ir::generic::open_length(*id))
                    }
                    Some(Target::Number(value, _)) if u32::try_from(*value).is_ok() => {
                        Argument::Const(*value as u32)
                    }
                    Some(Target::Item(_)) if !self.lengths.contains_key(&name) => {
                        self.unknown_length(&syn::Expr::Path(syn::ExprPath {
                            attrs: Vec::new(),
                            qself: None,
                            path: path.path.clone(),
                        }));
                        Argument::Type(Type::Error)
                    }
                    _ => match self.lengths.get(&name) {
                        Some(value) => Argument::Const(*value),
                        None => Argument::Type(self.ty(&syn::Type::Path(path.clone()))),
                    },
                }
            }
            syn::GenericArgument::Type(ty) => Argument::Type(self.ty(ty)),
            syn::GenericArgument::Const(value) => {
                if let Some(Ok(value)) = self.constant(value).map(u32::try_from) {
                    return Argument::Const(value);
                }
                let help = "use a literal or a `#[device]` const";
                let message = "this generic argument is not a constant that fits `u32`";
                self.sink.error_help(value, message, help);
                Argument::Type(Type::Error)
            }
            other => {
                let message = "a generic argument is a type or a number";
                self.sink.error(other, message);
                Argument::Type(Type::Error)
            }
        }
    }

    /// `Vec2<T>` to `Vec4<T>` of a parameter.
    pub fn generic_vector(&mut self, path: &syn::TypePath) -> Option<Type> {
        let last = path.path.segments.last()?;
        let len = match last.ident.to_string().as_str() {
            "Vec2" => 2,
            "Vec3" => 3,
            "Vec4" => 4,
            _ => return None,
        };
        match self.ty(ty::argument(last)?) {
            elem @ (Type::Param(..) | Type::Scalar(_)) => Some(Type::Vector(Box::new(elem), len)),
            _ => None,
        }
    }
}
