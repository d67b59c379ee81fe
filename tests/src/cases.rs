//! Runs of every kernel of the library, each with what it must give: for a browser, for the twin.

use std::collections::HashMap;

use kernel_specs::elementwise::op;
use kernel_specs::experts::combine_experts::combine_experts;
use kernel_specs::index::gather_rows::gather_rows;
use kernel_specs::index::paste_columns::paste_columns;
use kernel_specs::matmul::gemv;
use kernel_specs::norm::rms_norm::rms_norm;
use kernel_specs::quant::dequantise::dequantise;
use kernel_specs::quant::dequantise_f16::dequantise_f16;
use kernel_specs::{elementwise, formats};
use rlx_backends::{Backend, CpuBackend, Tensor, TensorData};
use rlx_core::lower::road::{self, Experts, Operand, Product, Road};
use rlx_core::{
    DType, Graph, GraphError, LowerOptions, Precision, RopeLayout, Scores, Shape, ValueId,
    ValueKind, fuse_regions, lower,
};
use rlx_kernels::prelude::f16;
use rlx_kernels::{
    Dispatch, DispatchError, Features, FormatInfo, KernelInfo, MatrixScalar, MatrixShape,
};

use crate::attention::Attention;
use crate::browser::Value;
use crate::experts::Grouped;
use crate::golden::Golden;
use crate::product::{F32_BOUND, HALF_BOUND, INT8_BOUND, nmse};
use crate::random;

/// What a run must give.
pub enum Wanted {
    /// These bits; a subnormal may be flushed to zero, and one NaN is as good as another.
    Bits(Vec<f32>),
    /// These values in f16, two a word: each one of the two nearest.
    Halves(Vec<f32>),
    /// These values within this NMSE.
    Near(Vec<f64>, f64),
}

/// A run and what it must give.
pub struct Case {
    /// What it is, for messages.
    pub label: String,
    /// The values that dispatches bind, by index.
    pub values: Vec<Value>,
    /// What to run, in order.
    pub dispatches: Vec<Dispatch<usize>>,
    /// The value that is looked at.
    pub result: usize,
    /// What it must be.
    pub wanted: Wanted,
}

impl Case {
    /// One dispatch over `inputs` and its result.
    fn of<const N: usize>(
        label: String,
        inputs: Vec<Vec<u8>>,
        wanted: Wanted,
        dispatch: impl FnOnce([usize; N]) -> Result<Dispatch<usize>, DispatchError>,
    ) -> Self {
        let bytes = match &wanted {
            Wanted::Bits(values) => 4 * values.len(),
            Wanted::Halves(values) => (2 * values.len()).next_multiple_of(4),
            Wanted::Near(values, _) => 4 * values.len(),
        };
        let result = inputs.len();
        let mut values: Vec<Value> = inputs.into_iter().map(Value::Given).collect();
        values.push(Value::Written(bytes));
        Self {
            label,
            values,
            dispatches: vec![dispatch(std::array::from_fn(|index| index)).expect("a dispatch")],
            result,
            wanted,
        }
    }

    /// What is wrong with a result, if anything.
    ///
    /// # Panics
    /// Where there are not as many words as are wanted.
    pub fn fault(&self, words: &[u32]) -> Option<String> {
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
            Wanted::Halves(wanted) => {
                assert_eq!(words.len(), wanted.len().div_ceil(2));
                let halves = words
                    .iter()
                    .flat_map(|word| [*word as u16, (*word >> 16) as u16]);
                let halves = halves.map(f16::from_bits);
                let mut pairs = wanted.iter().zip(halves).enumerate();
                let (at, (wanted, found)) =
                    pairs.find(|(_, (wanted, found))| !is_half_of(**wanted, *found))?;
                Some(format!("value {at} is {found:e}, not {wanted:e}"))
            }
            Wanted::Near(wanted, bound) => {
                assert_eq!(words.len(), wanted.len());
                let error = nmse(found, wanted.iter().copied());
                // A NaN is no pass either.
                let is_near = error <= *bound;
                (!is_near).then(|| format!("NMSE {error:e}"))
            }
        }
    }
}

/// Whether `half` is one of the two nearest to `value`: what is nearer to none than it; what is too large, or
/// no number, may be anything, and a subnormal half zero.
fn is_half_of(value: f32, half: f16) -> bool {
    let nearest = f16::from_f32(value);
    if !nearest.is_finite() {
        return true;
    }
    let is_flushed = half == f16::ZERO && value.abs() < f16::MIN_POSITIVE.to_f32();
    let between = |a: f32, b: f32| (a <= value && value <= b) || (b <= value && value <= a);
    let step = if value.abs() > nearest.to_f32().abs() {
        1
    } else {
        -1
    };
    let other = f16::from_bits(nearest.to_bits().wrapping_add_signed(step));
    let is_other = half == other && between(nearest.to_f32(), other.to_f32());
    half == nearest || is_other || is_flushed
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
fn golden_case(format: &'static FormatInfo, golden: &Golden) -> Case {
    let blocks = match golden.by_ggml_type(format.ggml_type) {
        Some(golden) => golden.blocks.clone(),
        None => random::blocks(format, 1, 1003),
    };
    dequantise_case(format, blocks)
}

/// `blocks` decoded, which must give what the format's decoder gives.
///
/// # Panics
/// Where the format has no kernel.
pub fn dequantise_case(format: &'static FormatInfo, blocks: Vec<u8>) -> Case {
    let wanted = decode(format, &blocks);
    let params = dequantise::Params::new(wanted.len() as u32);
    let kernel = dequantise::instance(format.name).expect("an instance for every format");
    let label = format!("dequantise::{}", format.name);
    Case::of(label, vec![blocks], Wanted::Bits(wanted), |bindings| {
        dequantise::dispatch(kernel, bindings, params)
    })
}

/// The same in f16.
fn dequantise_f16_case(format: &'static FormatInfo) -> Case {
    let blocks = random::blocks(format, 16, 1003_usize.div_ceil(format.elems as usize));
    let wanted = decode(format, &blocks);
    let params = dequantise_f16::Params::new(wanted.len() as u32);
    let kernel = dequantise_f16::instance(format.name).expect("an instance for every format");
    let label = format!("dequantise_f16::{}", format.name);
    Case::of(label, vec![blocks], Wanted::Halves(wanted), |bindings| {
        dequantise_f16::dispatch(kernel, bindings, params)
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
    let params = gather_rows::Params::new(IDS.len() as u32, k, ROWS, 0);
    let kernel = gather_rows::instance(format.name).expect("an instance for every format");
    let label = format!("gather_rows::{} k {k}", format.name);
    Case::of(label, vec![blocks, ids], wanted, |bindings| {
        gather_rows::dispatch(kernel, bindings, params)
    })
}

/// Every road that the product may take on some device.
///
/// # Panics
/// Where a road has no kernel.
pub fn product_cases(format: &'static FormatInfo, [m, n, k]: [u32; 3]) -> Vec<Case> {
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
    let product_of = Product::of(m, n, k);
    let roads = road::all(format, &product_of, &everything()).into_iter();
    // Tiles of 128 x 128 take their time on the twin.
    let roads = roads.filter(|road| !road.name.starts_with("matmul") || m > 8);
    let mut cases: Vec<Case> = roads
        .map(|road| {
            let kernel = road.kernel.expect("an instance for every format");
            let given = [blocks.clone(), bytes(&x), vec![0; 4]];
            road_case(&road, kernel, &product_of, given, product.clone())
        })
        .collect();
    if m <= gemv::MOST {
        cases.extend(half_cases(format, [m, n, k], &blocks, &x, &w));
    }
    cases
}

/// Every road of a product with experts: of two slots a token, one expert without slots, and an id that is no
/// expert's, whose results are zeros. The weights are in two parts, of the experts from `first` and of those
/// before.
fn experts_cases(format: &'static FormatInfo, tokens: u32, k: u32, first: u32) -> Vec<Case> {
    const EXPERTS: u32 = 3;
    const N: u32 = 67;
    let slots = tokens * 2;
    let weights = Grouped::new(format, EXPERTS as usize, N as usize, k as usize);
    let x = random::activations(12, (tokens * k) as usize);
    let mut ids = random::ids(13, slots as usize, EXPERTS - 1);
    ids[1] = EXPERTS;
    let part = |first, here| Product {
        m: tokens,
        n: N,
        k,
        experts: Some(Experts {
            first,
            here,
            ..Experts::all(EXPERTS, slots)
        }),
    };
    let product = part(first, EXPERTS - first);
    let (before, own) = weights
        .weight()
        .split_at(weights.weight().len() / EXPERTS as usize * first as usize);
    let wanted = weights.wanted(&x, &ids);
    let roads = road::all(format, &product, &everything()).into_iter();
    let roads = roads.filter(|road| !road.name.starts_with("matmul") || tokens > 8);
    roads
        .map(|road| {
            let kernel = road.kernel.expect("an instance for every format");
            let ids = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
            let given = [own.to_vec(), bytes(&x), ids];
            let mut case = road_case(&road, kernel, &product, given, wanted.clone());
            if first > 0 {
                // The part before goes first, over what the road has made of activations and ids.
                let weight = case.values.len();
                case.values.push(Value::Given(before.to_vec()));
                let others = road
                    .dispatches(kernel, &part(0, first))
                    .expect("dispatches");
                let other = others.into_iter().next_back().expect("a product");
                let other = other.map(|operand| match operand {
                    Operand::Weight => weight,
                    operand => place(operand),
                });
                case.dispatches.insert(case.dispatches.len() - 1, other);
            }
            case
        })
        .collect()
}

/// The value of an operand of a road.
fn place(operand: Operand) -> usize {
    match operand {
        Operand::Weight => 0,
        Operand::Activations => 1,
        Operand::Ids => 2,
        Operand::Result => 3,
        Operand::Temporary(index) => 4 + index,
    }
}

/// A road of a product: its weights, activations and ids.
fn road_case(
    road: &Road,
    kernel: &'static KernelInfo,
    product: &Product,
    given: [Vec<u8>; 3],
    wanted: Vec<f64>,
) -> Case {
    let mut values: Vec<Value> = given.into_iter().map(Value::Given).collect();
    values.push(Value::Written(4 * wanted.len()));
    let temporaries = road.temporaries(product).into_iter();
    values.extend(temporaries.map(|bytes| Value::Written(bytes as usize)));
    let dispatches = road.dispatches(kernel, product).expect("dispatches");
    let Product { m, n, k, .. } = product;
    Case {
        label: format!("{} m {m} n {n} k {k}", kernel.label()),
        values,
        dispatches: dispatches.into_iter().map(|run| run.map(place)).collect(),
        result: 3,
        wanted: Wanted::Near(wanted, bound(road)),
    }
}

/// What the error of a road may be.
fn bound(road: &Road) -> f64 {
    match road.keeps {
        Precision::Exact => F32_BOUND,
        Precision::Half => HALF_BOUND,
        Precision::Int8 => INT8_BOUND,
    }
}

/// A device that has everything that a road may need.
pub fn everything() -> LowerOptions {
    LowerOptions {
        features: Features {
            f16: true,
            subgroup: true,
            matrix: true,
            ..Features::NONE
        },
        matrices: vec![MatrixShape {
            m: 16,
            n: 16,
            k: 16,
            input: Some(MatrixScalar::F16),
            output: Some(MatrixScalar::F32),
        }],
        workgroup_bytes: 1 << 16,
        invocations: 1024,
        binding_bytes: u64::MAX,
        precision: Precision::Int8,
        epilogues: true,
    }
}

/// GEMV of activations in f16, which no road takes by itself.
fn half_cases(
    format: &FormatInfo,
    [m, n, k]: [u32; 3],
    blocks: &[u8],
    x: &[f32],
    w: &[f32],
) -> Vec<Case> {
    let halves: Vec<f16> = x.iter().copied().map(f16::from_f32).collect();
    let mut product = Vec::new();
    for x in halves.chunks_exact(k as usize) {
        for w in w.chunks_exact(k as usize) {
            let terms = x.iter().zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w));
            product.push(terms.sum::<f64>());
        }
    }
    let mut x: Vec<u8> = halves.iter().flat_map(|x| x.to_le_bytes()).collect();
    x.resize(x.len().next_multiple_of(4), 0);
    let instance = format!("{}, F16", format.name);
    let case = |kernel: &KernelInfo, dispatch: &dyn Fn([usize; 3]) -> Result<_, _>| {
        let label = format!("{} m {m} n {n} k {k}", kernel.label());
        let inputs = vec![blocks.to_vec(), x.clone()];
        let wanted = Wanted::Near(product.clone(), F32_BOUND);
        Case::of(label, inputs, wanted, dispatch)
    };
    let plain = gemv::gemv::instance(&instance).expect("an instance for every format");
    let subgroup = gemv::gemv_subgroup::instance(&instance).expect("an instance for every format");
    vec![
        case(plain, &|bindings| {
            let params = gemv::gemv::Params::new(n, k);
            gemv::gemv::dispatch_with(gemv::gemv::Overrides { m }, plain, bindings, params)
        }),
        case(subgroup, &|bindings| {
            let params = gemv::gemv_subgroup::Params::new(n, k);
            let overrides = gemv::gemv_subgroup::Overrides {
                m,
                ..Default::default()
            };
            gemv::gemv_subgroup::dispatch_with(overrides, subgroup, bindings, params)
        }),
    ]
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
    Case::of(label, inputs, Wanted::Near(wanted, F32_BOUND), |bindings| {
        rms_norm::dispatch(rms_norm::info(), bindings, params)
    })
}

fn combine_case() -> Case {
    const TOKENS: u32 = 5;
    const SLOTS: u32 = 3;
    const N: u32 = 37;
    let x = random::activations(14, (TOKENS * SLOTS * N) as usize);
    let weights = random::activations(15, (TOKENS * SLOTS) as usize);
    let mut wanted = vec![0.0; (TOKENS * N) as usize];
    for (slot, x) in x.chunks_exact(N as usize).enumerate() {
        let y = &mut wanted[slot / SLOTS as usize * N as usize..][..N as usize];
        for (y, x) in y.iter_mut().zip(x) {
            *y += f64::from(weights[slot]) * f64::from(*x);
        }
    }
    let inputs = vec![bytes(&x), bytes(&weights)];
    let params = combine_experts::Params::new(TOKENS, SLOTS, N);
    let label = "combine_experts".to_owned();
    Case::of(label, inputs, Wanted::Near(wanted, F32_BOUND), |bindings| {
        combine_experts::dispatch(combine_experts::info(), bindings, params)
    })
}

/// Two parts side by side.
fn paste_case() -> Case {
    const ROWS: u32 = 5;
    const WIDTHS: [u32; 2] = [37, 30];
    let n = WIDTHS.iter().sum::<u32>();
    let parts = WIDTHS.map(|width| random::activations(width.into(), (ROWS * width) as usize));
    let mut wanted = Vec::new();
    for row in 0..ROWS {
        for (part, width) in parts.iter().zip(WIDTHS) {
            wanted.extend_from_slice(&part[(row * width) as usize..][..width as usize]);
        }
    }
    let paste = |of: usize, first| {
        let params = paste_columns::Params::new(ROWS, WIDTHS[of], first, n);
        paste_columns::dispatch(paste_columns::info(), [of, 2], params).expect("a dispatch")
    };
    let given = parts.iter().map(|part| Value::Given(bytes(part)));
    Case {
        label: "paste_columns".to_owned(),
        values: given.chain([Value::Written(4 * wanted.len())]).collect(),
        dispatches: vec![paste(0, 0), paste(1, WIDTHS[0])],
        result: 2,
        wanted: Wanted::Bits(wanted),
    }
}

type Weights = HashMap<String, Vec<u8>>;

/// What `build` makes, fused and lowered, with the CPU backend's answer.
fn graph_case(
    label: &str,
    options: &LowerOptions,
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
    let (graph, _) = fuse_regions(&graph);
    let program = lower(&graph, options).expect("every op has a kernel");
    let mut values = Vec::new();
    for (index, value) in program.values.iter().enumerate() {
        let input = || {
            let is_this = |(_, id): &&(String, ValueId)| id.index() == index;
            let (name, _) = program.inputs.iter().find(is_this)?;
            Some(&inputs.iter().find(|(given, _)| given == name)?.1)
        };
        values.push(match (&value.kind, value.alias_of) {
            (ValueKind::Temporary, Some(other)) => Value::InPlaceOf(other.index()),
            (ValueKind::Temporary, None) | (ValueKind::State { .. }, _) => {
                Value::Written(value.bytes as usize)
            }
            (ValueKind::Weight { name, from }, _) => {
                let bytes = &weights[name][*from as usize..][..value.bytes as usize];
                Value::Given(bytes.to_vec())
            }
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
        wanted: Wanted::Near(wanted, F32_BOUND),
    }
}

/// Each operator alone, a region of broadcasts, and a block whose regions write in place.
fn region_cases() -> Vec<Case> {
    let options = with_subgroups();
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
        cases.push(graph_case(
            &label,
            &options,
            &Weights::new(),
            inputs,
            |graph| {
                let mut args = Vec::new();
                for (name, _) in inputs {
                    args.push(graph.input(*name, shape.clone(), DType::F32)?);
                }
                graph.elementwise(operator, &args)
            },
        ));
    }

    let (a, b) = (Shape::from([2, 1, 3]), Shape::from([1, 5, 1]));
    let inputs = [
        ("a", Tensor::f32(a.clone(), random::activations(7, 6))),
        ("b", Tensor::f32(b.clone(), random::activations(8, 5))),
    ];
    let label = "a region of broadcasts";
    cases.push(graph_case(
        label,
        &options,
        &Weights::new(),
        &inputs,
        |graph| {
            let a = graph.input("a", a.clone(), DType::F32)?;
            let b = graph.input("b", b.clone(), DType::F32)?;
            let sum = graph.elementwise(find("add"), &[a, b])?;
            let product = graph.elementwise(find("mul"), &[sum, b])?;
            graph.elementwise(find("gelu"), &[product])
        },
    ));

    cases.push(block_case(
        "a feed-forward block",
        &LowerOptions {
            // The twin has no program of a product with an end.
            epilogues: false,
            ..with_subgroups()
        },
    ));
    cases
}

/// A feed-forward block behind an embedding, as `options` lower it.
fn block_case(label: &str, options: &LowerOptions) -> Case {
    const K: u64 = 256;
    const TOKENS: u64 = 3;
    let find = |name| op(name).expect("an operator");
    let dense = formats::by_name("F32").expect("a format");
    let packed = formats::by_name("Q4_K").expect("a format");
    let square = |seed| random::blocks(packed, seed, (K * K) as usize / packed.elems as usize);
    let mut weights = Weights::new();
    weights.insert("norm".into(), bytes(&random::activations(9, K as usize)));
    for (seed, name) in ["embed", "gate", "up", "down"].into_iter().enumerate() {
        weights.insert(name.into(), square(10 + seed as u64));
    }
    let ids = Tensor::u32(Shape::from([TOKENS]), vec![200, 0, 255]);
    graph_case(label, options, &weights, &[("ids", ids)], |graph| {
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
    })
}

/// Products with an end, of which the twin has no program: with subgroups and without.
pub fn epilogue_cases() -> Vec<Case> {
    let plain = LowerOptions::default();
    vec![
        block_case(
            "a block of products with ends, with subgroups",
            &with_subgroups(),
        ),
        block_case("a block of products with ends", &plain),
    ]
}

/// Attention over a cache with rows past its end, in both layouts, whole heads and rotated parts of them.
fn attention_cases() -> Vec<Case> {
    let plain = Attention {
        heads: 4,
        groups: 2,
        d: 36,
        r: 24,
        capacity: 140,
        layout: RopeLayout::Halves,
        scores: Scores {
            scale: 0.2,
            window: None,
            softcap: None,
        },
    };
    let other = Attention {
        groups: 1,
        r: 36,
        layout: RopeLayout::Adjacent,
        scores: Scores {
            scale: 0.3,
            window: Some(129),
            softcap: Some(20.0),
        },
        ..plain
    };
    let case = |(label, of): (&str, Attention)| {
        let table = Weights::from([("table".to_owned(), bytes(&of.table()))]);
        let graph = of.graph(137).expect("a legal graph");
        let y = graph.outputs()[0].1;
        let inputs = of.inputs(0, 135, 2);
        graph_case(label, &with_subgroups(), &table, &inputs, |given| {
            *given = Graph::from_parts(graph.nodes().to_vec(), Vec::new());
            Ok(y)
        })
    };
    [
        ("attention, all before it", plain),
        ("attention in a window", other),
    ]
    .map(case)
    .into()
}

/// A device with subgroups.
fn with_subgroups() -> LowerOptions {
    LowerOptions {
        features: Features {
            subgroup: true,
            ..Features::NONE
        },
        ..LowerOptions::default()
    }
}

/// Formats that stand for the others where kernels are the same for all: dense ones, blocks of 32 and of 256,
/// runs of 16 and of 32, with a minimum and without.
const WHOLE: [&str; 5] = ["F32", "BF16", "Q4_0", "Q2_K", "Q4_K"];

/// Runs of every kernel of the library.
///
/// # Panics
/// Where the library itself is broken: a dispatch that it refuses.
pub fn cases() -> Vec<Case> {
    let golden = Golden::embedded().expect("the set is part of the library");
    let mut cases = region_cases();
    cases.extend([
        rms_norm_case(3, 300),
        rms_norm_case(1, 5),
        combine_case(),
        paste_case(),
    ]);
    cases.extend(attention_cases());
    for format in formats::ALL.iter().copied() {
        cases.extend([golden_case(format, &golden), dequantise_f16_case(format)]);
        for k in row_lengths(format) {
            cases.push(gather_case(format, k));
            // Enough sums that what cancels in one does not make up the error of all.
            let few: &[u32] = if WHOLE.contains(&format.name) {
                &[1, 3, 8]
            } else {
                &[2]
            };
            for m in few.iter().copied().chain([33]) {
                cases.extend(product_cases(format, [m, 67, k]));
            }
            for tokens in [3, 17] {
                cases.extend(experts_cases(format, tokens, k, 0));
            }
        }
    }
    let packed = formats::by_name("Q4_0").expect("a format");
    for tokens in [3, 17] {
        cases.extend(experts_cases(packed, tokens, 64, 1));
    }
    cases
}
