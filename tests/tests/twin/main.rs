//! Every kernel of the library on its CPU twin: nothing is found, and it gives the right answers
//! whatever the size of a subgroup and the order of the invocations.

use std::collections::BTreeSet;

use rlx_conformance::browser::Value;
use rlx_conformance::cases::{Case, cases};
use rlx_kernels::{KernelInfo, SimOptions, simulate};

mod agreement;
mod traces;

/// Runs a case with subgroups of `size`; gives what is wrong.
fn run(case: &Case, options: &SimOptions) -> Option<String> {
    // Values that share memory are one buffer.
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    let mut places = Vec::new();
    for value in &case.values {
        places.push(match value {
            Value::Given(bytes) => {
                let mut bytes = bytes.clone();
                bytes.resize(bytes.len().next_multiple_of(4), 0);
                buffers.push(bytes);
                buffers.len() - 1
            }
            Value::Written(bytes) => {
                buffers.push(vec![0; *bytes]);
                buffers.len() - 1
            }
            Value::InPlaceOf(other) => places[*other],
        });
    }
    for dispatch in &case.dispatches {
        let dispatch = dispatch.clone().map(|value| places[value]);
        match simulate::dispatch(&dispatch, &mut buffers, options) {
            Ok(report) if report.findings.is_empty() => {}
            Ok(report) => return Some(format!("{}: {report}", dispatch.kernel.label())),
            Err(error) => return Some(error.to_string()),
        }
    }
    let result = &buffers[places[case.result]];
    let words: Vec<u32> = result
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    case.fault(&words)
}

#[test]
fn every_kernel_gives_the_right_answers_and_no_findings_at_every_subgroup_size() {
    let mut faults = Vec::new();
    for case in cases() {
        for size in SimOptions::SUBGROUP_SIZES {
            let options = SimOptions::default().subgroup_size(size);
            if let Some(fault) = run(&case, &options) {
                faults.push(format!("{} at {size}: {fault}", case.label));
                break;
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn every_kernel_has_a_case() {
    let cases = cases();
    let dispatches = cases.iter().flat_map(|case| &case.dispatches);
    let covered: BTreeSet<String> = dispatches.map(|step| step.kernel.label()).collect();
    let without: Vec<String> = kernel_specs::kernels()
        .map(KernelInfo::label)
        .filter(|label| !covered.contains(label))
        .collect();
    assert!(without.is_empty(), "kernels without a case: {without:?}");
}
