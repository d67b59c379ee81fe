//! Limits that a kernel raises.

use rlx_backends::wgpu::{Context, ContextOptions, DeviceError, DeviceLimit};
use rlx_kernels::prelude::*;

use crate::every_device;

/// y = x, each workgroup's part the other way round, by way of more memory than every device has.
#[kernel(
    workgroup_size(512),
    threads(n),
    limits(workgroup_bytes = 32768, invocations = 512)
)]
#[requires(x.len() >= n, y.len() >= n, n % 512 == 0)]
// The whole of the memory is to be reached, not soon.
#[allow(bank_conflict)]
pub fn reversed(x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [Vec4<f32>; 2048];
    let me = local_index();
    tile[4 * me] = Vec4::splat(x[global_index()]);
    workgroup_barrier();
    y[global_index()] = tile[4 * (511 - me)].x;
}

#[test]
fn a_kernel_runs_with_the_limits_that_it_raises() {
    for context in every_device() {
        let x: Vec<f32> = (0..1024_u16).map(f32::from).collect();
        let input = context.upload(&x).unwrap();
        let mut output = context.alloc::<f32>(1024).unwrap();
        context
            .run(&reversed::launch(&input, &mut output, 1024).unwrap())
            .unwrap();
        let expected: Vec<f32> = (0..512_u16)
            .rev()
            .chain((512..1024).rev())
            .map(f32::from)
            .collect();
        assert_eq!(context.download(&output).unwrap(), expected);
    }
}

#[test]
fn a_device_without_the_limits_of_a_kernel_refuses_it_by_name() {
    let context = Context::new(&ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    })
    .unwrap();
    let input = context.alloc::<f32>(512).unwrap();
    let mut output = context.alloc::<f32>(512).unwrap();
    let launch = reversed::launch(&input, &mut output, 512).unwrap();
    let error = context.run(&launch).unwrap_err();
    let is_limit = |error: &DeviceError, wanted| matches!(error, DeviceError::Limit { limit, .. } if *limit == wanted);
    assert!(
        is_limit(&error, DeviceLimit::WorkgroupSize(0))
            || is_limit(&error, DeviceLimit::Invocations),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .starts_with("kernel `reversed` needs 512 invocations"),
        "{error}"
    );
}
