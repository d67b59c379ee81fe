//! What a kernel costs, as a value.

use rlx_kernel_ir::cost::{Amount, Cost, Symbol};

use super::text::list;

/// The cost of a kernel, by the short names of [`info`](super::kernel).
pub fn text(cost: &Cost) -> String {
    let [flops, read, written] = [&cost.flops, &cost.read, &cost.written].map(amount);
    let open = cost.open;
    format!("__rlx::Cost {{ flops: {flops}, read: {read}, written: {written}, open: {open} }}")
}

fn amount(amount: &Amount) -> String {
    let terms = list(amount.terms(), |(factors, ratio)| {
        let factors = list(factors, |(symbol, power)| {
            let symbol = match symbol {
                Symbol::Param(index) => format!("Param({index})"),
                Symbol::Length(index) => format!("Length({index})"),
                Symbol::Override(index) => format!("Override({index})"),
                Symbol::SubgroupSize => "SubgroupSize".to_string(),
                Symbol::NumSubgroups => "NumSubgroups".to_string(),
            };
            format!("(__rlx::cost::Symbol::{symbol}, {power})")
        });
        let (above, below) = (ratio.above, ratio.below);
        format!("__rlx::cost::Term {{ above: {above}, below: {below}, factors: {factors} }}")
    });
    format!("__rlx::cost::Amount({terms})")
}
