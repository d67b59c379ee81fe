//! Runs and their times.

use std::time::{Duration, Instant};

use rlx_backends::wgpu::{DeviceError, Executor};
use rlx_backends::{BackendError, Executable, Tensor};
use serde::Serialize;

use crate::spread::Spread;

/// Runs before the timed ones.
const WARM_UP: u32 = 3;

/// The times of some runs, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// Half of the runs were faster.
    #[serde(rename = "median_ms")]
    pub median: f64,
    /// The fastest.
    #[serde(rename = "min_ms")]
    pub min: f64,
    /// The slowest.
    #[serde(rename = "max_ms")]
    pub max: f64,
}

impl Times {
    /// `None` of no runs.
    fn of(times: Vec<Duration>) -> Option<Self> {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let Spread {
            least,
            median,
            most,
            ..
        } = Spread::of(times)?;
        Some(Self {
            median: ms(median),
            min: ms(least),
            max: ms(most),
        })
    }
}

/// The first output of a run.
pub fn result(
    executable: &mut dyn Executable,
    inputs: &[(&str, Tensor)],
) -> Result<Vec<f32>, BackendError> {
    let outputs = executable.run(inputs)?;
    let values = |(_, tensor): (String, Tensor)| tensor.data.as_f32().map(<[f32]>::to_vec);
    Ok(outputs.into_iter().find_map(values).unwrap_or_default())
}

/// The times of `runs` runs after a few that are not counted, on the host's clock.
pub fn times(
    executable: &mut dyn Executable,
    inputs: &[(&str, Tensor)],
    runs: u32,
) -> Result<Times, BackendError> {
    for _ in 0..WARM_UP {
        executable.run(inputs)?;
    }
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        executable.run(inputs)?;
        times.push(start.elapsed());
    }
    Ok(Times::of(times).unwrap_or(Times {
        median: 0.0,
        min: 0.0,
        max: 0.0,
    }))
}

/// The times of the kernels of `runs` runs on the device's clock, where it has one.
pub fn device_times(executor: &mut Executor, runs: u32) -> Result<Option<Times>, DeviceError> {
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let Some(time) = executor.time()? else {
            return Ok(None);
        };
        times.push(time);
    }
    Ok(Times::of(times))
}
