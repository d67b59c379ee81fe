//! Numbers of `f16`, which has no literals in Rust: `f16::from_f32(0.5)` is WGSL's `0.5h`.

use half::f16;

use crate::expr::{Expr, ExprKind, UnaryOp};

/// The author's text of a float literal with its sign.
fn number(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Float(text) => Some(text.clone()),
        ExprKind::Unary(UnaryOp::Neg, inner) => match &inner.kind {
            ExprKind::Float(text) => Some(format!("-{text}")),
            _ => None,
        },
        _ => None,
    }
}

/// The text of a literal that no finite `f16` is near.
pub(crate) fn overflows_f16(expr: &Expr) -> Option<String> {
    let text = number(expr)?;
    let value = text.parse::<f32>().ok()?;
    (!f16::from_f32(value).is_finite()).then_some(text)
}

/// The WGSL literal of `f16::from_f32(expr)`, where `expr` is a literal.
pub(crate) fn f16_text(expr: &Expr) -> Option<String> {
    let text = number(expr)?;
    let value = f16::from_f32(text.parse::<f32>().ok()?);
    // Rust rounds to f32 first. Where rounding once gives another number, the number itself is printed.
    let exact = text.parse::<f64>().ok()?;
    let distance = |bits: u16| (f16::from_bits(bits).to_f64() - exact).abs();
    let bits = value.to_bits();
    let nearest = [bits.saturating_sub(1), bits.saturating_add(1)]
        .into_iter()
        .all(|neighbour| distance(neighbour) >= distance(bits));
    let text = if nearest && !text.ends_with('.') {
        text
    } else {
        format!("{:?}", value.to_f32())
    };
    Some(format!("{text}h"))
}

#[cfg(test)]
mod tests {
    use super::{f16_text, overflows_f16};
    use crate::expr::{Expr, ExprKind};
    use crate::span::Span;
    use crate::types::Type;

    fn float(text: &str) -> Expr {
        Expr::typed(ExprKind::Float(text.into()), Span::NONE, Type::F32)
    }

    #[test]
    fn a_half_is_printed_as_its_author_wrote_it() {
        assert_eq!(f16_text(&float("0.1")).as_deref(), Some("0.1h"));
        assert_eq!(f16_text(&float("1e-3")).as_deref(), Some("1e-3h"));
        assert_eq!(f16_text(&float("2.")).as_deref(), Some("2.0h"));
    }

    #[test]
    fn a_half_that_rust_rounds_twice_is_printed_as_what_comes_out() {
        // Just above the middle of 1 and 1 + 2^-10, and the middle itself as an f32.
        let text = "1.0004882821813226";
        assert_eq!(f16_text(&float(text)).as_deref(), Some("1.0h"));
    }

    #[test]
    fn numbers_past_65504_overflow() {
        assert_eq!(overflows_f16(&float("65519.0")), None);
        assert_eq!(overflows_f16(&float("65520.0")).as_deref(), Some("65520.0"));
    }
}
