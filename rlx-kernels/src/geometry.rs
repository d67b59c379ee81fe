//! Dispatch geometry: from threads or workgroups to a grid that WebGPU takes.

use crate::dispatch::DispatchError;
use crate::kernel::KernelInfo;

/// Workgroups that one dimension of a dispatch may have on every WebGPU device.
pub const MAX_WORKGROUPS: u32 = 65_535;

/// What a kernel's `threads(..)` or `groups(..)` attribute asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Invocations by dimension; rounded up to whole workgroups.
    Threads([u64; 3]),
    /// Workgroups by dimension.
    Groups([u64; 3]),
}

/// The grid of workgroups for `extent`, with these values of the kernel's overrides.
///
/// A one-dimensional extent of more than 65,535 workgroups is folded into rows of equal length for a
/// kernel that goes by `workgroup_index` or `global_index`; such a kernel ignores the excess.
///
/// # Errors
/// [`DispatchError::Grid`] where a dimension is too large and cannot be folded,
/// [`DispatchError::Overrides`] where a workgroup would be empty.
pub fn grid(
    kernel: &KernelInfo,
    overrides: &[i64],
    extent: Extent,
) -> Result<[u32; 3], DispatchError> {
    let Some(size) = kernel.workgroup_size_with(overrides) else {
        return Err(DispatchError::Overrides {
            kernel: kernel.label(),
            values: kernel.describe_overrides(overrides),
        });
    };
    let groups = match extent {
        Extent::Groups(groups) => groups,
        Extent::Threads(threads) => {
            let mut groups = threads;
            for (count, size) in groups.iter_mut().zip(size) {
                *count = count.div_ceil(u64::from(size));
            }
            groups
        }
    };
    let max = u64::from(MAX_WORKGROUPS);
    let too_large = || DispatchError::Grid {
        kernel: kernel.label(),
        groups,
    };
    match groups {
        [x, y, z] if x <= max && y <= max && z <= max => Ok([x as u32, y as u32, z as u32]),
        [x, 1, 1] if kernel.linear => {
            let rows = x.div_ceil(max);
            if rows > max {
                return Err(too_large());
            }
            Ok([x.div_ceil(rows) as u32, rows as u32, 1])
        }
        _ => Err(too_large()),
    }
}
