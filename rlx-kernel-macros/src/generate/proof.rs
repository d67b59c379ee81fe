//! What is proved of a kernel, as a value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use rlx_kernel_ir::bounds::{Code, Proof, Requirement, Unproved};

use crate::chain;
use crate::spans::Spans;

/// The proof of a kernel whose text is `wgsl`, by the short names of [`info`](super::kernel).
pub fn tokens(proof: &Proof, wgsl: &str, spans: &Spans) -> TokenStream {
    let hash = chain::fnv1a(wgsl.as_bytes());
    let list = |all: &[Unproved]| {
        let all = all.iter().map(|open| {
            let (first, _) = spans.range(open.span);
            let start = first.start();
            let (file, reason) = (first.file(), &open.reason);
            let (line, column) = (start.line as u32, start.column as u32 + 1);
            quote! {
                __rlx::Unproved { file: __B(#file), line: #line, column: #column, reason: __B(#reason) }
            }
        });
        quote!(__B(&[#(#all),*]))
    };
    let (indices, loops) = (list(&proof.indices), list(&proof.loops));
    let requires = proof.requires.iter().map(requirement);
    quote! {
        {
            use __rlx::proof::Code as __C;
            __rlx::Proof::of_the_compiler(#hash, #indices, #loops, __B(&[#(#requires),*]))
        }
    }
}

fn requirement(requirement: &Requirement) -> TokenStream {
    let text = &requirement.text;
    let code = requirement.code.iter().map(|code| {
        let step = match code {
            Code::Number(value) => quote!(Number(#value)),
            Code::Param(index) => quote!(Param(#index)),
            Code::Override(index) => quote!(Override(#index)),
            Code::Length(index) => quote!(Length(#index)),
            Code::DivCeil => quote!(DivCeil),
            Code::Operator(op) => {
                let name = format_ident!("{}", format!("{op:?}"));
                quote!(#name)
            }
        };
        quote!(__C::#step)
    });
    quote! {
        __rlx::Requirement { text: __B(#text), code: __B(&[#(#code),*]) }
    }
}
