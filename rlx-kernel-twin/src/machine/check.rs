//! Checks of arithmetic.

use super::arithmetic::no_quotient;
use super::lanes::{any1, any2, is_not_finite};
use super::number::show;
use super::{Machine, Sink};
use crate::finding::{Check, Note};
use crate::program::code::{Binary, Kind, Unary};
use crate::program::{PlaceId, Reg};

/// What an operation must not be given.
type Bad2 = fn(u32, u32) -> bool;

/// How an operation may go wrong.
struct Rule {
    check: Check,
    bad: Bad2,
    kind: Kind,
    text: &'static str,
}

fn rule(op: Binary) -> Option<Rule> {
    let rule = |check, kind, text, bad| {
        Some(Rule {
            check,
            bad,
            kind,
            text,
        })
    };
    let (wrap, u, i) = (Check::Wrap, Kind::U32, Kind::I32);
    match op {
        Binary::AddU => rule(wrap, u, "+", |a, b| a.checked_add(b).is_none()),
        Binary::SubU => rule(wrap, u, "-", |a, b| a < b),
        Binary::MulU => rule(wrap, u, "*", |a, b| {
            u64::from(a) * u64::from(b) > u64::from(u32::MAX)
        }),
        Binary::AddI => rule(wrap, i, "+", |a, b| {
            (a as i32).checked_add(b as i32).is_none()
        }),
        Binary::SubI => rule(wrap, i, "-", |a, b| {
            (a as i32).checked_sub(b as i32).is_none()
        }),
        Binary::MulI => rule(wrap, i, "*", |a, b| {
            let product = i64::from(a as i32) * i64::from(b as i32);
            i32::try_from(product).is_err()
        }),
        Binary::DivU => rule(Check::Division, u, "/", |_, b| b == 0),
        Binary::RemU => rule(Check::Division, u, "%", |_, b| b == 0),
        Binary::DivI => rule(Check::Division, i, "/", no_quotient),
        Binary::RemI => rule(Check::Division, i, "%", no_quotient),
        Binary::Shl => rule(Check::Shift, u, "<<", |_, b| b > 31),
        Binary::ShrU => rule(Check::Shift, u, ">>", |_, b| b > 31),
        Binary::ShrI => rule(Check::Shift, i, ">>", |_, b| b > 31),
        _ => None,
    }
}

fn float_text(op: Binary) -> Option<&'static str> {
    Some(match op {
        Binary::AddF => "+",
        Binary::SubF => "-",
        Binary::MulF => "*",
        Binary::DivF => "/",
        Binary::RemF => "%",
        Binary::Pow => "powf",
        Binary::Atan2 => "atan2",
        Binary::Ldexp => "ldexp",
        _ => return None,
    })
}

fn unary_text(op: Unary) -> Option<&'static str> {
    Some(match op {
        Unary::Sqrt => "sqrt",
        Unary::InverseSqrt => "inverse_sqrt",
        Unary::Exp => "exp",
        Unary::Exp2 => "exp2",
        Unary::Ln => "ln",
        Unary::Log2 => "log2",
        Unary::Sin => "sin",
        Unary::Cos => "cos",
        Unary::Tan => "tan",
        Unary::Asin => "asin",
        Unary::Acos => "acos",
        Unary::Sinh => "sinh",
        Unary::Cosh => "cosh",
        Unary::Acosh => "acosh",
        Unary::Atanh => "atanh",
        Unary::QuantizeToF16 => "quantize_to_f16",
        Unary::RoundToF16 => "",
        _ => return None,
    })
}

fn help(check: Check) -> &'static str {
    match check {
        Check::Wrap => {
            "a GPU wraps silently: use `wrapping_add` and its kind where that is meant, or keep the numbers smaller"
        }
        Check::Division => {
            "WGSL gives the dividend, and 0 for the remainder: test the divisor, or require it with `#[requires(..)]`"
        }
        Check::Shift => "WGSL takes the shift modulo 32: test it, or mask it with `& 31`",
        Check::Cast => {
            "WGSL clamps to the range of the integer: clamp the float yourself, so that Rust agrees"
        }
        _ => {
            "from here on it spreads to all that is computed from it; test the operands, or `allow(Check::NotFinite)` where it is meant"
        }
    }
}

impl Machine<'_> {
    /// Reports what happened to the lanes for which `bad` holds; the message is made for the first.
    pub(super) fn arithmetic(
        &mut self,
        check: Check,
        at: PlaceId,
        bad: impl Fn(&Self, usize) -> bool,
        message: impl Fn(&Self, usize) -> String,
    ) {
        let lanes = (0..self.active.len()).filter(|lane| self.is_active(*lane) && bad(self, *lane));
        let lanes: Vec<usize> = lanes.collect();
        let Some(first) = lanes.first().copied() else {
            return;
        };
        let count = lanes.len() as u64;
        if self.sink.again(check, (at, at), count) {
            return;
        }
        let text = message(self, first);
        let finding = Sink::finding(self.run, check, at, text, help(check));
        let who = Some(self.who(first));
        self.sink.add(finding, (at, at), count, who);
    }

    pub(super) fn check_binary(&mut self, op: Binary, out: &[u32], [a, b]: [Reg; 2], at: PlaceId) {
        if let Some(Rule {
            check,
            bad,
            kind,
            text,
        }) = rule(op)
        {
            if !self.looks_for(check) || !found(op, &self.active, self.reg(a), self.reg(b)) {
                return;
            }
            self.arithmetic(
                check,
                at,
                |machine, lane| bad(machine.word(a, lane), machine.word(b, lane)),
                |machine, lane| {
                    let (x, y) = (machine.word(a, lane), machine.word(b, lane));
                    let result = out.get(lane).copied().unwrap_or(0);
                    let by = if check == Check::Shift {
                        Kind::U32
                    } else {
                        kind
                    };
                    let shown = format!("{} {text} {}", show(kind, x), show(by, y));
                    let result = show(kind, result);
                    match check {
                        Check::Wrap => {
                            format!(
                                "`{shown}` does not fit `{}`: it wraps to {result}",
                                name(kind)
                            )
                        }
                        Check::Shift => {
                            format!("`{shown}` shifts by 32 bits or more: a GPU gives {result}")
                        }
                        _ if y == 0 => format!("`{shown}` divides by zero: a GPU gives {result}"),
                        _ => format!("`{shown}` does not fit `i32`: a GPU gives {result}"),
                    }
                },
            );
        } else if let Some(text) = float_text(op) {
            let finite = |machine: &Self, lane| {
                [a, b]
                    .into_iter()
                    .all(|reg| !is_not_finite(machine.word(reg, lane)))
            };
            self.finite(out, at, finite, |machine, lane| {
                let (x, y) = (machine.word(a, lane), machine.word(b, lane));
                let (x, y) = (show(Kind::F32, x), show(Kind::F32, y));
                match text {
                    "powf" | "atan2" | "ldexp" => format!("{x}.{text}({y})"),
                    _ => format!("{x} {text} {y}"),
                }
            });
        }
    }

    pub(super) fn check_unary(&mut self, op: Unary, out: &[u32], a: Reg, at: PlaceId) {
        if let Some(text) = unary_text(op) {
            let finite = |machine: &Self, lane| !is_not_finite(machine.word(a, lane));
            self.finite(out, at, finite, |machine, lane| {
                let x = show(Kind::F32, machine.word(a, lane));
                if op == Unary::RoundToF16 {
                    return format!("{x} as an f16");
                }
                format!("{x}.{text}()")
            });
            return;
        }
        let range = match op {
            // 2³² and 2³¹ are floats; what truncates to something below them fits.
            Unary::F32ToU32 => (-1.0_f32, 4_294_967_296.0_f32, "u32"),
            Unary::F32ToI32 => (-2_147_483_904.0, 2_147_483_648.0, "i32"),
            Unary::NegI => {
                let bad = |a: u32| a == 1 << 31;
                if self.looks_for(Check::Wrap) && any1(&self.active, self.reg(a), bad) {
                    self.arithmetic(
                        Check::Wrap,
                        at,
                        |machine, lane| bad(machine.word(a, lane)),
                        |_, _| {
                            "`-(-2147483648)` does not fit `i32`: it wraps to -2147483648".into()
                        },
                    );
                }
                return;
            }
            _ => return,
        };
        let (low, high, name) = range;
        let bad = |bits: u32| {
            let x = f32::from_bits(bits);
            !(x > low && x < high)
        };
        if self.looks_for(Check::Cast) && any1(&self.active, self.reg(a), bad) {
            self.arithmetic(
                Check::Cast,
                at,
                |machine, lane| bad(machine.word(a, lane)),
                |machine, lane| {
                    let x = show(Kind::F32, machine.word(a, lane));
                    let kind = if name == "u32" { Kind::U32 } else { Kind::I32 };
                    let result = show(kind, out.get(lane).copied().unwrap_or(0));
                    format!("`{x} as {name}` is out of range: a GPU gives {result}")
                },
            );
        }
    }

    pub(super) fn check_fma(&mut self, out: &[u32], [a, b, c]: [Reg; 3], at: PlaceId) {
        let finite = |machine: &Self, lane| {
            [a, b, c]
                .into_iter()
                .all(|reg| !is_not_finite(machine.word(reg, lane)))
        };
        self.finite(out, at, finite, |machine, lane| {
            let [a, b, c] = [a, b, c].map(|reg| show(Kind::F32, machine.word(reg, lane)));
            format!("{a}.mul_add({b}, {c})")
        });
    }

    /// A NaN or an infinity that is born here.
    pub(super) fn finite(
        &mut self,
        out: &[u32],
        at: PlaceId,
        finite: impl Fn(&Self, usize) -> bool,
        shown: impl Fn(&Self, usize) -> String,
    ) {
        if !any1(&self.active, out, is_not_finite) || !self.looks_for(Check::NotFinite) {
            return;
        }
        let result = |lane: usize| out.get(lane).copied().unwrap_or(0);
        self.arithmetic(
            Check::NotFinite,
            at,
            |machine, lane| is_not_finite(result(lane)) && finite(machine, lane),
            |machine, lane| {
                let value = f32::from_bits(result(lane));
                let what = if value.is_nan() { "NaN" } else { "an infinity" };
                format!(
                    "`{}` makes {what} out of finite numbers",
                    shown(machine, lane)
                )
            },
        );
    }

    /// A note of a value.
    pub(super) fn value_note(text: String) -> Note {
        Note { text, at: None }
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::I32 => "i32",
        _ => "u32",
    }
}

/// Whether any lane that takes part breaks the rule of `op`. A loop of its own an operation, so that
/// each vectorises.
fn found(op: Binary, active: &[u32], a: &[u32], b: &[u32]) -> bool {
    match op {
        Binary::AddU => any2(active, a, b, |a, b| a.wrapping_add(b) < a),
        Binary::SubU => any2(active, a, b, |a, b| a < b),
        Binary::MulU => any2(active, a, b, |a, b| {
            (u64::from(a) * u64::from(b)) >> 32 != 0
        }),
        Binary::AddI => any2(active, a, b, |a, b| {
            let sum = a.wrapping_add(b);
            ((a ^ sum) & (b ^ sum)) >> 31 != 0
        }),
        Binary::SubI => any2(active, a, b, |a, b| {
            let difference = a.wrapping_sub(b);
            ((a ^ b) & (a ^ difference)) >> 31 != 0
        }),
        Binary::MulI => any2(active, a, b, |a, b| {
            let product = i64::from(a as i32) * i64::from(b as i32);
            product != i64::from(product as i32)
        }),
        Binary::DivU | Binary::RemU => any2(active, a, b, |_, b| b == 0),
        Binary::DivI | Binary::RemI => any2(active, a, b, no_quotient),
        Binary::Shl | Binary::ShrU | Binary::ShrI => any2(active, a, b, |_, b| b > 31),
        _ => false,
    }
}
