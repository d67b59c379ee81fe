//! What a device cannot do is a typed error, and the device goes on working.

use rlx_backends::wgpu::{Context, ContextError, ContextOptions, DeviceError, DeviceLimit};
use rlx_kernels::{Binding, DispatchError, Features, KernelInfo};

use crate::context::{Pair, context};
use crate::kernels::{add_kernel, dispatch, kernel, saxpy, saxpy_kernel, set_body};

fn browser() -> Context {
    Context::new(&ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    })
    .unwrap()
}

/// What `context` says to one dispatch of a kernel that is `saxpy` but for a change.
fn refusal(context: &Context, change: impl FnOnce(&mut KernelInfo)) -> DeviceError {
    let (x, y) = (
        context.alloc::<f32>(4).unwrap(),
        context.alloc::<f32>(4).unwrap(),
    );
    let mut kernel = saxpy_kernel();
    kernel.hash = 1;
    change(&mut kernel);
    let handles = vec![x.handle().clone(), y.handle().clone()];
    let params = vec![0; kernel.params_size as usize];
    let error = context
        .run(&dispatch(kernel, handles, &params, 4).unwrap())
        .unwrap_err();
    still_works(context);
    error
}

fn still_works(context: &Context) {
    let (x, mut y) = (
        context.upload(&[2.0_f32]).unwrap(),
        context.upload(&[1.0_f32]).unwrap(),
    );
    context.run(&saxpy(&x, &mut y, 1, 3.0).unwrap()).unwrap();
    assert_eq!(context.download(&y).unwrap(), [7.0]);
}

#[test]
fn a_feature_that_the_device_lacks_is_named() {
    let error = refusal(&browser(), |kernel| {
        kernel.features = Features {
            subgroup: true,
            f16: true,
            ..Features::NONE
        }
    });
    assert_eq!(
        error.to_string(),
        "kernel `saxpy` needs the features subgroups, f16, the device has none"
    );
}

#[test]
fn too_much_workgroup_memory_is_a_limit_error() {
    let error = refusal(&browser(), |kernel| kernel.workgroup_bytes = 16_388);
    let text = "kernel `saxpy` needs 16388 bytes of workgroup memory, the device allows 16384";
    assert_eq!(error.to_string(), text);
}

#[test]
fn too_many_invocations_are_a_limit_error() {
    let error = refusal(&browser(), |kernel| kernel.workgroup_size = [32, 16, 1]);
    let subject = "kernel `saxpy`".to_owned();
    assert_eq!(
        error,
        DeviceError::Limit {
            subject,
            limit: DeviceLimit::Invocations,
            need: 512,
            allowed: 256
        }
    );
}

#[test]
fn too_many_invocations_along_one_dimension_are_a_limit_error() {
    let error = refusal(&browser(), |kernel| kernel.workgroup_size = [1, 1, 65]);
    assert_eq!(
        error.to_string(),
        "kernel `saxpy` needs 65 invocations a workgroup along z, the device allows 64"
    );
}

#[test]
fn too_many_storage_bindings_are_a_limit_error() {
    let context = browser();
    let mut kernel = saxpy_kernel();
    let nine: Vec<Binding> = (0..9).map(|_| kernel.bindings[0].clone()).collect();
    kernel.bindings = nine.into();
    let x = context.alloc::<f32>(4).unwrap();
    let error = context
        .run(&dispatch(kernel, vec![x.handle().clone(); 9], &[0; 8], 4).unwrap())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `saxpy` needs 9 storage bindings, the device allows 8"
    );
}

#[test]
fn a_binding_over_the_limit_is_named_with_need_and_limit() {
    let context = browser();
    let (x, mut y) = (
        context.alloc::<f32>((128 << 18) + 1).unwrap(),
        context.alloc::<f32>(4).unwrap(),
    );
    let error = context
        .run(&saxpy(&x, &mut y, 4, 1.0).unwrap())
        .unwrap_err();
    let text = "binding `x` of kernel `saxpy` needs 134217732 bytes in one binding, the device allows 134217728";
    assert_eq!(error.to_string(), text);
}

#[test]
fn a_buffer_over_the_limit_is_named_with_need_and_limit() {
    let error = browser().alloc::<f32>(64 << 20 | 1).unwrap_err();
    let text = "a buffer of 268435460 bytes needs 268435460 bytes in one buffer, the device allows 268435456";
    assert_eq!(error.to_string(), text);
    assert!(matches!(
        browser().alloc::<f32>(u64::MAX),
        Err(DeviceError::Limit { .. })
    ));
}

#[test]
fn too_many_workgroups_are_a_limit_error() {
    let context = context();
    let (x, mut y) = (context.alloc(4).unwrap(), context.alloc(4).unwrap());
    let mut launch = saxpy(&x, &mut y, 4, 1.0).unwrap();
    launch.grid = [1, u32::MAX, 1];
    let error = context.run(&launch).unwrap_err();
    assert!(
        matches!(
            error,
            DeviceError::Limit {
                limit: DeviceLimit::Workgroups(1),
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn windows_that_are_written_and_overlap_are_named() {
    let context = context();
    let x = context.alloc::<f32>(4).unwrap();
    let handle = || x.handle().clone();
    let launch = dispatch(
        add_kernel(),
        vec![
            handle(),
            context.alloc::<f32>(4).unwrap().handle().clone(),
            handle(),
        ],
        &[0; 4],
        4,
    );
    let error = context.run(&launch.unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `add` writes `out`, which overlaps `a` of the same dispatch"
    );
    let body = "struct Params { n: u32 } @compute @workgroup_size(64) fn two() { a[0] = b[0]; }";
    let two = kernel("two", &[("a", true), ("b", true)], 4, body);
    let error = context
        .run(&dispatch(two, vec![handle(), handle()], &[0; 4], 4).unwrap())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel `two` writes `a`, which overlaps `b` of the same dispatch"
    );
    still_works(&context);
}

#[test]
fn windows_that_are_only_read_may_overlap() {
    let context = context();
    let (x, y) = (
        context.upload(&[1.5_f32]).unwrap(),
        context.alloc::<f32>(1).unwrap(),
    );
    let handles = vec![x.handle().clone(), x.handle().clone(), y.handle().clone()];
    context
        .run(&dispatch(add_kernel(), handles, &1_u32.to_le_bytes(), 1).unwrap())
        .unwrap();
    assert_eq!(context.download(&y).unwrap(), [3.0]);
}

#[test]
fn a_window_that_is_not_aligned_is_named() {
    let context = context();
    let x = context.alloc::<f32>(4).unwrap();
    let handles = vec![
        x.handle().window(4, 4).unwrap(),
        context.alloc::<f32>(4).unwrap().handle().clone(),
    ];
    let error = context
        .run(&dispatch(saxpy_kernel(), handles, &[0; 8], 1).unwrap())
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("binding `x` of kernel `saxpy` begins at byte 4; the device binds"),
        "{error}"
    );
}

#[test]
fn a_binding_shorter_than_one_element_is_named() {
    let error = refusal(&context(), |kernel| kernel.bindings.to_mut()[0].stride = 32);
    assert_eq!(
        error.to_string(),
        "binding `x` of kernel `saxpy` has 16 bytes, one element takes 32"
    );
}

#[test]
fn a_window_outside_of_its_buffer_is_refused() {
    let x = context().alloc::<f32>(4).unwrap();
    let error = x.handle().window(8, 12).unwrap_err();
    assert_eq!(
        error,
        DeviceError::Window {
            offset: 8,
            size: 12,
            bytes: 16
        }
    );
    assert!(x.handle().window(8, u64::MAX).is_err());
}

#[test]
fn a_buffer_of_another_context_is_refused() {
    let (context, other) = (context(), context());
    let (x, mut y) = (
        other.alloc::<f32>(4).unwrap(),
        context.alloc::<f32>(4).unwrap(),
    );
    let error = context
        .run(&saxpy(&x, &mut y, 4, 1.0).unwrap())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "binding `x` of kernel `saxpy` belongs to another context"
    );
    assert!(matches!(
        context.download(&x),
        Err(DeviceError::OtherContext { .. })
    ));
}

#[test]
fn wgsl_that_does_not_compile_is_an_error_with_the_text_of_naga() {
    let error = refusal(&context(), |kernel| {
        set_body(kernel, "fn saxpy() { let a = ; }");
    });
    let DeviceError::Validation { making, message } = error else {
        panic!("{error}")
    };
    assert_eq!(making, "pipeline of kernel `saxpy`");
    assert!(message.contains("let a = ;"), "{message}");
}

#[test]
fn an_entry_point_that_is_not_there_is_an_error() {
    let error = refusal(&context(), |kernel| kernel.entry = "absent".into());
    assert!(matches!(error, DeviceError::Validation { .. }), "{error}");
}

#[test]
fn a_panic_of_naga_is_an_error() {
    // naga 30 has no SPIR-V for a pointer to an element that is passed on.
    let body = "struct Params { n: u32, a: f32 }
fn read(p: ptr<function, f32>) -> f32 { return *p; }
@compute @workgroup_size(64) fn saxpy(@builtin(global_invocation_id) id: vec3u) {
    var all = array<f32, 4>(1.0, 2.0, 3.0, 4.0);
    if id.x < params.n { y[id.x] = read(&all[2]) + x[id.x]; }
}";
    let error = refusal(&context(), |kernel| set_body(kernel, body));
    assert!(
        error
            .to_string()
            .starts_with("pipeline of kernel `saxpy`: "),
        "{error}"
    );
}

#[test]
fn a_dispatch_that_was_changed_after_it_was_made_is_checked_again() {
    let context = context();
    let (x, mut y) = (context.alloc(4).unwrap(), context.alloc(4).unwrap());
    let mut launch = saxpy(&x, &mut y, 4, 1.0).unwrap();
    launch.params.push(0);
    let expected = DispatchError::Params {
        kernel: "saxpy".into(),
        expected: 8,
        found: 9,
    };
    assert_eq!(context.run(&launch), Err(DeviceError::Dispatch(expected)));
    launch.bindings.push(x.handle().clone());
    let expected = DispatchError::Bindings {
        kernel: "saxpy".into(),
        expected: 2,
        found: 3,
    };
    assert_eq!(context.run(&launch), Err(DeviceError::Dispatch(expected)));
}

#[test]
fn packed_bytes_that_are_no_whole_blocks_are_refused() {
    let error = context().upload_packed::<Pair>(&[0; 10]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "10 bytes are no whole number of PAIR blocks, which take 3 bytes each"
    );
}

#[test]
fn a_name_that_no_adapter_has_lists_those_that_there_are() {
    let options = ContextOptions {
        adapter: Some("no such thing".into()),
        ..ContextOptions::default()
    };
    let error = Context::new(&options).unwrap_err();
    let ContextError::NoSuchAdapter { available, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(available[0], context().adapter().name);
    assert!(
        error
            .to_string()
            .starts_with("no adapter has `no such thing` in its name; there are: ")
    );
}
