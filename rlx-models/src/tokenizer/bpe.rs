//! Byte-level BPE (Radford et al., 2019).

use std::collections::HashMap;

use ahash::AHashMap;
use tokenizers::models::bpe::BPE;

use super::pretokenizer::Pretokenizer;
use super::{Tokenizer, TokenizerError, Vocabulary, token_type};

impl Tokenizer {
    /// A tokenizer by merges over bytes, each of which is a printable character.
    pub(super) fn bpe(vocabulary: Vocabulary<'_>) -> Result<Self, TokenizerError> {
        let metadata = vocabulary.metadata;
        let merges = metadata.values::<&str>("tokenizer.ggml.merges")?;
        let merges = merges.enumerate().map(|(index, merge)| {
            // A token may begin with a space only where it is written as another character.
            merge
                .split_once(' ')
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .ok_or_else(|| TokenizerError::Merge {
                    index,
                    merge: merge.to_owned(),
                })
        });
        let merges = merges.collect::<Result<Vec<_>, _>>()?;
        let pretokenizer = Pretokenizer::of(metadata)?;
        let vocab: AHashMap<String, u32> = vocabulary.texts.iter().cloned().zip(0..).collect();
        let model = BPE::builder()
            .vocab_and_merges(vocab, merges)
            .ignore_merges(pretokenizer.takes_whole_words)
            .build()?;
        let mut encoder = tokenizers::Tokenizer::new(model);
        encoder.with_pre_tokenizer(Some(pretokenizer.build()?));
        let of_char = bytes_of_chars();
        let tokens = vocabulary.texts.iter().zip(&vocabulary.types);
        let bytes = tokens.map(|(text, ty)| match *ty {
            token_type::CONTROL => Vec::new(),
            token_type::USER_DEFINED => text.clone().into_bytes(),
            _ => bytes_of(text, &of_char),
        });
        let bytes = bytes.collect();
        let adds_bos = pretokenizer.adds_bos;
        Self::new(encoder, vocabulary, bytes, adds_bos)
    }
}

/// The bytes of a token whose characters stand for one each; a character that does not is itself.
fn bytes_of(text: &str, of_char: &HashMap<char, u8>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match of_char.get(&c) {
            Some(byte) => bytes.push(*byte),
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// The byte that a character stands for: printable ones are themselves, the others those from U+0100 on.
fn bytes_of_chars() -> HashMap<char, u8> {
    let mut other = '\u{100}'..;
    let chars = (0..=u8::MAX).filter_map(|byte| {
        let own = matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
        let c = if own {
            Some(char::from(byte))
        } else {
            other.next()
        };
        Some((c?, byte))
    });
    chars.collect()
}
