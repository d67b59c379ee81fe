//! The angles of rotary position embeddings, for every position a row of cosines and then of sines.

use std::f64::consts::TAU;

use crate::error::ModelError;
use crate::hyper::Keys;

/// How a rotation is stretched over more positions than it was trained for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scaling {
    /// It is not.
    None,
    /// Positions divided by a factor.
    Linear(f64),
    /// Low frequencies divided by a factor, high ones not (Peng et al., 2023).
    Yarn {
        /// The factor.
        factor: f64,
        /// Positions that the model was trained for before.
        original: f64,
        /// Turns over those positions from which on a frequency stays.
        fast: f64,
        /// Turns up to which it is divided.
        slow: f64,
        /// What the cosines and sines are multiplied with, besides what the factor asks for.
        attention: f64,
    },
}

impl Scaling {
    /// Reads the keys under `rope.scaling`.
    pub fn read(keys: &Keys<'_>, context: u32) -> Result<Self, ModelError> {
        let kind = keys.string_or("rope.scaling.type", "none")?;
        let factor = f64::from(keys.f32_or("rope.scaling.factor", 1.0)?);
        let wrong = |name: &str, expected: &str, found: String| ModelError::Value {
            key: keys.key(name),
            expected: expected.into(),
            found,
        };
        if !(factor.is_finite() && factor > 0.0) {
            return Err(wrong(
                "rope.scaling.factor",
                "finite and over 0",
                factor.to_string(),
            ));
        }
        match kind {
            "none" => Ok(Self::None),
            "linear" => Ok(Self::Linear(factor)),
            "yarn" => Ok(Self::Yarn {
                factor,
                original: f64::from(keys.u32_or("rope.scaling.original_context_length", context)?),
                fast: f64::from(keys.f32_or("rope.scaling.yarn_beta_fast", 32.0)?),
                slow: f64::from(keys.f32_or("rope.scaling.yarn_beta_slow", 1.0)?),
                attention: f64::from(keys.f32_or("rope.scaling.attn_factor", 1.0)?),
            }),
            other => Err(wrong(
                "rope.scaling.type",
                "none, linear or yarn",
                format!("`{other}`"),
            )),
        }
    }
}

/// The rotation of some layers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotation<'a> {
    /// Elements of a head that are rotated, an even number.
    pub rotated: u32,
    /// The base of the frequencies.
    pub base: f64,
    /// How they are stretched.
    pub scaling: Scaling,
    /// What each frequency is divided by, as Llama 3 has it; none where nothing is.
    pub factors: Option<&'a [f32]>,
}

impl Rotation<'_> {
    /// Rows for `positions` positions, computed in f64.
    pub fn table(&self, positions: u32) -> Vec<f32> {
        let half = self.rotated / 2;
        let frequencies: Vec<f64> = (0..half).map(|pair| self.frequency(pair)).collect();
        let size = match self.scaling {
            Scaling::Yarn {
                factor, attention, ..
            } => attention * (1.0 + 0.1 * factor.ln()),
            Scaling::None | Scaling::Linear(_) => 1.0,
        };
        let mut table = Vec::with_capacity(positions as usize * self.rotated as usize);
        for position in 0..positions {
            let angles = frequencies.iter().map(|each| f64::from(position) * each);
            table.extend(angles.clone().map(|angle| (angle.cos() * size) as f32));
            table.extend(angles.map(|angle| (angle.sin() * size) as f32));
        }
        table
    }

    /// Radians from a position to the next.
    fn frequency(&self, pair: u32) -> f64 {
        let dims = f64::from(self.rotated);
        let own = self.base.powf(-2.0 * f64::from(pair) / dims);
        let factor = self
            .factors
            .and_then(|factors| factors.get(pair as usize))
            .map_or(1.0, |factor| f64::from(*factor));
        let own = own / factor;
        match self.scaling {
            Scaling::None => own,
            Scaling::Linear(factor) => own / factor,
            Scaling::Yarn {
                factor,
                original,
                fast,
                slow,
                ..
            } => {
                // The pair that makes so many turns over the original positions.
                let pair_of =
                    |turns: f64| dims * (original / (turns * TAU)).ln() / (2.0 * self.base.ln());
                let first = pair_of(fast).floor().max(0.0);
                let last = pair_of(slow).ceil().min(dims - 1.0);
                let along = (f64::from(pair) - first) / (last - first).max(0.001);
                let kept = 1.0 - along.clamp(0.0, 1.0);
                own * kept + own / factor * (1.0 - kept)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Rotation<'_> = Rotation {
        rotated: 8,
        base: 10_000.0,
        scaling: Scaling::None,
        factors: None,
    };

    #[test]
    fn a_row_holds_cosines_and_then_sines() {
        let table = PLAIN.table(4);
        assert_eq!(table.len(), 32);
        assert_eq!(table[..8], [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        let angles = [3.0_f64, 0.3, 0.03, 0.003];
        for (pair, angle) in angles.into_iter().enumerate() {
            assert!((table[24 + pair] - angle.cos() as f32).abs() < 1e-7);
            assert!((table[28 + pair] - angle.sin() as f32).abs() < 1e-7);
        }
    }

    #[test]
    fn stretched_rotations_turn_more_slowly() {
        let linear = Rotation {
            scaling: Scaling::Linear(4.0),
            ..PLAIN
        };
        assert_eq!(linear.table(9)[64..], PLAIN.table(3)[16..]);
        let factors = [1.0, 1.0, 2.0, 8.0];
        let divided = Rotation {
            factors: Some(&factors),
            ..PLAIN
        };
        assert_eq!(divided.frequency(1), PLAIN.frequency(1));
        assert_eq!(divided.frequency(3), PLAIN.frequency(3) / 8.0);
    }

    #[test]
    fn yarn_keeps_high_frequencies_and_divides_low_ones() {
        let yarn = Rotation {
            rotated: 128,
            scaling: Scaling::Yarn {
                factor: 4.0,
                original: 32_768.0,
                fast: 32.0,
                slow: 1.0,
                attention: 1.0,
            },
            ..PLAIN
        };
        let plain = Rotation {
            scaling: Scaling::None,
            ..yarn
        };
        assert_eq!(yarn.frequency(0), plain.frequency(0));
        assert_eq!(yarn.frequency(63), plain.frequency(63) / 4.0);
        let size = 1.0 + 0.1 * 4.0_f64.ln();
        assert_eq!(yarn.table(1)[0], size as f32);
    }
}
