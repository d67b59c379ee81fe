//! Elementwise operators and regions of them, under NumPy's broadcasting.

use std::borrow::Cow;

use rayon::prelude::*;
use rlx_core::{Broadcast, Region, Shape, ShapeError};

/// Elements that a task computes, step by step: every value of a usual region stays in a core's
/// cache.
const RUN: usize = 1024;

/// What a region reads.
pub(super) struct Argument<'a> {
    pub shape: &'a Shape,
    pub data: Cow<'a, [f32]>,
}

/// Computes `region` over `args` into `y`, of shape `shape`.
pub(super) fn region(
    region: &Region,
    args: &[Argument<'_>],
    shape: &Shape,
    y: &mut [f32],
) -> Result<(), ShapeError> {
    let shapes: Vec<_> = args.iter().map(|arg| arg.shape).collect();
    let broadcast = Broadcast::of(shape, &shapes)?;
    let values = args.len() + region.steps.len();
    y.par_chunks_mut(RUN).enumerate().for_each_init(
        || vec![[0.0; RUN]; values],
        |values, (run, y)| {
            for (n, (arg, value)) in args.iter().zip(values.iter_mut()).enumerate() {
                read(
                    &broadcast,
                    n,
                    (run * RUN) as u64,
                    &arg.data,
                    &mut value[..y.len()],
                );
            }
            let mut operands = Vec::new();
            for (j, step) in region.steps.iter().enumerate() {
                let (before, after) = values.split_at_mut(args.len() + j);
                for (i, result) in after.iter_mut().take(1).flatten().take(y.len()).enumerate() {
                    operands.clear();
                    operands.extend(step.operands.iter().map(|&operand| before[operand][i]));
                    *result = (step.op.apply)(&operands);
                }
            }
            if let Some(result) = values.last() {
                y.copy_from_slice(&result[..y.len()]);
            }
        },
    );
    Ok(())
}

/// Reads input `n` for the elements of the output from `first` on, as many as `to` holds.
fn read(broadcast: &Broadcast, n: usize, first: u64, from: &[f32], to: &mut [f32]) {
    let (dims, strides) = (&broadcast.dims, &broadcast.strides[n]);
    let (Some(&extent), Some(&stride)) = (dims.last(), strides.last()) else {
        return;
    };
    let (extent, stride) = (extent as usize, stride as usize);
    let mut next = first;
    let mut rest = to;
    while !rest.is_empty() {
        let column = (next % extent as u64) as usize;
        let (now, later) = rest.split_at_mut(rest.len().min(extent - column));
        let start = row_start(dims, strides, next / extent as u64) + column * stride;
        match stride {
            0 => now.fill(from[start]),
            1 => now.copy_from_slice(&from[start..][..now.len()]),
            _ => {
                for (to, from) in now.iter_mut().zip(from[start..].iter().step_by(stride)) {
                    *to = *from;
                }
            }
        }
        next += now.len() as u64;
        rest = later;
    }
}

/// Where row `row` of the output, its innermost dimension left out, begins in an input.
fn row_start(dims: &[u64], strides: &[u64], mut row: u64) -> usize {
    let mut start = 0;
    for (&extent, &stride) in dims.iter().zip(strides).rev().skip(1) {
        start += row % extent * stride;
        row /= extent;
    }
    start as usize
}
