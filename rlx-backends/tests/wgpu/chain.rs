//! Dispatches that are made once and run in passes.

use std::time::{Duration, Instant};

use rlx_backends::wgpu::{BufferHandle, Context, ContextOptions, DeviceError};
use rlx_kernels::{Buffer, Dispatch};

use crate::context::context;
use crate::kernels::saxpy;

/// Two additions to one buffer, of 1 and of 10, with that buffer.
fn additions(context: &Context) -> (Vec<Dispatch<BufferHandle>>, Buffer<f32, BufferHandle>) {
    let mut y = context.alloc::<f32>(64).unwrap();
    let add = |value: f32| {
        let x = context.upload(&[value; 64]).unwrap();
        saxpy(&x, &mut y, 64, 1.0).unwrap()
    };
    (vec![1.0, 10.0].into_iter().map(add).collect(), y)
}

#[test]
fn a_pass_runs_the_dispatches_of_its_indices_in_order_each_after_the_one_before() {
    let context = context();
    let (dispatches, y) = additions(&context);
    let chain = context.chain(&dispatches).unwrap();
    assert_eq!(chain.labels().collect::<Vec<_>>(), ["saxpy", "saxpy"]);
    chain.submit().unwrap();
    assert_eq!(context.download(&y).unwrap(), [11.0; 64]);
    let many = vec![1; 50];
    let passes = [vec![0, 0, 1], many, vec![0, 2]];
    let times = chain.times(&passes).unwrap();
    assert_eq!(times.is_some(), context.has_timestamps());
    if let Some(times) = times {
        assert_eq!(times.len(), 3);
        assert!(times[1] > Duration::ZERO, "{times:?}");
        // There is no third dispatch.
        assert_eq!(
            context.download(&y).unwrap(),
            [11.0 + 12.0 + 500.0 + 1.0; 64]
        );
    }
}

#[test]
fn the_hosts_clock_is_there_without_timestamps() {
    let options = ContextOptions {
        webgpu_defaults: true,
        ..ContextOptions::default()
    };
    let context = Context::new(&options).unwrap();
    let (dispatches, y) = additions(&context);
    let chain = context.chain(&dispatches).unwrap();
    let passes = [[0; 3], [1; 3]];
    assert_eq!(chain.times(&passes), Ok(None));
    assert_eq!(context.download(&y).unwrap(), [0.0; 64]);
    let times = chain.host_times(&passes).unwrap();
    assert!(times.len() == 2 && times[0] > Duration::ZERO, "{times:?}");
    assert_eq!(context.download(&y).unwrap(), [33.0; 64]);
}

#[test]
fn a_load_lasts_as_long_as_it_should() {
    let context = context();
    let (dispatches, y) = additions(&context);
    let chain = context.chain(&dispatches).unwrap();
    let (start, time) = (Instant::now(), Duration::from_millis(30));
    chain.keep_busy(time).unwrap();
    assert!(start.elapsed() >= time);
    let sum = context.download(&y).unwrap()[0];
    assert!(sum >= 22.0 && sum % 11.0 == 0.0, "{sum}");
}

#[test]
fn a_dispatch_over_buffers_of_another_context_is_refused() {
    let (context, other) = (context(), context());
    let (dispatches, _) = additions(&other);
    assert!(matches!(
        context.chain(&dispatches).unwrap_err(),
        DeviceError::OtherContext { .. }
    ));
}
