//! Timestamps around compute passes.

use std::time::Duration;

use wgpu::{
    BufferUsages, CommandEncoder, ComputePassDescriptor, ComputePassTimestampWrites,
    QuerySetDescriptor, QueryType, SubmissionIndex,
};

use super::DeviceError;
use super::context::Context;

/// Passes that one timer can time: a query set holds two timestamps for each.
pub(super) const MAX_PASSES: usize = wgpu::QUERY_SET_MAX_QUERIES as usize / 2;

/// Two timestamps for each of some passes.
pub(super) struct Timer {
    passes: usize,
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
}

impl Timer {
    /// A timer for `passes` passes, at most [`MAX_PASSES`], where the device has timestamps.
    pub fn new(context: &Context, passes: usize) -> Result<Option<Self>, DeviceError> {
        if !context.has_timestamps() {
            return Ok(None);
        }
        let descriptor = QuerySetDescriptor {
            label: None,
            ty: QueryType::Timestamp,
            count: passes as u32 * 2,
        };
        let queries = context.guard("timestamp queries", || {
            context.device().create_query_set(&descriptor)
        })?;
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let resolved = context.buffer("resolved timestamps", bytes(passes), usage)?;
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let staging = context.buffer("read-back of timestamps", bytes(passes), usage)?;
        Ok(Some(Self {
            passes,
            queries,
            resolved,
            staging,
        }))
    }

    /// Pass `index`, which writes its two timestamps.
    pub fn pass(&self, index: usize) -> ComputePassDescriptor<'_> {
        let timestamp_writes = ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(index as u32 * 2),
            end_of_pass_write_index: Some(index as u32 * 2 + 1),
        };
        ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(timestamp_writes),
        }
    }

    /// Copies the timestamps to where they can be read.
    pub fn resolve(&self, encoder: &mut CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..self.passes as u32 * 2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, bytes(self.passes));
    }

    /// Waits for `submission` and gives the time of each pass.
    pub fn read(
        &self,
        context: &Context,
        submission: SubmissionIndex,
    ) -> Result<Vec<Duration>, DeviceError> {
        let mut ticks = vec![[0_u64; 2]; self.passes];
        context.map(
            &mut [(&self.staging, bytemuck::cast_slice_mut(&mut ticks))],
            submission,
        )?;
        let nanoseconds_a_tick = f64::from(context.queue().get_timestamp_period());
        let time = |[start, end]: [u64; 2]| end.saturating_sub(start) as f64 * nanoseconds_a_tick;
        Ok(ticks
            .into_iter()
            .map(|pass| Duration::from_nanos(time(pass) as u64))
            .collect())
    }
}

fn bytes(passes: usize) -> u64 {
    passes as u64 * 2 * u64::from(wgpu::QUERY_SIZE)
}
