//! `rlx perplexity`: how well a model foretells a text.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use rlx_models::Perplexity as Measure;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::CliError;
use crate::output;
use crate::progress::Progress;

/// How well a model from a GGUF file foretells a text.
#[derive(Args, Debug)]
pub struct Perplexity {
    #[command(flatten)]
    engine: Engine,
    /// A file of text in UTF-8
    text: PathBuf,
    /// Tokens of it at most
    #[arg(short = 'n', long, value_name = "N")]
    tokens: Option<usize>,
    /// Prints one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    device: String,
    tokens: usize,
    perplexity: f64,
    /// The standard error.
    error: f64,
    seconds: f64,
}

impl Perplexity {
    pub fn run(&self) -> Result<(), CliError> {
        let text = std::fs::read_to_string(&self.text).map_err(|source| CliError::Text {
            path: self.text.clone(),
            source,
        })?;
        let (backend, device) = self.engine.open()?;
        let (model, tokenizer) = self.engine.read()?;
        let mut tokens = tokenizer.encode(&text)?;
        tokens.truncate(self.tokens.unwrap_or(usize::MAX));
        let progress = Progress::of("foretelling");
        let started = Instant::now();
        let found = Measure::of(&*backend, &model.into(), &tokens, |_| {})?;
        drop(progress);
        let report = Report {
            device,
            tokens: found.tokens,
            perplexity: found.value,
            error: found.error,
            seconds: started.elapsed().as_secs_f64(),
        };
        if self.json {
            return output::print_json(&report);
        }
        output::print(&format!(
            "{}: perplexity {:.4} ± {:.4} over {} tokens, in {:.1} s\n",
            report.device, report.perplexity, report.error, report.tokens, report.seconds
        ))
    }
}
