//! How a run is made, and what counts as an error.

use std::fmt;
use std::ops::Range;

use crate::finding::Check;

/// The order in which invocations, or workgroups, take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// From the first to the last.
    Forward,
    /// From the last to the first.
    Backward,
    /// Shuffled by this seed.
    Shuffled(u64),
}

impl Order {
    /// The numbers below `count` in this order.
    pub(crate) fn of(self, count: u32) -> Vec<u32> {
        let mut all: Vec<u32> = (0..count).collect();
        match self {
            Self::Forward => {}
            Self::Backward => all.reverse(),
            Self::Shuffled(seed) => {
                // Fisher and Yates, by the numbers of SplitMix64.
                let mut state = seed;
                for last in (1..all.len()).rev() {
                    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    let mut random = state;
                    random = (random ^ (random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    random = (random ^ (random >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                    random ^= random >> 31;
                    all.swap(last, (random % (last as u64 + 1)) as usize);
                }
            }
        }
        all
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forward => f.write_str("forward"),
            Self::Backward => f.write_str("backward"),
            Self::Shuffled(seed) => write!(f, "shuffled by {seed}"),
        }
    }
}

/// What a finding counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// It is not looked for.
    Off,
    /// It is reported.
    Warning,
    /// It is reported, and the run is not clean.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "off",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// How to run a kernel on the twin.
///
/// The default is one run: subgroups of 32, everything in order, every check an error.
#[derive(Clone, Debug)]
pub struct SimOptions {
    pub(crate) subgroup_sizes: Vec<u32>,
    pub(crate) orders: Vec<Order>,
    pub(crate) group_order: Option<Order>,
    pub(crate) levels: Vec<Level>,
    pub(crate) loop_bound: u64,
    pub(crate) undefined: Vec<String>,
    pub(crate) outputs: Vec<(String, Range<u64>)>,
    pub(crate) parallel: bool,
    pub(crate) bounds: bool,
}

impl Default for SimOptions {
    fn default() -> Self {
        Self {
            subgroup_sizes: vec![32],
            orders: vec![Order::Forward],
            group_order: None,
            levels: vec![Level::Error; Check::ALL.len()],
            loop_bound: 1 << 24,
            undefined: Vec::new(),
            outputs: Vec::new(),
            parallel: false,
            bounds: false,
        }
    }
}

impl SimOptions {
    /// The sizes of subgroups that devices have.
    pub const SUBGROUP_SIZES: [u32; 5] = [4, 8, 16, 32, 64];

    /// Every subgroup size, each forward, backward and shuffled: what a test of a kernel wants.
    pub fn thorough() -> Self {
        Self {
            subgroup_sizes: Self::SUBGROUP_SIZES.to_vec(),
            orders: vec![Order::Forward, Order::Backward, Order::Shuffled(1)],
            ..Self::default()
        }
    }

    /// Invocations of a subgroup, a power of two from 1 to 128.
    #[must_use]
    pub fn subgroup_size(self, size: u32) -> Self {
        self.subgroup_sizes([size])
    }

    /// One run for each of these sizes.
    #[must_use]
    pub fn subgroup_sizes(mut self, sizes: impl IntoIterator<Item = u32>) -> Self {
        self.subgroup_sizes = sizes.into_iter().collect();
        self
    }

    /// The size of subgroups of the first run, whose results are the run's.
    pub fn first_subgroup_size(&self) -> Option<u32> {
        self.subgroup_sizes.first().copied()
    }

    /// The order in which the invocations of a workgroup perform an access to memory.
    #[must_use]
    pub fn order(self, order: Order) -> Self {
        self.orders([order])
    }

    /// One run for each of these orders. Results that differ are a finding,
    /// [`Check::OrderDependent`].
    ///
    /// Invocations run in lockstep, as [`Order::Forward`] has them. With any other order, those of a
    /// kernel with atomics also run in turns between barriers: some of them go on to the next barrier
    /// before the others begin. Where there are several orders, such a kernel runs once more, forward
    /// and in turns.
    #[must_use]
    pub fn orders(mut self, orders: impl IntoIterator<Item = Order>) -> Self {
        self.orders = orders.into_iter().collect();
        self
    }

    /// The order in which workgroups run; without it, that of the invocations.
    #[must_use]
    pub fn group_order(mut self, order: Order) -> Self {
        self.group_order = Some(order);
        self
    }

    /// What findings of `check` count as.
    #[must_use]
    pub fn level(mut self, check: Check, level: Level) -> Self {
        if let Some(slot) = self.levels.get_mut(check as usize) {
            *slot = level;
        }
        self
    }

    /// Findings of `check` are not looked for.
    #[must_use]
    pub fn allow(self, check: Check) -> Self {
        self.level(check, Level::Off)
    }

    /// Iterations of a loop before it is taken for one that does not end; 2²⁴ by default.
    #[must_use]
    pub fn loop_bound(mut self, iterations: u64) -> Self {
        self.loop_bound = iterations;
        self
    }

    /// What the `&mut` slice of this name holds before the run counts as never written: a kernel that
    /// reads an element before it writes it is a finding.
    #[must_use]
    pub fn undefined(mut self, binding: impl Into<String>) -> Self {
        self.undefined.push(binding.into());
        self
    }

    /// Writes to the `&mut` slice of this name are a finding outside these elements.
    #[must_use]
    pub fn output(mut self, binding: impl Into<String>, elements: Range<u64>) -> Self {
        self.outputs.push((binding.into(), elements));
        self
    }

    /// Reports how far the results of any other device may lie from the twin's, for each element of
    /// each output: [`Report::bounds`](crate::Report::bounds).
    #[must_use]
    pub fn bounds(mut self) -> Self {
        self.bounds = true;
        self
    }

    /// Runs workgroups on all cores. What one workgroup does to another is not looked for then: races
    /// in storage memory, and reads of elements that nobody has written.
    #[must_use]
    pub fn parallel(mut self) -> Self {
        self.parallel = true;
        self
    }

    pub(crate) fn of(&self, check: Check) -> Level {
        self.levels
            .get(check as usize)
            .copied()
            .unwrap_or(Level::Error)
    }

    pub(crate) fn looks_for(&self, check: Check) -> bool {
        self.of(check) != Level::Off
    }
}
