//! What the twin finds.

mod excerpt;

use std::fmt;

use crate::options::Level;

macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident = $text:literal),+ $(,)?) => {
        /// What the twin looks for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Check {
            $($(#[$doc])* $name,)+
        }

        impl Check {
            /// Every check.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its name in a report.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

checks! {
    /// Two invocations reach a place in memory, one of them writes, and no barrier orders them.
    Race = "race",
    /// A barrier that some invocations of the workgroup do not reach.
    DivergentBarrier = "divergent-barrier",
    /// A subgroup operation that some invocations of the subgroup do not reach.
    DivergentSubgroup = "divergent-subgroup",
    /// A read of memory that nobody has written.
    Uninitialised = "uninitialised",
    /// An index past the end.
    OutOfBounds = "out-of-bounds",
    /// Integer `+ - *` that wraps.
    Wrap = "wrap",
    /// An integer divided by zero, or `i32::MIN / -1`.
    Division = "division",
    /// A shift by 32 bits or more.
    Shift = "shift",
    /// A float that the integer it is cast to does not hold.
    Cast = "cast",
    /// A NaN or an infinity made from finite numbers.
    NotFinite = "not-finite",
    /// A loop that passes the bound of its iterations.
    LoopBound = "loop-bound",
    /// A write outside the outputs that the run declares.
    Undeclared = "undeclared-write",
    /// A value of an invocation that the subgroup does not have.
    SubgroupLane = "subgroup-lane",
    /// Matrices in a workgroup that is no whole number of subgroups.
    PartialSubgroup = "partial-subgroup",
    /// Results that differ with the order of the invocations.
    OrderDependent = "order-dependent",
}

/// One invocation of a dispatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Invocation {
    /// Its workgroup.
    pub workgroup: [u32; 3],
    /// Its place in the workgroup.
    pub local: [u32; 3],
    /// Its place in the workgroup, as one number.
    pub local_index: u32,
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.workgroup;
        write!(f, "invocation {} ", self.local_index)?;
        let [lx, ly, lz] = self.local;
        if ly != 0 || lz != 0 {
            write!(f, "({lx}, {ly}, {lz}) ")?;
        }
        if y == 0 && z == 0 {
            write!(f, "of workgroup {x}")
        } else {
            write!(f, "of workgroup ({x}, {y}, {z})")
        }
    }
}

/// A place in the author's source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    /// The file, as rustc names it.
    pub file: String,
    /// The line, from 1; 0 where the kernel was made at run time.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return f.write_str(&self.file);
        }
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Something else that takes part in a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What.
    pub text: String,
    /// Where, if it has a place of its own.
    pub at: Option<Source>,
}

/// Something that is wrong, at a place in the author's source.
///
/// Its `Display` reads like a compiler's error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub check: Check,
    /// How bad the options say it is.
    pub level: Level,
    /// What happened, with the names and the values.
    pub message: String,
    /// Where.
    pub at: Source,
    /// The first invocation to which it happened; none where it is about all of them.
    pub who: Option<Invocation>,
    /// The other places and the values.
    pub notes: Vec<Note>,
    /// What to do.
    pub help: String,
    /// How often it happened at this place.
    pub count: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}[{}]: {}", self.level, self.check.name(), self.message)?;
        excerpt::place(f, "-->", &self.at)?;
        for note in &self.notes {
            match &note.at {
                Some(at) => {
                    writeln!(f, "  note: {}", note.text)?;
                    excerpt::place(f, "-->", at)?;
                }
                None => writeln!(f, "  note: {}", note.text)?,
            }
        }
        if let Some(who) = &self.who {
            writeln!(f, "  note: seen first by {who}")?;
        }
        if self.count > 1 {
            writeln!(f, "  note: {} times in this run", self.count)?;
        }
        write!(f, "  help: {}", self.help)
    }
}
