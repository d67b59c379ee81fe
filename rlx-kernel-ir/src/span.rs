//! Where a node came from.

/// A place in the author's source: an index into a table that the front end keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span(pub u32);

impl Span {
    /// No place: a node that the IR made itself.
    pub const NONE: Self = Self(u32::MAX);
}
