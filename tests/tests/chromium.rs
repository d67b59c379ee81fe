//! Every kernel with its web header in a headless Chromium: it compiles, and gives the right answers.
//!
//! Without a browser these tests fail; `cargo xtask test` leaves them out then, by the name of their
//! module, and says so.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use kernel_specs::elementwise::op;
use kernel_specs::index::gather_rows::gather_rows;
use kernel_specs::matmul::gemv::{gemv, gemv_subgroup};
use kernel_specs::matmul::matmul_bt::matmul_bt;
use kernel_specs::norm::rms_norm::rms_norm;
use kernel_specs::quant::dequantise::dequantise;
use kernel_specs::{elementwise, formats};
use rlx_backends::{Backend, CpuBackend, Tensor, TensorData};
use rlx_conformance::browser::{Form, Job, Value};
use rlx_conformance::golden::Golden;
use rlx_conformance::product::{F32_BOUND, nmse};
use rlx_conformance::random;
use rlx_core::lower::sample_region;
use rlx_core::{
    DType, Graph, GraphError, LowerOptions, Shape, ValueId, ValueKind, fuse_regions, lower,
};
use rlx_kernels::{Dispatch, DispatchError, Features, FormatInfo, KernelInfo};

/// Compiling is a matter of seconds on two cores; machines of CI are busier.
const LIMIT: Duration = Duration::from_mins(5);

/// What a run must give.
enum Wanted {
    /// These bits; a subnormal may be flushed to zero, and one NaN is as good as another.
    Bits(Vec<f32>),
    /// These values within NMSE 1e-10.
    Near(Vec<f64>),
}

struct Case {
    label: String,
    values: Vec<Value>,
    dispatches: Vec<Dispatch<usize>>,
    result: usize,
    wanted: Wanted,
}

impl Case {
    /// One dispatch over `inputs` and its result.
    fn of<const N: usize>(
        label: String,
        inputs: Vec<Vec<u8>>,
        wanted: Wanted,
        dispatch: impl FnOnce([usize; N]) -> Result<Dispatch<usize>, DispatchError>,
    ) -> Self {
        let len = match &wanted {
            Wanted::Bits(values) => values.len(),
            Wanted::Near(values) => values.len(),
        };
        let result = inputs.len();
        let mut values: Vec<Value> = inputs.into_iter().map(Value::Given).collect();
        values.push(Value::Written(4 * len));
        Self {
            label,
            values,
            dispatches: vec![dispatch(std::array::from_fn(|index| index)).expect("a dispatch")],
            result,
            wanted,
        }
    }

    /// What is wrong with a result, if anything.
    fn fault(&self, words: &[u32]) -> Option<String> {
        let found = words.iter().copied().map(f32::from_bits);
        match &self.wanted {
            Wanted::Bits(wanted) => {
                assert_eq!(words.len(), wanted.len());
                let (at, (wanted, found)) =
                    wanted.iter().zip(found).enumerate().find(|(_, pair)| {
                        let (wanted, found) = (pair.0, pair.1);
                        let is_flushed = wanted.is_subnormal() && found == 0.0;
                        let is_same = wanted.to_bits() == found.to_bits();
                        !(is_same || is_flushed || wanted.is_nan() && found.is_nan())
                    })?;
                Some(format!("value {at} is {found:e}, not {wanted:e}"))
            }
            Wanted::Near(wanted) => {
                assert_eq!(words.len(), wanted.len());
                let error = nmse(found, wanted.iter().copied());
                // A NaN is no pass either.
                let is_near = error <= F32_BOUND;
                (!is_near).then(|| format!("NMSE {error:e}"))
            }
        }
    }
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn decode(format: &FormatInfo, blocks: &[u8]) -> Vec<f32> {
    let count = blocks.len() / format.bytes as usize;
    let mut weights = vec![0.0; count * format.elems as usize];
    (format.decode)(blocks, &mut weights);
    weights
}

/// Two blocks a row; a dense weight has rows that runs of eight divide, or do not.
fn row_lengths(format: &FormatInfo) -> Vec<u32> {
    if format.elems == 1 {
        vec![16, 19]
    } else {
        vec![2 * format.elems]
    }
}

/// Golden blocks, or for a dense format, which has none, random ones.
fn dequantise_case(format: &'static FormatInfo, golden: &Golden) -> Case {
    let blocks = match golden.by_ggml_type(format.ggml_type) {
        Some(golden) => golden.blocks.clone(),
        None => random::blocks(format, 1, 1003),
    };
    let wanted = decode(format, &blocks);
    let params = dequantise::Params::new(wanted.len() as u32);
    let kernel = dequantise::instance(format.name).expect("an instance for every format");
    let label = format!("dequantise::{}", format.name);
    Case::of(label, vec![blocks], Wanted::Bits(wanted), |bindings| {
        dequantise::dispatch(kernel, bindings, params)
    })
}

/// Rows out of order, one twice, and one that is not there.
fn gather_case(format: &'static FormatInfo, k: u32) -> Case {
    const ROWS: u32 = 5;
    const IDS: [u32; 5] = [4, 0, 2, ROWS, 2];
    let elems = (ROWS * k) as usize;
    let blocks = random::blocks(format, 2, elems / format.elems as usize);
    let mut table = decode(format, &blocks);
    table.resize(elems + k as usize, 0.0);
    let row = |id: u32| table[(id * k) as usize..][..k as usize].iter().copied();
    let wanted = Wanted::Bits(IDS.into_iter().flat_map(row).collect());
    let ids = IDS.into_iter().flat_map(u32::to_le_bytes).collect();
    let params = gather_rows::Params::new(IDS.len() as u32, k, ROWS);
    let kernel = gather_rows::instance(format.name).expect("an instance for every format");
    let label = format!("gather_rows::{} k {k}", format.name);
    Case::of(label, vec![blocks, ids], wanted, |bindings| {
        gather_rows::dispatch(kernel, bindings, params)
    })
}

/// Every kernel that computes the product.
fn product_cases(format: &'static FormatInfo, [m, n, k]: [u32; 3]) -> Vec<Case> {
    let elems = (n * k) as usize;
    let blocks = random::blocks(format, 3, elems / format.elems as usize);
    let x = random::activations(4, (m * k) as usize);
    let w = decode(format, &blocks);
    let mut product = Vec::new();
    for x in x.chunks_exact(k as usize) {
        for w in w.chunks_exact(k as usize) {
            let terms = x.iter().zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w));
            product.push(terms.sum::<f64>());
        }
    }
    let name = format.name;
    let inputs = vec![blocks, bytes(&x)];
    let case = |kernel: &str, dispatch: &dyn Fn([usize; 3]) -> Result<_, _>| {
        let label = format!("{kernel}::{name} m {m} n {n} k {k}");
        Case::of(
            label,
            inputs.clone(),
            Wanted::Near(product.clone()),
            dispatch,
        )
    };
    let instance = "an instance for every format";
    let mut cases = vec![case("matmul_bt", &|bindings| {
        let kernel = matmul_bt::instance(name).expect(instance);
        matmul_bt::dispatch(kernel, bindings, matmul_bt::Params::new(m, n, k))
    })];
    if m == 1 {
        cases.push(case("gemv", &|bindings| {
            let kernel = gemv::instance(name).expect(instance);
            gemv::dispatch(kernel, bindings, gemv::Params::new(n, k))
        }));
        cases.push(case("gemv_subgroup", &|bindings| {
            let kernel = gemv_subgroup::instance(name).expect(instance);
            gemv_subgroup::dispatch(kernel, bindings, gemv_subgroup::Params::new(n, k))
        }));
    }
    cases
}

fn rms_norm_case(rows: u32, k: u32) -> Case {
    const EPS: f32 = 1e-5;
    let x = random::activations(5, (rows * k) as usize);
    let weight = random::activations(6, k as usize);
    let mut wanted = Vec::new();
    for row in x.chunks_exact(k as usize) {
        let squares = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
        let root = (squares / f64::from(k) + f64::from(EPS)).sqrt();
        let scaled = row.iter().zip(&weight);
        wanted.extend(scaled.map(|(x, weight)| f64::from(*x) / root * f64::from(*weight)));
    }
    let inputs = vec![bytes(&x), bytes(&weight)];
    let params = rms_norm::Params::new(rows, k, EPS);
    let label = format!("rms_norm rows {rows} k {k}");
    Case::of(label, inputs, Wanted::Near(wanted), |bindings| {
        rms_norm::dispatch(rms_norm::info(), bindings, params)
    })
}

type Weights = HashMap<String, Vec<u8>>;

/// What `build` makes, fused and lowered, with the CPU backend's answer.
fn graph_case(
    label: &str,
    weights: &Weights,
    inputs: &[(&str, Tensor)],
    build: impl FnOnce(&mut Graph) -> Result<ValueId, GraphError>,
) -> Case {
    let mut graph = Graph::new();
    let y = build(&mut graph).expect("a legal graph");
    graph.output("y", y).expect("an output");
    let mut executable = CpuBackend::new()
        .compile(&graph, weights)
        .expect("the CPU runs every graph");
    let outputs = executable.run(inputs).expect("the inputs of the graph");
    let wanted = outputs[0].1.data.as_f32().expect("a result in f32");
    let wanted = wanted.iter().map(|value| f64::from(*value)).collect();
    let features = Features {
        subgroup: true,
        ..Features::NONE
    };
    let (graph, _) = fuse_regions(&graph);
    let program = lower(&graph, LowerOptions { features }).expect("every op has a kernel");
    let mut values = Vec::new();
    for (index, value) in program.values.iter().enumerate() {
        let input = || {
            let is_this = |(_, id): &&(String, ValueId)| id.index() == index;
            let (name, _) = program.inputs.iter().find(is_this)?;
            Some(&inputs.iter().find(|(given, _)| given == name)?.1)
        };
        values.push(match (&value.kind, value.alias_of) {
            (ValueKind::Temporary, Some(other)) => Value::InPlaceOf(other.index()),
            (ValueKind::Temporary, None) => Value::Written(value.bytes as usize),
            (ValueKind::Weight { name }, _) => Value::Given(weights[name].clone()),
            (ValueKind::Input, _) => Value::Given(match &input().expect("it is given").data {
                TensorData::F32(values) => bytes(values),
                TensorData::U32(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            }),
        });
    }
    let dispatches = program.dispatches.into_iter();
    Case {
        label: label.into(),
        values,
        dispatches: dispatches
            .map(|dispatch| dispatch.map(ValueId::index))
            .collect(),
        result: program.outputs[0].1.index(),
        wanted: Wanted::Near(wanted),
    }
}

/// Each operator alone, a region of broadcasts, and a block whose regions write in place.
fn region_cases() -> Vec<Case> {
    const K: u64 = 256;
    const TOKENS: u64 = 3;
    let find = |name: &str| op(name).expect("an operator");
    let mut cases = Vec::new();
    let x: Vec<f32> = (-1200..=1200).map(|i| i as f32 / 100.0).collect();
    let shape = Shape::from([x.len() as u64]);
    let reversed: Vec<f32> = x.iter().rev().copied().collect();
    let inputs = [
        ("x0", Tensor::f32(shape.clone(), x)),
        ("x1", Tensor::f32(shape.clone(), reversed)),
    ];
    for operator in elementwise::OPS {
        let inputs = &inputs[..operator.arity];
        let label = format!("region_{}", operator.name);
        cases.push(graph_case(&label, &Weights::new(), inputs, |graph| {
            let mut args = Vec::new();
            for (name, _) in inputs {
                args.push(graph.input(*name, shape.clone(), DType::F32)?);
            }
            graph.elementwise(operator, &args)
        }));
    }

    let (a, b) = (Shape::from([2, 1, 3]), Shape::from([1, 5, 1]));
    let inputs = [
        ("a", Tensor::f32(a.clone(), random::activations(7, 6))),
        ("b", Tensor::f32(b.clone(), random::activations(8, 5))),
    ];
    let label = "a region of broadcasts";
    cases.push(graph_case(label, &Weights::new(), &inputs, |graph| {
        let a = graph.input("a", a.clone(), DType::F32)?;
        let b = graph.input("b", b.clone(), DType::F32)?;
        let sum = graph.elementwise(find("add"), &[a, b])?;
        let product = graph.elementwise(find("mul"), &[sum, b])?;
        graph.elementwise(find("gelu"), &[product])
    }));

    let dense = formats::by_name("F32").expect("a format");
    let packed = formats::by_name("Q4_K").expect("a format");
    let square = |seed| random::blocks(packed, seed, (K * K) as usize / packed.elems as usize);
    let mut weights = Weights::new();
    weights.insert("norm".into(), bytes(&random::activations(9, K as usize)));
    for (seed, name) in ["embed", "gate", "up", "down"].into_iter().enumerate() {
        weights.insert(name.into(), square(10 + seed as u64));
    }
    let ids = Tensor::u32(Shape::from([TOKENS]), vec![200, 0, 255]);
    let label = "a feed-forward block";
    cases.push(graph_case(label, &weights, &[("ids", ids)], |graph| {
        let weight = |graph: &mut Graph, name: &str| graph.weight(name, [K, K], packed);
        let ids = graph.input("ids", [TOKENS], DType::U32)?;
        let embed = weight(graph, "embed")?;
        let x = graph.gather_rows(embed, ids)?;
        let norm = graph.weight("norm", [K], dense)?;
        let h = graph.rms_norm(x, norm, 1e-5)?;
        let (gate, up) = (weight(graph, "gate")?, weight(graph, "up")?);
        let (gate, up) = (graph.matmul_bt(h, gate)?, graph.matmul_bt(h, up)?);
        let gate = graph.elementwise(find("silu"), &[gate])?;
        let h = graph.elementwise(find("mul"), &[gate, up])?;
        let down = weight(graph, "down")?;
        let h = graph.matmul_bt(h, down)?;
        graph.elementwise(find("add"), &[x, h])
    }));
    cases
}

fn cases() -> Vec<Case> {
    let golden = Golden::embedded().expect("the set is part of the library");
    let mut cases = region_cases();
    cases.extend([rms_norm_case(3, 300), rms_norm_case(1, 5)]);
    for format in formats::ALL.iter().copied() {
        cases.push(dequantise_case(format, &golden));
        for k in row_lengths(format) {
            cases.push(gather_case(format, k));
            for [m, n] in [[1, 5], [3, 5], [1, 67], [33, 67]] {
                cases.extend(product_cases(format, [m, n, k]));
            }
        }
    }
    cases
}

mod in_chromium {
    use rlx_conformance::browser::{BrowserError, check};
    use rlx_kernels::prelude::*;

    use super::*;

    #[test]
    fn every_kernel_compiles_and_gives_the_right_answers() {
        let cases = cases();
        let mut job = Job::default();
        for form in Form::ALL {
            for kernel in kernel_specs::kernels() {
                job.add_module(kernel, form);
            }
            for operator in elementwise::OPS {
                let kernel = sample_region(operator).expect("an operator alone is a kernel");
                job.add_module(&kernel, form);
            }
        }
        for case in &cases {
            for form in Form::ALL {
                let (values, dispatches) = (&case.values, &case.dispatches);
                job.add_run(&case.label, form, values, dispatches, case.result);
            }
        }
        let found = check(&job, LIMIT).unwrap_or_else(|error| panic!("{error}"));

        let mut faults = Vec::new();
        for (index, module) in found.modules.iter().enumerate() {
            for complaint in &module.complaints {
                faults.push(format!("{}: {complaint}", job.module_label(index)));
            }
        }
        for (index, run) in found.runs.iter().enumerate() {
            let case = &cases[index / Form::ALL.len()];
            let fault = run.error.clone().or_else(|| case.fault(&run.words));
            faults.extend(fault.map(|fault| format!("{}: {fault}", job.run_label(index))));
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
            job.add_module(sums::info(), form);
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
        job.add_module(&kernel, Form::Split);
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
