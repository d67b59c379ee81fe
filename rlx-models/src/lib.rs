//! Whole models from GGUF files: metadata to graph, one file an architecture; the tokenizer that the file
//! carries; a session that takes tokens and gives tokens.
#![forbid(unsafe_code)]

/// The chapter, whose program is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../docs/models.md")]
mod chapter {}

mod architecture;
mod chat;
mod decoder;
mod error;
mod hyper;
mod model;
mod perplexity;
mod philox;
mod rope;
mod sampler;
mod session;
mod stream;
mod tokenizer;

pub use architecture::{ARCHITECTURES, Architecture};
pub use chat::{ChatError, ChatTemplate, Message};
pub use error::ModelError;
pub use hyper::HyperParameters;
pub use model::{Model, ModelOptions};
pub use perplexity::Perplexity;
pub use philox::Philox;
pub use sampler::{Sampler, Sampling};
pub use session::{Generation, Session, SessionError, Stop};
pub use stream::TextStream;
pub use tokenizer::{Tokenizer, TokenizerError};
