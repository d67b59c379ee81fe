//! What is wrong, where, and what to write instead.

use crate::item::Origin;
use crate::span::Span;

/// One problem in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The token or range to underline.
    pub span: Span,
    /// Whether only the last token of the span is underlined: the name in `v.name`.
    pub last: bool,
    /// What was expected and what was found, in the author's terms.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The item that sets the rule, where it may be in another crate.
    pub rule: Option<Box<(String, Origin)>>,
    /// What led to it: places, and what to say of them. `{}` in a text stands for the place, as
    /// `at file:line:column`; a text without it ends with the place.
    pub notes: Vec<(Span, String)>,
}

impl Diagnostic {
    /// A problem without a way out to offer.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            last: false,
            message: message.into(),
            help: None,
            rule: None,
            notes: Vec::new(),
        }
    }

    /// Is about the last token of its span.
    #[must_use]
    pub fn last(mut self) -> Self {
        self.last = true;
        self
    }

    /// Adds the name and place of the item that sets the rule.
    #[must_use]
    pub fn rule(mut self, name: &str, origin: &Origin) -> Self {
        self.rule = Some(Box::new((name.to_string(), origin.clone())));
        self
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a place that led to it, and what to say of it.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push((span, text.into()));
        self
    }
}
