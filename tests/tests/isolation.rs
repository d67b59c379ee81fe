//! What is not finite stays where it is: no NaN or infinity in a row, a block or an expert changes another, on
//! any backend.

use std::collections::HashMap;

use fastrand::Rng;
use kernel_specs::formats;
use rlx_backends::{Backend, Tensor};
use rlx_conformance::backends::{Named, backends};
use rlx_conformance::devices::Outcome;
use rlx_conformance::product::multiply;
use rlx_conformance::random;
use rlx_core::{DType, Graph, Shape};
use rlx_kernels::FormatInfo;

/// Rows of weights.
const N: usize = 66;

/// Rows of activations: few, and more than GEMV kernels take.
const M: [usize; 2] = [3, 33];

/// A row length that is two blocks at least.
fn row_length(format: &FormatInfo) -> usize {
    (2 * format.elems as usize).max(64)
}

/// A block with weights that are not finite; in a format that has none, one with the largest scale.
fn poison(format: &FormatInfo) -> Vec<u8> {
    let mut rng = Rng::with_seed(1);
    let mut weights = vec![0.0; format.elems as usize];
    let ones = vec![0xff; format.bytes as usize];
    let random = (0..4096).map(|_| (0..format.bytes).map(|_| rng.u8(..)).collect());
    let mut blocks = [ones.clone()].into_iter().chain(random);
    let found = blocks.find(|block: &Vec<u8>| {
        (format.decode)(block, &mut weights);
        weights.iter().any(|weight| !weight.is_finite())
    });
    found.unwrap_or(ones)
}

/// Whether two results have the same bits wherever `is_kept` says so.
fn is_same(before: &[f32], after: &[f32], is_kept: impl Fn(usize) -> bool) -> bool {
    let pairs = before.iter().zip(after).enumerate();
    let mut kept = pairs.filter(|(at, _)| is_kept(*at));
    before.len() == after.len() && kept.all(|(_, (a, b))| a.to_bits() == b.to_bits())
}

#[test]
fn a_row_of_activations_changes_no_other() -> Outcome {
    let backends = backends(None)?;
    for format in formats::ALL.iter().copied() {
        let k = row_length(format);
        let weight = random::blocks(format, 1, N * k / format.elems as usize);
        for m in M {
            let clean = random::activations(2, m * k);
            for Named { name, backend, .. } in &backends {
                let before = multiply(&**backend, format, &weight, &clean, [m, N, k])?;
                assert!(before.iter().all(|value| value.is_finite()));
                for value in [f32::NAN, f32::INFINITY] {
                    let mut x = clean.clone();
                    x[k + k / 2 + 1] = value;
                    let after = multiply(&**backend, format, &weight, &x, [m, N, k])?;
                    assert!(
                        is_same(&before, &after, |at| at / N != 1),
                        "{} with m {m} on {name}: {value} in row 1 changed another",
                        format.name
                    );
                    assert!(!is_same(&before, &after, |at| at / N == 1));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_block_of_weights_changes_no_other_row() -> Outcome {
    let backends = backends(None)?;
    for format in formats::ALL.iter().copied() {
        let k = row_length(format);
        let clean = random::blocks(format, 1, N * k / format.elems as usize);
        let mut weight = clean.clone();
        let at = (5 * k / format.elems as usize + 1) * format.bytes as usize;
        weight[at..at + format.bytes as usize].copy_from_slice(&poison(format));
        for m in M {
            let x = random::activations(2, m * k);
            for Named { name, backend, .. } in &backends {
                let before = multiply(&**backend, format, &clean, &x, [m, N, k])?;
                let after = multiply(&**backend, format, &weight, &x, [m, N, k])?;
                assert!(
                    is_same(&before, &after, |at| at % N != 5),
                    "{} with m {m} on {name}: row 5 of the weight changed another",
                    format.name
                );
                assert!(!is_same(&before, &after, |at| at % N == 5));
            }
        }
    }
    Ok(())
}

/// All weights decoded, and all rows gathered, in one graph.
fn decoded(
    backend: &dyn Backend,
    format: &'static FormatInfo,
    blocks: &[u8],
    [n, k]: [usize; 2],
) -> Outcome<[Vec<f32>; 2]> {
    let mut graph = Graph::new();
    let ids = graph.input("ids", [n as u64], DType::U32)?;
    let w = graph.weight("w", [n as u64, k as u64], format)?;
    let (all, rows) = (graph.dequantise(w)?, graph.gather_rows(w, ids)?);
    graph.output("all", all)?;
    graph.output("rows", rows)?;
    let weights = HashMap::from([("w".to_owned(), blocks.to_vec())]);
    let mut executable = backend.compile(&graph, &weights)?;
    let ids = Tensor::u32(Shape::from([n as u64]), (0..n as u32).collect::<Vec<_>>());
    let outputs = executable.run(&[("ids", ids)])?;
    let values = |index: usize| outputs[index].1.data.as_f32().unwrap_or_default().to_vec();
    Ok([values(0), values(1)])
}

#[test]
fn a_block_decodes_without_a_look_at_others() -> Outcome {
    let backends = backends(None)?;
    for format in formats::ALL.iter().copied() {
        let (k, elems) = (row_length(format), format.elems as usize);
        let clean = random::blocks(format, 1, N * k / elems);
        let block = 5 * k / elems + 1;
        let mut blocks = clean.clone();
        let at = block * format.bytes as usize;
        blocks[at..at + format.bytes as usize].copy_from_slice(&poison(format));
        for Named { name, backend, .. } in &backends {
            let before = decoded(&**backend, format, &clean, [N, k])?;
            let after = decoded(&**backend, format, &blocks, [N, k])?;
            for (before, after) in before.iter().zip(&after) {
                assert_eq!(before.len(), N * k);
                assert!(
                    is_same(before, after, |at| at / elems != block),
                    "{} on {name}: block {block} changed another",
                    format.name
                );
            }
        }
    }
    Ok(())
}

#[test]
fn an_expert_or_a_token_changes_no_other() -> Outcome {
    const EXPERTS: usize = 4;
    let backends = backends(None)?;
    for name in ["F32", "Q4_0", "Q4_K", "IQ4_XS"] {
        let format = formats::by_name(name).ok_or("no such format")?;
        let k = row_length(format);
        let clean = random::blocks(format, 1, EXPERTS * N * k / format.elems as usize);
        let mut poisoned = clean.clone();
        let expert = poisoned.len() / EXPERTS;
        let bytes = format.bytes as usize;
        poisoned[2 * expert..][..bytes].copy_from_slice(&poison(format));
        for tokens in M {
            let ids = random::ids(3, tokens * 2, EXPERTS as u32);
            let x = random::activations(4, tokens * k);
            let mut broken = x.clone();
            broken[k + 1] = f32::NAN;
            for Named {
                name: on, backend, ..
            } in &backends
            {
                let multiply = |weight: &[u8], x: &[f32]| -> Outcome<Vec<f32>> {
                    let [t, n, width] = [tokens, N, k].map(|extent| extent as u64);
                    let mut graph = Graph::new();
                    let value = graph.input("x", [t, width], DType::F32)?;
                    let chosen = graph.input("ids", [t, 2], DType::U32)?;
                    let w = graph.weight("w", [EXPERTS as u64, n, width], format)?;
                    let y = graph.matmul_experts(value, w, chosen)?;
                    graph.output("y", y)?;
                    let weights = HashMap::from([("w".to_owned(), weight.to_vec())]);
                    let mut executable = backend.compile(&graph, &weights)?;
                    let outputs = executable.run(&[
                        ("x", Tensor::f32(Shape::from([t, width]), x.to_vec())),
                        ("ids", Tensor::u32(Shape::from([t, 2]), ids.clone())),
                    ])?;
                    Ok(outputs[0].1.data.as_f32().ok_or("no f32")?.to_vec())
                };
                let before = multiply(&clean, &x)?;
                let after = multiply(&poisoned, &x)?;
                assert!(
                    is_same(&before, &after, |at| ids[at / N] != 2),
                    "{name} with {tokens} tokens on {on}: expert 2 changed another"
                );
                let after = multiply(&clean, &broken)?;
                assert!(
                    is_same(&before, &after, |at| at / N / 2 != 1),
                    "{name} with {tokens} tokens on {on}: token 1 changed another"
                );
            }
        }
    }
    Ok(())
}
