//! One run of one kernel, as a value.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use crate::geometry::{self, Extent};
use crate::kernel::KernelInfo;

/// A kernel that lives as long as whoever holds this: a static, or a region made at run time.
#[derive(Clone, Debug)]
pub enum KernelRef {
    /// Compiled into the program.
    Static(&'static KernelInfo),
    /// Made at graph compile time.
    Shared(Arc<KernelInfo>),
}

impl Deref for KernelRef {
    type Target = KernelInfo;

    fn deref(&self) -> &KernelInfo {
        match self {
            Self::Static(kernel) => kernel,
            Self::Shared(kernel) => kernel,
        }
    }
}

/// One run of one kernel over bindings of type `H` (a device's buffer window, a planner's value).
#[derive(Clone, Debug)]
pub struct Dispatch<H> {
    /// What to run.
    pub kernel: KernelRef,
    /// One value for each of [`KernelInfo::overrides`], in order.
    pub overrides: Vec<i64>,
    /// One binding for each of [`KernelInfo::bindings`], in order.
    pub bindings: Vec<H>,
    /// The params struct's bytes, [`KernelInfo::params_size`] of them.
    pub params: Vec<u8>,
    /// Workgroups by dimension; a 0 means that there is nothing to do.
    pub grid: [u32; 3],
}

impl<H> Dispatch<H> {
    /// Puts a dispatch together and computes its grid.
    ///
    /// # Errors
    /// [`DispatchError`] where the number of bindings, the params' size or the grid is wrong.
    pub fn new(
        kernel: KernelRef,
        bindings: Vec<H>,
        params: &[u8],
        extent: Extent,
    ) -> Result<Self, DispatchError> {
        let overrides = kernel.defaults();
        Self::with_overrides(kernel, overrides, bindings, params, extent)
    }

    /// The same, with values for the kernel's overrides.
    ///
    /// # Errors
    /// As [`Self::new`], and where the number of values is wrong or a workgroup would be empty.
    pub fn with_overrides(
        kernel: KernelRef,
        overrides: Vec<i64>,
        bindings: Vec<H>,
        params: &[u8],
        extent: Extent,
    ) -> Result<Self, DispatchError> {
        check_overrides(&kernel, &overrides)?;
        if bindings.len() != kernel.bindings.len() {
            let (expected, found) = (kernel.bindings.len(), bindings.len());
            return Err(DispatchError::Bindings {
                kernel: kernel.label(),
                expected,
                found,
            });
        }
        if params.len() != kernel.params_size as usize {
            let (expected, found) = (kernel.params_size as usize, params.len());
            return Err(DispatchError::Params {
                kernel: kernel.label(),
                expected,
                found,
            });
        }
        let grid = geometry::grid(&kernel, &overrides, extent)?;
        Ok(Self {
            kernel,
            overrides,
            bindings,
            params: params.to_vec(),
            grid,
        })
    }

    /// The same dispatch over other bindings.
    pub fn map<G>(self, bind: impl FnMut(H) -> G) -> Dispatch<G> {
        let Self {
            kernel,
            overrides,
            bindings,
            params,
            grid,
        } = self;
        Dispatch {
            kernel,
            overrides,
            bindings: bindings.into_iter().map(bind).collect(),
            params,
            grid,
        }
    }

    /// The same dispatch over `threads` invocations, for a kernel without a `threads` or `groups` of
    /// its own.
    ///
    /// # Errors
    /// [`DispatchError::Grid`] where that takes too many workgroups.
    pub fn threads(mut self, threads: [u64; 3]) -> Result<Self, DispatchError> {
        self.grid = geometry::grid(&self.kernel, &self.overrides, Extent::Threads(threads))?;
        Ok(self)
    }
}

/// Checks that there is one value an override, and that arrays and workgroups of these sizes can be.
///
/// # Errors
/// [`DispatchError::OverrideCount`] and [`DispatchError::Overrides`].
pub fn check_overrides(kernel: &KernelInfo, overrides: &[i64]) -> Result<(), DispatchError> {
    let (expected, found) = (kernel.overrides.len(), overrides.len());
    if expected != found {
        return Err(DispatchError::OverrideCount {
            kernel: kernel.label(),
            expected,
            found,
        });
    }
    let sizes = kernel.workgroup_size_with(overrides);
    if sizes.is_none() || kernel.workgroup_bytes_with(overrides).is_none() {
        return Err(DispatchError::Overrides {
            kernel: kernel.label(),
            values: kernel.describe_overrides(overrides),
        });
    }
    Ok(())
}

/// The length of a buffer in the conditions of `#[requires(..)]`.
#[doc(hidden)]
pub struct Length(pub u64);

impl Length {
    /// Elements.
    pub fn len(&self) -> u128 {
        self.0.into()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Blocks of packed weights.
    pub fn blocks(&self) -> u128 {
        self.0.into()
    }
}

/// Why a dispatch cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DispatchError {
    /// The number of bindings differs from the kernel's.
    #[error("kernel `{kernel}` has {expected} bindings, {found} were given")]
    Bindings {
        /// The kernel.
        kernel: String,
        /// What it declares.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// The params' bytes are not those of the kernel's params struct.
    #[error("kernel `{kernel}` takes {expected} bytes of params, {found} were given")]
    Params {
        /// The kernel.
        kernel: String,
        /// What it declares.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// More workgroups than a dispatch may have.
    #[error(
        "kernel `{kernel}` asks for {groups:?} workgroups; a dimension holds 65535, and only a kernel that goes by \
         `workgroup_index()` or `global_index()` can be folded"
    )]
    Grid {
        /// The kernel.
        kernel: String,
        /// Workgroups by dimension.
        groups: [u64; 3],
    },
    /// A condition of the kernel's `#[requires(..)]` does not hold.
    #[error("kernel `{kernel}` requires `{condition}`, but {values}")]
    Requires {
        /// The kernel.
        kernel: String,
        /// The condition.
        condition: String,
        /// The parameters that it names, with their values.
        values: String,
    },
    /// The number of override values differs from the kernel's.
    #[error("kernel `{kernel}` has {expected} const parameters, {found} values were given")]
    OverrideCount {
        /// The kernel.
        kernel: String,
        /// What it declares.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// With these values of its const parameters the kernel has no workgroup.
    #[error("kernel `{kernel}` has an empty workgroup or array where {values}")]
    Overrides {
        /// The kernel.
        kernel: String,
        /// The values.
        values: String,
    },
    /// The kernel has no instance of that name.
    #[error("kernel `{kernel}` has no instance `{instance}`")]
    Instance {
        /// The kernel.
        kernel: String,
        /// What was asked for.
        instance: String,
    },
}

/// A buffer of `len` elements of `T` on a device whose handle is `H`.
///
/// A kernel's `launch` borrows inputs shared and outputs mutably, so a launch that would alias an
/// output does not compile.
#[derive(Debug)]
pub struct Buffer<T, H> {
    handle: H,
    len: u64,
    element: PhantomData<T>,
}

impl<T, H> Buffer<T, H> {
    /// Gives `handle` its element type and length in elements.
    pub fn new(handle: H, len: u64) -> Self {
        Self {
            handle,
            len,
            element: PhantomData,
        }
    }

    /// The device's handle.
    pub fn handle(&self) -> &H {
        &self.handle
    }

    /// Elements.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}
