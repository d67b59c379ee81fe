//! The graph of a decoder, as its hyperparameters and its architecture's style make it.

use std::collections::HashMap;

use kernel_specs::elementwise::op;
use kernel_specs::formats;
use rlx_core::{DType, Graph, Scores, Shape, ValueId};

use crate::architecture::Style;
use crate::error::ModelError;
use crate::model::{EMBEDDING_SCALE, LOCAL_TABLE, Model, TABLE};

/// Names of a graph's inputs and output.
pub(crate) mod names {
    /// The ids of the tokens, u32 `[t]`.
    pub const TOKENS: &str = "tokens";
    /// Their positions, u32 `[t]`; a row past the context computes nothing of use and keeps nothing.
    pub const POSITIONS: &str = "positions";
    /// The rows whose logits are wanted, u32 `[r]`.
    pub const ROWS: &str = "rows";
    /// The logits, f32 `[r, v]`.
    pub const LOGITS: &str = "logits";
}

/// A graph in the making.
pub(crate) struct Decoder<'m> {
    model: &'m Model,
    style: Style,
    graph: Graph,
    weights: HashMap<String, ValueId>,
    positions: ValueId,
    rows: u64,
}

impl<'m> Decoder<'m> {
    /// The graph for `rows` tokens a run, with the logits of `outputs` of them.
    pub fn build(model: &'m Model, rows: u32, outputs: u32) -> Result<Graph, ModelError> {
        let rows = u64::from(rows);
        let mut graph = Graph::new();
        let tokens = graph.input(names::TOKENS, [rows], DType::U32)?;
        let positions = graph.input(names::POSITIONS, [rows], DType::U32)?;
        let wanted = graph.input(names::ROWS, [u64::from(outputs)], DType::U32)?;
        let mut decoder = Self {
            model,
            style: (model.architecture().style)(model.hyper()),
            graph,
            weights: HashMap::new(),
            positions,
            rows,
        };
        decoder.model_of(tokens, wanted)?;
        Ok(decoder.graph)
    }

    fn model_of(&mut self, tokens: ValueId, wanted: ValueId) -> Result<(), ModelError> {
        let hyper = self.model.hyper();
        let width = u64::from(hyper.width);
        let vocabulary = self.model.vocabulary();
        let embedding = self.weight("token_embd.weight", [vocabulary, width])?;
        let mut x = self.graph.gather_rows(embedding, tokens)?;
        if self.style.embedding_scale.is_some() {
            let scale = self.weight(EMBEDDING_SCALE, [1])?;
            x = self.elementwise("mul", &[x, scale])?;
        }
        for layer in 0..hyper.layers {
            x = self.layer(layer, x)?;
        }
        // Norms and logits of what is wanted alone.
        let x = self.graph.gather_rows(x, wanted)?;
        let x = self.norm("output_norm.weight", x)?;
        let output = if self.model.has("output.weight") {
            self.weight("output.weight", [vocabulary, width])?
        } else {
            embedding
        };
        let logits = self.graph.matmul_bt(x, output)?;
        self.graph.output(names::LOGITS, logits)?;
        Ok(())
    }

    fn layer(&mut self, layer: u32, x: ValueId) -> Result<ValueId, ModelError> {
        let name = |of: &str| format!("blk.{layer}.{of}");
        let h = self.norm(&name("attn_norm.weight"), x)?;
        let mut h = self.attention(layer, h)?;
        if self.style.post_norms {
            h = self.norm(&name("post_attention_norm.weight"), h)?;
        }
        let x = self.elementwise("add", &[x, h])?;
        let h = self.norm(&name("ffn_norm.weight"), x)?;
        let mut h = self.feed_forward(layer, h)?;
        if self.style.post_norms {
            h = self.norm(&name("post_ffw_norm.weight"), h)?;
        }
        self.elementwise("add", &[x, h])
    }

    fn attention(&mut self, layer: u32, x: ValueId) -> Result<ValueId, ModelError> {
        let hyper = self.model.hyper();
        let (heads, groups, d) = (
            u64::from(hyper.heads),
            u64::from(hyper.groups),
            u64::from(hyper.head),
        );
        let width = u64::from(hyper.width);
        let name = |of: &str| format!("blk.{layer}.{of}");
        let local = self
            .style
            .local
            .filter(|local| !(layer + 1).is_multiple_of(local.period));
        let table = if local.is_some() { LOCAL_TABLE } else { TABLE };
        let context = u64::from(self.model.context());
        let table = self.weight(table, [context, u64::from(hyper.rotated)])?;
        let q = self.linear(&name("attn_q"), x, heads * d, width)?;
        let k = self.linear(&name("attn_k"), x, groups * d, width)?;
        let v = self.linear(&name("attn_v"), x, groups * d, width)?;
        let mut q = self.graph.reshape(q, [self.rows, heads, d])?;
        let mut k = self.graph.reshape(k, [self.rows, groups, d])?;
        let v = self.graph.reshape(v, [self.rows, groups, d])?;
        if self.style.head_norms {
            q = self.norm(&name("attn_q_norm.weight"), q)?;
            k = self.norm(&name("attn_k_norm.weight"), k)?;
        }
        let layout = self.style.layout;
        let q = self.graph.rope(q, table, self.positions, layout)?;
        let k = self.graph.rope(k, table, self.positions, layout)?;
        let keys = self.graph.state(name("keys"), [context, groups, d])?;
        let values = self.graph.state(name("values"), [context, groups, d])?;
        let keys = self.graph.append_rows(keys, k, self.positions)?;
        let values = self.graph.append_rows(values, v, self.positions)?;
        let scores = Scores {
            scale: self.style.attention_scale,
            window: local.map(|local| local.window),
            softcap: None,
        };
        let y = self
            .graph
            .attention(q, [keys, values], self.positions, scores)?;
        let y = self.graph.reshape(y, [self.rows, heads * d])?;
        self.linear(&name("attn_output"), y, width, heads * d)
    }

    fn feed_forward(&mut self, layer: u32, x: ValueId) -> Result<ValueId, ModelError> {
        let hyper = self.model.hyper();
        let (width, inner) = (u64::from(hyper.width), u64::from(hyper.inner));
        let name = |of: &str| format!("blk.{layer}.{of}");
        let gate = self.linear(&name("ffn_gate"), x, inner, width)?;
        let up = self.linear(&name("ffn_up"), x, inner, width)?;
        let gate = self.elementwise(self.style.activation, &[gate])?;
        let h = self.elementwise("mul", &[gate, up])?;
        self.linear(&name("ffn_down"), h, width, inner)
    }

    /// `x · wᵀ` with the weight `name.weight`, and the bias `name.bias` where the file has one.
    fn linear(&mut self, name: &str, x: ValueId, n: u64, k: u64) -> Result<ValueId, ModelError> {
        let w = self.weight(&format!("{name}.weight"), [n, k])?;
        let y = self.graph.matmul_bt(x, w)?;
        let bias = format!("{name}.bias");
        if !self.model.has(&bias) {
            return Ok(y);
        }
        let bias = self.weight(&bias, [n])?;
        self.elementwise("add", &[y, bias])
    }

    /// The RMS norm of `x` by the weight `name`.
    fn norm(&mut self, name: &str, x: ValueId) -> Result<ValueId, ModelError> {
        let k = self.graph.node(x)?.shape.last().unwrap_or(1);
        let weight = self.weight(name, [k])?;
        Ok(self.graph.rms_norm(x, weight, self.model.hyper().eps)?)
    }

    fn elementwise(&mut self, name: &str, args: &[ValueId]) -> Result<ValueId, ModelError> {
        let operator = op(name).ok_or_else(|| ModelError::Value {
            key: "the activation".into(),
            expected: "an elementwise operator".into(),
            found: name.into(),
        })?;
        Ok(self.graph.elementwise(operator, args)?)
    }

    /// The weight of a name, once a graph.
    fn weight(&mut self, name: &str, shape: impl Into<Shape>) -> Result<ValueId, ModelError> {
        let shape = shape.into();
        if let Some(&weight) = self.weights.get(name) {
            return Ok(weight);
        }
        let (found, ty) = self.model.tensor(name)?;
        if found != shape {
            return Err(ModelError::TensorShape {
                name: name.into(),
                expected: shape,
                found,
            });
        }
        let format = formats::by_ggml_type(ty.number).ok_or_else(|| ModelError::Format {
            name: name.into(),
            format: ty.name,
        })?;
        let weight = self.graph.weight(name, shape, format)?;
        self.weights.insert(name.to_owned(), weight);
        Ok(weight)
    }
}
