//! What a kernel costs: operations on floats and bytes of storage memory, as formulas of its params.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::kernel::KernelInfo;

/// What one invocation of a kernel does, derived from its body.
///
/// A loop counts as often as its range says; where an invocation begins in a strided loop evens out over
/// the workgroup. A branch that its place decides (`if me < 32`) counts for those who take it, any other
/// for all; of two branches the dearer one. Bytes count as often as they are asked for, whatever caches
/// do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Operations on floats; a component of a vector is one, a fused product and sum two.
    pub flops: Amount,
    /// Bytes read from storage memory.
    pub read: Amount,
    /// Bytes written to storage memory.
    pub written: Amount,
    /// Whether it may do more: something repeats as often as values decide, or its body is not known.
    pub open: bool,
}

/// A sum of terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount(pub Cow<'static, [Term]>);

/// A fraction times powers of what a launch is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Above the fraction's line.
    pub above: i128,
    /// Below it, positive.
    pub below: i128,
    /// Symbols with their powers, which may be negative.
    pub factors: Cow<'static, [(Symbol, i32)]>,
}

/// What an amount depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// Param `.0` of [`KernelInfo::params`], a `u32`.
    Param(usize),
    /// The elements of binding `.0`; the 32-bit words of packed weights.
    Length(usize),
    /// Override `.0` of [`KernelInfo::overrides`].
    Override(usize),
    /// Invocations of a subgroup.
    SubgroupSize,
    /// Subgroups of a workgroup.
    NumSubgroups,
}

impl Cost {
    /// Nothing is known of it.
    pub const UNKNOWN: Self = Self {
        flops: Amount(Cow::Borrowed(&[])),
        read: Amount(Cow::Borrowed(&[])),
        written: Amount(Cow::Borrowed(&[])),
        open: true,
    };
}

impl Amount {
    /// The amount where each symbol has the value that `value` gives it; none where that gives none.
    pub fn value(&self, value: impl Fn(Symbol) -> Option<f64>) -> Option<f64> {
        let mut sum = 0.0;
        for term in self.0.iter() {
            let mut product = term.above as f64 / term.below as f64;
            for (symbol, power) in term.factors.iter() {
                product *= value(*symbol)?.powi(*power);
            }
            sum += product;
        }
        Some(sum)
    }

    /// The formula with the names of `kernel`, such as `64 * k + 3`.
    pub fn describe(&self, kernel: &KernelInfo) -> String {
        let mut text = String::new();
        // The highest powers first.
        for term in self.0.iter().rev() {
            let sign = if term.above < 0 { "-" } else { "+" };
            let _ = match (text.is_empty(), term.above < 0) {
                (true, false) => Ok(()),
                (true, true) => write!(text, "-"),
                _ => write!(text, " {sign} "),
            };
            let (mut above, mut below) = (Vec::new(), Vec::new());
            for (symbol, power) in term.factors.iter() {
                let side = if *power > 0 { &mut above } else { &mut below };
                side.extend((0..power.unsigned_abs()).map(|_| symbol.name(kernel)));
            }
            if term.above.abs() != 1 || above.is_empty() {
                above.insert(0, term.above.abs().to_string());
            }
            if term.below != 1 {
                below.insert(0, term.below.to_string());
            }
            text += &above.join(" * ");
            for divisor in below {
                let _ = write!(text, " / {divisor}");
            }
        }
        if text.is_empty() {
            text.push('0');
        }
        text
    }
}

impl Symbol {
    fn name(self, kernel: &KernelInfo) -> String {
        match self {
            Self::Param(index) => kernel
                .params
                .get(index)
                .map_or_else(String::new, |param| param.name.to_string()),
            Self::Length(index) => kernel
                .bindings
                .get(index)
                .map_or_else(String::new, |binding| format!("{}.len()", binding.name)),
            Self::Override(index) => kernel
                .overrides
                .get(index)
                .map_or_else(String::new, |item| item.name.to_string()),
            Self::SubgroupSize => "subgroup_size".into(),
            Self::NumSubgroups => "num_subgroups".into(),
        }
    }
}

/// What one dispatch of a kernel does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// Operations on floats.
    pub flops: f64,
    /// Bytes read.
    pub read: f64,
    /// Bytes written.
    pub written: f64,
}

impl KernelInfo {
    /// What a dispatch of `grid` workgroups costs with these params and lengths of its bindings
    /// (elements; 32-bit words of packed weights), by the defaults of its overrides, on a device whose
    /// subgroups have `subgroup_size` invocations. None where the bytes or lengths are too few.
    ///
    /// Of a kernel whose cost is [open](Cost::open), it is the least.
    pub fn cost_of(
        &self,
        params: &[u8],
        lengths: &[u64],
        grid: [u32; 3],
        subgroup_size: u32,
    ) -> Option<Total> {
        let size = self.workgroup_size.map(f64::from);
        let workgroup: f64 = size.iter().product();
        let invocations = grid
            .iter()
            .fold(workgroup, |all, groups| all * f64::from(*groups));
        let subgroup = f64::from(subgroup_size.max(1));
        let value = |symbol| match symbol {
            Symbol::Param(index) => self.param(index, params).map(f64::from),
            Symbol::Length(index) => lengths.get(index).map(|length| *length as f64),
            Symbol::Override(index) => self.overrides.get(index).map(|item| item.default as f64),
            Symbol::SubgroupSize => Some(subgroup),
            Symbol::NumSubgroups => Some((workgroup / subgroup).ceil()),
        };
        Some(Total {
            flops: invocations * self.cost.flops.value(value)?,
            read: invocations * self.cost.read.value(value)?,
            written: invocations * self.cost.written.value(value)?,
        })
    }
}
