//! Blocks of random bits: every backend and the twin decode what the format's decoder decodes, wherever the
//! bytes lie.

use std::collections::HashMap;

use fastrand::Rng;
use kernel_specs::formats;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rlx_backends::Backend;
use rlx_conformance::backends::{Named, backends};
use rlx_conformance::cases::dequantise_case;
use rlx_conformance::devices::Outcome;
use rlx_conformance::twin::Answer;
use rlx_core::{Graph, Weights, WeightsError};
use rlx_kernels::{Check, FormatInfo, SimOptions};

/// A weight that begins at some byte of a buffer.
struct Within {
    bytes: Vec<u8>,
    first: usize,
}

impl Weights for Within {
    fn bytes(&self, name: &str) -> Result<&[u8], WeightsError> {
        self.bytes
            .get(self.first..)
            .ok_or_else(|| WeightsError::Missing { name: name.into() })
    }
}

fn decode(
    backend: &dyn Backend,
    format: &'static FormatInfo,
    weights: &Within,
    count: usize,
) -> Outcome<Vec<f32>> {
    let mut graph = Graph::new();
    let w = graph.weight("w", [count as u64, u64::from(format.elems)], format)?;
    let y = graph.dequantise(w)?;
    graph.output("y", y)?;
    let outputs = backend.compile(&graph, weights)?.run(&[])?;
    Ok(outputs[0].1.data.as_f32().ok_or("no f32")?.to_vec())
}

/// Whether a device may give `found` for `wanted`: the same bits, a subnormal flushed to zero, and anything
/// for what is not finite.
fn is_right(wanted: f32, found: f32) -> bool {
    let is_flushed = found == 0.0 && wanted.abs() <= f32::MIN_POSITIVE * 12.0;
    wanted.to_bits() == found.to_bits() || is_flushed || !wanted.is_finite()
}

#[test]
fn random_blocks_decode_alike_everywhere_at_every_byte() -> Outcome {
    let backends = backends(None)?;
    for format in formats::ALL.iter().copied() {
        let mut runner = TestRunner::new(Config {
            cases: 12,
            failure_persistence: None,
            ..Config::default()
        });
        let strategy = (any::<u64>(), 1..40_usize, 0..5_usize);
        runner.run(&strategy, |(seed, count, first)| {
            let mut rng = Rng::with_seed(seed);
            let len = count * format.bytes as usize;
            let bytes: Vec<u8> = (0..first + len).map(|_| rng.u8(..)).collect();
            let weights = Within { bytes, first };
            let mut wanted = vec![0.0; count * format.elems as usize];
            (format.decode)(&weights.bytes[first..], &mut wanted);
            for Named { name, backend, .. } in &backends {
                let found = decode(&**backend, format, &weights, count);
                let found = found.map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert_eq!(found.len(), wanted.len());
                let is_cpu = *name == "the CPU";
                let mut pairs = wanted.iter().zip(&found);
                let wrong = pairs.find(|(wanted, found)| {
                    let is_same = wanted.to_bits() == found.to_bits();
                    let is_nan = wanted.is_nan() && found.is_nan();
                    !(is_same || is_nan || !is_cpu && is_right(**wanted, **found))
                });
                prop_assert!(wrong.is_none(), "{} on {}: {:?}", format.name, name, wrong);
            }
            // The twin's own check grants flushed subnormals, and one NaN for another.
            let options = SimOptions::default().allow(Check::NotFinite);
            let case = dequantise_case(format, weights.bytes[first..].to_vec());
            let answer = Answer::of(&case, &options);
            let answer = answer.map_err(TestCaseError::fail)?;
            prop_assert_eq!(case.fault(&answer.words), None);
            Ok(())
        })?;
    }
    Ok(())
}

/// A run of rows that each begin at another byte: blocks of 17, 34, 66 or 210 bytes are no whole words.
#[test]
fn rows_begin_at_any_byte_of_their_buffer() -> Outcome {
    let backends = backends(None)?;
    for format in formats::ALL.iter().copied() {
        let (rows, k) = (9, format.elems as usize);
        let blocks = rlx_conformance::random::blocks(format, 7, rows);
        let mut wanted = vec![0.0; rows * k];
        (format.decode)(&blocks, &mut wanted);
        let weights = HashMap::from([("w".to_owned(), blocks)]);
        for Named { name, backend, .. } in &backends {
            let mut graph = Graph::new();
            let ids = graph.input("ids", [rows as u64], rlx_core::DType::U32)?;
            let w = graph.weight("w", [rows as u64, k as u64], format)?;
            let y = graph.gather_rows(w, ids)?;
            graph.output("y", y)?;
            let ids: Vec<u32> = (0..rows as u32).rev().collect();
            let shape = rlx_core::Shape::from([rows as u64]);
            let ids = rlx_backends::Tensor::u32(shape, ids);
            let outputs = backend.compile(&graph, &weights)?.run(&[("ids", ids)])?;
            let found = outputs[0].1.data.as_f32().ok_or("no f32")?;
            for (wanted, found) in wanted.chunks(k).rev().zip(found.chunks(k)) {
                assert_eq!(wanted, found, "{} on {name}", format.name);
            }
        }
    }
    Ok(())
}
