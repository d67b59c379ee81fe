//! Decoders in f64, straight from a file: what models are held against.
//!
//! One token after the other, every product a loop; nothing is shared with what is tested but the decoders of
//! the weights, which the golden blocks hold to ggml.

use kernel_specs::formats;
use rlx_core::gguf::GgufFile;

/// A decoder over a file's weights, with the keys and values of the tokens so far.
pub struct Decoder<'f> {
    file: &'f GgufFile,
    architecture: String,
    keys: Vec<Vec<Vec<f64>>>,
    values: Vec<Vec<Vec<f64>>>,
}

/// A matrix by rows.
struct Matrix {
    rows: Vec<Vec<f64>>,
}

impl<'f> Decoder<'f> {
    /// A decoder that has seen no tokens.
    ///
    /// # Panics
    /// Where the file has no architecture: here and in all that follows, a file must be whole.
    pub fn new(file: &'f GgufFile) -> Self {
        let architecture = file.metadata().string("general.architecture");
        Self {
            file,
            architecture: architecture.expect("an architecture").to_owned(),
            keys: Vec::new(),
            values: Vec::new(),
        }
    }

    fn count(&self, key: &str) -> usize {
        self.optional(key).expect("a count")
    }

    fn optional(&self, key: &str) -> Option<usize> {
        let key = format!("{}.{key}", self.architecture);
        let found = self.file.metadata().optional::<u32>(&key);
        found.expect("a u32").map(|found| found as usize)
    }

    fn float(&self, key: &str) -> f64 {
        let key = format!("{}.{key}", self.architecture);
        f64::from(self.file.metadata().f32(&key).expect("a float"))
    }

    fn matrix(&self, name: &str) -> Option<Matrix> {
        let tensor = self.file.tensor(name)?;
        let format = formats::by_ggml_type(tensor.tensor_type().number).expect("a format");
        let k = tensor.dims()[0] as usize;
        let mut values = vec![0.0; tensor.elems() as usize];
        let bytes = self.file.tensor_bytes(tensor);
        let width = bytes.len() / (values.len() / k);
        for (row, bytes) in values.chunks_exact_mut(k).zip(bytes.chunks_exact(width)) {
            (format.decode)(bytes, row);
        }
        let rows = values.chunks_exact(k);
        Some(Matrix {
            rows: rows
                .map(|row| row.iter().copied().map(f64::from).collect())
                .collect(),
        })
    }

    fn vector(&self, name: &str) -> Vec<f64> {
        self.matrix(name).expect("a vector").rows.swap_remove(0)
    }

    fn linear(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let weight = self.matrix(&format!("{name}.weight")).expect("a weight");
        let mut y = weight.times(x);
        if let Some(bias) = self.matrix(&format!("{name}.bias")) {
            for (y, bias) in y.iter_mut().zip(&bias.rows[0]) {
                *y += bias;
            }
        }
        y
    }

    fn norm(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let eps = self.float("attention.layer_norm_rms_epsilon");
        let weight = self.vector(&format!("{name}.weight"));
        let mut y = Vec::new();
        for x in x.chunks_exact(weight.len()) {
            let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
            let root = (mean + eps).sqrt();
            y.extend(x.iter().zip(&weight).map(|(x, weight)| x / root * weight));
        }
        y
    }

    /// The logits after `token`, which comes after those before.
    ///
    /// # Panics
    /// Where a key or a tensor is missing.
    pub fn step(&mut self, token: u32) -> Vec<f64> {
        let is_gemma = self.architecture == "gemma3";
        let layers = self.count("block_count");
        let width = self.count("embedding_length");
        self.keys.resize_with(layers, Vec::new);
        self.values.resize_with(layers, Vec::new);
        let embedding = self.matrix("token_embd.weight").expect("embeddings");
        let mut x = embedding.rows[token as usize].clone();
        if is_gemma {
            let scale = (width as f64).sqrt();
            for x in &mut x {
                *x *= scale;
            }
        }
        for layer in 0..layers {
            let name = |of: &str| format!("blk.{layer}.{of}");
            let h = self.norm(&name("attn_norm"), &x);
            let mut h = self.attention(layer, &h);
            if is_gemma {
                h = self.norm(&name("post_attention_norm"), &h);
            }
            add(&mut x, &h);
            let h = self.norm(&name("ffn_norm"), &x);
            let gate = self.linear(&name("ffn_gate"), &h);
            let up = self.linear(&name("ffn_up"), &h);
            let both = gate.iter().zip(&up);
            let h: Vec<f64> = both
                .map(|(gate, up)| activation(is_gemma, *gate) * up)
                .collect();
            let mut h = self.linear(&name("ffn_down"), &h);
            if is_gemma {
                h = self.norm(&name("post_ffw_norm"), &h);
            }
            add(&mut x, &h);
        }
        let x = self.norm("output_norm", &x);
        self.matrix("output.weight").unwrap_or(embedding).times(&x)
    }

    fn attention(&mut self, layer: usize, x: &[f64]) -> Vec<f64> {
        let is_gemma = self.architecture == "gemma3";
        let name = |of: &str| format!("blk.{layer}.{of}");
        let heads = self.count("attention.head_count");
        let groups = self.optional("attention.head_count_kv").unwrap_or(heads);
        let d = self.optional("attention.key_length");
        let d = d.unwrap_or_else(|| self.count("embedding_length") / heads);
        let mut q = self.linear(&name("attn_q"), x);
        let mut k = self.linear(&name("attn_k"), x);
        let v = self.linear(&name("attn_v"), x);
        if is_gemma || self.architecture == "qwen3" {
            q = self.norm(&name("attn_q_norm"), &q);
            k = self.norm(&name("attn_k_norm"), &k);
        }
        let position = self.keys[layer].len();
        let is_local = is_gemma && !(layer + 1).is_multiple_of(6);
        self.rotate(&mut q, d, position, is_local);
        self.rotate(&mut k, d, position, is_local);
        self.keys[layer].push(k);
        self.values[layer].push(v);
        let first = match self.optional("attention.sliding_window") {
            Some(window) if is_local => (position + 1).saturating_sub(window),
            _ => 0,
        };
        let mut y = vec![0.0; heads * d];
        for (head, (y, q)) in y.chunks_exact_mut(d).zip(q.chunks_exact(d)).enumerate() {
            let at = head / (heads / groups) * d;
            let score = |k: &Vec<f64>| {
                let products = q.iter().zip(&k[at..]).map(|(q, k)| q * k);
                products.sum::<f64>() / (d as f64).sqrt()
            };
            let scores: Vec<f64> = self.keys[layer][first..].iter().map(score).collect();
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
            let total: f64 = weights.iter().sum();
            for (v, weight) in self.values[layer][first..].iter().zip(&weights) {
                for (y, v) in y.iter_mut().zip(&v[at..]) {
                    *y += weight / total * v;
                }
            }
        }
        self.linear(&name("attn_output"), &y)
    }

    fn rotate(&self, x: &mut [f64], d: usize, position: usize, is_local: bool) {
        let rotated = self.optional("rope.dimension_count").unwrap_or(d);
        let base = if is_local {
            10_000.0
        } else {
            self.float("rope.freq_base")
        };
        let factors = self.matrix("rope_freqs.weight");
        for x in x.chunks_exact_mut(d) {
            for pair in 0..rotated / 2 {
                let (a, b) = if self.architecture == "llama" {
                    (2 * pair, 2 * pair + 1)
                } else {
                    (pair, pair + rotated / 2)
                };
                let factor = factors
                    .as_ref()
                    .map_or(1.0, |factors| factors.rows[0][pair]);
                let frequency = base.powf(-2.0 * pair as f64 / rotated as f64) / factor;
                let (sin, cos) = (position as f64 * frequency).sin_cos();
                (x[a], x[b]) = (x[a] * cos - x[b] * sin, x[a] * sin + x[b] * cos);
            }
        }
    }
}

impl Matrix {
    fn times(&self, x: &[f64]) -> Vec<f64> {
        let dot = |row: &Vec<f64>| row.iter().zip(x).map(|(w, x)| w * x).sum();
        self.rows.iter().map(dot).collect()
    }
}

fn add(x: &mut [f64], h: &[f64]) {
    for (x, h) in x.iter_mut().zip(h) {
        *x += h;
    }
}

/// GELU by tanh in Gemma, SiLU in the others.
fn activation(is_gemma: bool, x: f64) -> f64 {
    if is_gemma {
        let root = (2.0 / std::f64::consts::PI).sqrt();
        0.5 * x * (1.0 + (root * (x + 0.044_715 * x * x * x)).tanh())
    } else {
        x / (1.0 + (-x).exp())
    }
}
