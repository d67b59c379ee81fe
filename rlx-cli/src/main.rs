//! The `rlx` command: runs models, looks at the machine, at model files and at kernels, and measures.
//!
//! Exit status: 0 where all went well, 1 where a check or a device failed, 2 where the input is wrong.
#![forbid(unsafe_code)]

mod adapters;
mod bench;
mod bench_model;
mod chat;
mod date;
mod doctor;
mod engine;
mod error;
mod inspect;
mod kernels;
mod layer;
mod matrix;
mod near;
mod output;
mod perplexity;
mod progress;
mod roads;
mod run;
mod spread;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// GPU kernels written once as Rust functions: runs GGUF models, looks at adapters, files and kernels.
#[derive(Debug, Parser)]
#[command(name = "rlx", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Bench),
    BenchModel(bench_model::BenchModel),
    Chat(chat::Chat),
    Doctor(doctor::Doctor),
    Inspect(inspect::Inspect),
    #[command(subcommand)]
    Kernels(kernels::Kernels),
    Layer(layer::Layer),
    Perplexity(perplexity::Perplexity),
    Roads(roads::Roads),
    Run(run::Run),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Bench(bench) => bench.run(),
        Command::BenchModel(bench) => bench.run(),
        Command::Chat(chat) => chat.run(),
        Command::Doctor(doctor) => doctor.run(),
        Command::Inspect(inspect) => inspect.run(),
        Command::Kernels(kernels) => kernels.run(),
        Command::Layer(layer) => layer.run(),
        Command::Perplexity(perplexity) => perplexity.run(),
        Command::Roads(roads) => roads.run(),
        Command::Run(run) => run.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain("error", &error);
            error.exit_code()
        }
    }
}
