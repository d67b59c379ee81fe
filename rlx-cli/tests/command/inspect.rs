//! `rlx inspect`

use serde_json::{Value, json};

use crate::fixture::{Model, rlx, rlx_without_adapter};

#[test]
fn json_has_the_head_the_metadata_the_tensors_and_totals() {
    let model = Model::new();
    let run = rlx(&["inspect", &model.path(), "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(
        (&report["version"], &report["alignment"]),
        (&json!(3), &json!(32))
    );
    let metadata = report["metadata"].as_array().unwrap();
    let entry = |key: &str| metadata.iter().find(|entry| entry["key"] == key).unwrap();
    let tokens =
        json!({"key": "tokens", "type": "array of u32", "value": [0, 1, 2, 3], "length": 1000});
    assert_eq!(entry("tokens"), &tokens);
    assert_eq!(entry("eps")["value"], json!(1e-5));
    assert!(
        entry("general.description")["value"]
            .as_str()
            .unwrap()
            .len()
            < 100
    );

    let tensors = report["tensors"].as_array().unwrap();
    assert_eq!(tensors.len(), 5);
    let mut ffn = tensors[1].clone();
    ffn["paths"] = Value::Null;
    let expected = json!({
        "name": "ffn.weight", "dims": [64, 48], "type": "Q4_0", "bits_per_weight": 4.5, "bytes": 1728,
        "offset": 256, "paths": null
    });
    assert_eq!(ffn, expected);
    let q4_0 = json!({"type": "Q4_0", "tensors": 2, "elements": 3328, "bytes": 1872, "bits_per_weight": 4.5});
    assert!(report["totals"].as_array().unwrap().contains(&q4_0));
}

#[test]
fn a_matrix_has_a_path_for_one_row_and_for_many_and_others_say_why_not() {
    let model = Model::new();
    let report = rlx(&["inspect", &model.path(), "--json"]).json();
    assert!(
        report["adapter"].is_string(),
        "no adapter: install mesa-vulkan-drivers"
    );
    let paths = |index: usize| report["tensors"][index]["paths"].as_array().unwrap();
    let [one, many] = &paths(1)[..] else {
        panic!("{report}");
    };
    assert_eq!((&one["m"], &many["m"]), (&json!(1), &json!(32)));
    assert!(one["kernel"].as_str().unwrap().starts_with("gemv"), "{one}");
    assert_eq!(many["kernel"], "matmul_bt::Q4_0");
    assert!(many["reason"].as_str().unwrap().contains("many rows"));
    assert!(paths(0).is_empty(), "a vector needs none");
    let none = |kernel: &Value| kernel["kernel"].is_null();
    assert!(none(&paths(3)[0]));
    assert_eq!(paths(3)[0]["reason"], "there is no kernel for type I32 yet");
    assert!(none(&paths(4)[0]));
    assert_eq!(paths(4)[0]["reason"], "a tensor of rank 3 is no matrix");
}

#[test]
fn without_an_adapter_the_paths_are_those_of_the_cpu() {
    let model = Model::new();
    let run = rlx_without_adapter(&["inspect", &model.path(), "--json"]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.starts_with("note: no GPU adapter was found"));
    let report = run.json();
    assert!(report["adapter"].is_null());
    assert_eq!(
        report["tensors"][1]["paths"][0]["kernel"],
        "cpu matmul_bt::Q4_0"
    );
}

#[test]
fn an_adapter_that_is_not_there_exits_with_2() {
    let model = Model::new();
    let run = rlx(&["inspect", &model.path(), "--adapter", "no such GPU"]);
    assert_eq!(run.code, 2);
    assert!(
        run.error()
            .starts_with("error: no adapter has `no such GPU` in its name; there are: ")
    );
    let run = rlx_without_adapter(&["inspect", &model.path(), "--adapter", "no such GPU"]);
    assert_eq!(run.code, 2);
    assert!(run.error().starts_with("error: no GPU adapter was found"));
}

#[test]
fn the_text_shows_every_tensor_and_shortens_the_metadata() {
    let model = Model::new();
    let run = rlx(&["inspect", &model.path()]);
    assert_eq!(run.code, 0);
    for text in [
        "GGUF version 3, alignment 32, 4 metadata entries, 5 tensors",
        "[0, 1, 2, 3, …] (1000 elements)",
        "… (1000 bytes)",
        "norm.weight",
        "64 x 48",
        "matmul_bt::Q4_0",
        "a tensor of rank 3 is no matrix",
    ] {
        assert!(run.stdout.contains(text), "{text}: {}", run.stdout);
    }
    assert!(run.stdout.len() < 6000);
}

#[test]
fn a_file_that_is_missing_truncated_or_no_gguf_exits_with_2_and_says_where() {
    let run = rlx(&["inspect", "/nonexistent.gguf"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.error()
            .starts_with("error: `/nonexistent.gguf` cannot be opened: ")
    );
    for (bytes, text) in [
        (0, "magic at byte 0: takes 4 bytes, 0 are left in the file"),
        (20, "metadata count at byte 16"),
        (2000, "at byte "),
    ] {
        let model = Model::new().truncate(bytes);
        let run = rlx(&["inspect", &model.path(), "--json"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.error().contains(text), "{bytes}: {}", run.stderr);
    }
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let run = rlx(&["inspect", source.to_str().unwrap()]);
    assert_eq!(run.code, 2);
    assert!(
        run.error().contains("expected \"GGUF\", found \"[pac\""),
        "{}",
        run.stderr
    );
}
