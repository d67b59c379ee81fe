//! Whose clock times are taken by.

use std::fmt;
use std::time::Duration;

use rlx_backends::wgpu::{Chain, DeviceError};
use serde::Serialize;

/// Whose clock times are taken by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Timestamps of the device.
    Device,
    /// From submitting until the host has heard of the end.
    Host,
}

impl Clock {
    /// The time of each pass.
    pub fn times(
        self,
        chain: &Chain,
        passes: &[impl AsRef<[usize]>],
    ) -> Result<Vec<Duration>, DeviceError> {
        let by_device = match self {
            Self::Device => chain.times(passes)?,
            Self::Host => None,
        };
        by_device.map_or_else(|| chain.host_times(passes), Ok)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "timestamps of the device",
            Self::Host => "the host's clock, submitting and waiting included",
        })
    }
}
