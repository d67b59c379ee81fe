//! Windows of buffers as the bindings of one dispatch.

use rlx_kernels::KernelInfo;
use rlx_kernels::kernel::BindingSet;
use wgpu::{BindGroupDescriptor, BindGroupEntry, BindingResource, BufferBinding};

use super::context::Context;
use super::error::{DeviceError, DeviceLimit};
use super::pipeline::Pipeline;

/// A window of a device buffer: `size` bytes, a multiple of 4, from byte `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound<'a> {
    pub buffer: &'a wgpu::Buffer,
    pub offset: u64,
    pub size: u64,
}

impl<'a> Bound<'a> {
    fn overlaps(&self, other: &Self) -> bool {
        self.buffer == other.buffer
            && self.offset < other.offset + other.size
            && other.offset < self.offset + self.size
    }

    pub fn resource(self) -> BindingResource<'a> {
        let Self {
            buffer,
            offset,
            size,
        } = self;
        BindingResource::Buffer(BufferBinding {
            buffer,
            offset,
            size: wgpu::BufferSize::new(size),
        })
    }
}

/// The read-only bindings of `kernel` whose buffer it also writes: WebGPU has one usage for a buffer
/// in a dispatch, so these must be declared `read_write` too.
pub(super) fn shared(kernel: &KernelInfo, bound: &[Bound<'_>]) -> BindingSet {
    let written = |buffer| {
        bound
            .iter()
            .zip(kernel.bindings.iter())
            .any(|(other, b)| b.writable && other.buffer == buffer)
    };
    let reads = bound
        .iter()
        .zip(kernel.bindings.iter())
        .enumerate()
        .filter(|(_, (_, binding))| !binding.writable);
    reads.fold(BindingSet::NONE, |set, (index, (window, _))| {
        if written(window.buffer) {
            set.with(index)
        } else {
            set
        }
    })
}

impl Context {
    /// Checks the windows of one dispatch of `kernel`: alignment, sizes and overlaps.
    pub(super) fn check_bindings(
        &self,
        kernel: &KernelInfo,
        bound: &[Bound<'_>],
    ) -> Result<(), DeviceError> {
        let limits = self.capabilities().limits;
        for (window, binding) in bound.iter().zip(kernel.bindings.iter()) {
            let (name, stride) = (|| binding.name.to_string(), u64::from(binding.stride));
            if !window.offset.is_multiple_of(limits.storage_alignment) {
                let (offset, alignment) = (window.offset, limits.storage_alignment);
                return Err(DeviceError::Misaligned {
                    kernel: kernel.label(),
                    binding: name(),
                    offset,
                    alignment,
                });
            }
            if window.size < stride {
                let bytes = window.size;
                return Err(DeviceError::BindingTooSmall {
                    kernel: kernel.label(),
                    binding: name(),
                    bytes,
                    stride,
                });
            }
            if window.size > limits.max_binding {
                let subject = format!("binding `{}` of kernel `{}`", binding.name, kernel.label());
                let (limit, need, allowed) =
                    (DeviceLimit::BindingBytes, window.size, limits.max_binding);
                return Err(DeviceError::Limit {
                    subject,
                    limit,
                    need,
                    allowed,
                });
            }
        }
        check_overlap(kernel, bound)
    }

    /// Checks the grid of one dispatch of `kernel`.
    pub(super) fn check_grid(
        &self,
        kernel: &KernelInfo,
        grid: [u32; 3],
    ) -> Result<(), DeviceError> {
        let allowed = self.limits().max_compute_workgroups_per_dimension;
        let Some(index) = grid.iter().position(|&groups| groups > allowed) else {
            return Ok(());
        };
        let subject = format!("kernel `{}`", kernel.label());
        let (limit, need, allowed) = (
            DeviceLimit::Workgroups(index),
            u64::from(grid[index]),
            u64::from(allowed),
        );
        Err(DeviceError::Limit {
            subject,
            limit,
            need,
            allowed,
        })
    }

    /// The bind group of one dispatch of `kernel`; `params` where it has any.
    pub(super) fn bind_group(
        &self,
        kernel: &KernelInfo,
        pipeline: &Pipeline,
        bound: &[Bound<'_>],
        params: Option<Bound<'_>>,
    ) -> Result<wgpu::BindGroup, DeviceError> {
        let tables = pipeline.tables.iter().map(|buffer| Bound {
            buffer,
            offset: 0,
            size: buffer.size(),
        });
        let first = kernel.first_table() as u32;
        let entries: Vec<_> = (0..)
            .zip(bound.iter().copied().chain(params))
            .chain((first..).zip(tables))
            .map(|(binding, bound)| BindGroupEntry {
                binding,
                resource: bound.resource(),
            })
            .collect();
        self.guard(
            format_args!("bind group of kernel `{}`", kernel.label()),
            || {
                self.device().create_bind_group(&BindGroupDescriptor {
                    label: None,
                    layout: &pipeline.layout,
                    entries: &entries,
                })
            },
        )
    }
}

fn check_overlap(kernel: &KernelInfo, bound: &[Bound<'_>]) -> Result<(), DeviceError> {
    for (i, (window, binding)) in bound.iter().zip(kernel.bindings.iter()).enumerate() {
        for (j, (other, other_binding)) in bound.iter().zip(kernel.bindings.iter()).enumerate() {
            let seen = j == i || other_binding.writable && j < i;
            if binding.writable && !seen && window.overlaps(other) {
                let (written, other) = (binding.name.to_string(), other_binding.name.to_string());
                return Err(DeviceError::Overlap {
                    kernel: kernel.label(),
                    written,
                    other,
                });
            }
        }
    }
    Ok(())
}
