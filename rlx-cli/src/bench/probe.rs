//! What every figure is held against: the bandwidth of a copy, and the time of a fixed piece of arithmetic.

use std::time::Duration;

use rlx_backends::wgpu::{AdapterKind, BufferHandle, Chain, Context, DeviceError};
use rlx_kernels::prelude::*;
use rlx_kernels::{Dispatch, DispatchError};

use super::clock::Clock;
use crate::spread::Spread;

/// y = x, for `n` times 16 bytes.
#[kernel(workgroup_size(256), threads(n))]
#[requires(x.len() >= n, y.len() >= n)]
pub fn copy(x: &[Vec4<u32>], y: &mut [Vec4<u32>], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = x[i];
    }
}

/// `n` invocations of `rounds` dependent multiplications and additions each: bound by the clock alone.
#[kernel(workgroup_size(256), threads(n))]
#[requires(y.len() >= n)]
pub fn arithmetic(y: &mut [f32], n: u32, rounds: u32) {
    let i = global_index();
    if i < n {
        let mut x = y[i];
        for _ in 0..rounds {
            x = x.mul_add(0.999, 0.001);
        }
        y[i] = x;
    }
}

/// Timed passes of the copy.
const COPIES: usize = 9;

/// Copies a pass, there and back.
const COPIES_A_PASS: usize = 4;

/// Timed passes of the arithmetic.
const CALIBRATIONS: usize = 5;

/// A fixed piece of arithmetic, which takes longer where the device's clock is lower.
pub struct Calibration {
    chain: Chain,
    clock: Clock,
}

impl Calibration {
    /// Makes it ready, of a size for such an adapter.
    pub fn new(context: &Context, clock: Clock) -> Result<Self, DeviceError> {
        let (n, rounds) = match context.adapter().kind {
            AdapterKind::Cpu => (1 << 12, 1 << 10),
            _ => (1 << 18, 1 << 14),
        };
        let y = context.alloc::<f32>(u64::from(n))?;
        let params = arithmetic::Params::new(n, rounds);
        let dispatch = arithmetic::dispatch(arithmetic::info(), [y.handle().clone()], params)?;
        let chain = context.chain(&[dispatch])?;
        Ok(Self { chain, clock })
    }

    /// Loads the device for `time` without a pause.
    pub fn keep_busy(&self, time: Duration) -> Result<(), DeviceError> {
        self.chain.keep_busy(time)
    }

    /// The median time that it takes now.
    pub fn time(&self) -> Result<Duration, DeviceError> {
        let times = self.clock.times(&self.chain, &[[0]; CALIBRATIONS])?;
        Ok(Spread::of(times).map_or(Duration::ZERO, |spread| spread.median))
    }
}

/// Bytes a second, read and written, of a copy between two buffers of `bytes` bytes at most.
pub fn copy_bandwidth(context: &Context, clock: Clock, bytes: u64) -> Result<f64, DeviceError> {
    let limits = context.capabilities().limits;
    let bytes = bytes.min(limits.max_binding).min(limits.max_buffer);
    let n = u32::try_from(bytes / 16).unwrap_or(u32::MAX).max(1);
    let buffer = || context.alloc::<[u32; 4]>(u64::from(n));
    let (x, y) = (buffer()?, buffer()?);
    let copy =
        |from: &BufferHandle, to: &BufferHandle| -> Result<Dispatch<BufferHandle>, DispatchError> {
            copy::dispatch(
                copy::info(),
                [from.clone(), to.clone()],
                copy::Params::new(n),
            )
        };
    let chain = context.chain(&[copy(x.handle(), y.handle())?, copy(y.handle(), x.handle())?])?;
    let pass: Vec<usize> = (0..COPIES_A_PASS).map(|index| index % 2).collect();
    // The first is warm-up.
    let times = clock.times(&chain, &vec![pass; COPIES + 1])?;
    let spread = Spread::of(times.into_iter().skip(1).collect());
    let time = spread.map_or(f64::NAN, |spread| spread.median.as_secs_f64());
    Ok(COPIES_A_PASS as f64 * 2.0 * f64::from(n) * 16.0 / time)
}
