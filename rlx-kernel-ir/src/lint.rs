//! Lints: what is right and still not what an expert would write.
//!
//! One file a lint, one row of [`LINTS`] each. A lint sees the author's functions after they have
//! compiled, so it never speaks of a kernel that has errors; what it cannot prove it does not say.
//! Levels are the front end's affair: it knows where an author has written `allow` or `deny`.

mod bank_conflict;
mod f16_accumulation;
mod follow;
mod lanes;
mod loop_invariant_index;
mod reach;
mod uncoalesced_access;
mod unused;

use std::cell::OnceCell;

use crate::diagnostic::Diagnostic;
use crate::infer::Typed;
use crate::item::{Function, ItemId, Kernel, Module};
use follow::{Seen, follow};
use unused::Names;

/// What is done about a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing.
    Allow,
    /// It is a warning.
    Warn,
    /// It is an error.
    Deny,
}

/// A lint.
#[derive(Debug)]
pub struct Lint {
    /// Its name in `#[allow(..)]`.
    pub name: &'static str,
    /// What it finds, in one line.
    pub summary: &'static str,
    /// What is done where the author says nothing.
    pub level: Level,
    /// Whether it is a lint of rustc's own, which does not see the bodies of kernels.
    pub of_rustc: bool,
    check: fn(&Subject<'_>) -> Vec<(Form, Diagnostic)>,
}

/// Every lint.
pub static LINTS: &[Lint] = &[
    Lint {
        name: "uncoalesced_access",
        summary: "storage that consecutive invocations reach at a stride",
        level: Level::Warn,
        of_rustc: false,
        check: uncoalesced_access::check,
    },
    Lint {
        name: "bank_conflict",
        summary: "workgroup memory of which consecutive invocations want one bank at once",
        level: Level::Warn,
        of_rustc: false,
        check: bank_conflict::check,
    },
    Lint {
        name: "loop_invariant_index",
        summary: "index work in a loop that is the same in every round",
        level: Level::Warn,
        of_rustc: false,
        check: loop_invariant_index::check,
    },
    Lint {
        name: "f16_accumulation",
        summary: "a sum in `f16` over the rounds of a loop",
        level: Level::Warn,
        of_rustc: false,
        check: f16_accumulation::check,
    },
    Lint {
        name: "unused_binding",
        summary: "a slice parameter of a kernel that its body never names",
        level: Level::Warn,
        of_rustc: false,
        check: unused::binding,
    },
    Lint {
        name: "unused_param",
        summary: "a plain parameter of a kernel that nothing names",
        level: Level::Warn,
        of_rustc: false,
        check: unused::param,
    },
    Lint {
        name: "unused_variables",
        summary: "a variable or workgroup memory that is never read",
        level: Level::Warn,
        of_rustc: true,
        check: unused::variables,
    },
    Lint {
        name: "unused_mut",
        summary: "a `mut` variable that is never changed",
        level: Level::Warn,
        of_rustc: true,
        check: unused::mutability,
    },
    Lint {
        name: "unreachable_code",
        summary: "statements that no invocation comes to",
        level: Level::Warn,
        of_rustc: true,
        check: reach::check,
    },
];

/// How a lint is put to the author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In the words of its diagnostic.
    Own,
    /// As rustc speaks of a variable that is never named again.
    Unused,
    /// As rustc speaks of a variable that is assigned and never read.
    Assigned,
    /// As rustc speaks of a `mut` without need.
    Mutable,
    /// As rustc speaks of code after a statement that never ends, which the first note names.
    Unreachable,
}

/// Something that a lint has found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The lint.
    pub lint: &'static Lint,
    /// How it is put.
    pub form: Form,
    /// Where it is, and what is said.
    pub diagnostic: Diagnostic,
}

/// What a lint looks at: one function of the author's.
struct Subject<'m> {
    /// The function as it was written.
    function: &'m Function,
    /// The kernel, where the function is its body.
    kernel: Option<&'m Kernel>,
    module: &'m Module,
    /// The typed kernel.
    typed: &'m Typed,
    seen: OnceCell<Seen>,
    names: OnceCell<Names>,
}

impl Subject<'_> {
    /// The accesses of the kernel to memory.
    fn seen(&self) -> &Seen {
        self.seen.get_or_init(|| follow(self.module, self.typed))
    }

    /// What the function names.
    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(&self.function.body))
    }
}

impl Lint {
    /// The lint of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        LINTS.iter().find(|lint| lint.name == name)
    }
}

impl PartialEq for Lint {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// What is found in the kernel of `module`, in source order.
pub fn kernel(module: &Module, typed: &Typed) -> Vec<Found> {
    let Some(kernel) = &module.kernel else {
        return Vec::new();
    };
    run(&Subject {
        function: &kernel.function,
        kernel: Some(kernel),
        module,
        typed,
        seen: OnceCell::new(),
        names: OnceCell::new(),
    })
}

/// What is found in the functions `roots` by themselves, in source order.
pub fn functions(module: &Module, roots: &[ItemId]) -> Vec<Found> {
    let typed = Typed::default();
    let mut found = Vec::new();
    for root in roots {
        if let Some(function) = module.function(*root) {
            found.extend(run(&Subject {
                function,
                kernel: None,
                module,
                typed: &typed,
                seen: OnceCell::new(),
                names: OnceCell::new(),
            }));
        }
    }
    found
}

fn run(subject: &Subject<'_>) -> Vec<Found> {
    let mut all = Vec::new();
    for lint in LINTS {
        let found = (lint.check)(subject).into_iter();
        all.extend(found.map(|(form, diagnostic)| Found {
            lint,
            form,
            diagnostic,
        }));
    }
    all.sort_by_key(|found| found.diagnostic.span);
    all
}
