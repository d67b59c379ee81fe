//! Text to tokens and back, as a file's own metadata say.

mod bpe;
mod pretokenizer;
mod sentencepiece;

use std::collections::HashMap;

use rlx_core::gguf::{GgufFile, Metadata, MetadataError};
use tokenizers::AddedToken;

/// Types of tokens in `tokenizer.ggml.token_type`.
mod token_type {
    /// Named in text, never made of it.
    pub const CONTROL: i32 = 3;
    /// Found in text as they are.
    pub const USER_DEFINED: i32 = 4;
    /// A byte, `<0x00>` to `<0xFF>`.
    pub const BYTE: i32 = 6;
}

/// Text to tokens and back.
#[derive(Debug)]
pub struct Tokenizer {
    encoder: tokenizers::Tokenizer,
    /// The bytes that each token stands for; none for control tokens.
    bytes: Vec<Vec<u8>>,
    /// The text of each token as the file has it.
    texts: Vec<String>,
    ids: HashMap<String, u32>,
    bos: Option<u32>,
    adds_bos: bool,
    /// Tokens that end a generation.
    ends: Vec<u32>,
}

/// Why a file's tokenizer cannot be made, or text not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// A key is missing, or its value is of another type.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// The kind of tokenizer is none of those that are built in.
    #[error("`{key}` is `{found}`; there are: {known}")]
    Kind {
        /// The key.
        key: &'static str,
        /// Its value.
        found: String,
        /// The values that are known.
        known: String,
    },
    /// A list has not one entry for each token.
    #[error("`{key}` has {found} entries for {tokens} tokens")]
    Entries {
        /// The key.
        key: &'static str,
        /// Its entries.
        found: usize,
        /// Tokens.
        tokens: usize,
    },
    /// A token that is named is none.
    #[error("`{key}` is {id}; there are {tokens} tokens")]
    Id {
        /// The key.
        key: &'static str,
        /// Its value.
        id: u32,
        /// Tokens.
        tokens: usize,
    },
    /// A merge is not two tokens.
    #[error(
        "`tokenizer.ggml.merges` has `{merge}` as number {index}, which is not two tokens with a space between"
    )]
    Merge {
        /// Its number.
        index: usize,
        /// What is there.
        merge: String,
    },
    /// The encoder refuses vocabulary, merges or text.
    #[error("the tokenizer: {0}")]
    Encoder(String),
}

impl From<tokenizers::Error> for TokenizerError {
    fn from(error: tokenizers::Error) -> Self {
        Self::Encoder(error.to_string())
    }
}

/// The lists that every tokenizer has.
pub(crate) struct Vocabulary<'a> {
    metadata: Metadata<'a>,
    texts: Vec<String>,
    types: Vec<i32>,
}

impl Tokenizer {
    /// The tokenizer of a file.
    ///
    /// # Errors
    /// [`TokenizerError`] where a key is missing, of another type or of no known kind.
    pub fn of(file: &GgufFile) -> Result<Self, TokenizerError> {
        let metadata = file.metadata();
        let texts: Vec<String> = metadata
            .values::<&str>("tokenizer.ggml.tokens")?
            .map(str::to_owned)
            .collect();
        let types = match metadata.get("tokenizer.ggml.token_type") {
            Some(_) => metadata.values("tokenizer.ggml.token_type")?.collect(),
            None => vec![1; texts.len()],
        };
        if types.len() != texts.len() {
            return Err(TokenizerError::Entries {
                key: "tokenizer.ggml.token_type",
                found: types.len(),
                tokens: texts.len(),
            });
        }
        let vocabulary = Vocabulary {
            metadata,
            texts,
            types,
        };
        match metadata.string("tokenizer.ggml.model")? {
            "gpt2" => Self::bpe(vocabulary),
            "llama" => Self::sentencepiece(vocabulary),
            other => Err(TokenizerError::Kind {
                key: "tokenizer.ggml.model",
                found: other.to_owned(),
                known: "gpt2, llama".into(),
            }),
        }
    }

    /// Puts together what the kinds have in common.
    fn new(
        mut encoder: tokenizers::Tokenizer,
        vocabulary: Vocabulary<'_>,
        bytes: Vec<Vec<u8>>,
        adds_bos: bool,
    ) -> Result<Self, TokenizerError> {
        let Vocabulary {
            metadata,
            texts,
            types,
        } = vocabulary;
        let of = |wanted: i32, special: bool| {
            let tokens = texts
                .iter()
                .zip(&types)
                .filter(move |(_, ty)| **ty == wanted);
            let added = tokens
                .map(move |(text, _)| AddedToken::from(text.clone(), special).normalized(false));
            added
                .filter(|token| !token.content.is_empty())
                .collect::<Vec<_>>()
        };
        encoder.add_special_tokens(&of(token_type::CONTROL, true));
        encoder.add_tokens(&of(token_type::USER_DEFINED, false));
        let ids = texts
            .iter()
            .cloned()
            .zip(0..)
            .collect::<HashMap<String, u32>>();
        let named = |key: &'static str| -> Result<Option<u32>, TokenizerError> {
            let id = metadata.optional::<u32>(key)?;
            match id.filter(|id| *id as usize >= texts.len()) {
                Some(id) => Err(TokenizerError::Id {
                    key,
                    id,
                    tokens: texts.len(),
                }),
                None => Ok(id),
            }
        };
        let bos = named("tokenizer.ggml.bos_token_id")?;
        let mut ends: Vec<u32> = Vec::new();
        for key in [
            "tokenizer.ggml.eos_token_id",
            "tokenizer.ggml.eot_token_id",
            "tokenizer.ggml.eom_token_id",
        ] {
            ends.extend(named(key)?);
        }
        // Turns end with these, whatever the file names as the end of a text.
        for text in ["<|eot_id|>", "<|im_end|>", "<end_of_turn>", "<|endoftext|>"] {
            let id = ids.get(text).copied();
            ends.extend(id.filter(|id| types.get(*id as usize) == Some(&token_type::CONTROL)));
        }
        ends.sort_unstable();
        ends.dedup();
        Ok(Self {
            encoder,
            bytes,
            ids,
            bos,
            adds_bos: metadata
                .optional("tokenizer.ggml.add_bos_token")?
                .unwrap_or(adds_bos),
            ends,
            texts,
        })
    }

    /// The tokens of `text`, in which control tokens are known by their names; the token that begins a text
    /// comes first where the model has been trained so.
    ///
    /// # Errors
    /// [`TokenizerError::Encoder`] where the text cannot be encoded.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, TokenizerError> {
        let encoding = self.encoder.encode_fast(text, false)?;
        let ids = encoding.get_ids();
        let bos = self
            .bos
            .filter(|bos| self.adds_bos && ids.first() != Some(bos));
        Ok(bos.into_iter().chain(ids.iter().copied()).collect())
    }

    /// The bytes of a token: none for one that is not there, or stands for no text.
    pub fn bytes(&self, token: u32) -> &[u8] {
        self.bytes.get(token as usize).map_or(&[], Vec::as_slice)
    }

    /// The text of `tokens`; bytes that are no UTF-8 become U+FFFD.
    pub fn decode(&self, tokens: &[u32]) -> String {
        let bytes: Vec<u8> = tokens
            .iter()
            .flat_map(|token| self.bytes(*token))
            .copied()
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The text that the file has for a token.
    pub fn token(&self, id: u32) -> Option<&str> {
        self.texts.get(id as usize).map(String::as_str)
    }

    /// The token of a text, such as `<|im_end|>`.
    pub fn id(&self, text: &str) -> Option<u32> {
        self.ids.get(text).copied()
    }

    /// The token that begins a text.
    pub fn bos(&self) -> Option<u32> {
        self.bos
    }

    /// Whether a token ends a text or a turn.
    pub fn is_end(&self, token: u32) -> bool {
        self.ends.binary_search(&token).is_ok()
    }

    /// Tokens that there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
