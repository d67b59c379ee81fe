//! Buffers and single dispatches.

use rlx_backends::wgpu::{AdapterKind, Buffer, Context, ContextOptions};
use rlx_kernels::format::decode_blocks;
use rlx_kernels::vector::{Vec4, vec4};
use rlx_kernels::{Block, BlockFormat, FormatInfo};

use crate::kernels::{dispatch, saxpy, triple_kernel};

pub fn context() -> Context {
    Context::new(&ContextOptions::default()).expect("the tests need an adapter")
}

#[test]
fn saxpy_through_run_gives_what_the_host_computes() {
    let context = context();
    let x: Vec<f32> = (0..1000_u16).map(f32::from).collect();
    let (x_buffer, mut y_buffer) = (
        context.upload(&x).unwrap(),
        context.upload(&vec![1.0_f32; 1000]).unwrap(),
    );
    context
        .run(&saxpy(&x_buffer, &mut y_buffer, 1000, 2.0).unwrap())
        .unwrap();
    let expected: Vec<f32> = x.iter().map(|x| 2.0 * x + 1.0).collect();
    assert_eq!(context.download(&y_buffer).unwrap(), expected);
}

#[test]
fn a_dispatch_sees_what_earlier_ones_wrote() {
    let context = context();
    let (x, mut y) = (
        context.upload(&[1.0_f32; 3]).unwrap(),
        context.alloc(3).unwrap(),
    );
    for _ in 0..10 {
        context.run(&saxpy(&x, &mut y, 3, 1.0).unwrap()).unwrap();
    }
    assert_eq!(context.download(&y).unwrap(), [10.0; 3]);
}

#[test]
fn threads_share_one_context() {
    let context = context();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let context = context.clone();
            scope.spawn(move || {
                let x = context.upload(&[f32::from(thread); 100]).unwrap();
                let mut y = context.alloc(100).unwrap();
                for _ in 0..20 {
                    context.run(&saxpy(&x, &mut y, 100, 1.0).unwrap()).unwrap();
                }
                assert_eq!(
                    context.download(&y).unwrap(),
                    [20.0 * f32::from(thread); 100]
                );
            });
        }
    });
}

#[test]
fn alloc_gives_zeros() {
    let context = context();
    assert_eq!(
        context
            .download(&context.alloc::<u32>(70_000).unwrap())
            .unwrap(),
        vec![0; 70_000]
    );
}

#[test]
fn a_buffer_larger_than_the_staging_memory_comes_back_whole() {
    let context = context();
    let data: Vec<u32> = (0..5_000_001)
        .map(|i: u32| i.wrapping_mul(2_654_435_761))
        .collect();
    assert!(context.download(&context.upload(&data).unwrap()).unwrap() == data);
}

#[test]
fn lengths_that_are_no_whole_words_come_back_whole() {
    let context = context();
    for len in 0..9_u8 {
        let data: Vec<u8> = (0..len).collect();
        assert_eq!(
            context.download(&context.upload(&data).unwrap()).unwrap(),
            data
        );
    }
}

#[test]
fn empty_slices_can_be_bound_and_read_back() {
    let context = context();
    let x = context.upload::<f32>(&[]).unwrap();
    let mut y = context.upload::<f32>(&[]).unwrap();
    let mut launch = saxpy(&x, &mut y, 0, 1.0).unwrap();
    launch.grid = [1, 1, 1];
    context.run(&launch).unwrap();
    assert!(x.is_empty());
    assert_eq!(context.download(&y).unwrap(), [0.0; 0]);
    let nothing = context.upload(&[[0_u8; 0]; 3]).unwrap();
    assert!(context.download(&nothing).unwrap().is_empty());
}

#[test]
fn a_grid_with_a_zero_does_nothing() {
    let context = context();
    let (x, mut y) = (
        context.upload(&[1.0_f32]).unwrap(),
        context.upload(&[5.0_f32]).unwrap(),
    );
    let mut launch = saxpy(&x, &mut y, 1, 1.0).unwrap();
    for grid in [[0, 1, 1], [1, 0, 1], [1, 1, 0]] {
        launch.grid = grid;
        context.run(&launch).unwrap();
    }
    assert_eq!(context.download(&y).unwrap(), [5.0]);
}

#[test]
fn disjoint_windows_of_one_buffer_are_read_and_written_together() {
    let context = context();
    let alignment = context.capabilities().limits.storage_alignment;
    let len = alignment / 4;
    let data: Vec<f32> = (0..2 * len).map(|i| i as f32).collect();
    let buffer = context.upload(&data).unwrap();
    let window = |offset| Buffer::<f32>::new(buffer.handle().window(offset, 4 * len).unwrap(), len);
    let (x, mut y) = (window(0), window(alignment));
    context
        .run(&saxpy(&x, &mut y, len as u32, 1.0).unwrap())
        .unwrap();
    let expected: Vec<f32> = (0..len).map(|i| (i + i + len) as f32).collect();
    assert_eq!(context.download(&y).unwrap(), expected);
    assert_eq!(context.download(&x).unwrap(), data[..len as usize]);
}

#[test]
fn a_kernel_is_compiled_once_a_context() {
    let context = context();
    let y = context.upload(&[1.0_f32]).unwrap();
    for _ in 0..3 {
        let launch = dispatch(
            triple_kernel(),
            vec![y.handle().clone()],
            &1_u32.to_le_bytes(),
            1,
        )
        .unwrap();
        context.run(&launch).unwrap();
    }
    assert_eq!(context.download(&y).unwrap(), [27.0]);
    assert_eq!(context.resources().unwrap().pipelines, 1);
}

#[test]
fn dropped_buffers_are_freed() {
    let context = context();
    let before = context.resources().unwrap();
    for _ in 0..40 {
        let (x, mut y) = (
            context.alloc::<f32>(16 << 20).unwrap(),
            context.alloc::<f32>(16).unwrap(),
        );
        context.run(&saxpy(&x, &mut y, 16, 1.0).unwrap()).unwrap();
    }
    let after = context.resources().unwrap();
    assert_eq!(
        (after.buffers, after.bind_groups),
        (before.buffers, before.bind_groups)
    );
    assert!(after.bytes <= before.bytes, "{before:?} {after:?}");
}

#[test]
fn the_default_adapter_is_the_first_that_is_listed() {
    let adapters = Context::adapters();
    assert_eq!(adapters[0].name, context().adapter().name);
    assert!(adapters.is_sorted_by_key(|adapter| adapter.kind));
    assert!(
        adapters
            .iter()
            .all(|adapter| adapter.kind <= AdapterKind::Other && !adapter.backend.is_empty())
    );
}

#[test]
fn an_adapter_is_found_by_a_part_of_its_name_in_either_case() {
    let name = context().adapter().name.to_uppercase();
    let part = name.get(1..4).unwrap().to_owned();
    let options = ContextOptions {
        adapter: Some(part),
        ..ContextOptions::default()
    };
    assert_eq!(
        Context::new(&options)
            .unwrap()
            .adapter()
            .name
            .to_uppercase(),
        name
    );
}

#[test]
fn webgpu_defaults_have_no_features_and_the_default_limits() {
    let options = ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    };
    let context = Context::new(&options).unwrap();
    let capabilities = context.capabilities();
    assert_eq!(capabilities.features, rlx_kernels::Features::NONE);
    assert_eq!(capabilities.subgroup_size, None);
    assert_eq!(
        (capabilities.invocations, capabilities.workgroup_bytes),
        (256, 16_384)
    );
    let limits = capabilities.limits;
    assert_eq!(
        (
            limits.storage_alignment,
            limits.max_binding,
            limits.max_buffer
        ),
        (256, 128 << 20, 256 << 20)
    );
}

/// Two signed bytes times a scale of one byte.
#[derive(Clone, Copy, Debug)]
pub struct Pair;

impl BlockFormat for Pair {
    const INFO: FormatInfo = FormatInfo {
        name: "PAIR",
        ggml_type: 1000,
        elems: 2,
        bytes: 3,
        file: file!(),
        line: line!(),
        decode: decode_blocks::<Self>,
    };
    const ELEMS: u32 = 2;
    const BYTES: u32 = 3;

    fn decode(b: Block<'_, Self>, i: u32) -> f32 {
        b.load_u8(0) as f32 * b.load_i8(1 + i) as f32
    }

    fn decode8(b: Block<'_, Self>, i: u32) -> [Vec4<f32>; 2] {
        let at = |j| Self::decode(b, i + j);
        [
            vec4(at(0), at(1), at(2), at(3)),
            vec4(at(4), at(5), at(6), at(7)),
        ]
    }
}

/// One f32 a block.
#[derive(Clone, Copy, Debug)]
pub struct F32;

impl BlockFormat for F32 {
    const INFO: FormatInfo = FormatInfo {
        name: "F32",
        ggml_type: 0,
        elems: 1,
        bytes: 4,
        file: file!(),
        line: line!(),
        decode: decode_blocks::<Self>,
    };
    const ELEMS: u32 = 1;
    const BYTES: u32 = 4;

    fn decode(b: Block<'_, Self>, i: u32) -> f32 {
        b.load_f32(4 * i)
    }

    fn decode8(b: Block<'_, Self>, i: u32) -> [Vec4<f32>; 2] {
        let at = |j| Self::decode(b, i + j);
        [
            vec4(at(0), at(1), at(2), at(3)),
            vec4(at(4), at(5), at(6), at(7)),
        ]
    }
}

#[test]
fn packed_weights_are_counted_in_blocks_and_filled_up_with_zeros() {
    let context = context();
    let weights = context
        .upload_packed::<Pair>(&[1, 2, 3, 4, 5, 6, 7, 8, 9])
        .unwrap();
    assert_eq!(weights.len(), 3);
    let bytes = Buffer::<u8>::new(weights.handle().clone(), 9);
    assert_eq!(
        context.download(&bytes).unwrap(),
        [1, 2, 3, 4, 5, 6, 7, 8, 9]
    );
}

#[test]
fn a_context_can_be_opened_and_dropped_any_number_of_times() {
    for _ in 0..40 {
        let context = Context::new(&ContextOptions::default()).expect("an adapter");
        drop(context);
    }
}
