//! Why a value, or the control flow, may differ between the invocations of a workgroup.

use std::rc::Rc;

use crate::item::LocalId;
use crate::span::Span;

/// Uniform, or the cause for which it may not be.
pub(super) type Value = Option<Rc<Cause>>;

/// Why something may differ: a chain that ends at an [`Origin`](Cause::Origin).
#[derive(Debug)]
pub(super) enum Cause {
    /// What differs by its nature, in words.
    Origin(String),
    /// A variable was assigned.
    Assigned {
        local: LocalId,
        name: String,
        span: Span,
        by: Rc<Cause>,
    },
    /// An argument of the function at hand.
    Given {
        param: usize,
        function: String,
        name: String,
        /// The argument.
        span: Span,
        /// In terms of the caller.
        by: Rc<Cause>,
    },
    /// A function was called.
    Returned {
        function: String,
        span: Span,
        by: Rc<Cause>,
    },
    /// A branch is taken by some.
    Branch {
        branch: Branch,
        span: Span,
        by: Rc<Cause>,
    },
    /// Some have gone elsewhere.
    Left {
        exit: Exit,
        span: Span,
        by: Rc<Cause>,
    },
}

/// What control flow divides at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branch {
    If,
    Match,
    /// `&&` and `||`
    Logical,
    Loop,
}

/// How a construct is left before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Return,
    Break,
    Continue,
}

impl Branch {
    /// The control flow in the branches on `value`, which is at `span`.
    pub fn on(self, value: Value, span: Span) -> Value {
        let branch = self;
        value.map(|by| Rc::new(Cause::Branch { branch, span, by }))
    }
}

/// The control flow after a construct that some may have left at `exit`, and in which it ended so.
pub(super) fn left(exit: Option<(Exit, Span)>, end: Value) -> Value {
    let (exit, span) = exit?;
    let by = end?;
    Some(match *by {
        Cause::Left { .. } => by,
        _ => Rc::new(Cause::Left { exit, span, by }),
    })
}

/// A cause in a function, in terms of its caller, which gave it `args`.
pub(super) fn in_caller(mut cause: &Rc<Cause>, args: &[Value]) -> Rc<Cause> {
    loop {
        cause = match &**cause {
            Cause::Origin(_) => return Rc::clone(cause),
            // The first one met is the function's own: what its callees give it is in its terms.
            Cause::Given { param, by, .. } => {
                let arg = args.get(*param).and_then(Option::as_ref);
                return Rc::clone(arg.unwrap_or(by));
            }
            Cause::Assigned { by, .. }
            | Cause::Returned { by, .. }
            | Cause::Branch { by, .. }
            | Cause::Left { by, .. } => by,
        };
    }
}
