//! The text of a kernel that keeps what `trace!` shows.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use rlx_kernel_ir::trace::Traced;

use crate::spans::Spans;

/// The text and its sites as values.
pub fn info(traced: Option<&Traced>, spans: &Spans) -> TokenStream {
    let Some(traced) = traced else {
        return quote!(None);
    };
    let cow = |text: &str| quote!(::rlx_kernels::__private::Cow::Borrowed(#text));
    let sites = traced.sites.iter().map(|site| {
        let location = spans.location(site.span);
        let (what, file) = (cow(&site.what), cow(&location.file));
        let (components, line, column) = (site.components, location.line, location.column);
        let kind = format_ident!("{}", format!("{:?}", site.scalar));
        quote! {
            ::rlx_kernels::TraceSite {
                what: #what,
                kind: ::rlx_kernels::simulate::Kind::#kind,
                components: #components,
                file: #file,
                line: #line,
                column: #column,
            }
        }
    });
    let (wgsl, variable, record) = (cow(&traced.wgsl), cow(&traced.variable), traced.record);
    quote! {
        Some(::rlx_kernels::Traced {
            wgsl: #wgsl,
            variable: #variable,
            record: #record,
            sites: ::rlx_kernels::__private::Cow::Borrowed(&[#(#sites),*]),
        })
    }
}
