//! Grouped products: rows times the weights of the experts that were chosen for them, on every backend.

use std::collections::HashMap;

use kernel_specs::experts::group_rows::{group_rows, tiles_of};
use kernel_specs::formats;
use rlx_backends::Tensor;
use rlx_conformance::backends::{self, Named};
use rlx_conformance::devices::{Outcome, every_device};
use rlx_conformance::experts::{Grouped, Slots};
use rlx_conformance::random;
use rlx_core::{DType, Graph, GraphError, Shape};
use rlx_kernels::FormatInfo;
use rlx_kernels::prelude::*;

fn backends() -> Vec<Named> {
    backends::backends(None).expect("an adapter; `cargo xtask demo` installs lavapipe")
}

fn format(name: &str) -> &'static FormatInfo {
    formats::by_name(name).expect("a format")
}

fn hold(backends: &[Named], weights: &Grouped, of: Slots<'_>, what: &str) {
    for Named {
        name,
        backend,
        bound,
    } in backends
    {
        let error = weights.nmse(&**backend, of).expect("a product");
        assert!(error <= *bound, "{what} on {name}: NMSE {error:e}");
    }
}

#[test]
fn every_format_multiplies_with_the_weights_of_its_experts() {
    let backends = backends();
    for format in formats::ALL.iter().copied() {
        let lengths: &[usize] = match format.elems {
            1 => &[19, 64],
            _ => &[2 * format.elems as usize],
        };
        for &k in lengths {
            let weights = Grouped::new(format, 5, 67, k);
            for tokens in [1, 3, 9, 40] {
                let ids = random::ids(3, tokens * 2, 5);
                let of = Slots {
                    ids: &ids,
                    slots: 2,
                    has_rows: tokens == 3 || tokens == 40,
                };
                let what = format!("{} with {tokens} tokens", format.name);
                hold(&backends, &weights, of, &what);
            }
        }
    }
}

#[test]
fn any_number_of_experts_takes_any_number_of_tokens() {
    let backends = backends();
    for (experts, slots) in [(1, 1), (8, 2), (128, 8), (1024, 4)] {
        let weights = Grouped::new(format("Q4_0"), experts, 33, 64);
        for tokens in [1, 2, 7, 8, 9, 31, 64, 65, 512] {
            let ids = random::ids(tokens as u64, tokens * slots, experts as u32);
            let of = Slots {
                ids: &ids,
                slots,
                has_rows: false,
            };
            let what = format!("{tokens} tokens with {slots} of {experts} experts");
            hold(&backends, &weights, of, &what);
        }
    }
}

#[test]
fn an_expert_may_have_all_rows_or_none() {
    let backends = backends();
    let weights = Grouped::new(format("Q4_K"), 6, 65, 256);
    for expert in [0, 3, 5] {
        for tokens in [1, 8, 9, 33, 200] {
            let of = Slots {
                ids: &vec![expert; tokens],
                slots: 1,
                has_rows: false,
            };
            let what = format!("{tokens} tokens of expert {expert}");
            hold(&backends, &weights, of, &what);
        }
    }
}

#[test]
fn the_id_of_no_expert_is_an_error_that_names_it() {
    let weights = Grouped::new(format("Q8_0"), 4, 3, 32);
    for tokens in [2, 20] {
        let mut ids = vec![1; tokens];
        ids[1] = 4;
        let of = Slots {
            ids: &ids,
            slots: 1,
            has_rows: false,
        };
        for Named { name, backend, .. } in backends() {
            let error = weights.nmse(&*backend, of).expect_err("expert 4 of 4");
            let error = error.to_string();
            assert!(
                error.ends_with("ids[1] is 4, the weight has 4 experts"),
                "{name}: {error}"
            );
        }
    }
}

#[test]
fn slots_are_grouped_in_their_order() -> Outcome {
    for device in every_device() {
        for (experts, rows, size) in [
            (1_u32, 1_u32, 32_u32),
            (3, 32, 32),
            (4, 31, 32),
            (5, 300, 64),
            (128, 700, 64),
            (2, 513, 16),
        ] {
            // Some ids are no expert's.
            let ids = random::ids(
                u64::from(rows),
                rows as usize,
                experts + experts.div_ceil(8),
            );
            let order = device.alloc::<u32>(u64::from(rows))?;
            let tiles = device.alloc::<Vec4<u32>>(u64::from(tiles_of(rows, experts, size)))?;
            let ids_buffer = device.upload(&ids)?;
            let params = group_rows::Params::new(rows, experts, size);
            let bindings = [ids_buffer.handle(), order.handle(), tiles.handle()].map(Clone::clone);
            device.run(&group_rows::dispatch(group_rows::info(), bindings, params)?)?;

            let mut wanted: Vec<u32> = (0..rows).collect();
            wanted.sort_by_key(|slot| ids[*slot as usize].min(experts));
            assert_eq!(device.download(&order)?, wanted);
            let mut at = 0;
            for tile in device.download(&tiles)? {
                let [expert, first, count, _] = [tile.x, tile.y, tile.z, tile.w];
                assert!(count <= size);
                if count == 0 {
                    continue;
                }
                assert_eq!(first, at, "tiles leave nothing out");
                at += count;
                for slot in &wanted[first as usize..][..count as usize] {
                    assert_eq!(ids[*slot as usize].min(experts), expert);
                }
            }
            assert_eq!(at, rows);
        }
    }
    Ok(())
}

/// A feed-forward block of experts: for each token of `x` the experts of `ids` by their `weights`.
fn block(tokens: u64, [experts, slots, n, k]: [u64; 4]) -> Result<Graph, GraphError> {
    let operator = |name| kernel_specs::elementwise::op(name).expect("an operator");
    let packed = format("Q4_K");
    let mut graph = Graph::new();
    let x = graph.input("x", [tokens, k], DType::F32)?;
    let ids = graph.input("ids", [tokens, slots], DType::U32)?;
    let weights = graph.input("weights", [tokens, slots], DType::F32)?;
    let gate = graph.weight("gate", [experts, n, k], packed)?;
    let up = graph.weight("up", [experts, n, k], packed)?;
    let down = graph.weight("down", [experts, k, n], packed)?;
    let gate = graph.matmul_experts(x, gate, ids)?;
    let up = graph.matmul_experts(x, up, ids)?;
    let gate = graph.elementwise(operator("silu"), &[gate])?;
    let h = graph.elementwise(operator("mul"), &[gate, up])?;
    let h = graph.matmul_experts(h, down, ids)?;
    let h = graph.combine_experts(h, weights)?;
    let y = graph.elementwise(operator("add"), &[x, h])?;
    graph.output("y", y)?;
    Ok(graph)
}

#[test]
fn a_block_of_experts_agrees_with_the_cpu() {
    const SIZES: [u64; 4] = [16, 3, 256, 512];
    let [experts, slots, n, k] = SIZES;
    let blocks = (experts * n * k / 256) as usize;
    let weights: HashMap<String, Vec<u8>> = ["gate", "up", "down"]
        .into_iter()
        .zip(1..)
        .map(|(name, seed)| {
            (
                name.to_owned(),
                random::blocks(format("Q4_K"), seed, blocks),
            )
        })
        .collect();
    for tokens in [0, 1, 8, 9, 50] {
        let graph = block(tokens, SIZES).expect("a legal graph");
        let count = (tokens * slots) as usize;
        let inputs = [
            (
                "x",
                Tensor::f32(
                    Shape::from([tokens, k]),
                    random::activations(1, (tokens * k) as usize),
                ),
            ),
            (
                "ids",
                Tensor::u32(
                    Shape::from([tokens, slots]),
                    random::ids(2, count, experts as u32),
                ),
            ),
            (
                "weights",
                Tensor::f32(Shape::from([tokens, slots]), random::activations(3, count)),
            ),
        ];
        let mut wanted: Option<Vec<f32>> = None;
        for Named {
            name,
            backend,
            bound,
        } in backends()
        {
            let mut executable = backend.compile(&graph, &weights).expect("it compiles");
            let outputs = executable.run(&inputs).expect("it runs");
            let found = outputs[0].1.data.as_f32().expect("results are f32");
            assert_eq!(found.len() as u64, tokens * k);
            let wanted = wanted.get_or_insert_with(|| found.to_vec());
            let error = rlx_conformance::product::nmse(
                found.iter().copied(),
                wanted.iter().map(|value| f64::from(*value)),
            );
            assert!(error <= bound, "{tokens} tokens on {name}: NMSE {error:e}");
        }
    }
}

#[test]
fn shapes_that_do_not_fit_are_errors() {
    let mut graph = Graph::new();
    let x = graph.input("x", [3, 32], DType::F32).expect("an input");
    let ids = graph.input("ids", [3, 2], DType::U32).expect("an input");
    let other = graph.input("other", [4, 2], DType::U32).expect("an input");
    let w = graph.weight("w", [4, 5, 32], format("Q4_0"));
    let flat = graph.weight("flat", [5, 32], format("Q4_0"));
    let (w, flat) = (w.expect("a weight"), flat.expect("a weight"));
    let y = graph.matmul_experts(x, w, ids).expect("a legal op");
    let message = |result: Result<_, GraphError>| result.expect_err("it does not fit").to_string();
    let refusals = [
        message(graph.matmul_experts(x, flat, ids)),
        message(graph.matmul_experts(x, w, other)),
        message(graph.matmul_experts(x, w, x)),
        message(graph.matmul_experts(y, w, ids)),
        message(graph.combine_experts(y, x)),
        message(graph.combine_experts(x, x)),
    ];
    insta::assert_snapshot!(refusals.join("\n"), @r"
    %6 = matmul_experts(%0, %4, %1): w must be [e, n, k], found [5, 32]
    %6 = matmul_experts(%0, %3, %2): the first extents of x [3, 32] and ids [4, 2] must agree
    %6 = matmul_experts(%0, %3, %0): ids must be u32, found %0, f32
    %6 = matmul_experts(%5, %3, %1): the last extents of x [3, 2, 5] and w [4, 5, 32] must agree
    %6 = combine_experts(%5, %0): the first extents of x [3, 2, 5] and weights [3, 32] must agree
    %6 = combine_experts(%0, %0): x must be [t, s, n], found [3, 32]
    ");
}

#[test]
fn the_sum_of_experts_without_values_is_empty() {
    let mut graph = Graph::new();
    let x = graph.input("x", [2, 3, 0], DType::F32).expect("an input");
    let weights = graph.input("weights", [2, 3], DType::F32);
    let weights = weights.expect("an input");
    let y = graph.combine_experts(x, weights).expect("a legal op");
    graph.output("y", y).expect("an output");
    for Named { name, backend, .. } in backends() {
        let mut executable = backend
            .compile(&graph, &HashMap::<String, Vec<u8>>::new())
            .expect("it compiles");
        let inputs = [
            ("x", Tensor::f32(Shape::from([2, 3, 0]), Vec::new())),
            ("weights", Tensor::f32(Shape::from([2, 3]), vec![1.0; 6])),
        ];
        let outputs = executable.run(&inputs).expect("it runs");
        assert_eq!(outputs[0].1.data.as_f32(), Some(&[][..]), "{name}");
    }
}
