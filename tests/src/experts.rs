//! Products with the weights of experts, held to f64 sums over the decoded weights.

use std::collections::HashMap;

use rlx_backends::{Backend, Tensor};
use rlx_core::{DType, Graph, Shape};
use rlx_kernels::FormatInfo;

use crate::product::{ProductError, nmse};
use crate::random;

/// The weights of some experts.
pub struct Grouped {
    format: &'static FormatInfo,
    experts: usize,
    n: usize,
    k: usize,
    weight: Vec<u8>,
    decoded: Vec<f32>,
}

/// Which slots there are: `ids[tokens, slots]`, each with the row of its token or with its own.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a> {
    /// The expert of each.
    pub ids: &'a [u32],
    /// Slots a token.
    pub slots: usize,
    /// Whether each has its own row of activations.
    pub has_rows: bool,
}

impl Grouped {
    /// Random weights of `experts`, each of `n` rows of `k`.
    pub fn new(format: &'static FormatInfo, experts: usize, n: usize, k: usize) -> Self {
        let seed = u64::from(format.ggml_type) << 32 | k as u64;
        let weight = random::blocks(format, seed, experts * n * k / format.elems as usize);
        let mut decoded = vec![0.0; experts * n * k];
        (format.decode)(&weight, &mut decoded);
        Self {
            format,
            experts,
            n,
            k,
            weight,
            decoded,
        }
    }

    /// The packed weights.
    pub fn weight(&self) -> &[u8] {
        &self.weight
    }

    /// `x[s / per, k] · w[ids[s], n, k]` for each of `ids`, `per` of which share a row of `x`; zeros where
    /// there is no such expert.
    pub fn wanted(&self, x: &[f32], ids: &[u32]) -> Vec<f64> {
        let per = ids.len() / (x.len() / self.k).max(1);
        let mut out = Vec::with_capacity(ids.len() * self.n);
        for (slot, id) in ids.iter().enumerate() {
            let x = &x[slot / per * self.k..][..self.k];
            let Some(first) = (*id as usize).checked_mul(self.n * self.k) else {
                unreachable!("u32 times what fits memory")
            };
            let own = self.decoded.get(first..first + self.n * self.k);
            let Some(own) = own else {
                out.extend(std::iter::repeat_n(0.0, self.n));
                continue;
            };
            out.extend(own.chunks_exact(self.k).map(|w| -> f64 {
                let terms = x.iter().zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w));
                terms.sum()
            }));
        }
        out
    }

    /// The error of `backend` with random activations.
    ///
    /// # Errors
    /// [`ProductError`] where the backend does not give a product.
    pub fn nmse(&self, backend: &dyn Backend, of: Slots<'_>) -> Result<f64, ProductError> {
        let (n, k) = (self.n, self.k);
        let tokens = of.ids.len() / of.slots;
        let rows = if of.has_rows { of.ids.len() } else { tokens };
        let x = random::activations(rows as u64, rows * k);
        let wanted = self.wanted(&x, of.ids);

        let [t, s, width] = [tokens, of.slots, k].map(|extent| extent as u64);
        let x_shape = if of.has_rows {
            Shape::from([t, s, width])
        } else {
            Shape::from([t, width])
        };
        let mut graph = Graph::new();
        let x_value = graph.input("x", x_shape.clone(), DType::F32)?;
        let ids_value = graph.input("ids", [t, s], DType::U32)?;
        let w = graph.weight("w", [self.experts as u64, n as u64, width], self.format)?;
        let y = graph.matmul_experts(x_value, w, ids_value)?;
        graph.output("y", y)?;
        let weights = HashMap::from([("w".to_string(), self.weight.clone())]);
        let mut executable = backend.compile(&graph, &weights)?;
        let inputs = [
            ("x", Tensor::f32(x_shape, x)),
            ("ids", Tensor::u32(Shape::from([t, s]), of.ids.to_vec())),
        ];
        let outputs = executable.run(&inputs)?;
        let found = outputs.first().and_then(|(_, found)| found.data.as_f32());
        match found {
            Some(found) if found.len() == wanted.len() => {
                Ok(nmse(found.iter().copied(), wanted.into_iter()))
            }
            _ => Err(ProductError::Result { m: tokens, n, k }),
        }
    }
}
