//! What a kernel costs, as a value.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use rlx_kernel_ir::cost::{Amount, Cost, Symbol};

/// The cost of a kernel, by the short names of [`info`](super::kernel).
pub fn tokens(cost: &Cost) -> TokenStream {
    let (flops, read, written) = (
        amount(&cost.flops),
        amount(&cost.read),
        amount(&cost.written),
    );
    let open = cost.open;
    quote! {
        __rlx::Cost { flops: #flops, read: #read, written: #written, open: #open }
    }
}

fn amount(amount: &Amount) -> TokenStream {
    let terms = amount.terms().iter().map(|(factors, ratio)| {
        let (above, below) = (
            Literal::i128_unsuffixed(ratio.above),
            Literal::i128_unsuffixed(ratio.below),
        );
        let factors = factors.iter().map(|(symbol, power)| {
            let symbol = match symbol {
                Symbol::Param(index) => quote!(Param(#index)),
                Symbol::Length(index) => quote!(Length(#index)),
                Symbol::Override(index) => quote!(Override(#index)),
                Symbol::SubgroupSize => quote!(SubgroupSize),
                Symbol::NumSubgroups => quote!(NumSubgroups),
            };
            quote!((__rlx::cost::Symbol::#symbol, #power))
        });
        quote! {
            __rlx::cost::Term {
                above: #above,
                below: #below,
                factors: __B(&[#(#factors),*]),
            }
        }
    });
    quote!(__rlx::cost::Amount(__B(&[#(#terms),*])))
}
