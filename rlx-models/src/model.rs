//! A model: a GGUF file, what its metadata say, and what is computed of them once.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use rlx_core::gguf::{GgufFile, TensorType};
use rlx_core::{Graph, Shape, Weights, WeightsError};

use crate::architecture::{self, Architecture};
use crate::decoder::Decoder;
use crate::error::ModelError;
use crate::hyper::HyperParameters;
use crate::rope::{Rotation, Scaling};
use crate::session::SessionError;

/// The weight that holds the angles of all positions.
pub(crate) const TABLE: &str = "rope.table";

/// That of the layers that see a window.
pub(crate) const LOCAL_TABLE: &str = "rope.local_table";

/// The weight `[1]` that embeddings are multiplied with.
pub(crate) const EMBEDDING_SCALE: &str = "token_embd.scale";

/// Positions of a context where nothing else is asked for, unless the model has fewer.
const CONTEXT: u32 = 4096;

/// What may be chosen about a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelOptions {
    /// Positions of a context; by default those of the model, up to 4096.
    pub context: Option<u32>,
}

/// A model that graphs are made of: also the store of their weights.
pub struct Model {
    file: GgufFile,
    architecture: &'static Architecture,
    hyper: HyperParameters,
    context: u32,
    vocabulary: u64,
    /// Weights that the file does not have, f32 each.
    own: HashMap<&'static str, (Shape, Vec<u8>)>,
}

impl Model {
    /// Maps and reads a file; see [`GgufFile::open`].
    ///
    /// # Errors
    /// [`ModelError`] where the file cannot be read, or is no model that runs here.
    pub fn open(path: impl AsRef<Path>, options: ModelOptions) -> Result<Self, ModelError> {
        Self::new(GgufFile::open(path)?, options)
    }

    /// The model of a file that is open.
    ///
    /// # Errors
    /// [`ModelError`] where the file is no model that runs here.
    pub fn new(file: GgufFile, options: ModelOptions) -> Result<Self, ModelError> {
        let name = file.metadata().string("general.architecture")?;
        let architecture = architecture::find(name).ok_or_else(|| ModelError::Architecture {
            name: name.to_owned(),
        })?;
        let hyper = HyperParameters::read(file.metadata(), architecture.name)?;
        let context = options.context.unwrap_or(hyper.context.min(CONTEXT));
        if context == 0 {
            return Err(ModelError::Value {
                key: "the context".into(),
                expected: "at least 1 position".into(),
                found: "0".into(),
            });
        }
        let embedding = file
            .tensor("token_embd.weight")
            .ok_or_else(|| ModelError::Tensor {
                name: "token_embd.weight".into(),
            })?;
        let vocabulary = embedding.dims().last().copied().unwrap_or(0);
        let mut model = Self {
            architecture,
            hyper,
            context,
            vocabulary,
            own: HashMap::new(),
            file,
        };
        model.compute()?;
        Ok(model)
    }

    /// What the weights of the file leave to be computed.
    fn compute(&mut self) -> Result<(), ModelError> {
        let hyper = &self.hyper;
        let style = (self.architecture.style)(hyper);
        let factors = self.factors()?;
        let global = Rotation {
            rotated: hyper.rotated,
            base: hyper.rope_base,
            scaling: hyper.scaling,
            factors: factors.as_deref(),
        };
        let shape = Shape::from([u64::from(self.context), u64::from(hyper.rotated)]);
        let table = |rotation: Rotation<'_>| (shape.clone(), bytes(&rotation.table(self.context)));
        let mut own = HashMap::from([(TABLE, table(global))]);
        if let Some(local) = style.local {
            let rotation = Rotation {
                base: local.rope_base,
                scaling: Scaling::None,
                factors: None,
                ..global
            };
            own.insert(LOCAL_TABLE, table(rotation));
        }
        if let Some(scale) = style.embedding_scale {
            own.insert(EMBEDDING_SCALE, (Shape::from([1]), bytes(&[scale])));
        }
        self.own = own;
        Ok(())
    }

    /// What the frequencies of the rotation are divided by, where the file says.
    fn factors(&self) -> Result<Option<Vec<f32>>, ModelError> {
        const NAME: &str = "rope_freqs.weight";
        let Some(tensor) = self.file.tensor(NAME) else {
            return Ok(None);
        };
        if tensor.tensor_type().name != "F32" {
            return Err(ModelError::Format {
                name: NAME.into(),
                format: tensor.tensor_type().name,
            });
        }
        let expected = Shape::from([u64::from(self.hyper.rotated / 2)]);
        let found = Shape::from(tensor.dims());
        if found != expected {
            return Err(ModelError::TensorShape {
                name: NAME.into(),
                expected,
                found,
            });
        }
        let bytes = self.file.tensor_bytes(tensor).as_chunks::<4>().0;
        Ok(Some(
            bytes.iter().copied().map(f32::from_le_bytes).collect(),
        ))
    }

    /// The file.
    pub fn file(&self) -> &GgufFile {
        &self.file
    }

    /// The family that the model is of.
    pub fn architecture(&self) -> &'static Architecture {
        self.architecture
    }

    /// The numbers that make the model.
    pub fn hyper(&self) -> &HyperParameters {
        &self.hyper
    }

    /// Positions of a context.
    pub fn context(&self) -> u32 {
        self.context
    }

    /// Tokens that there are.
    pub fn vocabulary(&self) -> u64 {
        self.vocabulary
    }

    /// The graph for `rows` tokens a run, with the logits of `outputs` of them: inputs `tokens[rows]`,
    /// `positions[rows]` and `rows[outputs]`, all u32; output `logits[outputs, vocabulary]`; a state for keys
    /// and one for values for each layer. A row at a position past the context is idle.
    ///
    /// # Errors
    /// [`ModelError`] where a tensor is missing or not as the metadata say.
    pub fn graph(&self, rows: u32, outputs: u32) -> Result<Graph, ModelError> {
        Decoder::build(self, rows, outputs)
    }

    /// Checks that all `tokens` are the model's.
    pub(crate) fn check(&self, tokens: &[u32]) -> Result<(), SessionError> {
        let vocabulary = self.vocabulary;
        match tokens.iter().find(|token| u64::from(**token) >= vocabulary) {
            Some(&token) => Err(SessionError::Token { token, vocabulary }),
            None => Ok(()),
        }
    }

    /// Whether there is such a tensor.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.file.tensor(name).is_some()
    }

    /// Shape, outermost first, and type of a tensor.
    pub(crate) fn tensor(&self, name: &str) -> Result<(Shape, TensorType), ModelError> {
        let missing = || ModelError::Tensor { name: name.into() };
        if let Some((shape, _)) = self.own.get(name) {
            let f32 = TensorType::from_name("F32").ok_or_else(missing)?;
            return Ok((shape.clone(), f32));
        }
        let tensor = self.file.tensor(name).ok_or_else(missing)?;
        let dims: Vec<u64> = tensor.dims().iter().rev().copied().collect();
        Ok((Shape::from(dims), tensor.tensor_type()))
    }
}

impl Weights for Model {
    fn bytes(&self, name: &str) -> Result<&[u8], WeightsError> {
        match self.own.get(name) {
            Some((_, bytes)) => Ok(bytes),
            None => Weights::bytes(&self.file, name),
        }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("architecture", &self.architecture.name)
            .field("hyper", &self.hyper)
            .field("context", &self.context)
            .field("vocabulary", &self.vocabulary)
            .finish_non_exhaustive()
    }
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}
