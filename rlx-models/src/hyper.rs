//! The numbers that make a model, from a file's metadata.

use rlx_core::gguf::{Metadata, MetadataError};

use crate::error::ModelError;
use crate::rope::Scaling;

/// The numbers that make a model.
#[derive(Clone, Debug, PartialEq)]
pub struct HyperParameters {
    /// Layers.
    pub layers: u32,
    /// Positions that the model was trained for.
    pub context: u32,
    /// Elements of an embedding.
    pub width: u32,
    /// Elements between the products of a feed-forward.
    pub inner: u32,
    /// Heads of queries.
    pub heads: u32,
    /// Heads of keys and values.
    pub groups: u32,
    /// Elements a head.
    pub head: u32,
    /// Added in norms.
    pub eps: f32,
    /// Elements of a head that are rotated.
    pub rotated: u32,
    /// The base of the rotation's frequencies.
    pub rope_base: f64,
    /// How the rotation is stretched over more positions.
    pub(crate) scaling: Scaling,
    /// Positions that some layers see.
    pub window: Option<u32>,
}

/// The keys of one architecture.
pub(crate) struct Keys<'a> {
    metadata: Metadata<'a>,
    architecture: &'a str,
}

impl<'a> Keys<'a> {
    pub fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture)
    }

    /// A count, which is at least 1.
    fn count(&self, name: &str) -> Result<u32, ModelError> {
        let key = self.key(name);
        positive(&key, self.metadata.u32(&key)?)
    }

    fn count_or(&self, name: &str, default: u32) -> Result<u32, ModelError> {
        let key = self.key(name);
        let found = self.metadata.optional(&key)?;
        positive(&key, found.unwrap_or(default))
    }

    pub fn f32_or(&self, name: &str, default: f32) -> Result<f32, MetadataError> {
        let found = self.metadata.optional(&self.key(name))?;
        Ok(found.unwrap_or(default))
    }

    pub fn u32_or(&self, name: &str, default: u32) -> Result<u32, MetadataError> {
        let found = self.metadata.optional(&self.key(name))?;
        Ok(found.unwrap_or(default))
    }

    pub fn string_or(&self, name: &str, default: &'a str) -> Result<&'a str, MetadataError> {
        let found = self.metadata.optional(&self.key(name))?;
        Ok(found.unwrap_or(default))
    }
}

/// A count, which must not be 0.
fn positive(key: &str, found: u32) -> Result<u32, ModelError> {
    if found == 0 {
        return Err(ModelError::Value {
            key: key.to_owned(),
            expected: "at least 1".into(),
            found: "0".into(),
        });
    }
    Ok(found)
}

impl HyperParameters {
    /// Reads the keys of `architecture`.
    ///
    /// # Errors
    /// [`ModelError`] where a key is missing, of another type, or says what no model is.
    pub fn read(metadata: Metadata<'_>, architecture: &str) -> Result<Self, ModelError> {
        let keys = Keys {
            metadata,
            architecture,
        };
        let width = keys.count("embedding_length")?;
        let heads = keys.count("attention.head_count")?;
        let groups = keys.count_or("attention.head_count_kv", heads)?;
        let wrong = |name: &str, expected: String, found: String| ModelError::Value {
            key: keys.key(name),
            expected,
            found,
        };
        if !heads.is_multiple_of(groups) {
            let expected = format!("a divisor of the {heads} heads");
            return Err(wrong(
                "attention.head_count_kv",
                expected,
                groups.to_string(),
            ));
        }
        let head = keys.count_or("attention.key_length", (width / heads).max(1))?;
        let value = keys.count_or("attention.value_length", head)?;
        if value != head {
            let expected = format!("{head}, as the keys are");
            return Err(wrong("attention.value_length", expected, value.to_string()));
        }
        let rotated = keys.count_or("rope.dimension_count", head)?;
        if rotated > head || !rotated.is_multiple_of(2) {
            let expected = format!("even and at most the {head} elements of a head");
            return Err(wrong("rope.dimension_count", expected, rotated.to_string()));
        }
        let eps = metadata.f32(&keys.key("attention.layer_norm_rms_epsilon"))?;
        let base = keys.f32_or("rope.freq_base", 10_000.0)?;
        if !(base.is_finite() && base > 1.0) {
            return Err(wrong(
                "rope.freq_base",
                "finite and over 1".into(),
                base.to_string(),
            ));
        }
        let context = keys.count("context_length")?;
        let window = metadata.optional(&keys.key("attention.sliding_window"))?;
        Ok(Self {
            layers: keys.count("block_count")?,
            context,
            width,
            inner: keys.count("feed_forward_length")?,
            heads,
            groups,
            head,
            eps,
            rotated,
            rope_base: f64::from(base),
            scaling: Scaling::read(&keys, context)?,
            window: window.filter(|window| *window > 0),
        })
    }

    /// One over the root of a head's length.
    pub(crate) fn head_scale(&self) -> f32 {
        1.0 / (self.head as f32).sqrt()
    }
}
