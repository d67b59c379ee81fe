//! Weights that are larger than what a device binds: taken in parts, on every backend.

use std::collections::HashMap;

use kernel_specs::formats;
use rlx_backends::{Backend, Tensor};
use rlx_conformance::backends::{Named, backends};
use rlx_conformance::devices::Outcome;
use rlx_conformance::experts::{Grouped, Slots};
use rlx_conformance::product::{Case, F32_BOUND};
use rlx_conformance::random;
use rlx_core::{DType, Graph, Shape};
use rlx_kernels::FormatInfo;

/// Bytes of a binding, of which the weights here have several.
const BINDING: u64 = 1 << 18;

fn format(name: &str) -> &'static FormatInfo {
    formats::by_name(name).expect("a format")
}

#[test]
fn a_product_takes_a_weight_in_parts() -> Outcome {
    let backends = backends(Some(BINDING))?;
    // Rows of Q6_K and MXFP4 are no whole words, so parts begin at any byte of the weight.
    for (name, n, k) in [
        ("F32", 300, 1023),
        ("F16", 300, 1027),
        ("Q4_0", 1500, 1024),
        ("Q6_K", 1501, 768),
        ("MXFP4", 1501, 992),
        ("Q4_K", 1000, 1024),
    ] {
        let format = format(name);
        assert!(format.size_of((n * k) as u64) > Some(2 * BINDING));
        let exact = Case::new(format, 33, n, k);
        let rounded = Case::new(format, 33, n, k).by_energy();
        for Named {
            name: backend_name,
            backend,
            bound,
        } in &backends
        {
            let case = if *bound > F32_BOUND { &rounded } else { &exact };
            for m in [1, 3, 9, 33] {
                let error = case.nmse(&**backend, m, n)?;
                assert!(
                    error <= *bound,
                    "{name} with m {m} on {backend_name}: NMSE {error:e}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn experts_are_taken_in_parts() -> Outcome {
    let backends = backends(Some(BINDING))?;
    for (name, experts, k) in [("Q4_0", 17, 1024), ("Q8_0", 9, 992), ("F32", 5, 513)] {
        let weights = Grouped::new(format(name), experts, 67, k);
        for tokens in [1, 3, 31] {
            let mut ids = random::ids(3, tokens * 2, experts as u32);
            ids[0] = experts as u32 - 1;
            let of = Slots {
                ids: &ids,
                slots: 2,
                has_rows: false,
            };
            for Named {
                name: backend_name,
                backend,
                bound,
            } in &backends
            {
                let error = weights.nmse(&**backend, of)?;
                assert!(
                    error <= *bound,
                    "{name} with {tokens} tokens on {backend_name}: NMSE {error:e}"
                );
            }
        }
    }
    Ok(())
}

/// Rows `ids` of a weight.
fn gather(
    backend: &dyn Backend,
    weights: &HashMap<String, Vec<u8>>,
    format: &'static FormatInfo,
    [rows, k]: [u64; 2],
    ids: &[u32],
) -> Vec<f32> {
    let mut graph = Graph::new();
    let count = ids.len() as u64;
    let value = graph.input("ids", [count], DType::U32).expect("an input");
    let w = graph.weight("w", [rows, k], format).expect("a weight");
    let y = graph.gather_rows(w, value).expect("a legal op");
    graph.output("y", y).expect("an output");
    let mut executable = backend.compile(&graph, weights).expect("it compiles");
    let ids = Tensor::u32(Shape::from([count]), ids.to_vec());
    let outputs = executable.run(&[("ids", ids)]).expect("it runs");
    outputs[0].1.data.as_f32().expect("f32").to_vec()
}

#[test]
fn rows_are_gathered_from_parts() -> Outcome {
    let backends = backends(Some(BINDING))?;
    for (name, rows, k) in [
        ("Q6_K", 1501, 768),
        ("MXFP4", 1501, 992),
        ("F32", 300, 1023),
    ] {
        let format = format(name);
        let blocks = random::blocks(format, 4, rows * k / format.elems as usize);
        let mut wanted = vec![0.0; rows * k];
        (format.decode)(&blocks, &mut wanted);
        let weights = HashMap::from([("w".to_owned(), blocks)]);
        let ids: Vec<u32> = (0..rows as u32)
            .step_by(7)
            .chain([0, rows as u32 - 1])
            .collect();
        // In turns, so that the result is within a binding too.
        for ids in ids.chunks(40) {
            for Named {
                name: on, backend, ..
            } in &backends
            {
                let shape = [rows as u64, k as u64];
                let found = gather(&**backend, &weights, format, shape, ids);
                for (id, row) in ids.iter().zip(found.chunks_exact(k)) {
                    assert_eq!(
                        row,
                        &wanted[*id as usize * k..][..k],
                        "row {id} of {name} on {on}"
                    );
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_vocabulary_passes_webgpus_default_limits() -> Outcome {
    let backends = backends(None)?;
    for (name, n, k) in [("Q8_0", 151_936, 1024), ("F32", 262_144, 160)] {
        let format = format(name);
        // Over the 128 MiB that WebGPU grants a binding.
        assert!(format.size_of((n * k) as u64) > Some(128 << 20));
        let case = Case::new(format, 2, n, k);
        for Named {
            name: on,
            backend,
            bound,
        } in &backends
        {
            // The CPU binds nothing, and precision changes no part.
            if *bound > F32_BOUND || *on == "the CPU" {
                continue;
            }
            let error = case.nmse(&**backend, 2, n)?;
            assert!(error <= *bound, "{name} on {on}: NMSE {error:e}");
        }
    }
    Ok(())
}
