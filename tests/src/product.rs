//! Matrix products held to an f64 dot product over the decoded weights.

use std::collections::HashMap;

use rlx_backends::{Backend, BackendError, Tensor, TensorData};
use rlx_core::{DType, Graph, GraphError, Shape};
use rlx_kernels::FormatInfo;

use crate::random;

/// The bound on the normalised mean square error of products in f32.
pub const F32_BOUND: f64 = 1e-10;

/// The same where operands are rounded to halves.
pub const HALF_BOUND: f64 = 1e-6;

/// The same where activations are rounded to bytes.
pub const INT8_BOUND: f64 = 1e-4;

/// Why a product could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ProductError {
    /// The graph is not legal.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The backend refused.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The backend gave no f32 result.
    #[error("the product of {m} x {n} x {k} gave no f32 result")]
    Result {
        /// Rows of activations.
        m: usize,
        /// Rows of the weight.
        n: usize,
        /// Row length.
        k: usize,
    },
}

/// Σ (found − wanted)² / Σ wanted²; not a number where either side is not finite.
pub fn nmse(found: impl Iterator<Item = f32>, wanted: impl Iterator<Item = f64>) -> f64 {
    let (mut error, mut norm) = (0.0, 0.0);
    for (found, wanted) in found.zip(wanted) {
        error += (f64::from(found) - wanted).powi(2);
        norm += wanted * wanted;
    }
    if norm == 0.0 { error } else { error / norm }
}

/// A weight with activations and their product in f64, from which every smaller product is cut.
pub struct Case {
    format: &'static FormatInfo,
    max_n: usize,
    k: usize,
    weight: Vec<u8>,
    x: Vec<f32>,
    wanted: Vec<f64>,
    /// What errors are measured by, a product each; its own square where this is empty.
    energy: Vec<f64>,
}

impl Case {
    /// The same, with errors measured by the squares of a product's terms instead of its own: the expected
    /// square of a sum of independent terms. An operand's rounding stands against its terms, and a sum in
    /// which they happen to cancel says nothing of it.
    #[must_use]
    pub fn by_energy(mut self) -> Self {
        let squares = |values: &[f32]| -> Vec<f32> { values.iter().map(|v| v * v).collect() };
        let mut decoded = vec![0.0; self.max_n * self.k];
        (self.format.decode)(&self.weight, &mut decoded);
        self.energy = reference(&squares(&self.x), &squares(&decoded), self.max_n, self.k);
        self
    }

    /// Random weights of `max_n` rows of `k`, and `max_m` rows of activations.
    pub fn new(format: &'static FormatInfo, max_m: usize, max_n: usize, k: usize) -> Self {
        let x = random::activations(seed(format, k) + 1, max_m * k);
        Self::of(format, max_n, k, x)
    }

    /// Random weights of `max_n` rows of `k`, and these rows of activations.
    pub fn of(format: &'static FormatInfo, max_n: usize, k: usize, x: Vec<f32>) -> Self {
        let weight = random::blocks(format, seed(format, k), max_n * k / format.elems as usize);
        let mut decoded = vec![0.0; max_n * k];
        (format.decode)(&weight, &mut decoded);
        let wanted = reference(&x, &decoded, max_n, k);
        Self {
            format,
            max_n,
            k,
            weight,
            x,
            wanted,
            energy: Vec::new(),
        }
    }

    /// The whole product, row by row.
    pub fn wanted(&self) -> &[f64] {
        &self.wanted
    }

    /// The error of `backend` on the first `m` and `n` rows.
    ///
    /// # Errors
    /// [`ProductError`] where the backend does not give a product.
    pub fn nmse(&self, backend: &dyn Backend, m: usize, n: usize) -> Result<f64, ProductError> {
        let k = self.k;
        let bytes = n * k / self.format.elems as usize * self.format.bytes as usize;
        let (weight, x) = (&self.weight[..bytes], &self.x[..m * k]);
        let found = multiply(backend, self.format, weight, x, [m, n, k])?;
        let (wanted, found) = (self.cut(&self.wanted, m, n), found.iter().copied());
        if self.energy.is_empty() {
            return Ok(nmse(found, wanted));
        }
        let errors = found
            .zip(wanted)
            .map(|(found, wanted)| (f64::from(found) - wanted).powi(2));
        let energy: f64 = self.cut(&self.energy, m, n).sum();
        Ok(errors.sum::<f64>() / energy)
    }
}

/// `x[m, k] · w[n, k]ᵀ` on `backend`.
///
/// # Errors
/// [`ProductError`] where the backend does not give a product.
pub fn multiply(
    backend: &dyn Backend,
    format: &'static FormatInfo,
    weight: &[u8],
    x: &[f32],
    [m, n, k]: [usize; 3],
) -> Result<Vec<f32>, ProductError> {
    let shape = |rows: usize| Shape::from([rows as u64, k as u64]);
    let mut graph = Graph::new();
    let x_value = graph.input("x", shape(m), DType::F32)?;
    let w = graph.weight("w", shape(n), format)?;
    let y = graph.matmul_bt(x_value, w)?;
    graph.output("y", y)?;
    let weights = HashMap::from([("w".to_string(), weight.to_vec())]);
    let mut executable = backend.compile(&graph, &weights)?;
    let outputs = executable.run(&[("x", Tensor::f32(shape(m), x.to_vec()))])?;
    match outputs.into_iter().next() {
        Some((
            _,
            Tensor {
                data: TensorData::F32(found),
                ..
            },
        )) if found.len() == m * n => Ok(found),
        _ => Err(ProductError::Result { m, n, k }),
    }
}

impl Case {
    /// Of `max_n` values a row, the first `n` of the first `m` rows.
    fn cut<'a>(&'a self, values: &'a [f64], m: usize, n: usize) -> impl Iterator<Item = f64> + 'a {
        (0..m).flat_map(move |row| values[row * self.max_n..][..n].iter().copied())
    }
}

/// A number that belongs to a format and a row length.
fn seed(format: &FormatInfo, k: usize) -> u64 {
    u64::from(format.ggml_type) << 32 | k as u64
}

fn reference(x: &[f32], w: &[f32], n: usize, k: usize) -> Vec<f64> {
    let mut out = Vec::with_capacity(x.len() / k * n);
    for x in x.chunks_exact(k) {
        for w in w.chunks_exact(k) {
            let mut lanes = [0.0_f64; 8];
            let (x8, w8) = (x.chunks_exact(8), w.chunks_exact(8));
            let tail = x8
                .remainder()
                .iter()
                .zip(w8.remainder())
                .map(|(x, w)| f64::from(*x) * f64::from(*w))
                .sum::<f64>();
            for (x, w) in x8.zip(w8) {
                for (lane, (x, w)) in lanes.iter_mut().zip(x.iter().zip(w)) {
                    *lane += f64::from(*x) * f64::from(*w);
                }
            }
            out.push(lanes.iter().sum::<f64>() + tail);
        }
    }
    out
}
