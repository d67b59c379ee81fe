//! Whole models on every backend: tiny random ones against f64, and what their files may lack.

use std::sync::Arc;

use rlx_backends::BackendError;
use rlx_backends::wgpu::ContextOptions;
use rlx_conformance::backends::Named;
use rlx_conformance::decoder::Decoder;
use rlx_conformance::product::nmse;
use rlx_conformance::tiny::{Part, Tiny};
use rlx_core::Precision;
use rlx_core::gguf::OwnedValue;
use rlx_models::{Model, ModelError, ModelOptions, Sampling, Session, SessionError};

/// Whole models in f32: norms and softmaxes carry what products lose from layer to layer.
const BOUND: f64 = 1e-9;

fn backends() -> Vec<Named> {
    let least = ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    };
    let gpu = |name, options: &ContextOptions| {
        Named::gpu(name, options, Precision::Exact)
            .expect("an adapter; `cargo xtask demo` installs lavapipe")
    };
    vec![
        Named::cpu(),
        gpu("the adapter", &ContextOptions::default()),
        gpu("WebGPU's defaults", &least),
    ]
}

fn model(tiny: &Tiny) -> Arc<Model> {
    let file = tiny.file().expect("a legal file");
    Arc::new(Model::new(file, ModelOptions::default()).expect("a model"))
}

/// Tokens enough to fill graphs of one row, of eight and of many, whole and in part.
fn tokens(count: usize, vocabulary: usize) -> Vec<u32> {
    (0..count).map(|i| (i * 37 % vocabulary) as u32).collect()
}

#[test]
fn every_architecture_computes_what_f64_does() {
    for tiny in Tiny::all() {
        let model = model(&tiny);
        let mut decoder = Decoder::new(model.file());
        let tokens = tokens(50, tiny.vocabulary);
        let wanted: Vec<Vec<f64>> = tokens.iter().map(|token| decoder.step(*token)).collect();
        for Named { name, backend, .. } in backends() {
            let mut session =
                Session::new(&*backend, Arc::clone(&model)).expect("the model compiles");
            let mut fed = 0;
            for count in [5, 1, 8, 1, 34, 1] {
                let logits = session.feed(&tokens[fed..fed + count]).expect("a run");
                fed += count;
                let error = nmse(logits.iter().copied(), wanted[fed - 1].iter().copied());
                assert!(
                    error <= BOUND,
                    "{} after {fed} tokens on {name}: NMSE {error:e}",
                    tiny.architecture
                );
            }
            assert_eq!(session.tokens(), tokens);
        }
    }
}

#[test]
fn a_session_goes_back_and_on() {
    let model = model(&Tiny::llama());
    let backend = Named::cpu().backend;
    let mut session = Session::new(&*backend, model).expect("the model compiles");
    session.feed(&[1, 2, 3]).expect("a run");
    let first = session.feed(&[4]).expect("a run").to_vec();
    session.feed(&[5, 6]).expect("a run");
    session.truncate(3);
    assert_eq!(session.tokens(), [1, 2, 3]);
    assert!(session.logits().is_empty());
    assert_eq!(session.feed(&[4]).expect("a run"), first);
}

#[test]
fn a_generation_takes_the_largest_logit_and_repeats_itself() {
    let model = model(&Tiny::llama());
    let mut all = Vec::new();
    for Named { name, backend, .. } in backends() {
        for temperature in [0.0, 0.8] {
            let mut session =
                Session::new(&*backend, Arc::clone(&model)).expect("the model compiles");
            session.feed(&[7, 8, 9]).expect("a run");
            let sampling = Sampling {
                temperature,
                seed: 3,
                ..Sampling::default()
            };
            let tokens: Result<Vec<u32>, _> = session.generate(sampling).take(12).collect();
            let tokens = tokens.expect("tokens");
            assert_eq!(
                session.tokens().len(),
                3 + 11,
                "the last one is not taken yet"
            );
            all.push((temperature, name, tokens));
        }
    }
    for (temperature, name, tokens) in &all {
        let same = all.iter().find(|(other, ..)| other == temperature);
        assert_eq!(
            Some(tokens),
            same.map(|(.., tokens)| tokens),
            "{name} at {temperature}"
        );
    }
    assert_ne!(all[0].2, all[1].2);
}

#[test]
fn a_context_that_is_full_is_an_error_and_loses_nothing() {
    let file = Tiny::llama().file().expect("a legal file");
    let options = ModelOptions { context: Some(6) };
    let model = Arc::new(Model::new(file, options).expect("a model"));
    for Named { name, backend, .. } in backends() {
        let mut session = Session::new(&*backend, Arc::clone(&model)).expect("the model compiles");
        let wanted = session.feed(&[1, 2, 3, 4]).expect("a run").to_vec();
        let error = session
            .feed(&[5, 6, 7])
            .expect_err("one too many")
            .to_string();
        assert_eq!(
            error, "the context has 6 positions, of which 4 are taken: 3 more do not fit",
            "{name}"
        );
        assert_eq!(session.logits(), wanted);
        let error = session.feed(&[80]).expect_err("no token").to_string();
        assert_eq!(error, "token 80 is none of the 80 of the model");
        assert_eq!(session.feed(&[5, 6]).map(<[f32]>::len).expect("a run"), 80);
        assert_eq!(session.room(), 0);
    }
}

#[test]
fn nothing_comes_of_nothing() {
    let model = model(&Tiny::llama());
    let backend = Named::cpu().backend;
    let mut session = Session::new(&*backend, model).expect("the model compiles");
    let error = session.generate(Sampling::default()).next();
    assert!(matches!(error, Some(Err(SessionError::Empty))), "{error:?}");
}

/// What is wrong with a file, in the words of the error.
fn refusal(tiny: &Tiny) -> String {
    let file = tiny.file().expect("a legal file");
    let model = match Model::new(file, ModelOptions::default()) {
        Ok(model) => model,
        Err(error) => return error.to_string(),
    };
    let error: ModelError = model.graph(1, 1).expect_err("no model");
    error.to_string()
}

#[test]
fn what_makes_no_model_is_named() {
    let llama = Tiny::llama;
    let with = |name, value: OwnedValue| {
        let mut tiny = llama();
        tiny.extra.push((name, value));
        tiny
    };
    let cases = [
        Tiny {
            architecture: "mamba",
            ..llama()
        },
        Tiny {
            groups: 3,
            ..llama()
        },
        // The heads of Qwen3 have norms, this file has none.
        Tiny {
            architecture: "qwen3",
            ..llama()
        },
        Tiny {
            layers: 0,
            ..llama()
        },
        with("rope.scaling.type", "longrope".into()),
        with("rope.scaling.factor", 0.0_f32.into()),
        with("rope.dimension_count", 17_u32.into()),
        with("rope.dimension_count", "16".into()),
    ];
    let mut found: Vec<String> = cases.iter().map(refusal).collect();
    // The metadata of one model with the tensors of another.
    let mut other = llama();
    other.extra.push(("rope.dimension_count", 8_u32.into()));
    other.parts = &[Part::Output, Part::Factors];
    found.push(refusal(&other));
    let found = found.join("\n");
    insta::assert_snapshot!(found, @"
    there is no architecture `mamba` here; there are: llama, qwen2, qwen3, gemma3
    `llama.attention.head_count_kv` is 3; it must be a divisor of the 4 heads
    the file has no tensor `blk.0.attn_q_norm.weight`
    `llama.block_count` is 0; it must be at least 1
    `llama.rope.scaling.type` is `longrope`; it must be none, linear or yarn
    `llama.rope.scaling.factor` is 0; it must be finite and over 0
    `llama.rope.dimension_count` is 17; it must be even and at most the 16 elements of a head
    metadata key `llama.rope.dimension_count` at byte 518: expected u32, found string
    tensor `rope_freqs.weight` has shape [8]; the metadata make it [4]
    ");
}

#[test]
fn a_weight_of_the_wrong_size_is_refused_before_anything_runs() {
    let model = model(&Tiny::llama());
    let graph = model.graph(1, 1).expect("a graph");
    let weights: Arc<dyn rlx_core::Weights + Send> =
        Arc::new(std::collections::HashMap::<String, Vec<u8>>::new());
    for Named { name, backend, .. } in backends() {
        let error = backend.compile_together(&[&graph], &weights).err();
        assert!(
            matches!(error, Some(BackendError::Weights(_))),
            "{name}: {error:?}"
        );
    }
}
