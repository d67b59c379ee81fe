//! Text that knows where its parts came from.

use std::ops::Range;

use crate::span::Span;

/// WGSL with marks: byte ranges and the spans they were printed for.
#[derive(Clone, Debug, Default)]
pub struct Text {
    text: String,
    marks: Vec<(Range<usize>, Span)>,
}

impl Text {
    /// Text that came from nowhere in particular.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), marks: Vec::new() }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Adds plain text.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds marked text.
    pub fn append(&mut self, other: &Self) {
        let base = self.text.len();
        self.text.push_str(&other.text);
        self.marks.extend(other.marks.iter().map(|(range, span)| (range.start + base..range.end + base, *span)));
    }

    /// Marks all of the text.
    #[must_use]
    pub fn marked(mut self, span: Span) -> Self {
        if span != Span::NONE {
            self.marks.push((0..self.text.len(), span));
        }
        self
    }

    /// Marks what was added since `start`.
    pub fn mark_from(&mut self, start: usize, span: Span) {
        if span != Span::NONE {
            self.marks.push((start..self.text.len(), span));
        }
    }

    /// The span of the smallest marked range that holds `range`; else of the first mark inside it.
    pub fn span_of(&self, range: &Range<usize>) -> Option<Span> {
        let holding = self.marks.iter().filter(|(mark, _)| mark.start <= range.start && range.end <= mark.end);
        let inside = || self.marks.iter().filter(|(mark, _)| range.start <= mark.start && mark.end <= range.end);
        holding.min_by_key(|(mark, _)| mark.len()).or_else(|| inside().max_by_key(|(mark, _)| mark.len())).map(|(_, span)| *span)
    }
}
