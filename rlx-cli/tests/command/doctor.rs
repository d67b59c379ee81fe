//! `rlx doctor`

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::{rlx, rlx_without_adapter};

/// A folder with the golden blocks of Q4_0 alone.
fn q4_0() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
    let text = std::fs::read(golden.join("index.json")).unwrap();
    let mut index: Value = serde_json::from_slice(&text).unwrap();
    let types = index["types"].as_array_mut().unwrap();
    types.retain(|ty| ty["name"] == "q4_0");
    std::fs::write(folder.path().join("index.json"), index.to_string()).unwrap();
    for file in ["q4_0.blocks", "q4_0.f32"] {
        std::fs::copy(golden.join(file), folder.path().join(file)).unwrap();
    }
    folder
}

fn data(folder: &TempDir) -> [&str; 2] {
    ["--data", folder.path().to_str().unwrap()]
}

fn check_rows(report: &Value) {
    let adapters = report["adapters"].as_array().unwrap();
    assert!(
        !adapters.is_empty(),
        "no adapter: install mesa-vulkan-drivers"
    );
    let mut names: Vec<&str> = adapters
        .iter()
        .map(|a| a["name"].as_str().unwrap())
        .collect();
    names.push("cpu");
    let rows = report["rows"].as_array().unwrap();
    let types = rows.iter().filter(|row| row["adapter"] == "cpu").count();
    assert!(types > 0);
    for name in names {
        let rows = rows.iter().filter(|row| row["adapter"] == name);
        let counted = rows.inspect(|row| {
            assert!(row["blocks"].as_u64().unwrap() > 0 && row["elements"].as_u64().unwrap() > 0);
            assert_eq!(row["mismatches"], row["flushed"], "{row}");
            assert!(row["max_ulp"].is_u64());
        });
        assert_eq!(counted.count(), types, "{name}");
    }
    let unsupported = report["unsupported"].as_array().unwrap();
    assert_eq!(types + unsupported.len(), 26);
}

#[test]
fn every_adapter_and_the_cpu_decode_every_type_that_has_a_kernel() {
    let run = rlx(&["doctor", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    check_rows(&run.json());
}

#[test]
fn so_they_do_with_webgpus_defaults() {
    let run = rlx(&["doctor", "--json", "--webgpu-defaults"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    check_rows(&run.json());
}

#[test]
fn the_text_names_adapters_and_types() {
    let run = rlx(&["doctor"]);
    let json = rlx(&["doctor", "--json"]).json();
    for name in [
        "rlx ",
        "cpu",
        "Q4_0",
        json["adapters"][0]["name"].as_str().unwrap(),
    ] {
        assert!(run.stdout.contains(name), "{name}: {}", run.stdout);
    }
}

#[test]
fn without_an_adapter_it_says_so_and_goes_on_with_the_cpu() {
    let run = rlx_without_adapter(&["doctor", "--json"]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("apt-get install mesa-vulkan-drivers"));
    let report = run.json();
    assert_eq!(report["adapters"], json!([]));
    let rows = report["rows"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["adapter"] == "cpu"));
}

#[test]
fn a_folder_of_golden_blocks_replaces_those_built_in() {
    let folder = q4_0();
    let [flag, path] = data(&folder);
    let report = rlx_without_adapter(&["doctor", "--json", flag, path]).json();
    let expected = json!([{
        "adapter": "cpu", "type": "Q4_0", "blocks": 68, "elements": 2176, "mismatches": 0, "flushed": 0,
        "max_ulp": 0, "first": null
    }]);
    assert_eq!(report["rows"], expected);
}

#[test]
fn values_that_differ_exit_with_1_and_are_named_after_the_report() {
    let folder = q4_0();
    let file = folder.path().join("q4_0.f32");
    let mut values = std::fs::read(&file).unwrap();
    values[4 * 33] ^= 1;
    std::fs::write(&file, values).unwrap();
    let [flag, path] = data(&folder);
    let run = rlx_without_adapter(&["doctor", "--json", flag, path]);
    assert_eq!(run.code, 1);
    assert_eq!(run.json()["rows"][0]["mismatches"], 1);
    let begin = "error: cpu: Q4_0: 1 of 2176 elements differ from ggml's decoder, first at block 1 element 1";
    assert!(run.error().starts_with(begin), "{}", run.stderr);
}

#[test]
fn a_folder_that_is_missing_or_spoilt_exits_with_2_and_names_the_file() {
    let run = rlx(&["doctor", "--data", "/nonexistent"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.error().contains("`/nonexistent/index.json`"));

    let folder = q4_0();
    std::fs::write(folder.path().join("q4_0.blocks"), [0; 7]).unwrap();
    let [flag, path] = data(&folder);
    let run = rlx(&["doctor", "--json", flag, path]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.error()
            .ends_with("q4_0.blocks`: has 7 bytes, 68 blocks of 18 bytes take 1224")
    );
}
