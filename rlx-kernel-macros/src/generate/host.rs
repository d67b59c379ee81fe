//! The rustc side of a device function: the same body, compiled for the CPU.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

use crate::parse::level::for_rustc;

/// Whether a function is a plain function of its arguments: it reads no packed slice and takes part
/// in no barrier, so rustc can compile it too.
pub fn is_host(function: &syn::ItemFn) -> bool {
    let mut finder = DeviceOnly { found: false };
    finder.visit_item_fn(function);
    !finder.found
}

struct DeviceOnly {
    found: bool,
}

impl Visit<'_> for DeviceOnly {
    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func
            && let Some(builtin) = rlx_kernel_ir::Builtin::find(
                &crate::paths::text(&path.path),
                rlx_kernel_ir::builtin::Form::Function,
            )
        {
            use rlx_kernel_ir::builtin::{Effect, Spelling};
            // A host has matrices, as a subgroup has.
            let is_shared = builtin.effect != Effect::Pure && !builtin.is_of_matrices();
            self.found |= is_shared || matches!(builtin.wgsl, Spelling::Input(_));
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        if let Some(value) = traced(mac) {
            self.visit_expr(&value);
        }
    }

    fn visit_type_path(&mut self, ty: &syn::TypePath) {
        self.found |= ty.path.segments.last().is_some_and(|segment| {
            ["Packed", "AtomicU32", "AtomicI32"]
                .iter()
                .any(|name| segment.ident == name)
        });
        visit::visit_type_path(self, ty);
    }
}

/// What a `trace!` shows.
fn traced(mac: &syn::Macro) -> Option<syn::Expr> {
    let is_trace = mac.path.is_ident("trace");
    is_trace.then(|| mac.parse_body().ok()).flatten()
}

/// The function with what only the kernel language knows taken out: `#[unroll]`, its lints, and
/// indices, lengths and `usize` parameters, all of which kernels count in `u32`.
pub fn function(function: &syn::ItemFn) -> TokenStream {
    let mut function = function.clone();
    Plain::of(&function).visit_item_fn_mut(&mut function);
    function.to_token_stream()
}

/// The function's signature with a body that rustc finds nothing wrong with.
pub fn signature(function: &syn::ItemFn) -> TokenStream {
    let mut function = function.clone();
    let mut plain = Plain::of(&function);
    plain.visit_attributes_mut(&mut function.attrs);
    plain.visit_signature_mut(&mut function.sig);
    *function.block = syn::parse_quote!({ loop {} });
    quote!(#[allow(unused_variables)] #function)
}

struct Plain {
    /// Const parameters that are `usize` for rustc.
    sizes: Vec<syn::Ident>,
}

impl Plain {
    fn of(function: &syn::ItemFn) -> Self {
        let params = function.sig.generics.const_params();
        let sizes = params
            .filter(|param| matches!(&param.ty, syn::Type::Path(ty) if ty.path.is_ident("usize")));
        Self {
            sizes: sizes.map(|param| param.ident.clone()).collect(),
        }
    }

    /// The length of an array: a number, a `usize` parameter, or a const of any integer type.
    fn length(&self, len: &mut syn::Expr) {
        let is_size = match &*len {
            syn::Expr::Lit(_) | syn::Expr::Cast(_) => true,
            syn::Expr::Path(path) => self.sizes.iter().any(|name| path.path.is_ident(name)),
            _ => false,
        };
        if !is_size && let Ok(cast) = syn::parse2(quote!((#len) as usize)) {
            *len = cast;
        }
    }
}

impl VisitMut for Plain {
    fn visit_type_array_mut(&mut self, array: &mut syn::TypeArray) {
        self.visit_type_mut(&mut array.elem);
        self.length(&mut array.len);
    }

    fn visit_expr_repeat_mut(&mut self, repeat: &mut syn::ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr);
        self.length(&mut repeat.len);
    }

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let counts = match &*expr {
            syn::Expr::MethodCall(call) => call.method == "len" && call.args.is_empty(),
            syn::Expr::Path(path) => self.sizes.iter().any(|name| path.path.is_ident(name)),
            _ => false,
        };
        if counts && let Ok(count) = syn::parse2(quote!((#expr as u32))) {
            *expr = count;
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if let Some(mut value) = traced(mac) {
            self.visit_expr_mut(&mut value);
            mac.tokens = value.to_token_stream();
        }
    }

    fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
        *attrs = attrs.iter().filter_map(for_rustc).collect();
    }

    fn visit_expr_for_loop_mut(&mut self, for_loop: &mut syn::ExprForLoop) {
        for_loop
            .attrs
            .retain(|attr| !attr.path().is_ident("unroll"));
        visit_mut::visit_expr_for_loop_mut(self, for_loop);
    }

    fn visit_expr_index_mut(&mut self, index: &mut syn::ExprIndex) {
        visit_mut::visit_expr_index_mut(self, index);
        let at = &index.index;
        if let Ok(cast) = syn::parse2(quote!((#at) as usize)) {
            *index.index = cast;
        }
    }
}
