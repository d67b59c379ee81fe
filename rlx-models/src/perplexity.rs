//! How well a model foretells a text.

use std::sync::Arc;

use rlx_backends::{Backend, Executable, TensorData};
use rlx_core::Weights;

use crate::model::Model;
use crate::session::{SessionError, inputs};

/// Tokens a run.
const ROWS: u32 = 64;

/// How well a model foretells a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perplexity {
    /// e to the mean of what each token costs, in nats.
    pub value: f64,
    /// The standard error of that mean, times the value.
    pub error: f64,
    /// Tokens that were foretold: all but the first of each context.
    pub tokens: usize,
}

impl Perplexity {
    /// The perplexity of `tokens`, in contexts of the model's length one after the other. `progress` is told
    /// how many tokens are done.
    ///
    /// # Errors
    /// [`SessionError`] where there are fewer than two tokens, one is none of the model's, or the backend refuses
    /// or fails.
    pub fn of(
        backend: &dyn Backend,
        model: &Arc<Model>,
        tokens: &[u32],
        mut progress: impl FnMut(usize),
    ) -> Result<Self, SessionError> {
        model.check(tokens)?;
        let rows = ROWS.min(model.context());
        let graph = model.graph(rows, rows)?;
        let weights: Arc<dyn Weights + Send> = Arc::clone(model) as _;
        let mut executables = backend.compile_together(&[&graph], &weights)?;
        let executable = executables.first_mut().ok_or(SessionError::NoLogits)?;
        let mut costs = Vec::new();
        for context in tokens.chunks(model.context() as usize) {
            for (index, chunk) in context.chunks(rows as usize).enumerate() {
                let first = index as u32 * rows;
                let next = context.iter().skip(first as usize + 1);
                costs.extend(foretell(executable.as_mut(), rows, first, chunk, next)?);
                progress(chunk.len());
            }
        }
        let count = costs.len() as f64;
        if costs.is_empty() {
            return Err(SessionError::Empty);
        }
        let mean = costs.iter().sum::<f64>() / count;
        let variance = costs.iter().map(|cost| (cost - mean).powi(2)).sum::<f64>() / count;
        Ok(Self {
            value: mean.exp(),
            error: (variance / count).sqrt() * mean.exp(),
            tokens: costs.len(),
        })
    }
}

/// What each token of `next` costs after the one of `chunk` before it, in nats.
fn foretell<'t>(
    executable: &mut dyn Executable,
    rows: u32,
    first: u32,
    chunk: &[u32],
    next: impl Iterator<Item = &'t u32>,
) -> Result<Vec<f64>, SessionError> {
    let wanted: Vec<u32> = (0..rows).collect();
    let outputs = executable.run(&inputs(rows, first, chunk, wanted))?;
    let logits = outputs.into_iter().next().map(|(_, tensor)| tensor.data);
    let Some(TensorData::F32(logits)) = logits else {
        return Err(SessionError::NoLogits);
    };
    let width = logits.len() / rows as usize;
    let costs = next.zip(logits.chunks_exact(width).take(chunk.len()));
    Ok(costs.map(|(token, logits)| cost(logits, *token)).collect())
}

/// -ln of the probability of a token.
fn cost(logits: &[f32], token: u32) -> f64 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f64 = logits
        .iter()
        .map(|logit| f64::from(logit - most).exp())
        .sum();
    let own = logits.get(token as usize).copied();
    total.ln() - f64::from(own.unwrap_or(f32::NEG_INFINITY) - most)
}

#[cfg(test)]
mod tests {
    use super::cost;

    #[test]
    fn the_cost_of_a_token_is_that_of_its_probability() {
        assert!((cost(&[0.0; 8], 3) - 8.0_f64.ln()).abs() < 1e-12);
        assert!((cost(&[1000.0, 1000.0], 0) - 2.0_f64.ln()).abs() < 1e-12);
        assert!(cost(&[5.0, -1e30], 0) < 1e-12);
        assert_eq!(cost(&[0.0], 1), f64::INFINITY);
    }
}
