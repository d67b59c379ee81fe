//! `rlx bench-model`: how fast a model reads a prompt and goes on.

use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use crate::engine::{Engine, Loaded};
use crate::error::CliError;
use crate::output;
use crate::progress::Progress;
use crate::spread::Spread;
use crate::table::{Align, Table};

/// Times a model from a GGUF file: tokens a second of a prompt, and of what follows.
#[derive(Args, Debug)]
pub struct BenchModel {
    #[command(flatten)]
    engine: Engine,
    /// Tokens of the prompt
    #[arg(short, long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..))]
    prompt: u32,
    /// Tokens after it
    #[arg(short = 'n', long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    tokens: u32,
    /// Timed runs, after one that is not
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Prints one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    device: String,
    load_seconds: f64,
    compile_seconds: f64,
    prompt: Rate,
    decode: Rate,
    /// Dispatches of a decoded token.
    dispatches: usize,
}

/// Tokens a second.
#[derive(Serialize)]
struct Rate {
    tokens: u32,
    median: f64,
    least: f64,
    most: f64,
}

impl BenchModel {
    pub fn run(&self) -> Result<(), CliError> {
        let Loaded {
            mut session,
            device,
            load,
            compile,
            ..
        } = self.engine.load()?;
        let progress = Progress::of("measuring");
        let vocabulary = session.model().vocabulary();
        // Any tokens do; neighbours differ.
        let token = |index: u32| (u64::from(index) * 7919 % vocabulary) as u32;
        let prompt: Vec<u32> = (0..self.prompt).map(token).collect();
        let (mut prompts, mut decodes) = (Vec::new(), Vec::new());
        for run in 0..=self.runs {
            session.truncate(0);
            let started = Instant::now();
            session.feed(&prompt)?;
            let prompted = started.elapsed();
            let started = Instant::now();
            for index in 0..self.tokens {
                session.feed(&[token(self.prompt + index)])?;
            }
            let decoded = started.elapsed();
            // Pipelines and caches are warm after the first.
            if run > 0 {
                prompts.push(prompted);
                decodes.push(decoded);
            }
        }
        drop(progress);
        let report = session.reports().next();
        let report = Report {
            device,
            load_seconds: load.as_secs_f64(),
            compile_seconds: compile.as_secs_f64(),
            prompt: Rate::of(self.prompt, prompts),
            decode: Rate::of(self.tokens, decodes),
            dispatches: report.map_or(0, |(_, report)| report.dispatches.len()),
        };
        if self.json {
            return output::print_json(&report);
        }
        output::print(&report.render())
    }
}

impl Rate {
    fn of(tokens: u32, times: Vec<Duration>) -> Self {
        // There is at least one run.
        let spread = Spread::of(times).unwrap_or_default();
        let rate = |time: Duration| f64::from(tokens) / time.as_secs_f64().max(1e-9);
        Self {
            tokens,
            median: rate(spread.median),
            least: rate(spread.most),
            most: rate(spread.least),
        }
    }
}

impl Report {
    fn render(&self) -> String {
        let mut table = Table::new(&[
            ("what", Align::Left),
            ("tokens", Align::Right),
            ("median tokens/s", Align::Right),
            ("least", Align::Right),
            ("most", Align::Right),
        ]);
        for (what, rate) in [("the prompt", &self.prompt), ("decoding", &self.decode)] {
            table.row([
                what.to_owned(),
                rate.tokens.to_string(),
                format!("{:.1}", rate.median),
                format!("{:.1}", rate.least),
                format!("{:.1}", rate.most),
            ]);
        }
        format!(
            "{}: loaded in {:.2} s, compiled in {:.2} s; {} dispatches a token\n{}",
            self.device,
            self.load_seconds,
            self.compile_seconds,
            self.dispatches,
            table.render()
        )
    }
}
