//! Attention with rotated queries and keys over a cache: as a graph, and in f64.

use std::collections::HashMap;
use std::sync::Arc;

use kernel_specs::formats;
use rlx_backends::{Backend, BackendError, Tensor};
use rlx_core::{DType, Graph, GraphError, RopeLayout, Scores, Weights};

use crate::product::nmse;
use crate::random;

/// What an attention is like.
#[derive(Clone, Copy, Debug)]
pub struct Attention {
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values.
    pub groups: usize,
    /// Elements a head.
    pub d: usize,
    /// Elements of a head that are rotated.
    pub r: usize,
    /// Positions of the cache.
    pub capacity: usize,
    /// Which of them are pairs.
    pub layout: RopeLayout,
    /// How scores are made.
    pub scores: Scores,
}

/// Inputs of a graph and its result by position.
struct Chunk {
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
}

impl Attention {
    /// The graph for `rows` rows: inputs `q`, `k`, `v` and `positions`, states `keys` and `values`, the weight
    /// `table`, the output `y`.
    ///
    /// # Errors
    /// [`GraphError`] where it is not legal.
    pub fn graph(&self, rows: usize) -> Result<Graph, GraphError> {
        let Self {
            heads,
            groups,
            d,
            r,
            capacity,
            ..
        } = *self;
        let of = |heads: usize| [rows as u64, (heads * d) as u64];
        let by = |rows: usize, heads: usize| [rows as u64, heads as u64, d as u64];
        let dense = <formats::F32 as rlx_kernels::BlockFormat>::INFO;
        let dense = formats::by_name(dense.name).ok_or(GraphError::TooManyNodes)?;
        let mut graph = Graph::new();
        let positions = graph.input("positions", [rows as u64], DType::U32)?;
        let table = graph.weight("table", [capacity as u64, r as u64], dense)?;
        let q = graph.input("q", of(heads), DType::F32)?;
        let k = graph.input("k", of(groups), DType::F32)?;
        let v = graph.input("v", of(groups), DType::F32)?;
        let q = graph.reshape(q, by(rows, heads))?;
        let k = graph.reshape(k, by(rows, groups))?;
        let v = graph.reshape(v, by(rows, groups))?;
        let q = graph.rope(q, table, positions, self.layout)?;
        let k = graph.rope(k, table, positions, self.layout)?;
        let keys = graph.state("keys", by(capacity, groups))?;
        let values = graph.state("values", by(capacity, groups))?;
        let keys = graph.append_rows(keys, k, positions)?;
        let values = graph.append_rows(values, v, positions)?;
        let y = graph.attention(q, [keys, values], positions, self.scores)?;
        let y = graph.reshape(y, of(heads))?;
        graph.output("y", y)?;
        Ok(graph)
    }

    /// Cosines and sines of every position.
    pub fn table(&self) -> Vec<f32> {
        let half = self.r / 2;
        let angle = |position: usize, pair: usize| {
            position as f64 * 10_000_f64.powf(-(pair as f64) / half as f64)
        };
        let row = |position| {
            let cos = (0..half).map(move |pair| angle(position, pair).cos() as f32);
            cos.chain((0..half).map(move |pair| angle(position, pair).sin() as f32))
        };
        (0..self.capacity).flat_map(row).collect()
    }

    fn chunk(&self, first: usize, rows: usize) -> Chunk {
        let values = |seed: u64, heads: usize| {
            random::activations(seed + first as u64, rows * heads * self.d)
        };
        Chunk {
            q: values(1000, self.heads),
            k: values(2000, self.groups),
            v: values(3000, self.groups),
        }
    }

    /// The inputs of rows `first ..`, and after them `idle` rows at a position past the cache.
    pub fn inputs(&self, first: usize, rows: usize, idle: usize) -> [(&'static str, Tensor); 4] {
        let Chunk { q, k, v } = self.chunk(first, rows);
        let all = (rows + idle) as u64;
        let tensor = |mut values: Vec<f32>, heads: usize| {
            let width = heads * self.d;
            values.resize((rows + idle) * width, 1.0);
            Tensor::f32([all, width as u64], values)
        };
        let positions = first as u32..(first + rows) as u32;
        let positions = positions.chain(std::iter::repeat_n(u32::MAX, idle));
        [
            ("q", tensor(q, self.heads)),
            ("k", tensor(k, self.groups)),
            ("v", tensor(v, self.groups)),
            (
                "positions",
                Tensor::u32([all], positions.collect::<Vec<_>>()),
            ),
        ]
    }

    /// The greatest NMSE of `chunks` of rows, one after the other, on `backend`; each of them has a graph of its
    /// own with `idle` rows more, and all share the cache.
    ///
    /// # Errors
    /// [`BackendError`] where the backend refuses or fails.
    pub fn nmse(
        &self,
        backend: &dyn Backend,
        chunks: &[usize],
        idle: usize,
    ) -> Result<f64, BackendError> {
        let graphs = chunks.iter().map(|&rows| self.graph(rows + idle));
        let graphs: Vec<Graph> = graphs
            .collect::<Result<_, _>>()
            .map_err(rlx_core::VerifyError::from)?;
        let bytes: Vec<u8> = self.table().iter().flat_map(|v| v.to_le_bytes()).collect();
        let weights: Arc<dyn Weights + Send> =
            Arc::new(HashMap::from([("table".to_owned(), bytes)]));
        let graphs: Vec<&Graph> = graphs.iter().collect();
        let mut executables = backend.compile_together(&graphs, &weights)?;
        let (mut first, mut worst) = (0, 0.0_f64);
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for (executable, &rows) in executables.iter_mut().zip(chunks) {
            let outputs = executable.run(&self.inputs(first, rows, idle))?;
            let found = outputs[0].1.data.as_f32().unwrap_or_default();
            let wanted = self.wanted(first, rows, &mut keys, &mut values);
            let (found, rest) = found.split_at(wanted.len());
            let error = nmse(found.iter().copied(), wanted.into_iter());
            // A NaN is the worst.
            worst = if error <= worst { worst } else { error };
            if rest.iter().any(|value| *value != 0.0) {
                worst = f64::INFINITY;
            }
            first += rows;
        }
        Ok(worst)
    }

    /// The result in f64, with keys and values of all rows before.
    fn wanted(
        &self,
        first: usize,
        rows: usize,
        keys: &mut Vec<f64>,
        values: &mut Vec<f64>,
    ) -> Vec<f64> {
        let Self {
            heads, groups, d, ..
        } = *self;
        let Chunk { q, k, v } = self.chunk(first, rows);
        let q = self.rotated(&q, first, heads);
        keys.extend(self.rotated(&k, first, groups));
        values.extend(v.into_iter().map(f64::from));
        let mut wanted = Vec::new();
        for (index, q) in q.chunks_exact(d).enumerate() {
            let (position, group) = (first + index / heads, index % heads * groups / heads);
            let window = self
                .scores
                .window
                .map_or(usize::MAX, |window| window as usize);
            let seen = (position + 1).saturating_sub(window)..=position;
            let row = |of: usize| (of * groups + group) * d;
            let score = |of: usize| {
                let products = q.iter().zip(&keys[row(of)..]).map(|(a, b)| a * b);
                let score = products.sum::<f64>() * f64::from(self.scores.scale);
                match self.scores.softcap.map(f64::from) {
                    Some(cap) => cap * (score / cap).tanh(),
                    None => score,
                }
            };
            let weights: Vec<f64> = seen.clone().map(|of| score(of).exp()).collect();
            let total: f64 = weights.iter().sum();
            let mut sums = vec![0.0; d];
            for (of, weight) in seen.zip(weights) {
                for (sum, value) in sums.iter_mut().zip(&values[row(of)..]) {
                    *sum += weight / total * value;
                }
            }
            wanted.extend(sums);
        }
        wanted
    }

    fn rotated(&self, x: &[f32], first: usize, heads: usize) -> Vec<f64> {
        let (d, half, table) = (self.d, self.r / 2, self.table());
        let mut y: Vec<f64> = x.iter().copied().map(f64::from).collect();
        for (index, head) in y.chunks_exact_mut(d).enumerate() {
            let angles = &table[(first + index / heads) * self.r..][..self.r];
            for pair in 0..half {
                let (cos, sin) = (f64::from(angles[pair]), f64::from(angles[pair + half]));
                let [a, b] = match self.layout {
                    RopeLayout::Adjacent => [2 * pair, 2 * pair + 1],
                    RopeLayout::Halves => [pair, pair + half],
                };
                (head[a], head[b]) = (head[a] * cos - head[b] * sin, head[a] * sin + head[b] * cos);
            }
        }
        y
    }
}
