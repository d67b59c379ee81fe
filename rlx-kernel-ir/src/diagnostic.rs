//! What is wrong, where, and what to write instead.

use crate::item::Origin;
use crate::span::Span;

/// One problem in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The token or range to underline.
    pub span: Span,
    /// What was expected and what was found, in the author's terms.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The item that sets the rule, where it may be in another crate.
    pub rule: Option<(String, Origin)>,
}

impl Diagnostic {
    /// A problem without a way out to offer.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
            rule: None,
        }
    }

    /// Adds the name and place of the item that sets the rule.
    #[must_use]
    pub fn rule(mut self, name: &str, origin: &Origin) -> Self {
        self.rule = Some((name.to_string(), origin.clone()));
        self
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
