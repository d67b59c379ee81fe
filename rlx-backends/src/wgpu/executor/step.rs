//! The dispatches of a program in the windows of its plan.

use rlx_core::{Plan, Program};

use super::memory::Memory;
use super::mismatch::MismatchError;
use crate::error::BackendError;
use crate::wgpu::DeviceError;
use crate::wgpu::context::Context;
use crate::wgpu::launch::check_dispatch;
use crate::wgpu::step::{self, Run, Step};

/// The steps of `program`; dispatches with nothing to do are left out.
pub(super) fn steps(
    context: &Context,
    program: &Program,
    plan: &Plan,
    memory: &Memory<'_>,
) -> Result<Vec<Step>, BackendError> {
    let (planned, dispatches) = (plan.shared.len(), program.dispatches.len());
    if planned != dispatches {
        return Err(MismatchError::Dispatches {
            planned,
            dispatches,
        }
        .into());
    }
    let mut runs = Vec::new();
    for (dispatch, &shared) in program.dispatches.iter().zip(&plan.shared) {
        if dispatch.grid.contains(&0) {
            continue;
        }
        check_dispatch(dispatch).map_err(DeviceError::from)?;
        let windows = dispatch.bindings.iter().map(|&value| memory.window(value));
        let bound = windows.collect::<Result<_, _>>()?;
        runs.push(Run::new(context, dispatch, bound, shared)?);
    }
    Ok(step::steps(context, &runs)?)
}
