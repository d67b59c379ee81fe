//! Every format decodes every golden block as ggml does, on the CPU backend and on every adapter.

use std::collections::HashMap;

use half::{bf16, f16};
use kernel_specs::formats;
use rlx_backends::wgpu::{Context, ContextError, ContextOptions, WgpuBackend};
use rlx_backends::{Backend, CpuBackend};
use rlx_conformance::golden::{Allowance, Golden, GoldenError, INDEX, check};
use rlx_core::Graph;
use rlx_kernels::FormatInfo;

/// A device of every adapter. A machine without one cannot run these tests.
fn devices(webgpu_defaults: bool) -> Vec<(String, WgpuBackend)> {
    let adapters = Context::adapters();
    assert!(!adapters.is_empty(), "{}", ContextError::NoAdapter);
    let open = |name: String| {
        let options = ContextOptions {
            adapter: Some(name.clone()),
            webgpu_defaults,
            ..ContextOptions::default()
        };
        let context = Context::new(&options).unwrap();
        (name, WgpuBackend::new(context))
    };
    adapters
        .into_iter()
        .map(|adapter| open(adapter.name))
        .collect()
}

/// Checks all golden types that have a format, and that there are as many as formats of blocks.
fn check_all(adapter: &str, backend: &dyn Backend, allowance: Allowance) {
    let golden = Golden::embedded().unwrap();
    let supported: Vec<_> = golden
        .types()
        .iter()
        .filter(|ty| ty.format().is_some())
        .collect();
    let blocks = formats::ALL.iter().filter(|format| format.elems > 1);
    assert_eq!(supported.len(), blocks.count());
    for ty in supported {
        let row = check(ty, adapter, backend, allowance).unwrap();
        assert_eq!(row.elements, ty.values.len() as u64);
        assert!(row.passes(), "{row:?}");
    }
}

#[test]
fn the_cpu_backend_decodes_every_golden_block_to_ggmls_bits() {
    check_all("cpu", &CpuBackend::new(), Allowance::Exact);
}

#[test]
fn every_adapter_decodes_every_golden_block_to_ggmls_bits() {
    for (name, backend) in devices(false) {
        check_all(&name, &backend, Allowance::Flush);
    }
}

#[test]
fn every_adapter_decodes_every_golden_block_with_webgpus_default_limits_and_no_features() {
    for (name, backend) in devices(true) {
        check_all(&name, &backend, Allowance::Flush);
    }
}

/// The bits of all weights of a format that holds one a block.
fn decode_dense(format: &'static FormatInfo, bytes: &[u8], backend: &dyn Backend) -> Vec<u32> {
    let count = bytes.len() as u64 / u64::from(format.bytes);
    let mut graph = Graph::new();
    let w = graph.weight("w", [count], format).unwrap();
    let y = graph.dequantise(w).unwrap();
    graph.output("y", y).unwrap();
    let weights = HashMap::from([("w".to_owned(), bytes.to_vec())]);
    let outputs = backend.compile(&graph, &weights).unwrap().run(&[]).unwrap();
    let values = outputs[0].1.data.as_f32().unwrap();
    values.iter().map(|value| value.to_bits()).collect()
}

fn check_dense(format: &'static FormatInfo, bytes: &[u8], values: &[f32], is_exact: bool) {
    let mut backends: Vec<(String, Box<dyn Backend>)> =
        vec![("cpu".into(), Box::new(CpuBackend::new()))];
    for defaults in [false, true] {
        for (name, backend) in devices(defaults) {
            backends.push((name, Box::new(backend)));
        }
    }
    for (name, backend) in backends {
        let found = decode_dense(format, bytes, &*backend);
        assert_eq!(found.len(), values.len());
        for (expected, found) in values.iter().zip(found) {
            let both_nan = expected.is_nan() && f32::from_bits(found).is_nan();
            // A device may flush a subnormal f32.
            let may_flush = !is_exact && expected.is_subnormal() && name != "cpu";
            let flushed = may_flush && found << 1 == 0;
            assert!(
                found == expected.to_bits() || both_nan || flushed,
                "{name}: {} of {expected:e}: {found:#010x}",
                format.name
            );
        }
    }
}

#[test]
fn every_bit_pattern_of_a_16_bit_float_decodes_to_its_value_everywhere() {
    let bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let formats = formats::ALL
        .iter()
        .filter(|format| format.elems == 1 && format.bytes == 2);
    for format in formats {
        let value: fn(u16) -> f32 = match format.name {
            "F16" => |bits| f16::from_bits(bits).to_f32(),
            "BF16" => |bits| bf16::from_bits(bits).to_f32(),
            name => panic!("what the bits of {name} mean is not known here"),
        };
        let values: Vec<f32> = (0..=u16::MAX).map(value).collect();
        // No f16 becomes a subnormal f32, a bf16 may.
        check_dense(format, &bytes, &values, format.name == "F16");
    }
}

#[test]
fn f32_weights_come_through_with_all_their_bits_everywhere() {
    // Every exponent but that of infinity and NaN, both signs, several fractions.
    let fractions = [0, 1, 0x0040_0000, 0x0055_5555, 0x007f_ffff];
    let patterns = (0..255_u32).flat_map(|exponent| {
        fractions
            .into_iter()
            .flat_map(move |fraction| [0, 1 << 31].map(|sign| sign | exponent << 23 | fraction))
    });
    let values: Vec<f32> = patterns.map(f32::from_bits).collect();
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    check_dense(formats::by_name("F32").unwrap(), &bytes, &values, false);
}

/// A copy of the embedded set's first type in a folder, changed by `spoil`.
fn load_spoilt(spoil: impl FnOnce(&std::path::Path)) -> Result<Golden, GoldenError> {
    let folder = tempfile::tempdir().unwrap();
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let index = std::fs::read(source.join(INDEX)).unwrap();
    let mut index: serde_json::Value = serde_json::from_slice(&index).unwrap();
    index["types"].as_array_mut().unwrap().truncate(1);
    std::fs::write(folder.path().join(INDEX), index.to_string()).unwrap();
    for file in ["q4_K.blocks", "q4_K.f32"] {
        std::fs::copy(source.join(file), folder.path().join(file)).unwrap();
    }
    spoil(folder.path());
    Golden::load(folder.path())
}

/// The message, from the file's name on.
fn message(spoil: impl FnOnce(&std::path::Path)) -> String {
    let text = load_spoilt(spoil).unwrap_err().to_string();
    text.rsplit('/').next().unwrap().to_owned()
}

#[test]
fn a_folder_with_one_type_loads_that_type() {
    let golden = load_spoilt(|_| {}).unwrap();
    let embedded = Golden::embedded().unwrap();
    assert_eq!(golden.types(), &embedded.types()[..1]);
}

#[test]
fn a_missing_file_is_named() {
    let text = message(|folder| std::fs::remove_file(folder.join("q4_K.f32")).unwrap());
    assert!(text.starts_with("q4_K.f32`: cannot be read: "), "{text}");
    let text = message(|folder| std::fs::remove_file(folder.join(INDEX)).unwrap());
    assert!(text.starts_with("index.json`: cannot be read: "), "{text}");
}

#[test]
fn a_file_of_another_length_is_named_with_what_it_should_have() {
    let text = message(|folder| std::fs::write(folder.join("q4_K.blocks"), [0; 10]).unwrap());
    assert_eq!(
        text,
        "q4_K.blocks`: has 10 bytes, 12 blocks of 144 bytes take 1728"
    );
    let text = message(|folder| std::fs::write(folder.join("q4_K.f32"), [0; 12]).unwrap());
    assert_eq!(
        text,
        "q4_K.f32`: has 12 bytes, 12 blocks of 256 f32 values take 12288"
    );
}

#[test]
fn blocks_that_are_not_those_of_the_index_are_named_by_their_hash() {
    let text = message(|folder| std::fs::write(folder.join("q4_K.blocks"), [0; 1728]).unwrap());
    let begin = "q4_K.blocks`: has SHA-256 ";
    let end = "the index says 1597a79807dfb7766d9df66e650dc8131b7b5da6e2122f2c890879cdc581848b";
    assert!(text.starts_with(begin) && text.ends_with(end), "{text}");
}

#[test]
fn an_index_that_is_no_index_is_refused() {
    for text in ["", "{", "[]", "{\"types\": [{\"name\": \"q4_K\"}]}"] {
        let text = message(|folder| std::fs::write(folder.join(INDEX), text).unwrap());
        assert!(
            text.starts_with("index.json`: is no index of golden types: "),
            "{text}"
        );
    }
}

#[test]
fn blocks_of_another_layout_than_ggmls_are_refused() {
    let entry = serde_json::json!({
        "name": "q2_0", "ggml_type": 42, "block_elems": 128, "block_bytes": 34, "blocks": 4
    });
    let index = serde_json::json!({ "types": [entry] }).to_string();
    let text = message(|folder| std::fs::write(folder.join(INDEX), index).unwrap());
    assert_eq!(
        text,
        "index.json`: type `q2_0` has blocks of 128 elements in 34 bytes, Q2_0 has 64 in 18"
    );
}

#[test]
fn an_index_that_reaches_out_of_its_folder_or_counts_nothing_is_refused() {
    let entry = |name: &str, blocks: u64| {
        let entry = serde_json::json!({
            "name": name, "ggml_type": 12, "block_elems": 256, "block_bytes": 144, "blocks": blocks
        });
        serde_json::json!({ "types": [entry, entry] }).to_string()
    };
    let spoilt = |name, blocks| {
        let write =
            |folder: &std::path::Path| std::fs::write(folder.join(INDEX), entry(name, blocks));
        load_spoilt(|folder| write(folder).unwrap())
            .unwrap_err()
            .fault
            .to_string()
    };
    let name = spoilt("../q4_K", 12);
    assert_eq!(name, "type name `../q4_K` is no plain file name");
    assert!(spoilt("q4_K", 0).starts_with("type `q4_K` has 0 blocks"));
    assert!(spoilt("q4_K", u64::MAX).starts_with("type `q4_K` has 18446744073709551615 blocks"));
    assert_eq!(spoilt("q4_K", 12), "lists type `q4_K` twice");
}
