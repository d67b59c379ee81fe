//! Models from real files, held to reference runs: the same tokens of the prompt, the same token and the same
//! largest logits at every step.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use rlx_backends::Backend;
use rlx_backends::wgpu::ContextOptions;
use rlx_conformance::backends::Named;
use rlx_core::Precision;
use rlx_models::{Model, ModelOptions, Sampling, Session, Tokenizer};
use serde::Deserialize;

/// How far a logit may be from the reference's.
const BOUND: f32 = 2e-3;

/// A run: its files come from f32 arithmetic over the decoded weights.
#[derive(Deserialize)]
struct Reference {
    prompt: String,
    prompt_tokens: Vec<u32>,
    steps: Vec<Step>,
    text: String,
}

#[derive(Deserialize)]
struct Step {
    token: u32,
    top: Vec<(u32, f32)>,
}

impl Step {
    /// How far the largest logit is from the next.
    fn margin(&self) -> f32 {
        self.top[0].1 - self.top[1].1
    }
}

/// The reference runs of a model.
fn references(model: &str) -> Vec<Reference> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("references");
    let file = |number: u32| {
        let path = folder.join(format!("{model}.{number}.json"));
        let text = std::fs::read_to_string(path).expect("a reference run");
        serde_json::from_str(&text).expect("a reference run")
    };
    (0..3).map(file).collect()
}

/// A model in the cache.
fn path(name: &str) -> PathBuf {
    let folder = env::var_os("RLX_MODELS").map(PathBuf::from);
    let folder = folder
        .or_else(|| Some(env::home_dir()?.join(".cache/rlx")))
        .expect("a home folder");
    folder.join(name)
}

/// Runs the `steps` first steps of the reference runs, whose logits are to be within `bound`.
fn hold(backend: &dyn Backend, model: &str, file: &str, steps: usize, bound: f32) {
    let file = path(file);
    let open = Model::open(&file, ModelOptions::default());
    let model_file = Arc::new(open.unwrap_or_else(|error| {
        panic!("{}: {error}; `cargo xtask demo` fetches it", file.display())
    }));
    let tokenizer = Tokenizer::of(model_file.file()).expect("a tokenizer");
    let mut session = Session::new(backend, model_file).expect("the model compiles");
    for reference in references(model) {
        let prompt = tokenizer.encode(&reference.prompt).expect("tokens");
        assert_eq!(prompt, reference.prompt_tokens, "{}", reference.prompt);
        session.truncate(0);
        session.feed(&prompt).expect("a run");
        let mut generation = session.generate(Sampling::default());
        let mut ids = Vec::new();
        for (number, step) in reference.steps.iter().take(steps).enumerate() {
            let token = generation.next().expect("a token").expect("a run");
            let what = format!("{model}, `{}`, step {number}", reference.prompt);
            for (id, logit) in &step.top {
                let found = generation.logits()[*id as usize];
                let error = (found - logit).abs();
                assert!(error <= bound, "{what}: logit {id} is {found}, not {logit}");
            }
            assert!(
                token == step.token || step.margin() <= BOUND,
                "{what}: token {token}"
            );
            ids.push(step.token);
            if token != step.token {
                // Two tokens as likely as each other: from here on the runs are two.
                break;
            }
        }
        let text = tokenizer.decode(&ids);
        assert!(
            reference
                .text
                .starts_with(text.trim_end_matches('\u{fffd}')),
            "{text}"
        );
    }
}

/// The preferred adapter, opened as `options` say.
fn gpu(options: &ContextOptions) -> Box<dyn Backend> {
    Named::gpu("the adapter", options, Precision::Exact)
        .expect("an adapter; `cargo xtask demo` installs lavapipe")
        .backend
}

/// What needs the model that `cargo xtask demo` fetches.
mod with_a_model {
    use super::*;

    const MODEL: &str = "smollm2-135m-q4_1";
    const FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

    #[test]
    fn smollm2_on_the_adapter() {
        hold(
            &*gpu(&ContextOptions::default()),
            MODEL,
            FILE,
            usize::MAX,
            BOUND,
        );
    }

    #[test]
    fn smollm2_with_the_defaults_of_webgpu() {
        let options = ContextOptions {
            webgpu_defaults: true,
            ..ContextOptions::default()
        };
        hold(&*gpu(&options), MODEL, FILE, 12, BOUND);
    }

    #[test]
    fn smollm2_on_the_cpu() {
        hold(&*Named::cpu().backend, MODEL, FILE, usize::MAX, BOUND);
    }
}
