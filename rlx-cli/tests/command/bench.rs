//! `rlx bench`

use serde_json::{Value, json};

use crate::fixture::{Run, rlx, rlx_without_adapter};

/// A run that takes little time on any adapter.
fn tiny(arguments: &[&str]) -> Run {
    let common = [
        "bench",
        "--rotate",
        "100000",
        "--runs",
        "3",
        "--chain",
        "2",
        "--warm-up",
        "1",
    ];
    rlx(&[&common[..], arguments].concat())
}

fn lines(run: &Run) -> Vec<Value> {
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines = run.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn a_line_of_json_says_what_was_measured_how_and_where() {
    let arguments = [
        "--type", "q4_k", "--m", "1", "--n", "48", "--k", "512", "--json",
    ];
    let lines = lines(&tiny(&arguments));
    let [line] = &lines[..] else {
        panic!("{lines:?}");
    };
    // Windows of 48 rows of 2 blocks of 144 bytes, in 100,000 bytes.
    let expected = json!({
        "op": "gemv", "type": "Q4_K", "m": 1, "n": 48, "k": 512, "precision": "exact", "chain": 2, "runs": 3,
        "weight_bytes": 13824, "moved_bytes": 16064, "rotate_bytes": 100_000, "warm_up_ms": 1,
        "version": env!("CARGO_PKG_VERSION"),
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&line[key], value, "{key}");
    }
    assert!(line["matrices"].as_u64().unwrap() >= 7, "{line}");
    for key in ["adapter", "driver", "backend", "adapter_type", "road"] {
        assert!(!line[key].as_str().unwrap().is_empty(), "{key}");
    }
    let command = line["command"].as_array().unwrap();
    assert_eq!(command[1], "bench");
    assert_eq!(command.last().unwrap(), "--json");
    let date = line["date"].as_str().unwrap();
    assert!(
        date.len() == 20 && date > "2026" && date.ends_with('Z'),
        "{date}"
    );
    assert!(["device", "host"].contains(&line["clock"].as_str().unwrap()));

    let number = |key: &str| line[key].as_f64().unwrap();
    let order = [
        "min_us",
        "lower_quartile_us",
        "median_us",
        "upper_quartile_us",
        "max_us",
    ];
    assert!(number("min_us") > 0.0);
    assert!(order.is_sorted_by(|a, b| number(a) <= number(b)), "{line}");
    for key in [
        "calibration_before_us",
        "calibration_after_us",
        "copy_gb_s",
        "copy_share",
    ] {
        assert!(number(key) > 0.0, "{key}: {line}");
    }
    let is_near = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 1e-9;
    let micros = number("median_us");
    assert!(is_near(number("weight_gb_s"), 13824.0 / micros / 1e3));
    assert!(is_near(
        number("tflop_s"),
        2.0 * 48.0 * 512.0 / micros / 1e6
    ));
    let moved = 16064.0 / micros / 1e3;
    assert!(is_near(number("copy_share"), moved / number("copy_gb_s")));
    assert!(number("nmse") <= 1e-10, "{line}");
}

#[test]
fn all_roads_are_every_one_that_fits_and_a_named_one_is_taken_alone() {
    let arguments = [
        "--type", "Q4_K", "--m", "1", "32", "--n", "48", "--k", "256", "--json", "--road",
    ];
    let roads = |road: &str| -> Vec<(String, u64, String)> {
        let lines = lines(&tiny(&[&arguments[..], &[road]].concat()));
        let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
        let row = |line| {
            (
                text(line, "op"),
                line["m"].as_u64().unwrap(),
                text(line, "road"),
            )
        };
        lines.iter().map(row).collect()
    };
    let all = roads("all");
    let gemm = |m: u64, op: &str| (op.to_owned(), m, "matmul_bt".to_owned());
    assert!(
        all.contains(&gemm(1, "gemv")) && all.contains(&gemm(32, "gemm")),
        "{all:?}"
    );
    assert!(all.contains(&("gemv".into(), 1, "gemv".into())), "{all:?}");
    assert_eq!(roads("matmul_bt"), [gemm(1, "gemv"), gemm(32, "gemm")]);
    // The other shape has no such road, which is said and no error.
    assert_eq!(roads("gemv"), [("gemv".into(), 1, "gemv".into())]);
}

#[test]
fn ops_that_are_no_products_are_measured_too() {
    let arguments = [
        "--op", "dequant", "gather", "--type", "Q8_0", "--m", "5", "--n", "48", "--k", "64",
        "--json",
    ];
    let lines = lines(&tiny(&arguments));
    let row = |line: &Value| json!([line["op"], line["m"], line["weight_bytes"], line["tflop_s"]]);
    let rows: Vec<Value> = lines.iter().map(row).collect();
    // Blocks of 34 bytes hold 32 weights.
    assert_eq!(
        rows,
        [
            json!(["dequant", null, 3264, null]),
            json!(["gather", 5, 340, null])
        ]
    );
}

#[test]
fn the_table_has_a_line_a_measurement_under_what_it_was_measured_by() {
    let run = tiny(&["--type", "F16", "--m", "1", "2", "--n", "16", "--k", "32"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let [machine, how, "", heading, first, second] = lines[..] else {
        panic!("{}", run.stdout);
    };
    assert!(machine.contains("; rlx "), "{machine}");
    assert!(
        how.starts_with("copy ") && how.contains("97.7 KiB"),
        "{how}"
    );
    assert!(heading.contains("median µs"), "{heading}");
    for (line, m) in [(first, "1"), (second, "2")] {
        let cells: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(cells[..5], ["gemv", "F16", m, "16", "32"]);
        assert_eq!(cells.len(), 20, "{line}");
    }
}

#[test]
fn what_cannot_be_measured_exits_with_2_and_says_why() {
    for (arguments, text) in [
        (
            &["--type", "Q4K"][..],
            "--type Q4K: there is no such type; similar: Q4_K, ",
        ),
        (
            &["--road", "gevm"],
            "--road gevm: there is no such road; there are: ",
        ),
        (
            &["--type", "Q4_K", "--k", "100"],
            "--k 100: a row of Q4_K is whole blocks of 256 weights",
        ),
        (
            &["--type", "Q4_K", "--n", "4000000000", "--k", "256"],
            "n = 4000000000, k = 256: activations, weights and results are 2147483648 numbers at most each",
        ),
        (
            &["--op", "gemv", "--experts", "3"],
            "--experts: no op that is measured has experts; `--op moe` has",
        ),
        (
            &["--op", "moe", "--alone"],
            "--alone: rows are sorted by their experts in every round of `--op moe`",
        ),
        (
            &["--op", "moe", "--experts", "8", "--used", "9"],
            "--used 9: there are 8 experts",
        ),
        (
            &["--type", "Q4_K", "--m", "9", "--road", "gemv"],
            "no road that was asked for fits",
        ),
        (
            &["--adapter", "no such GPU"],
            "no adapter has `no such GPU`",
        ),
    ] {
        let run = tiny(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.error().contains(text), "{}", run.stderr);
    }
    let run = rlx_without_adapter(&["bench"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.error().starts_with("error: no GPU adapter was found"));
}
