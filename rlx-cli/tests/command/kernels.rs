//! `rlx kernels`

use std::process::Stdio;

use crate::fixture::{command, rlx};

#[test]
fn the_list_has_every_instance_and_a_region_of_every_operator() {
    let run = rlx(&["kernels", "list", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let kernels = run.json();
    let kernels = kernels.as_array().unwrap();
    let regions = kernel_specs::elementwise::OPS.len();
    assert_eq!(kernels.len(), kernel_specs::kernels().count() + regions);
    let find = |label: &str| {
        kernels
            .iter()
            .find(|kernel| kernel["label"] == label)
            .unwrap()
    };
    let gemv = find("gemv::Q4_0, F32");
    assert_eq!(
        (&gemv["name"], &gemv["instance"]),
        (&"gemv".into(), &"Q4_0, F32".into())
    );
    assert_eq!(gemv["workgroup_size"], serde_json::json!([64, 1, 1]));
    assert_eq!(gemv["bindings"][2]["writable"], true);
    assert!(gemv["file"].as_str().unwrap().ends_with("gemv.rs"));
    assert!(gemv["wgsl_bytes"].as_u64().unwrap() > 500);
    assert_eq!(
        find("gemv_subgroup::Q4_0, F32")["features"],
        serde_json::json!(["subgroups"])
    );
    assert_eq!(find("region_silu")["features"], serde_json::json!([]));
}

#[test]
fn the_text_has_a_line_a_kernel() {
    let run = rlx(&["kernels", "list"]);
    let kernels = rlx(&["kernels", "list", "--json"]).json();
    let lines = kernels.as_array().unwrap().len() + 1;
    assert_eq!(run.stdout.lines().count(), lines);
}

#[test]
fn show_prints_the_facts_and_then_the_module() {
    let run = rlx(&["kernels", "show", "gemv_subgroup::Q4_0, F32"]);
    assert_eq!(run.code, 0);
    assert!(
        run.stdout
            .starts_with("// kernel      gemv_subgroup::Q4_0, F32\n")
    );
    assert!(run.stdout.contains("fn gemv_subgroup("));
    assert!(!run.stdout.contains("enable subgroups;"));
    let web = rlx(&["kernels", "show", "gemv_subgroup::Q4_0, F32", "--web"]);
    assert!(web.stdout.contains("\nenable subgroups;\n"));
}

#[test]
fn a_kernel_of_one_instance_and_a_region_are_shown_by_name_alone() {
    for (name, text) in [
        ("rms_norm", "fn rms_norm("),
        ("region_silu", "fn silu(x: f32) -> f32"),
    ] {
        let run = rlx(&["kernels", "show", name]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.contains(text), "{}", run.stdout);
    }
}

#[test]
fn a_name_that_is_not_one_kernel_exits_with_2_and_names_what_there_is() {
    for (name, text) in [
        ("gemv", "error: kernel `gemv` has "),
        ("gemv", ", name one: `gemv::F32, F32`, `gemv::F32, F16`, "),
        (
            "gemv::Q9",
            "error: kernel `gemv` has no instance `Q9`, it has: `gemv::F32, F32`, ",
        ),
        (
            "gevm",
            "error: there is no kernel `gevm`; similar: gemv; `rlx kernels list` lists all",
        ),
        (
            "",
            "error: there is no kernel ``; `rlx kernels list` lists all",
        ),
    ] {
        let run = rlx(&["kernels", "show", name]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        assert!(run.error().contains(text), "{}", run.stderr);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = command(&["kernels", "list", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
