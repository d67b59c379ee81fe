//! From logits to a token.

use crate::philox::Philox;

/// How a token is chosen. Logits are never modified: penalties and temperatures apply to a copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// What logits are divided by; at 0 the largest is taken.
    pub temperature: f32,
    /// Only so many of the largest; 0 for all.
    pub top_k: u32,
    /// The fewest of the largest whose probabilities add up to this; 1 for all.
    pub top_p: f32,
    /// Only those whose probability is at least this part of the largest; 0 for all.
    pub min_p: f32,
    /// What logits of tokens before are divided by, or multiplied with where they are below 0; 1 for none.
    pub repetition_penalty: f32,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Default for Sampling {
    /// The largest logit.
    fn default() -> Self {
        Self {
            temperature: 0.0,
            top_k: 0,
            top_p: 1.0,
            min_p: 0.0,
            repetition_penalty: 1.0,
            seed: 0,
        }
    }
}

/// Chooses tokens one after the other.
#[derive(Clone, Debug)]
pub struct Sampler {
    sampling: Sampling,
    random: Philox,
}

impl Sampler {
    /// A sampler at the beginning of its stream of random numbers.
    pub fn new(sampling: Sampling) -> Self {
        Self {
            random: Philox::new(sampling.seed),
            sampling,
        }
    }

    /// The token after `before`, whose logits these are; of equal ones the first. A NaN is never taken where
    /// there is anything else; without logits, token 0.
    pub fn choose(&mut self, logits: &[f32], before: &[u32]) -> u32 {
        let Sampling {
            temperature,
            top_k,
            top_p,
            min_p,
            repetition_penalty,
            ..
        } = self.sampling;
        let mut candidates: Vec<(u32, f32)> = (0..).zip(logits.iter().copied()).collect();
        for (_, logit) in &mut candidates {
            if logit.is_nan() {
                *logit = f32::NEG_INFINITY;
            }
        }
        if repetition_penalty != 1.0 {
            let mut seen = before.to_vec();
            seen.sort_unstable();
            seen.dedup();
            for token in seen {
                if let Some((_, logit)) = candidates.get_mut(token as usize) {
                    *logit = if *logit > 0.0 {
                        *logit / repetition_penalty
                    } else {
                        *logit * repetition_penalty
                    };
                }
            }
        }
        // Without a temperature, the largest; a stable sort keeps the first of equal ones first.
        if temperature <= 0.0 {
            let largest = candidates
                .iter()
                .copied()
                .reduce(|best, each| if each.1 > best.1 { each } else { best });
            return largest.map_or(0, |(token, _)| token);
        }
        candidates.sort_by(|a, b| b.1.total_cmp(&a.1));
        if top_k > 0 {
            candidates.truncate(top_k as usize);
        }
        let Some(&(first, most)) = candidates.first() else {
            return 0;
        };
        let mut total = 0.0_f64;
        let weights: Vec<f64> = candidates
            .iter()
            .map(|(_, logit)| f64::from((logit - most) / temperature).exp())
            .inspect(|weight| total += weight)
            .collect();
        let mut kept = 0;
        let mut sum = 0.0;
        for weight in &weights {
            // The largest has weight 1, and at least it is kept.
            if kept > 0 && (*weight < f64::from(min_p) || sum >= f64::from(top_p) * total) {
                break;
            }
            sum += weight;
            kept += 1;
        }
        let mut left = f64::from(self.random.uniform()) * sum;
        for ((token, _), weight) in candidates.iter().zip(&weights[..kept]) {
            left -= weight;
            if left < 0.0 {
                return *token;
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOGITS: [f32; 5] = [1.0, 3.0, 2.0, 3.0, f32::NAN];

    fn counts(sampling: Sampling) -> [u32; 5] {
        let mut sampler = Sampler::new(sampling);
        let mut counts = [0; 5];
        for _ in 0..1000 {
            counts[sampler.choose(&LOGITS, &[]) as usize] += 1;
        }
        counts
    }

    #[test]
    fn without_a_temperature_the_first_of_the_largest_is_taken() {
        assert_eq!(counts(Sampling::default()), [0, 1000, 0, 0, 0]);
        let mut sampler = Sampler::new(Sampling::default());
        assert_eq!(sampler.choose(&[], &[]), 0);
        assert_eq!(sampler.choose(&[f32::NAN, -1.0], &[]), 1);
    }

    #[test]
    fn tokens_come_as_often_as_their_probability_says() {
        let sampling = Sampling {
            temperature: 1.0,
            ..Sampling::default()
        };
        let total = 1.0_f64.exp() + 2.0 * 3.0_f64.exp() + 2.0_f64.exp();
        let found = counts(sampling);
        for (found, logit) in found.into_iter().zip([1.0, 3.0, 2.0, 3.0_f64]) {
            let wanted = 1000.0 * logit.exp() / total;
            assert!(
                (f64::from(found) - wanted).abs() < 60.0,
                "{found}, not {wanted}"
            );
        }
        assert_eq!(found[4], 0);
        assert_eq!(counts(sampling), found, "the same seed");
        assert_ne!(
            counts(Sampling {
                seed: 1,
                ..sampling
            }),
            found
        );
    }

    #[test]
    fn what_is_cut_off_never_comes() {
        let sampling = Sampling {
            temperature: 1.0,
            ..Sampling::default()
        };
        let cut = |sampling| counts(sampling).map(|count| count > 0);
        let two = [false, true, false, true, false];
        assert_eq!(
            cut(Sampling {
                top_k: 2,
                ..sampling
            }),
            two
        );
        assert_eq!(
            cut(Sampling {
                top_p: 0.79,
                ..sampling
            }),
            two
        );
        assert_eq!(
            cut(Sampling {
                min_p: 0.5,
                ..sampling
            }),
            two
        );
        let first = [false, true, false, false, false];
        assert_eq!(
            cut(Sampling {
                top_k: 1,
                ..sampling
            }),
            first
        );
        assert_eq!(
            cut(Sampling {
                top_p: 0.0,
                ..sampling
            }),
            first
        );
    }

    #[test]
    fn a_penalty_makes_way_for_others_and_leaves_the_logits() {
        let sampling = Sampling {
            repetition_penalty: 2.0,
            ..Sampling::default()
        };
        let mut sampler = Sampler::new(sampling);
        assert_eq!(sampler.choose(&LOGITS, &[1, 1]), 3);
        assert_eq!(sampler.choose(&LOGITS, &[1, 3]), 2);
        assert_eq!(sampler.choose(&[-1.0, -1.5], &[0]), 1);
    }
}
