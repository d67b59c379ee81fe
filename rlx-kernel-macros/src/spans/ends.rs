//! The first and the last token of a node, found without making its tokens: an expression is asked
//! for its place at every level, and its tokens are as many as it is deep.

use proc_macro2::Span;
use quote::ToTokens;

use super::range;

/// The place of the first token of `expr`.
pub fn first(expr: &syn::Expr) -> Span {
    match expr {
        syn::Expr::Array(array) if array.attrs.is_empty() => array.bracket_token.span.open(),
        syn::Expr::Assign(assign) if assign.attrs.is_empty() => first(&assign.left),
        syn::Expr::Binary(binary) if binary.attrs.is_empty() => first(&binary.left),
        syn::Expr::Call(call) if call.attrs.is_empty() => first(&call.func),
        syn::Expr::Cast(cast) if cast.attrs.is_empty() => first(&cast.expr),
        syn::Expr::Field(field) if field.attrs.is_empty() => first(&field.base),
        syn::Expr::If(branch) if branch.attrs.is_empty() => branch.if_token.span,
        syn::Expr::Index(index) if index.attrs.is_empty() => first(&index.expr),
        syn::Expr::Lit(lit) if lit.attrs.is_empty() => lit.lit.span(),
        syn::Expr::Match(choice) if choice.attrs.is_empty() => choice.match_token.span,
        syn::Expr::MethodCall(call) if call.attrs.is_empty() => first(&call.receiver),
        syn::Expr::Paren(paren) if paren.attrs.is_empty() => paren.paren_token.span.open(),
        syn::Expr::Path(path) if path.attrs.is_empty() && path.qself.is_none() => {
            first_of_path(&path.path)
        }
        syn::Expr::Range(span) if span.attrs.is_empty() => span
            .start
            .as_deref()
            .map_or_else(|| of_tokens(expr).0, first),
        syn::Expr::Reference(reference) if reference.attrs.is_empty() => {
            reference.and_token.spans[0]
        }
        syn::Expr::Repeat(repeat) if repeat.attrs.is_empty() => repeat.bracket_token.span.open(),
        syn::Expr::Unary(unary) if unary.attrs.is_empty() => match &unary.op {
            syn::UnOp::Deref(star) => star.spans[0],
            syn::UnOp::Not(bang) => bang.spans[0],
            syn::UnOp::Neg(minus) => minus.spans[0],
            _ => of_tokens(expr).0,
        },
        _ => of_tokens(expr).0,
    }
}

/// The place of the last token of `expr`.
pub fn last(expr: &syn::Expr) -> Span {
    match expr {
        syn::Expr::Array(array) => array.bracket_token.span.close(),
        syn::Expr::Assign(assign) => last(&assign.right),
        syn::Expr::Binary(binary) => last(&binary.right),
        syn::Expr::Block(block) => block.block.brace_token.span.close(),
        syn::Expr::Call(call) => call.paren_token.span.close(),
        syn::Expr::Cast(cast) => last_of_type(&cast.ty),
        syn::Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => name.span(),
            syn::Member::Unnamed(index) => index.span,
        },
        syn::Expr::If(branch) => match &branch.else_branch {
            Some((_, otherwise)) => last(otherwise),
            None => branch.then_branch.brace_token.span.close(),
        },
        syn::Expr::Index(index) => index.bracket_token.span.close(),
        syn::Expr::Lit(lit) => lit.lit.span(),
        syn::Expr::Match(choice) => choice.brace_token.span.close(),
        syn::Expr::MethodCall(call) => call.paren_token.span.close(),
        syn::Expr::Paren(paren) => paren.paren_token.span.close(),
        syn::Expr::Path(path) => last_of_path(&path.path),
        syn::Expr::Range(span) => span.end.as_deref().map_or_else(|| of_tokens(expr).1, last),
        syn::Expr::Reference(reference) => last(&reference.expr),
        syn::Expr::Repeat(repeat) => repeat.bracket_token.span.close(),
        syn::Expr::Struct(literal) => literal.brace_token.span.close(),
        syn::Expr::Unary(unary) => last(&unary.expr),
        _ => of_tokens(expr).1,
    }
}

/// The place of the first token of `path`.
pub fn first_of_path(path: &syn::Path) -> Span {
    match (&path.leading_colon, path.segments.first()) {
        (None, Some(segment)) => segment.ident.span(),
        _ => of_tokens(path).0,
    }
}

/// The place of the last token of `path`.
pub fn last_of_path(path: &syn::Path) -> Span {
    match path.segments.last() {
        Some(segment) if segment.arguments.is_none() => segment.ident.span(),
        _ => of_tokens(path).1,
    }
}

fn last_of_type(ty: &syn::Type) -> Span {
    match ty {
        syn::Type::Path(path) if path.qself.is_none() => last_of_path(&path.path),
        _ => of_tokens(ty).1,
    }
}

/// The ends of what is rare, or begins with attributes.
fn of_tokens(node: &impl ToTokens) -> (Span, Span) {
    range(node.to_token_stream())
}

#[cfg(test)]
mod tests {
    use super::{first, last, of_tokens};

    fn places(ends: (proc_macro2::Span, proc_macro2::Span)) -> String {
        format!("{:?} {:?}", ends.0, ends.1)
    }

    #[test]
    fn the_ends_of_an_expression_are_those_of_its_tokens() {
        let texts = [
            "[a, b]",
            "a.x[i] = b + 1",
            "a += (b)",
            "{ 1 }",
            "f::<u32>(x)",
            "::a::f(x)",
            "-x as u32",
            "x as [u32; 2]",
            "!(x).y.z",
            "if a { 1 } else if b { 2 } else { 3 }",
            "if a { 1 }",
            "1.5",
            "match x { 1 => 2, _ => 3 }",
            "x.f::<3>(1).g()",
            "a::B",
            "A::<u32>",
            "1..n",
            "..n",
            "1..",
            "&mut x",
            "[0; 4]",
            "S { a: 1, ..b }",
            "*x",
            "break",
            "break 'a",
            "continue",
            "return x",
            "return",
            "|x| x",
            "(1, 2)",
            "f!(x)",
            "loop { x }",
            "'a: while x { y }",
            "for i in 0..n { y }",
            "#[unroll] for i in 0..n { y }",
            "#[a] b + c",
            "x?",
            "let Some(x) = y",
            "unsafe { x }",
            "<T as U>::f",
        ];
        for text in texts {
            let expr: syn::Expr = syn::parse_str(text).unwrap();
            let ends = (first(&expr), last(&expr));
            assert_eq!(places(ends), places(of_tokens(&expr)), "{text}");
        }
    }
}
