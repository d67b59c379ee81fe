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
}

impl Case {
    /// Random weights of `max_n` rows of `k`, and `max_m` rows of activations.
    pub fn new(format: &'static FormatInfo, max_m: usize, max_n: usize, k: usize) -> Self {
        let seed = u64::from(format.ggml_type) << 32 | k as u64;
        let weight = random::blocks(format, seed, max_n * k / format.elems as usize);
        let x = random::activations(seed + 1, max_m * k);
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
        }
    }

    /// The error of `backend` on the first `m` and `n` rows.
    ///
    /// # Errors
    /// [`ProductError`] where the backend does not give a product.
    pub fn nmse(&self, backend: &dyn Backend, m: usize, n: usize) -> Result<f64, ProductError> {
        let k = self.k;
        let mut graph = Graph::new();
        let x = graph.input("x", Shape::from([m as u64, k as u64]), DType::F32)?;
        let w = graph.weight("w", Shape::from([n as u64, k as u64]), self.format)?;
        let y = graph.matmul_bt(x, w)?;
        graph.output("y", y)?;
        let bytes =
            self.weight[..n * k / self.format.elems as usize * self.format.bytes as usize].to_vec();
        let weights = HashMap::from([("w".to_string(), bytes)]);
        let mut executable = backend.compile(&graph, &weights)?;
        let input = Tensor::f32(Shape::from([m as u64, k as u64]), self.x[..m * k].to_vec());
        let outputs = executable.run(&[("x", input)])?;
        let Some((
            _,
            Tensor {
                data: TensorData::F32(found),
                ..
            },
        )) = outputs.first()
        else {
            return Err(ProductError::Result { m, n, k });
        };
        let wanted = (0..m).flat_map(|row| self.wanted[row * self.max_n..][..n].iter().copied());
        if found.len() != m * n {
            return Err(ProductError::Result { m, n, k });
        }
        Ok(nmse(found.iter().copied(), wanted))
    }
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
