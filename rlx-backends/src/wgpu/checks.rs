//! Which checks a pipeline makes at run time: none that the compiler has proved.

use rlx_kernels::geometry::MAX_WORKGROUPS;
use rlx_kernels::proof::{Given, MAX_BINDING_BYTES};
use rlx_kernels::{DispatchError, KernelInfo};
use wgpu::{Device, ShaderModule, ShaderModuleDescriptor, ShaderRuntimeChecks};

use super::binding::Bound;

/// Checks that a device makes while a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Checks {
    /// Of every index.
    indices: bool,
    /// Of the rounds of every loop.
    loops: bool,
}

impl Checks {
    const ALL: Self = Self {
        indices: true,
        loops: true,
    };

    /// What is left to check where `kernel` runs with these overrides, params and windows. Checks the
    /// kernel's requirements, on which its proofs rest.
    pub fn of(
        kernel: &KernelInfo,
        overrides: &[i64],
        params: &[u8],
        bound: &[Bound<'_>],
        grid: [u32; 3],
    ) -> Result<Self, DispatchError> {
        let lengths = bound.iter().zip(kernel.bindings.iter());
        let lengths: Vec<u64> = lengths
            .map(|(window, binding)| window.size / u64::from(binding.stride.max(1)))
            .collect();
        kernel.check_requirements(Given {
            overrides,
            params,
            lengths: &lengths,
        })?;
        let is_within = grid.iter().all(|groups| *groups <= MAX_WORKGROUPS)
            && bound.iter().all(|window| window.size <= MAX_BINDING_BYTES);
        Ok(if is_within {
            Self {
                indices: !kernel.proof.holds_for_indices(),
                loops: !kernel.proof.holds_for_loops(),
            }
        } else {
            Self::ALL
        })
    }

    /// The same for a kernel whose proof is one of its own text; all checks for others.
    pub fn within(self, kernel: &KernelInfo) -> Self {
        if kernel.proof.is_of(kernel) {
            self
        } else {
            Self::ALL
        }
    }
}

/// The module of `text`, which makes these checks.
#[allow(unsafe_code)]
pub(super) fn module(
    device: &Device,
    text: ShaderModuleDescriptor<'_>,
    checks: Checks,
) -> ShaderModule {
    let runtime = ShaderRuntimeChecks {
        bounds_checks: checks.indices,
        force_loop_bounding: checks.loops,
        ..ShaderRuntimeChecks::checked()
    };
    // SAFETY: checks of indices are left out only where the compiler has proved of this very text that
    // every index is in range, and checks of loops only where it has proved that every loop ends
    // (`Checks::within`). The proofs hold wherever the kernel's requirements do and its bindings and
    // its grid are not larger than the proofs assume: `Checks::of` has looked at both for every
    // dispatch that a pipeline with these checks is used for, since they are part of its key.
    unsafe { device.create_shader_module_trusted(text, runtime) }
}
