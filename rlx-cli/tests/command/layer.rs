//! `rlx layer`

use serde_json::json;

use crate::fixture::{Model, rlx, rlx_without_adapter};

#[test]
fn the_gpu_agrees_with_the_cpu_and_both_are_timed() {
    let model = Model::new();
    let run = rlx(&[
        "layer",
        &model.path(),
        "ffn.weight",
        "--runs",
        "3",
        "--json",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!((&report["n"], &report["k"]), (&json!(48), &json!(64)));
    assert_eq!(
        (&report["type"], &report["runs"]),
        (&json!("Q4_0"), &json!(3))
    );
    let results = report["results"].as_array().unwrap();
    let rows: Vec<_> = results.iter().map(|result| result["m"].clone()).collect();
    assert_eq!(rows, [1, 32]);
    for result in results {
        let difference = &result["difference"];
        let (nmse, bound) = (&difference["nmse"], &difference["bound"]);
        assert!(
            nmse.as_f64().unwrap() <= bound.as_f64().unwrap(),
            "{result}"
        );
        let backends = result["backends"].as_array().unwrap();
        let names: Vec<_> = backends.iter().map(|row| row["backend"].clone()).collect();
        assert_eq!(names, ["wgpu", "cpu"]);
        for row in backends {
            let run = &row["run"];
            let time = |key: &str| run[key].as_f64().unwrap();
            assert!(time("min_ms") <= time("median_ms") && time("median_ms") <= time("max_ms"));
        }
    }
    assert_eq!(
        results[1]["backends"][0]["kernels"],
        json!(["matmul_bt::Q4_0"])
    );
}

#[test]
fn rows_may_be_given_several_times_and_a_backend_be_timed_alone() {
    let model = Model::new();
    let path = model.path();
    let layer = |backend: &str| {
        let arguments = [
            "layer",
            &path,
            "half.weight",
            "--m",
            "3",
            "--m",
            "1",
            "--runs",
            "1",
            "--json",
        ];
        rlx(&[&arguments[..], &["--backend", backend]].concat()).json()
    };
    let (cpu, wgpu) = (layer("cpu"), layer("wgpu"));
    for (report, name) in [(&cpu, "cpu"), (&wgpu, "wgpu")] {
        let results = report["results"].as_array().unwrap();
        let rows: Vec<_> = results.iter().map(|result| result["m"].clone()).collect();
        assert_eq!(rows, [3, 1]);
        for result in results {
            assert_eq!(result["backends"].as_array().unwrap().len(), 1);
            assert_eq!(result["backends"][0]["backend"], name);
            assert_eq!(result["difference"].is_null(), name == "cpu");
        }
    }
    assert!(cpu["adapter"].is_null() && wgpu["adapter"].is_string());
}

#[test]
fn the_text_names_the_kernel_and_the_difference() {
    let model = Model::new();
    let run = rlx(&[
        "layer",
        &model.path(),
        "ffn.weight",
        "--m",
        "2",
        "--runs",
        "1",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for text in [
        "y[m, 48] = x[m, 64] · Wᵀ, W in Q4_0",
        "m = 2: wgpu against cpu: NMSE",
        "matmul_bt::Q4_0",
    ] {
        assert!(run.stdout.contains(text), "{text}: {}", run.stdout);
    }
}

#[test]
fn without_an_adapter_the_cpu_runs_alone_unless_a_gpu_was_asked_for() {
    let model = Model::new();
    let path = model.path();
    let arguments = ["layer", &path, "ffn.weight", "--runs", "1", "--json"];
    let run = rlx_without_adapter(&arguments);
    assert_eq!(run.code, 0);
    assert!(run.stderr.starts_with("note: no GPU adapter was found"));
    let result = &run.json()["results"][0];
    assert!(result["difference"].is_null());
    assert_eq!(result["backends"][0]["backend"], "cpu");
    for wanted in [["--backend", "wgpu"], ["--adapter", "llvmpipe"]] {
        let run = rlx_without_adapter(&[&arguments[..], &wanted].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        assert!(run.error().starts_with("error: no GPU adapter was found"));
        assert!(!run.stderr.contains("going on"), "{}", run.stderr);
    }
}

#[test]
fn input_that_is_no_product_exits_with_2_and_says_why() {
    let model = Model::new();
    let path = model.path();
    for (arguments, text) in [
        (
            &["ffn.weigth"][..],
            "has no tensor `ffn.weigth`; similar: ffn.weight",
        ),
        (
            &["norm.weight"],
            "tensor `norm.weight`: a tensor of rank 1 is no matrix",
        ),
        (
            &["experts.weight"],
            "tensor `experts.weight`: a tensor of rank 3 is no matrix",
        ),
        (
            &["ids"],
            "tensor `ids`: there is no kernel for type I32 yet",
        ),
        (&["ffn.weight", "--m", "99999999999"], "--m 99999999999: "),
        (
            &["ffn.weight", "--adapter", "no such GPU"],
            "no adapter has `no such GPU`",
        ),
        (
            &["ffn.weight", "--adapter", "x", "--backend", "cpu"],
            "--adapter names a GPU",
        ),
    ] {
        let run = rlx(&[&["layer", &path, "--json"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.error().contains(text), "{}", run.stderr);
    }
    let run = rlx(&["layer", "/nonexistent.gguf", "w"]);
    assert_eq!(run.code, 2);
    let model = model.truncate(1000);
    let run = rlx(&["layer", &model.path(), "ffn.weight"]);
    assert_eq!(run.code, 2);
}
