//! What is wrong, where, and what to write instead.

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
}

impl Diagnostic {
    /// A problem without a way out to offer.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
        }
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
