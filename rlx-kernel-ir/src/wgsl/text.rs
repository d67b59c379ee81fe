//! Text that knows where its parts came from.

use std::ops::Range;

use crate::span::Span;

/// What is marked with its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// Statements and declarations: enough while nothing is wrong.
    Statements,
    /// Every expression too.
    Expressions,
}

/// WGSL with marks: byte ranges and the spans they were printed for.
#[derive(Clone, Debug, Default)]
pub struct Text {
    text: String,
    marks: Vec<(Range<usize>, Span)>,
}

impl Text {
    /// No text.
    pub(super) const NONE: Self = Self {
        text: String::new(),
        marks: Vec::new(),
    };

    /// Text that came from nowhere in particular.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            marks: Vec::new(),
        }
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
        self.marks.extend(
            other
                .marks
                .iter()
                .map(|(range, span)| (range.start + base..range.end + base, *span)),
        );
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
        let holding = self
            .marks
            .iter()
            .filter(|(mark, _)| mark.start <= range.start && range.end <= mark.end);
        let inside = || {
            self.marks
                .iter()
                .filter(|(mark, _)| range.start <= mark.start && mark.end <= range.end)
        };
        holding
            .min_by_key(|(mark, _)| mark.len())
            .or_else(|| inside().max_by_key(|(mark, _)| mark.len()))
            .map(|(_, span)| *span)
    }

    /// The text with the arguments of calls on lines of their own, wherever a line at `indent`
    /// would pass `width` columns.
    #[must_use]
    pub fn wrapped(&self, indent: usize, width: usize) -> Self {
        let mut breaks = Vec::new();
        split(&self.text, 0, indent, width, &mut breaks);
        breaks.sort_unstable();
        let mut out = Self::default();
        let mut from = 0;
        for (at, indent) in &breaks {
            let piece = self.text[from..*at].trim_end_matches(' ');
            out.text.push_str(piece);
            out.text.push('\n');
            out.text.push_str(&"    ".repeat(*indent));
            from = *at;
        }
        out.text.push_str(&self.text[from..]);
        // A break goes before its position and takes the place of a space there, if any.
        let moved = |at: usize, end: bool| {
            let before = breaks
                .iter()
                .filter(|(point, _)| if end { *point < at } else { *point <= at });
            before.fold(at, |at, (point, indent)| {
                let space = usize::from(self.text[..*point].ends_with(' '));
                at + 1 + 4 * indent - space
            })
        };
        out.marks = self
            .marks
            .iter()
            .map(|(range, span)| (moved(range.start, false)..moved(range.end, true), *span))
            .collect();
        out
    }
}

/// Finds where to break `text`, which begins at byte `base` of the whole: before each argument of
/// its longest call and before that call's closing parenthesis, and so on within.
fn split(text: &str, base: usize, indent: usize, width: usize, breaks: &mut Vec<(usize, usize)>) {
    if text.len() + 4 * indent <= width {
        return;
    }
    let Some((open, close)) = longest_call(text) else {
        return;
    };
    let inner = &text[open + 1..close];
    let mut depth = 0_usize;
    let mut start = 0;
    let mut arguments = Vec::new();
    let (mut before, mut types) = (b' ', 0_usize);
    for (index, byte) in inner.bytes().enumerate() {
        match byte {
            // Of a type: operators stand between spaces.
            b'<' if before.is_ascii_alphanumeric() => {
                types += 1;
                depth += 1;
            }
            b'>' if types > 0 => {
                types -= 1;
                depth = depth.saturating_sub(1);
            }
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                arguments.push((start, index));
                // The comma and the space after it stay on the line before.
                start = index + 2;
            }
            _ => {}
        }
        before = byte;
    }
    arguments.push((start, inner.len()));
    if arguments.len() < 2 {
        split(inner, base + open + 1, indent, width, breaks);
        return;
    }
    for (start, end) in arguments {
        let at = base + open + 1 + start;
        breaks.push((at, indent + 1));
        split(&inner[start..end], at, indent + 1, width, breaks);
    }
    breaks.push((base + close, indent));
}

/// The parentheses of the longest call at the top of `text`.
fn longest_call(text: &str) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    let (mut depth, mut open) = (0_usize, 0);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => {
                if depth == 0 {
                    open = index;
                }
                depth += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && best.is_none_or(|(from, to)| index - open > to - from) {
                    best = Some((open, index));
                }
            }
            _ => {}
        }
    }
    best
}
