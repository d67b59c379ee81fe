//! What is said of it.

use super::cause::{Branch, Cause, Exit};
use super::{Collective, Scope};
use crate::builtin::{Builtin, Form};
use crate::diagnostic::Diagnostic;
use crate::span::Span;

/// Causes that are told of one problem.
const MAX_NOTES: usize = 8;

/// Some invocations may not reach `collective`, which is in the function called at `call`, or else
/// in the one at hand.
pub(super) fn unreached(
    collective: &Collective,
    call: Option<Span>,
    control: &Cause,
) -> Diagnostic {
    let name = collective.name;
    let noun = if collective.subgroup {
        "the operation"
    } else {
        "the barrier"
    };
    let (what, thing, at) = match call {
        Some(at) => {
            let function = &collective.function;
            (format!("`{name}` in `{function}`"), "the call", at)
        }
        None => (format!("`{name}`"), noun, collective.span),
    };
    let (why, help) = match control {
        Cause::Branch { branch, .. } => under(*branch, thing),
        Cause::Left { exit, .. } => after(*exit, thing),
        _ => under(Branch::If, thing),
    };
    let group = collective.scope.name();
    let message = format!("{what} is not reached by all invocations of the {group}: {why}");
    let help = if collective.scope == Scope::Subgroup {
        format!("{help}; a subgroup may go its own way as a whole, by `subgroup_id()`")
    } else if collective.subgroup {
        format!("{help}; an invocation that has no part in it gives a value that changes nothing")
    } else {
        help
    };
    let mut diagnostic = Diagnostic::new(at, message).help(help);
    if call.is_some() {
        diagnostic = diagnostic.note(collective.span, format!("`{name}` is {{}}"));
    }
    causes(diagnostic, control)
}

/// An argument of `name` is not the same for all invocations.
pub(super) fn differs(name: &str, at: Span, cause: &Cause) -> Diagnostic {
    let (message, help) = match name {
        "subgroup_shuffle_xor" => (
            "`subgroup_shuffle_xor` takes one mask for all invocations of the workgroup, and this one differs between them".to_string(),
            "write `subgroup_shuffle(x, subgroup_lane() ^ mask)`",
        ),
        "subgroup_shuffle_up" => (
            "`subgroup_shuffle_up` takes one distance for all invocations of the workgroup, and this one differs between them".to_string(),
            "write `subgroup_shuffle(x, subgroup_lane() - by)`",
        ),
        "subgroup_shuffle_down" => (
            "`subgroup_shuffle_down` takes one distance for all invocations of the workgroup, and this one differs between them".to_string(),
            "write `subgroup_shuffle(x, subgroup_lane() + by)`",
        ),
        "*" => (
            "a matrix is multiplied by one number for all invocations of the subgroup, and this one differs between them".to_string(),
            "give all of them the same, such as `subgroup_broadcast_first(x)`",
        ),
        _ if Builtin::find(name, Form::Function)
            .or_else(|| Builtin::find(name, Form::Method))
            .is_some_and(Builtin::is_of_matrices) =>
        {
            (
                format!("`{name}` is of one place and one stride for all invocations of the subgroup, and this differs between them"),
                "the subgroup moves the matrix as a whole: go by what its invocations share, such as `subgroup_id()`, `workgroup_id()` and params",
            )
        }
        _ => (
            format!("`{name}` reads one place for all invocations of the workgroup, and this index differs between them"),
            "index without it, which gives each invocation an element of its own",
        ),
    };
    let diagnostic = Diagnostic::new(at, message).help(help);
    causes(
        diagnostic.note(
            at,
            format!("the argument {{}} depends on {}", phrase(cause)),
        ),
        cause,
    )
}

/// Why not all come to what is in a branch, and what to write instead.
fn under(branch: Branch, thing: &str) -> (String, String) {
    match branch {
        Branch::If => (
            "it is under a condition that differs between them".into(),
            format!("move {thing} out of the `if`"),
        ),
        Branch::Match => (
            "it is in a `match` on a value that differs between them".into(),
            format!("move {thing} out of the `match`"),
        ),
        Branch::Logical => (
            "it is to the right of `&&` or `||`, and the left differs between them".into(),
            format!("move {thing} into a `let` before the condition"),
        ),
        Branch::Loop => (
            "it is in a loop whose number of rounds differs between them".into(),
            "let all invocations run the same number of rounds, and guard the body".into(),
        ),
    }
}

/// Why not all come to what is after an exit, and what to write instead.
fn after(exit: Exit, thing: &str) -> (String, String) {
    match exit {
        Exit::Return => (
            "some of them may have returned before".into(),
            format!("instead of returning, put the work under an `if`, and {thing} after it"),
        ),
        Exit::Break => (
            "some of them may have left the loop by `break`".into(),
            "let all invocations run the same number of rounds, and guard the body".into(),
        ),
        Exit::Continue => (
            "some of them may have skipped it by `continue`".into(),
            format!("instead of `continue`, put the work under an `if`, and {thing} after it"),
        ),
    }
}

/// The chain of causes as notes.
fn causes(mut diagnostic: Diagnostic, mut cause: &Cause) -> Diagnostic {
    for _ in 0..MAX_NOTES {
        let (span, text, by) = match cause {
            Cause::Origin(_) => break,
            Cause::Branch { branch, span, by } => {
                let what = match branch {
                    Branch::If => "the condition",
                    Branch::Match => "the `match`",
                    Branch::Logical => "the left side",
                    Branch::Loop => "the number of rounds of the loop",
                };
                (span, format!("{what} {{}} depends on {}", phrase(by)), by)
            }
            Cause::Left { exit, span, by } => {
                let what = match exit {
                    Exit::Return => "return",
                    Exit::Break => "leave the loop",
                    Exit::Continue => "go on to the next round",
                };
                (span, format!("some invocations {what} {{}}"), by)
            }
            Cause::Assigned { name, span, by, .. } => {
                let why = match &**by {
                    Cause::Branch { .. } | Cause::Left { .. } => {
                        "not all invocations assign".to_string()
                    }
                    by => format!("depends on {}", phrase(by)),
                };
                let text = format!("`{name}`, which {why}, stops being uniform {{}}");
                (span, text, by)
            }
            Cause::Given {
                function,
                name,
                span,
                by,
                ..
            } => {
                let text = format!("`{function}` is given {} as `{name}` {{}}", phrase(by));
                (span, text, by)
            }
            Cause::Returned { function, span, by } => {
                let text = format!("what `{function}` returns {{}} depends on {}", phrase(by));
                (span, text, by)
            }
        };
        if *span != Span::NONE {
            diagnostic = diagnostic.note(*span, text);
        }
        cause = by;
    }
    diagnostic
}

/// A cause as what something depends on.
fn phrase(cause: &Cause) -> String {
    match cause {
        Cause::Origin(what) => what.clone(),
        Cause::Assigned { name, .. } | Cause::Given { name, .. } => format!("`{name}`"),
        Cause::Returned { function, .. } => format!("the result of `{function}`"),
        Cause::Branch { .. } | Cause::Left { .. } => "the branch that is taken".into(),
    }
}
