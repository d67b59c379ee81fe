//! Every kernel with its web header in a headless Chromium: it compiles, and gives the right answers.
//!
//! Without a browser these tests fail; `cargo xtask test` leaves them out then, by the name of their
//! module, and says so.

use std::collections::BTreeSet;
use std::time::Duration;

use kernel_specs::elementwise;
use rlx_conformance::browser::{Form, Job};
use rlx_conformance::cases::{cases, epilogue_cases};
use rlx_conformance::twin;
use rlx_core::lower::sample_region;
use rlx_kernels::{Features, KernelInfo};

/// Compiling and running is a matter of three minutes on two busy cores; machines of CI may be busier.
const LIMIT: Duration = Duration::from_mins(10);

mod in_chromium {
    use rlx_conformance::browser::{BrowserError, check};
    use rlx_kernels::prelude::*;

    use super::*;

    #[test]
    fn every_kernel_compiles_and_gives_the_answers_of_the_host_and_of_the_twin() {
        let mut cases = cases();
        let mut job = Job::default();
        let mut left_out = BTreeSet::new();
        for form in Form::ALL {
            for kernel in kernel_specs::kernels() {
                if kernel.features.f16 {
                    left_out.insert(format!("SwiftShader has no f16 for `{}`", kernel.label()));
                    continue;
                }
                let added = job.add_module(kernel, form);
                left_out.extend(added.err().map(|error| error.to_string()));
            }
            for operator in elementwise::OPS {
                let kernel = sample_region(operator).expect("an operator alone is a kernel");
                job.add_module(&kernel, form)
                    .expect("operators run everywhere");
            }
        }
        cases.retain(|case| {
            let mut dispatches = case.dispatches.iter();
            dispatches.all(|dispatch| {
                let features = dispatch.kernel.features;
                features.on_the_web() && !features.f16
            })
        });
        let without_twin = epilogue_cases();
        for case in cases.iter().chain(&without_twin) {
            for form in Form::ALL {
                let (values, dispatches) = (&case.values, &case.dispatches);
                let added = job.add_run(&case.label, form, values, dispatches, case.result);
                added.expect("the others are left out");
            }
        }
        for reason in left_out {
            println!("left out: {reason}");
        }
        let found = check(&job, LIMIT).unwrap_or_else(|error| panic!("{error}"));

        let mut faults = Vec::new();
        for (index, module) in found.modules.iter().enumerate() {
            for complaint in &module.complaints {
                faults.push(format!("{}: {complaint}", job.module_label(index)));
            }
        }
        let forms = Form::ALL.len();
        let all = cases.iter().chain(&without_twin);
        for (index, (case, runs)) in all.zip(found.runs.chunks(forms)).enumerate() {
            let words: Vec<&[u32]> = runs.iter().map(|run| &*run.words).collect();
            // How wide the browser's subgroups are, it does not say.
            let by_twin = if index < cases.len() {
                twin::faults(case, &words, &SimOptions::SUBGROUP_SIZES)
            } else {
                Ok(Vec::new())
            };
            for (form, run) in runs.iter().enumerate() {
                let of_twin = match &by_twin {
                    Ok(faults) => faults.get(form).cloned().flatten(),
                    Err(fault) => Some(fault.clone()),
                };
                let found = match &run.error {
                    Some(error) => [Some(error.clone()), None],
                    None => [case.fault(&run.words), of_twin],
                };
                let label = job.run_label(index * forms + form);
                let found = found.into_iter().flatten();
                faults.extend(found.map(|fault| format!("{label}: {fault}")));
            }
        }
        let (modules, runs) = (job.modules(), job.runs());
        println!("{modules} modules and {runs} runs on {}", found.adapter);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    /// y[i] = the sum over the workgroup of i, whose size is set with the pipeline.
    #[kernel(workgroup_size(WIDE, 2), threads(n))]
    fn sums<const WIDE: u32 = 32, const TWICE: bool = false>(x: &[f32], y: &mut [f32], n: u32) {
        #[workgroup]
        let part: [f32; WIDE * 2];
        let i = global_index();
        part[local_index()] = x[i];
        workgroup_barrier();
        let mut sum = 0.0;
        'all: for from in (0..WIDE * 2).step_by(8) {
            for at in from..from + 8 {
                if at == WIDE + n {
                    break 'all;
                }
                sum += part[at];
            }
        }
        y[i] = if TWICE { sum * 2.0 } else { sum };
    }

    #[test]
    fn a_workgroup_sized_by_an_override_compiles_in_the_browser_too() {
        let mut job = Job::default();
        for form in Form::ALL {
            job.add_module(sums::info(), form)
                .expect("browsers have overrides");
        }
        let found = check(&job, LIMIT).unwrap_or_else(|error| panic!("{error}"));
        for module in &found.modules {
            assert!(
                module.complaints.is_empty(),
                "{}",
                module.complaints.join("\n")
            );
        }
    }

    /// y[i] = 2 · x[i], told.
    #[kernel(workgroup_size(64), threads(n))]
    fn doubled(x: &[f32], y: &mut [Vec2<f32>], n: u32) {
        let i = global_index();
        if i < n {
            trace!(i % 2 == 0);
            y[i] = vec2(x[i], x[i] * 2.0);
            trace!(y[i]);
        }
    }

    #[test]
    fn a_traced_kernel_compiles_in_the_browser_too() {
        let kernel = doubled::info().with_traces().expect("it has traces");
        let mut job = Job::default();
        for form in Form::ALL {
            job.add_module(&kernel, form)
                .expect("browsers have what it needs");
        }
        let found = check(&job, LIMIT).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found.modules.len(), Form::ALL.len());
        for module in &found.modules {
            assert!(
                module.complaints.is_empty(),
                "{}",
                module.complaints.join("\n")
            );
        }
    }

    /// The complaints of the browser about a kernel of such a body.
    fn complaints(body: &str, is_subgroup: bool) -> String {
        let wgsl = format!(
            "var<workgroup> seen: u32;\n@compute @workgroup_size(64)\n\
             fn f(@builtin(local_invocation_index) i: u32) {{ {body} }}"
        );
        let kernel = KernelInfo {
            name: "f".into(),
            entry: "f".into(),
            workgroup_size: [64, 1, 1],
            features: Features {
                subgroup: is_subgroup,
                ..Features::NONE
            },
            wgsl: wgsl.into(),
            ..KernelInfo::BROKEN
        };
        let mut job = Job::default();
        let added = job.add_module(&kernel, Form::Split);
        added.expect("browsers have subgroups");
        let found = check(&job, LIMIT).unwrap_or_else(|error| panic!("{error}"));
        found.modules[0].complaints.join("\n")
    }

    #[test]
    fn a_barrier_that_some_invocations_miss_is_a_complaint() {
        let text = complaints("if i < 4 { workgroupBarrier(); }", false);
        assert!(text.contains("uniform control flow"), "{text}");
    }

    #[test]
    fn a_subgroup_sum_that_some_invocations_miss_is_a_complaint() {
        let text = complaints("if i < 4 { seen = subgroupAdd(i); }", true);
        assert!(text.contains("uniform control flow"), "{text}");
    }

    #[test]
    fn a_browser_that_is_not_done_in_time_is_ended_with_an_error() {
        let late = check(&Job::default(), Duration::ZERO);
        assert!(
            matches!(late, Err(BrowserError::Late { seconds: 0, .. })),
            "{late:?}"
        );
    }
}
