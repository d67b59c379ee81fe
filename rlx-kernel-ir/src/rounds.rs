//! Printing and naga, again and again: each stops at its first problem, so what it finds is blanked
//! and the rest is looked at once more.

use crate::diagnostic::Diagnostic;
use crate::infer::Typed;
use crate::item::Module;
use crate::mend;
use crate::poison;
use crate::span::Span;
use crate::validate::{Validated, validate};
use crate::wgsl::{Marks, Text};

/// Rounds at the most; what is left then is found once the author has mended the rest.
const ROUNDS: usize = 24;

/// Prints a module by `print` and validates it.
///
/// `refused` are the bindings that may not be used; `clean` says that no earlier stage found
/// anything, and nothing is poisoned.
///
/// # Errors
/// All problems of printing and of naga; none where the module is not clean and has no more.
pub fn run<T>(
    module: &Module,
    typed: &Typed,
    (refused, clean): (&[usize], bool),
    fallback: Span,
    print: impl Fn(&Module, &Typed, Marks) -> Result<T, Vec<Diagnostic>>,
    text: impl Fn(&Module, &T) -> Text,
) -> Result<(T, Validated), Vec<Diagnostic>> {
    let mut problems = if clean {
        match once(module, typed, fallback, &print, &text) {
            Ok(done) => return Ok(done),
            Err(found) => found,
        }
    } else {
        Vec::new()
    };
    let module = mend::module(module, refused);
    let mut typed = typed.clone();
    poison::bindings(&mut typed, refused);
    let places = |found: &[Diagnostic]| {
        let spans = found.iter().map(|problem| problem.span);
        spans.filter(|span| *span != Span::NONE).collect::<Vec<_>>()
    };
    let mut spans = places(&problems);
    let mut dirty = !clean;
    for _ in 0..ROUNDS {
        dirty |= poison::mark(&mut typed, &spans);
        if !std::mem::take(&mut dirty) {
            break;
        }
        mend::functions(&mut typed);
        let Err(found) = once(&module, &typed, fallback, &print, &text) else {
            break;
        };
        spans = places(&found);
        // What has no place of its own may follow from what was blanked.
        problems.extend(found.into_iter().filter(|problem| problem.span != fallback));
    }
    Err(problems)
}

fn once<T>(
    module: &Module,
    typed: &Typed,
    fallback: Span,
    print: &impl Fn(&Module, &Typed, Marks) -> Result<T, Vec<Diagnostic>>,
    text: &impl Fn(&Module, &T) -> Text,
) -> Result<(T, Validated), Vec<Diagnostic>> {
    let printed = print(module, typed, Marks::Statements)?;
    if let Ok(validated) = validate(&text(module, &printed), fallback) {
        return Ok((printed, validated));
    }
    // Where in a statement it is.
    let printed = print(module, typed, Marks::Expressions)?;
    let validated =
        validate(&text(module, &printed), fallback).map_err(|diagnostic| vec![diagnostic])?;
    Ok((printed, validated))
}
