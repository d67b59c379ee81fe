//! Attention over a cache that outlives a run, on every backend, against f64.

use rlx_backends::wgpu::ContextOptions;
use rlx_conformance::attention::Attention;
use rlx_conformance::backends::Named;
use rlx_conformance::product::F32_BOUND;
use rlx_core::{DType, Graph, GraphError, Precision, RopeLayout, Scores};

const PLAIN: Attention = Attention {
    heads: 6,
    groups: 2,
    d: 64,
    r: 64,
    capacity: 300,
    layout: RopeLayout::Halves,
    scores: Scores {
        scale: 0.125,
        window: None,
        softcap: None,
    },
};

fn backends() -> Vec<Named> {
    let least = ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    };
    let gpu = |name, options: &ContextOptions| {
        Named::gpu(name, options, Precision::Exact)
            .expect("an adapter; `cargo xtask demo` installs lavapipe")
    };
    vec![
        Named::cpu(),
        gpu("the adapter", &ContextOptions::default()),
        gpu("WebGPU's defaults", &least),
    ]
}

fn hold(of: &Attention, chunks: &[usize], idle: usize) {
    for Named { name, backend, .. } in backends() {
        let error = of.nmse(&*backend, chunks, idle).expect("an attention");
        assert!(error <= F32_BOUND, "{of:?} on {name}: NMSE {error:e}");
    }
}

#[test]
fn rows_attend_to_what_earlier_runs_left() {
    hold(&PLAIN, &[5, 1, 1, 3, 1], 0);
}

#[test]
fn long_caches_take_several_steps() {
    hold(&PLAIN, &[127, 1, 1, 130, 1], 0);
}

#[test]
fn rows_past_the_cache_write_nothing_and_are_zeros() {
    hold(&PLAIN, &[5, 1, 3], 4);
}

#[test]
fn heads_have_any_length_and_any_number() {
    for (heads, groups, d, r) in [
        (1, 1, 1, 0),
        (4, 4, 2, 2),
        (9, 3, 80, 32),
        (8, 1, 129, 128),
        (4, 1, 256, 256),
        (2, 2, 512, 512),
    ] {
        for layout in [RopeLayout::Adjacent, RopeLayout::Halves] {
            let of = Attention {
                heads,
                groups,
                d,
                r: r.max(2).min(d / 2 * 2).max(2),
                capacity: 140,
                layout,
                ..PLAIN
            };
            // A head of one element has no pair.
            let of = if d == 1 { Attention { d: 3, ..of } } else { of };
            hold(&of, &[131, 1], 0);
        }
    }
}

#[test]
fn windows_and_soft_caps_count() {
    for window in [1, 2, 127, 128, 129, 1000] {
        for softcap in [None, Some(30.0)] {
            let scores = Scores {
                scale: 0.3,
                window: Some(window),
                softcap,
            };
            let of = Attention { scores, ..PLAIN };
            hold(&of, &[140, 1, 2], 0);
        }
    }
}

#[test]
fn two_states_of_one_name_must_have_one_shape() {
    let other = Attention {
        capacity: 299,
        ..PLAIN
    };
    let graphs = [PLAIN.graph(1), other.graph(1)].map(|graph| graph.expect("a legal graph"));
    let weights: std::sync::Arc<dyn rlx_core::Weights + Send> =
        std::sync::Arc::new(std::collections::HashMap::<String, Vec<u8>>::new());
    for Named { name, backend, .. } in backends() {
        let error = backend
            .compile_together(&[&graphs[0], &graphs[1]], &weights)
            .err()
            .expect("two shapes");
        assert_eq!(
            error.to_string(),
            "state `keys` of shape [299, 2, 64] has another shape in a graph that shares it",
            "{name}"
        );
    }
}

#[test]
fn what_cannot_be_attended_is_refused_by_name() {
    let mut graph = Graph::new();
    let f32 = kernel_specs::formats::by_name("F32").expect("a format");
    let x = graph.input("x", [2, 6, 8], DType::F32).expect("an input");
    let at = graph.input("at", [2], DType::U32).expect("an input");
    let three = graph.input("three", [3], DType::U32).expect("an input");
    let odd = graph.weight("odd", [9, 7], f32).expect("a weight");
    let long = graph.weight("long", [9, 10], f32).expect("a weight");
    let cache = graph.state("cache", [9, 4, 8]).expect("a state");
    let rows = graph
        .input("rows", [2, 4, 8], DType::F32)
        .expect("an input");
    let narrow = graph.input("narrow", [2, 8], DType::F32).expect("an input");
    let scores = PLAIN.scores;
    let halves = RopeLayout::Halves;
    let mut message = |op: &mut dyn FnMut(&mut Graph) -> Result<rlx_core::ValueId, GraphError>| {
        op(&mut graph).expect_err("not legal").to_string()
    };
    let found = [
        message(&mut |g| g.reshape(x, [95])),
        message(&mut |g| g.reshape(odd, [63])),
        message(&mut |g| g.rope(x, odd, at, halves)),
        message(&mut |g| g.rope(x, long, at, halves)),
        message(&mut |g| g.append_rows(x, rows, at)),
        message(&mut |g| g.append_rows(cache, narrow, at)),
        message(&mut |g| g.append_rows(cache, rows, three)),
        message(&mut |g| g.attention(x, [cache, cache], at, scores)),
        message(&mut |g| g.attention(x, [rows, rows], at, scores)),
        message(&mut |g| g.attention(x, [x, x], three, scores)),
        message(&mut |g| g.attention(x, [x, rows], at, scores)),
        message(&mut |g| {
            let softcap = Some(0.0);
            g.attention(x, [x, x], at, Scores { softcap, ..scores })
        }),
        message(&mut |g| g.state("cache", [9, 4])),
        message(&mut |g| g.state("vector", [9])),
    ];
    let found = found.join("\n");
    insta::assert_snapshot!(found, @"
    %8 = reshape(%0): shape [95] has not as many elements as [2, 6, 8]
    %8 = reshape(%3): x must be f32, found %3, weight in F32
    %8 = rope(%0, %3, %1): table must be [c, r], r even and at most d, found [9, 7] for x [2, 6, 8]
    %8 = rope(%0, %4, %1): table must be [c, r], r even and at most d, found [9, 10] for x [2, 6, 8]
    %8 = append_rows(%0, %6, %1): cache must be a state that nothing was appended to yet, found %0 = input `x`
    %8 = append_rows(%5, %7, %1): the inner extents of rows [2, 8] and cache [9, 4, 8] must agree
    %8 = append_rows(%5, %6, %2): the first extents of rows [2, 4, 8] and positions [3] must agree
    %8 = attention(%0, %5, %5, %1): k must be computed: only append_rows takes a state, found state `cache`
    %8 = attention(%0, %6, %6, %1): q must be of a multiple of the heads of k, found [2, 6, 8] for k [2, 4, 8]
    %8 = attention(%0, %0, %0, %2): the first extents of q [2, 6, 8] and positions [3] must agree
    %8 = attention(%0, %0, %6, %1): the respective extents of k [2, 6, 8] and v [2, 4, 8] must agree
    %8 = attention(%0, %0, %0, %1): softcap must be positive and finite, found 0
    there is another state named `cache`
    %8 = state `vector`: state must be f32 [c, ..], found f32 [9]
    ");
    let kept = graph.append_rows(cache, rows, at).expect("a legal op");
    let again = graph.append_rows(cache, rows, at).expect_err("twice");
    let output = graph.output("cache", cache).expect_err("a state");
    let found = format!("{again}\n{output}");
    insta::assert_snapshot!(found, @"
    %9 = append_rows(%5, %6, %1): cache must be a state that nothing was appended to yet, found %5 = state `cache`
    output `cache` is the state %5; give what was appended to it
    ");
    graph.output("kept", kept).expect("what was appended");
    rlx_core::verify(&graph).expect("a legal graph");
}
