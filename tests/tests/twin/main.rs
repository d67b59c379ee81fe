//! Every kernel of the library on its CPU twin: nothing is found, and it gives the right answers
//! whatever the size of a subgroup and the order of the invocations.

use std::collections::BTreeSet;

use kernel_specs::formats;
use rlx_conformance::cases::{cases, product_cases};
use rlx_conformance::twin::Answer;
use rlx_kernels::{KernelInfo, SimOptions};

mod agreement;
mod integers;
mod traces;

#[test]
fn every_kernel_gives_the_right_answers_and_no_findings_at_every_subgroup_size() {
    let mut faults = Vec::new();
    for case in cases() {
        for size in SimOptions::SUBGROUP_SIZES {
            let options = SimOptions::default().subgroup_size(size);
            let fault = match Answer::of(&case, &options) {
                Ok(answer) => case.fault(&answer.words),
                Err(fault) => Some(fault),
            };
            if let Some(fault) = fault {
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

#[test]
fn every_kernel_that_a_case_runs_is_listed() {
    let listed: BTreeSet<String> = kernel_specs::kernels().map(KernelInfo::label).collect();
    let cases = cases();
    let dispatches = cases.iter().flat_map(|case| &case.dispatches);
    // Those of regions are made as they are needed.
    let shipped = dispatches.filter(|step| step.kernel.file.starts_with("kernel-specs/"));
    let missing: BTreeSet<String> = shipped
        .map(|step| step.kernel.label())
        .filter(|label| !listed.contains(label))
        .collect();
    assert!(
        missing.is_empty(),
        "kernels that `kernels()` leaves out: {missing:?}"
    );
}

#[test]
fn long_rows_are_right_at_every_subgroup_size() {
    let mut faults = Vec::new();
    for name in ["F32", "Q8_0", "Q4_K"] {
        let format = formats::by_name(name).expect("a format");
        for m in [1, 8] {
            for case in product_cases(format, [m, 5, 1536]) {
                for size in SimOptions::SUBGROUP_SIZES {
                    let options = SimOptions::default().subgroup_size(size);
                    let fault = match Answer::of(&case, &options) {
                        Ok(answer) => case.fault(&answer.words),
                        Err(fault) => Some(fault),
                    };
                    faults.extend(fault.map(|fault| format!("{} at {size}: {fault}", case.label)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
