//! What is proved of a kernel, as a value.

use rlx_kernel_ir::bounds::{Code, Proof, Requirement, Unproved};

use super::text::{list, text as cow};
use crate::spans::Spans;

/// The proof of a kernel whose text has that hash, by the short names of [`info`](super::kernel).
pub fn text(proof: &Proof, hash: u64, spans: &Spans) -> String {
    let unproved = |open: &Unproved| {
        let at = spans.location(open.span);
        let (file, reason) = (cow(&at.file), cow(&open.reason));
        let (line, column) = (at.line, at.column);
        format!(
            "__rlx::Unproved {{ file: {file}, line: {line}, column: {column}, reason: {reason} }}"
        )
    };
    let (indices, loops) = (list(&proof.indices, unproved), list(&proof.loops, unproved));
    let requires = list(&proof.requires, requirement);
    format!("__rlx::Proof::of_the_compiler({hash}, {indices}, {loops}, {requires})")
}

fn requirement(requirement: &Requirement) -> String {
    let code = list(&requirement.code, |code| {
        let step = match code {
            Code::Operator(op) => format!("{op:?}"),
            other => format!("{other:?}"),
        };
        format!("__rlx::proof::Code::{step}")
    });
    let text = cow(&requirement.text);
    format!("__rlx::Requirement {{ text: {text}, code: {code} }}")
}
