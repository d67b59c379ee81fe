//! Where text falls into words before merges, by the name in `tokenizer.ggml.pre`.

use rlx_core::gguf::Metadata;
use tokenizers::SplitDelimiterBehavior;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};

use super::TokenizerError;

/// The key.
const KEY: &str = "tokenizer.ggml.pre";

/// Words of GPT-2: contractions, letters, digits and other characters, each with a space before it.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Words of Llama 3: up to three digits, and line breaks with what is before them.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Words of Qwen2: as Llama 3, each digit alone.
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// How text falls into words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pretokenizer {
    /// Whether each digit is split off first.
    splits_digits: bool,
    /// What a word is.
    pattern: &'static str,
    /// Whether a word that is a token is that token, whatever merges would make of it.
    pub takes_whole_words: bool,
    /// Whether texts begin with a token of their own, where the file does not say.
    pub adds_bos: bool,
}

const PLAIN: Pretokenizer = Pretokenizer {
    splits_digits: false,
    pattern: GPT2,
    takes_whole_words: false,
    adds_bos: false,
};

const BY_DIGITS: Pretokenizer = Pretokenizer {
    splits_digits: true,
    ..PLAIN
};

const LLAMA: Pretokenizer = Pretokenizer {
    pattern: LLAMA3,
    takes_whole_words: true,
    adds_bos: true,
    ..PLAIN
};

const QWEN: Pretokenizer = Pretokenizer {
    pattern: QWEN2,
    ..PLAIN
};

/// By the name that files give.
const ALL: &[(&str, Pretokenizer)] = &[
    ("default", PLAIN),
    ("gpt-2", PLAIN),
    ("mpt", PLAIN),
    ("olmo", PLAIN),
    ("smollm", BY_DIGITS),
    ("starcoder", BY_DIGITS),
    ("refact", BY_DIGITS),
    ("command-r", BY_DIGITS),
    ("llama-bpe", LLAMA),
    ("llama3", LLAMA),
    ("llama-v3", LLAMA),
    ("qwen2", QWEN),
    ("deepseek-r1-qwen", QWEN),
    ("stablelm2", QWEN),
];

impl Pretokenizer {
    /// That of a file; GPT-2's where it names none.
    pub fn of(metadata: Metadata<'_>) -> Result<Self, TokenizerError> {
        let name = metadata.optional::<&str>(KEY)?.unwrap_or("default");
        let found = ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, found)| *found).ok_or_else(|| {
            let known: Vec<&str> = ALL.iter().map(|(known, _)| *known).collect();
            TokenizerError::Kind {
                key: KEY,
                found: name.to_owned(),
                known: known.join(", "),
            }
        })
    }

    /// It as the encoder takes it: words, and their bytes as characters.
    pub fn build(&self) -> Result<PreTokenizerWrapper, TokenizerError> {
        let mut steps = Vec::new();
        if self.splits_digits {
            steps.push(PreTokenizerWrapper::Digits(Digits::new(true)));
        }
        let pattern = SplitPattern::Regex(self.pattern.to_owned());
        let words = Split::new(pattern, SplitDelimiterBehavior::Isolated, false)?;
        steps.push(PreTokenizerWrapper::Split(words));
        let bytes = ByteLevel::new(false, true, false);
        steps.push(PreTokenizerWrapper::ByteLevel(bytes));
        Ok(PreTokenizerWrapper::Sequence(Sequence::new(steps)))
    }
}
