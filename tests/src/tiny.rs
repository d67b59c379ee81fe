//! Tiny random models: whole GGUF files of a few hundred kilobytes.

use kernel_specs::formats;
use rlx_core::gguf::{GgufFile, GgufWriter, OwnedValue, TensorType, WriteError};

use crate::random;

/// Tensors that only some models have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Biases of queries, keys and values.
    Biases,
    /// Norms of heads.
    HeadNorms,
    /// Norms after attention and feed-forward.
    PostNorms,
    /// A matrix of its own for logits.
    Output,
    /// What the frequencies of the rotation are divided by.
    Factors,
}

/// What a tiny model is like.
#[derive(Clone, Debug)]
pub struct Tiny {
    /// `general.architecture`.
    pub architecture: &'static str,
    /// Layers.
    pub layers: usize,
    /// Elements of an embedding.
    pub width: usize,
    /// Elements in a feed-forward.
    pub inner: usize,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values.
    pub groups: usize,
    /// Elements a head.
    pub head: usize,
    /// Tokens.
    pub vocabulary: usize,
    /// The format of matrices.
    pub format: &'static str,
    /// Tensors that only some models have.
    pub parts: &'static [Part],
    /// Positions that a layer sees.
    pub window: Option<u32>,
    /// Keys without the architecture, and values, besides.
    pub extra: Vec<(&'static str, OwnedValue)>,
}

impl Tiny {
    /// A Llama of two layers.
    pub fn llama() -> Self {
        Self {
            architecture: "llama",
            layers: 2,
            width: 64,
            inner: 96,
            heads: 4,
            groups: 2,
            head: 16,
            vocabulary: 80,
            format: "F32",
            parts: &[Part::Output],
            window: None,
            extra: Vec::new(),
        }
    }

    /// A model of each architecture, as different from the others as it may be.
    pub fn all() -> Vec<Self> {
        let llama = Self::llama();
        vec![
            Self {
                format: "Q8_0",
                parts: &[Part::Output, Part::Factors],
                ..llama.clone()
            },
            Self {
                architecture: "qwen2",
                parts: &[Part::Biases],
                format: "F16",
                ..llama.clone()
            },
            Self {
                architecture: "qwen3",
                parts: &[Part::Output, Part::HeadNorms],
                head: 32,
                format: "Q5_1",
                ..llama.clone()
            },
            Self {
                architecture: "gemma3",
                layers: 7,
                heads: 2,
                groups: 1,
                head: 64,
                parts: &[Part::HeadNorms, Part::PostNorms],
                window: Some(5),
                format: "Q4_1",
                ..llama
            },
        ]
    }

    /// The file.
    ///
    /// # Errors
    /// [`WriteError`] where a tensor or a key is not legal.
    ///
    /// # Panics
    /// Where the format is none, or the file made of it is none.
    pub fn file(&self) -> Result<GgufFile, WriteError> {
        let mut bytes = Vec::new();
        self.writer()?.write_to(&mut bytes)?;
        Ok(GgufFile::parse(bytes).expect("a file that was just written"))
    }

    fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    fn writer(&self) -> Result<GgufWriter, WriteError> {
        let mut writer = GgufWriter::new();
        writer.metadata("general.architecture", self.architecture)?;
        let count = |name: &'static str, value: usize| (name, OwnedValue::from(value as u32));
        let mut keys = vec![
            count("block_count", self.layers),
            count("context_length", 64),
            count("embedding_length", self.width),
            count("feed_forward_length", self.inner),
            count("attention.head_count", self.heads),
            count("attention.head_count_kv", self.groups),
            count("attention.key_length", self.head),
            count("attention.value_length", self.head),
            (
                "attention.layer_norm_rms_epsilon",
                OwnedValue::from(1e-5_f32),
            ),
            ("rope.freq_base", OwnedValue::from(10_000.0_f32)),
        ];
        keys.extend(
            self.window
                .map(|w| count("attention.sliding_window", w as usize)),
        );
        keys.extend(self.extra.iter().cloned());
        for (name, value) in keys {
            writer.metadata(&format!("{}.{name}", self.architecture), value)?;
        }
        let mut seed = 0;
        let mut next = || {
            seed += 1;
            seed
        };
        let mut matrix = |writer: &mut GgufWriter, name: &str, n: usize, k: usize| {
            let format = formats::by_name(self.format).expect("a format");
            let ty = TensorType::from_name(self.format).expect("a type");
            let bytes = if format.elems == 1 {
                let root = (k as f32).sqrt();
                let values = random::activations(next(), n * k)
                    .into_iter()
                    .map(|x| x / root);
                dense(format.name, values)
            } else {
                random::blocks(format, next(), n * k / format.elems as usize)
            };
            writer
                .tensor(name, &[k as u64, n as u64], ty, bytes)
                .map(drop)
        };
        let vector = |writer: &mut GgufWriter, name: &str, k: usize, seed: u64, base: f32| {
            let ty = TensorType::from_name("F32").expect("a type");
            let values = random::activations(seed, k).into_iter();
            let bytes = dense("F32", values.map(|x| base + base.max(0.1) * 0.1 * x));
            writer.tensor(name, &[k as u64], ty, bytes).map(drop)
        };
        let Self {
            width,
            inner,
            heads,
            groups,
            head,
            vocabulary,
            ..
        } = *self;
        // Random blocks are large; with these norms scores and logits are not.
        let norm = if formats::by_name(self.format).is_some_and(|format| format.elems > 1) {
            0.03
        } else {
            1.0
        };
        matrix(&mut writer, "token_embd.weight", vocabulary, width)?;
        if self.has(Part::Output) {
            matrix(&mut writer, "output.weight", vocabulary, width)?;
        }
        vector(&mut writer, "output_norm.weight", width, 900, norm)?;
        if self.has(Part::Factors) {
            vector(&mut writer, "rope_freqs.weight", head / 2, 901, 2.0)?;
        }
        for layer in 0..self.layers {
            let name = |of: &str| format!("blk.{layer}.{of}");
            let at = 1000 * (layer as u64 + 1);
            let rows = [
                ("attn_q", heads * head, width),
                ("attn_k", groups * head, width),
                ("attn_v", groups * head, width),
                ("attn_output", width, heads * head),
                ("ffn_gate", inner, width),
                ("ffn_up", inner, width),
                ("ffn_down", width, inner),
            ];
            for (index, (of, n, k)) in rows.into_iter().enumerate() {
                matrix(&mut writer, &name(&format!("{of}.weight")), n, k)?;
                if self.has(Part::Biases) && index < 3 {
                    let bias = name(&format!("{of}.bias"));
                    vector(&mut writer, &bias, n, at + index as u64, 0.0)?;
                }
            }
            let norms = [
                ("attn_norm", width, true, norm),
                ("ffn_norm", width, true, norm),
                ("attn_q_norm", head, self.has(Part::HeadNorms), 1.0),
                ("attn_k_norm", head, self.has(Part::HeadNorms), 1.0),
                ("post_attention_norm", width, self.has(Part::PostNorms), 1.0),
                ("post_ffw_norm", width, self.has(Part::PostNorms), 1.0),
            ];
            for (index, (of, k, is_there, base)) in norms.into_iter().enumerate() {
                if is_there {
                    let norm = name(&format!("{of}.weight"));
                    vector(&mut writer, &norm, k, at + 10 + index as u64, base)?;
                }
            }
        }
        Ok(writer)
    }
}

/// Values in F32 or F16.
fn dense(format: &str, values: impl Iterator<Item = f32>) -> Vec<u8> {
    match format {
        "F16" => values
            .flat_map(|x| rlx_kernels::prelude::f16::from_f32(x).to_le_bytes())
            .collect(),
        _ => values.flat_map(f32::to_le_bytes).collect(),
    }
}
