//! SentencePiece's BPE (Kudo and Richardson, 2018): pieces with scores, bytes for what is no piece.

use ahash::AHashMap;
use tokenizers::models::bpe::BPE;
use tokenizers::normalizers::{NormalizerWrapper, Prepend, Replace, Sequence};

use super::{Tokenizer, TokenizerError, Vocabulary, token_type};

/// What a space is written as.
const SPACE: &str = "\u{2581}";

impl Tokenizer {
    /// A tokenizer that joins the two neighbours whose piece has the highest score.
    pub(super) fn sentencepiece(vocabulary: Vocabulary<'_>) -> Result<Self, TokenizerError> {
        let metadata = vocabulary.metadata;
        let scores: Vec<f32> = metadata.values("tokenizer.ggml.scores")?.collect();
        let tokens = vocabulary.texts.len();
        if scores.len() != tokens {
            return Err(TokenizerError::Entries {
                key: "tokenizer.ggml.scores",
                found: scores.len(),
                tokens,
            });
        }
        let vocab: AHashMap<String, u32> = vocabulary.texts.iter().cloned().zip(0..).collect();
        let merges = merges(&vocabulary, &vocab, &scores);
        let unknown = metadata.optional::<u32>("tokenizer.ggml.unknown_token_id")?;
        let unknown = vocabulary.texts.get(unknown.unwrap_or(0) as usize).cloned();
        let model = BPE::builder()
            .vocab_and_merges(vocab, merges)
            .byte_fallback(true)
            .fuse_unk(true)
            .unk_token(unknown.unwrap_or_default())
            .build()?;
        let mut encoder = tokenizers::Tokenizer::new(model);
        let begins_with_space = metadata
            .optional("tokenizer.ggml.add_space_prefix")?
            .unwrap_or(true);
        let mut steps = Vec::new();
        if begins_with_space {
            let prefix = Prepend::new(SPACE.into());
            steps.push(NormalizerWrapper::Prepend(prefix));
        }
        steps.push(NormalizerWrapper::Replace(Replace::new(" ", SPACE)?));
        encoder.with_normalizer(Some(NormalizerWrapper::Sequence(Sequence::new(steps))));
        let tokens = vocabulary.texts.iter().zip(&vocabulary.types);
        let bytes = tokens.map(|(text, ty)| match *ty {
            token_type::CONTROL => Vec::new(),
            token_type::BYTE => byte_of(text).map_or_else(Vec::new, |byte| vec![byte]),
            _ => text.replace(SPACE, " ").into_bytes(),
        });
        let bytes = bytes.collect();
        Self::new(encoder, vocabulary, bytes, true)
    }
}

/// The byte of `<0x41>`.
fn byte_of(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    u8::from_str_radix(digits, 16).ok()
}

/// The ways to make each piece of two others, those of the highest score first.
fn merges(
    vocabulary: &Vocabulary<'_>,
    vocab: &AHashMap<String, u32>,
    scores: &[f32],
) -> Vec<(String, String)> {
    let mut merges: Vec<(u32, usize)> = Vec::new();
    let tokens = vocabulary.texts.iter().zip(&vocabulary.types);
    for (id, (text, ty)) in (0..).zip(tokens) {
        if matches!(*ty, token_type::CONTROL | token_type::BYTE) {
            continue;
        }
        let splits = text.char_indices().map(|(at, _)| at).skip(1);
        let splits = splits
            .filter(|at| vocab.contains_key(&text[..*at]) && vocab.contains_key(&text[*at..]));
        merges.extend(splits.map(|at| (id, at)));
    }
    // Equal scores in the order of the pieces.
    merges.sort_by(|(a, _), (b, _)| scores[*b as usize].total_cmp(&scores[*a as usize]));
    let halves = merges.into_iter().map(|(id, at)| {
        let (a, b) = vocabulary.texts[id as usize].split_at(at);
        (a.to_owned(), b.to_owned())
    });
    halves.collect()
}
