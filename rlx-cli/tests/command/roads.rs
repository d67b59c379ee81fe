//! `rlx roads`

use crate::fixture::{rlx, rlx_without_adapter};

#[test]
fn every_road_is_shown_with_its_reason() {
    let run = rlx(&["roads"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let json = rlx(&["roads", "--json"]).json();
    let roads = json.as_array().expect("a list");
    assert_eq!(lines.len(), roads.len() + 1);
    for (line, road) in lines[1..].iter().zip(roads) {
        for key in ["name", "reason", "precision"] {
            let text = road[key].as_str().expect("a text");
            assert!(line.contains(text), "{line}");
        }
        assert!(road["on_this_device"].is_boolean());
    }
    let last = roads.last().expect("a road");
    assert_eq!(last["name"], "matmul_experts");
    assert_eq!(last["most_rows"], serde_json::Value::Null);
}

#[test]
fn without_an_adapter_the_table_is_the_same_and_says_nothing_of_a_device() {
    let run = rlx_without_adapter(&["roads", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let roads = json.as_array().expect("a list");
    assert!(roads.len() > 5);
    assert!(roads.iter().all(|road| road["on_this_device"].is_null()));
}
