//! `rlx run`: a prompt, and what a model makes of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use rlx_models::{Stop, TextStream, Tokenizer};
use serde::Serialize;

use crate::engine::{Chosen, Engine, Loaded};
use crate::error::CliError;
use crate::output::{self, complain};
use crate::progress::Progress;

/// Logits of a step in JSON.
const TOP: usize = 8;

/// Goes on from a prompt with a model from a GGUF file.
#[derive(Args, Debug)]
pub struct Run {
    #[command(flatten)]
    engine: Engine,
    /// The text to go on from
    #[arg(short, long, value_name = "TEXT")]
    prompt: String,
    /// Tokens at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 128)]
    tokens: usize,
    #[command(flatten)]
    chosen: Chosen,
    /// Prints one JSON document with the logits of every step, instead of text as it comes
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    prompt: String,
    prompt_tokens: Vec<u32>,
    steps: Vec<StepRow>,
    text: String,
    stop: &'static str,
    device: String,
    timings: Timings,
}

#[derive(Serialize)]
struct StepRow {
    token: u32,
    /// The largest logits, with their tokens.
    top: Vec<(u32, f32)>,
}

/// Seconds; rates are in tokens a second.
#[derive(Serialize)]
struct Timings {
    load_s: f64,
    compile_s: f64,
    /// From the beginning of the prompt to the first token.
    first_token_s: f64,
    prefill_rate: f64,
    /// None where there is one token alone.
    decode_rate: Option<f64>,
}

impl Run {
    pub fn run(&self) -> Result<(), CliError> {
        let stopped = on_interrupt()?;
        let Loaded {
            mut session,
            tokenizer,
            device,
            load,
            compile,
        } = self.engine.load()?;
        let prompt_tokens = tokenizer.encode(&self.prompt)?;
        let started = Instant::now();
        let progress = Progress::of("reading the prompt");
        session.feed(&prompt_tokens)?;
        drop(progress);
        let prefill = started.elapsed();
        let mut stream = TextStream::new();
        let (mut steps, mut ids) = (Vec::new(), Vec::new());
        let mut first_token = prefill;
        let mut stop = Stop::Length;
        let room = session.room() as usize;
        let mut generation = session.generate(self.chosen.sampling());
        // The last token needs no place of its own.
        for index in 0..self.tokens.min(room + 1) {
            let Some(token) = generation.next().transpose()? else {
                break;
            };
            if index == 0 {
                first_token = started.elapsed();
            }
            ids.push(token);
            if self.json {
                let top = top(generation.logits());
                steps.push(StepRow { token, top });
            } else {
                output::print(&stream.push(tokenizer.bytes(token)))?;
            }
            if tokenizer.is_end(token) {
                stop = Stop::End;
                break;
            }
            if stopped.load(Ordering::Relaxed) {
                break;
            }
        }
        let timings = Timings {
            load_s: load.as_secs_f64(),
            compile_s: compile.as_secs_f64(),
            first_token_s: first_token.as_secs_f64(),
            prefill_rate: rate(prompt_tokens.len(), prefill),
            decode_rate: (ids.len() > 1)
                .then(|| rate(ids.len() - 1, started.elapsed().saturating_sub(first_token))),
        };
        if self.json {
            return output::print_json_line(&Report {
                prompt: self.prompt.clone(),
                text: text_of(&tokenizer, &ids),
                prompt_tokens,
                steps,
                stop: match stop {
                    Stop::End => "end",
                    Stop::Length => "length",
                    Stop::Text => "text",
                },
                device,
                timings,
            });
        }
        output::print(&stream.finish())?;
        output::print("\n")?;
        if ids.len() > room && stop == Stop::Length {
            complain("note", &"the context is full; -c N gives it more positions");
        }
        timings.complain(prompt_tokens.len(), ids.len(), &device);
        Ok(())
    }
}

impl Timings {
    fn complain(&self, prompt: usize, tokens: usize, device: &str) {
        let decode = self.decode_rate;
        let decode = decode.map_or(String::new(), |rate| format!(", then {rate:.1} tokens/s"));
        let line = format!(
            "{device}: loaded in {:.2} s, compiled in {:.2} s; {prompt} tokens of the prompt at {:.1} tokens/s, the first of {tokens} after {:.2} s{decode}",
            self.load_s, self.compile_s, self.prefill_rate, self.first_token_s,
        );
        complain("note", &line);
    }
}

/// Whether the user has asked for an end; the first time the command ends after its token, the second at once.
pub fn on_interrupt() -> Result<Arc<AtomicBool>, CliError> {
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stopped);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    Ok(stopped)
}

/// The largest logits, those of equal ones first that come first.
fn top(logits: &[f32]) -> Vec<(u32, f32)> {
    let mut all: Vec<(u32, f32)> = (0..).zip(logits.iter().copied()).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(TOP);
    all
}

/// The text of tokens, those of no text of their own by name.
fn text_of(tokenizer: &Tokenizer, ids: &[u32]) -> String {
    let bytes = ids.iter().flat_map(|id| match tokenizer.bytes(*id) {
        [] => tokenizer.token(*id).unwrap_or_default().as_bytes(),
        bytes => bytes,
    });
    let bytes: Vec<u8> = bytes.copied().collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn rate(tokens: usize, time: Duration) -> f64 {
    tokens as f64 / time.as_secs_f64().max(1e-9)
}
