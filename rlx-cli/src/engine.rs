//! A model on a backend, as the options of a command ask for it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use rlx_backends::wgpu::{Context, ContextOptions, WgpuBackend};
use rlx_backends::{Backend, CpuBackend};
use rlx_core::Precision;
use rlx_models::{Model, ModelOptions, Sampling, Session, Tokenizer};

use crate::adapters;
use crate::error::CliError;
use crate::progress::Progress;

/// Which model runs where, and how exactly.
#[derive(Args, Debug)]
pub struct Engine {
    /// A GGUF file
    pub file: PathBuf,
    /// What runs it [default: the GPU, or native code where there is none]
    #[arg(long)]
    backend: Option<BackendName>,
    /// Text in the name of the adapter [default: the preferred one]
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// How exact products are
    #[arg(long, default_value = "exact")]
    policy: Policy,
    /// How much of the adapter is used
    #[arg(long, default_value = "default")]
    limits: Limits,
    /// Positions of the context [default: the model's, up to 4096]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    context: Option<u32>,
}

/// How tokens are chosen.
#[derive(Args, Debug)]
pub struct Chosen {
    /// What logits are divided by; 0 takes the largest
    #[arg(long, value_name = "T", default_value_t = 0.0, value_parser = not_negative)]
    temp: f32,
    /// Only so many of the most likely; 0 for all
    #[arg(long, value_name = "K", default_value_t = 0)]
    top_k: u32,
    /// The fewest of the most likely whose probabilities add up to this
    #[arg(long, value_name = "P", default_value_t = 1.0, value_parser = part)]
    top_p: f32,
    /// Only those with at least this part of the largest probability
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = part)]
    min_p: f32,
    /// What the logits of tokens that were there before are divided by
    #[arg(long, value_name = "F", default_value_t = 1.0, value_parser = at_least_one)]
    repetition_penalty: f32,
    /// The seed of the random numbers
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BackendName {
    /// The GPU
    Wgpu,
    /// Native code
    Cpu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Policy {
    /// All in f32
    Exact,
    /// Activations and weights may be rounded to f16
    F16,
    /// Activations may be rounded to bytes
    Int8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Limits {
    /// All that the adapter has
    Default,
    /// What WebGPU grants everywhere, and no features
    Webgpu,
}

/// A session with what it took to get it.
pub struct Loaded {
    pub session: Session,
    pub tokenizer: Tokenizer,
    /// The adapter, or `cpu`.
    pub device: String,
    /// Reading the file.
    pub load: Duration,
    /// Compiling graphs and kernels, and uploading weights.
    pub compile: Duration,
}

impl Engine {
    /// Reads the model and makes it ready to run.
    pub fn load(&self) -> Result<Loaded, CliError> {
        let (backend, device) = self.open()?;
        let started = Instant::now();
        let progress = Progress::of("reading the model");
        let (model, tokenizer) = self.read()?;
        let load = started.elapsed();
        progress.next("compiling");
        let started = Instant::now();
        let session = Session::new(&*backend, Arc::new(model))?;
        Ok(Loaded {
            session,
            tokenizer,
            device,
            load,
            compile: started.elapsed(),
        })
    }

    /// Reads the file.
    pub fn read(&self) -> Result<(Model, Tokenizer), CliError> {
        let context = self.context;
        let model = Model::open(&self.file, ModelOptions { context })?;
        let tokenizer = Tokenizer::of(model.file())?;
        Ok((model, tokenizer))
    }

    /// The backend, and what it is called.
    pub fn open(&self) -> Result<(Box<dyn Backend>, String), CliError> {
        let cpu = || {
            (
                Box::new(CpuBackend::new()) as Box<dyn Backend>,
                "cpu".to_owned(),
            )
        };
        if self.backend == Some(BackendName::Cpu) {
            return match self.adapter {
                Some(_) => Err(CliError::AdapterOfCpu),
                None => Ok(cpu()),
            };
        }
        let options = ContextOptions {
            adapter: self.adapter.clone(),
            webgpu_defaults: self.limits == Limits::Webgpu,
            ..ContextOptions::default()
        };
        let context = if self.backend.is_none() && self.adapter.is_none() {
            match adapters::or_none(Context::new(&options))? {
                Some(context) => context,
                None => return Ok(cpu()),
            }
        } else {
            Context::new(&options)?
        };
        let device = context.adapter().name.clone();
        let precision = match self.policy {
            Policy::Exact => Precision::Exact,
            Policy::F16 => Precision::Half,
            Policy::Int8 => Precision::Int8,
        };
        let backend = WgpuBackend::new(context).with_precision(precision);
        Ok((Box::new(backend), device))
    }
}

impl Chosen {
    /// It as a sampler takes it.
    pub fn sampling(&self) -> Sampling {
        Sampling {
            temperature: self.temp,
            top_k: self.top_k,
            top_p: self.top_p,
            min_p: self.min_p,
            repetition_penalty: self.repetition_penalty,
            seed: self.seed,
        }
    }
}

fn number(text: &str, is_valid: impl Fn(f32) -> bool, expected: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if is_valid(value) => Ok(value),
        _ => Err(format!("it must be {expected}")),
    }
}

fn not_negative(text: &str) -> Result<f32, String> {
    let is_valid = |value: f32| value.is_finite() && value >= 0.0;
    number(text, is_valid, "a number of at least 0")
}

fn part(text: &str) -> Result<f32, String> {
    number(text, |value| (0.0..=1.0).contains(&value), "from 0 to 1")
}

fn at_least_one(text: &str) -> Result<f32, String> {
    let is_valid = |value: f32| value.is_finite() && value >= 1.0;
    number(text, is_valid, "a number of at least 1")
}
