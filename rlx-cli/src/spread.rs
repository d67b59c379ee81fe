//! Times of runs: the one in the middle, and how far the others lie from it.

use std::time::Duration;

/// The quartiles of some times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// The fastest.
    pub least: Duration,
    /// A quarter was faster.
    pub lower: Duration,
    /// A half was faster.
    pub median: Duration,
    /// Three quarters were faster.
    pub upper: Duration,
    /// The slowest.
    pub most: Duration,
}

impl Spread {
    /// `None` of no times.
    pub fn of(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        let last = u32::try_from(times.len().checked_sub(1)?).ok()?;
        // Between two times, as far from each as the quarter is.
        let quarter = |quarters: u32| {
            let at = u64::from(last) * u64::from(quarters);
            let (low, part) = ((at / 4) as usize, (at % 4) as u32);
            let from = times.get(low)?;
            let to = times.get(low + 1).unwrap_or(from);
            Some(*from + to.saturating_sub(*from) * part / 4)
        };
        Some(Self {
            least: quarter(0)?,
            lower: quarter(1)?,
            median: quarter(2)?,
            upper: quarter(3)?,
            most: quarter(4)?,
        })
    }

    /// The same of the `count`th part of each.
    pub fn per(self, count: u32) -> Self {
        let part = |time: Duration| time / count.max(1);
        Self {
            least: part(self.least),
            lower: part(self.lower),
            median: part(self.median),
            upper: part(self.upper),
            most: part(self.most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(all: &[u64]) -> Option<Spread> {
        Spread::of(all.iter().copied().map(Duration::from_millis).collect())
    }

    #[test]
    fn a_quartile_lies_between_the_two_times_around_it() {
        let ms = Duration::from_millis;
        let even = spread(&[9, 1, 3, 4]).unwrap();
        assert_eq!(even.median, Duration::from_micros(3500));
        assert_eq!(
            (even.lower, even.upper),
            (Duration::from_micros(2500), Duration::from_micros(5250))
        );
        assert_eq!((even.least, even.most), (ms(1), ms(9)));
        assert_eq!(spread(&[5, 1, 2]).unwrap().median, ms(2));
        assert_eq!(spread(&[7]).unwrap().upper, ms(7));
        assert_eq!(spread(&[]), None);
    }

    #[test]
    fn the_times_of_parts_are_parts_of_the_times() {
        let part = spread(&[10, 20]).unwrap().per(10);
        assert_eq!(
            (part.least, part.most),
            (Duration::from_millis(1), Duration::from_millis(2))
        );
    }
}
