//! Weights larger than a device binds: their parts, without the memory for them.

use kernel_specs::formats;
use rlx_core::{
    DType, Graph, LowerError, LowerOptions, Place, PlanError, PlanLimits, Program, ValueKind,
    lower, plan,
};
use rlx_kernels::FormatInfo;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn format(name: &str) -> &'static FormatInfo {
    formats::by_name(name).expect("a format")
}

/// A product with a weight of `n` rows of `k`, which also gives rows of itself.
fn product(format: &'static FormatInfo, m: u64, [n, k]: [u64; 2]) -> Graph {
    let mut graph = Graph::new();
    let ids = graph.input("ids", [m], DType::U32).expect("an input");
    let w = graph.weight("w", [n, k], format).expect("a weight");
    let x = graph.gather_rows(w, ids).expect("a legal op");
    let y = graph.matmul_bt(x, w).expect("a legal op");
    graph.output("y", y).expect("an output");
    graph
}

fn options(binding_bytes: u64) -> LowerOptions {
    LowerOptions {
        binding_bytes,
        ..LowerOptions::default()
    }
}

/// First byte and bytes of each part of weight `w`, in their order.
fn parts(program: &Program) -> Vec<[u64; 2]> {
    let parts = program.values.iter().filter_map(|value| match &value.kind {
        ValueKind::Weight { name, from } if name == "w" => Some([*from, value.bytes]),
        _ => None,
    });
    let mut parts: Vec<_> = parts.collect();
    parts.sort_unstable();
    parts
}

#[test]
fn parts_of_a_weight_are_all_of_it_and_fit_bindings_and_buffers() {
    // WebGPU's defaults, and those of a large GPU.
    let devices = [
        (256, 128 * MIB, 256 * MIB),
        (32, 2 * GIB - 4, 4 * GIB - 2 * MIB),
    ];
    for (storage_alignment, max_binding, max_buffer) in devices {
        for (name, n, k, bytes) in [
            ("Q8_0", 262_144, 640, 178_257_920),
            ("Q4_K", 999_983, 4096, 2_303_960_832),
            ("F16", 151_936, 8192, 2_489_319_424),
            ("Q6_K", 1_500_000, 4096, 5_040_000_000),
            ("F32", 300_000, 4096, 4_915_200_000),
            ("Q1_0", 3_000_000, 2048, 864_000_000),
        ] {
            let format = format(name);
            assert_eq!(format.size_of(n * k), Some(bytes));
            for m in [1, 9] {
                let graph = product(format, m, [n, k]);
                let program = lower(&graph, &options(max_binding)).expect("every op has a kernel");
                let mut end = 0;
                for [from, bytes] in parts(&program) {
                    assert_eq!(from, end, "{name}: parts are one after the other");
                    assert!(bytes <= max_binding && bytes > 0);
                    // Whole rows, and no more of them than kernels count.
                    let row = format.size_of(k).expect("small");
                    assert!(bytes % row == 0 && bytes / row * k < 1 << 32);
                    end += bytes;
                }
                assert_eq!(end, bytes, "{name}: nothing is left out");
                let limits = PlanLimits {
                    storage_alignment,
                    max_binding,
                    max_buffer,
                };
                let plan = plan(&program, &limits).expect("all fits");
                assert!(plan.weights.iter().all(|buffer| buffer.size <= max_buffer));
                for (value, window) in program.values.iter().zip(&plan.windows) {
                    assert!(window.size >= value.bytes && window.size <= max_binding);
                    assert_eq!(window.offset % storage_alignment, 0);
                    if let Place::Weights(index) = window.place {
                        assert!(window.offset + window.size <= plan.weights[index].size);
                    }
                }
            }
        }
    }
}

#[test]
fn a_weight_that_a_binding_holds_is_whole() {
    let graph = product(format("F32"), 1, [1024, 32]);
    let program = lower(&graph, &options(1024 * 32 * 4)).expect("every op has a kernel");
    assert_eq!(parts(&program), [[0, 1024 * 32 * 4]]);
    let labels = program.dispatches.iter().map(|run| run.kernel.label());
    assert!(labels.into_iter().all(|label| label != "paste_columns"));
}

#[test]
fn experts_are_kept_whole() {
    let mut graph = Graph::new();
    let x = graph.input("x", [40, 2048], DType::F32).expect("an input");
    let ids = graph.input("ids", [40, 8], DType::U32).expect("an input");
    let w = graph.weight("w", [128, 768, 2048], format("Q8_0"));
    let y = graph.matmul_experts(x, w.expect("a weight"), ids);
    graph
        .output("y", y.expect("a legal op"))
        .expect("an output");
    let program = lower(&graph, &options(128 * MIB)).expect("every op has a kernel");
    let expert = 768 * 2048 / 32 * 34;
    let found = parts(&program);
    assert_eq!(found, [[0, 64 * expert], [64 * expert, 64 * expert]]);
}

#[test]
fn what_cannot_be_divided_is_an_error_that_names_it() {
    let mut graph = Graph::new();
    let w = graph.weight("w", [64, 1024], format("F32"));
    let y = graph.dequantise(w.expect("a weight")).expect("a legal op");
    graph.output("y", y).expect("an output");
    let error = lower(&graph, &options(4096)).expect_err("64 rows of 4096 bytes");
    assert!(matches!(error, LowerError::Indivisible { .. }));
    assert_eq!(
        error.to_string(),
        "node %1 = dequantise(%0) of shape [64, 1024]: weight %0 passes the 4096 bytes of a binding; only \
         products and gathers take it in parts"
    );

    // Not even a row.
    let graph = product(format("F32"), 1, [64, 1024]);
    let program = lower(&graph, &options(4095)).expect("every op has a kernel");
    let limits = PlanLimits {
        storage_alignment: 32,
        max_binding: 4095,
        max_buffer: MIB,
    };
    let error = plan(&program, &limits).expect_err("a row has 4096 bytes");
    assert!(matches!(&error, PlanError::Binding { value, .. } if value == "weight `w`"));
}
