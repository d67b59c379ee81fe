//! Runs and their times.

use std::time::{Duration, Instant};

use rlx_backends::wgpu::{DeviceError, Executor};
use rlx_backends::{BackendError, Executable, Tensor};
use serde::Serialize;

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
    fn of(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        let ms = |time: &Duration| time.as_secs_f64() * 1e3;
        let (low, high) = (times.len().checked_sub(1)? / 2, times.len() / 2);
        Some(Self {
            median: f64::midpoint(ms(times.get(low)?), ms(times.get(high)?)),
            min: ms(times.first()?),
            max: ms(times.last()?),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_of_runs_lies_between_the_two_in_the_middle() {
        let times =
            |all: &[u64]| Times::of(all.iter().copied().map(Duration::from_millis).collect());
        let even = times(&[9, 1, 3, 4]).unwrap();
        assert_eq!((even.median, even.min, even.max), (3.5, 1.0, 9.0));
        assert_eq!(times(&[5, 1, 2]).unwrap().median, 2.0);
        assert_eq!(times(&[]), None);
    }
}
