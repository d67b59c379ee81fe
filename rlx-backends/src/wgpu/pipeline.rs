//! Pipelines of kernels, compiled once a context.

use std::num::NonZeroU64;
use std::sync::{Arc, PoisonError};

use rlx_kernels::dispatch::check_overrides;
use rlx_kernels::kernel::BindingSet;
use rlx_kernels::{KernelInfo, Table};
use wgpu::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, BufferUsages,
    ComputePipelineDescriptor, PipelineCompilationOptions, PipelineLayoutDescriptor,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use super::checks::{Checks, module};
use super::context::Context;
use super::error::{DeviceError, DeviceLimit};

/// A compiled kernel.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub compute: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
    /// Whether its params are immediates; otherwise they are the last binding.
    pub immediates: bool,
    /// The kernel's tables, in order.
    pub tables: Vec<wgpu::Buffer>,
}

impl Context {
    /// The pipeline of `kernel` with these values of its overrides, and with the read-only bindings in
    /// `shared` declared `read_write`, with these checks at run time.
    pub(super) fn pipeline(
        &self,
        kernel: &KernelInfo,
        overrides: &[i64],
        shared: BindingSet,
        checks: Checks,
    ) -> Result<Arc<Pipeline>, DeviceError> {
        let shared = effective(kernel, shared);
        let key = (kernel.hash, overrides.to_vec(), shared, checks);
        if let Some(pipeline) = self
            .pipelines()
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
        {
            return Ok(Arc::clone(pipeline));
        }
        self.check_kernel(kernel, overrides)?;
        // Compiled without the lock, so that other kernels need not wait for this one.
        let mut pipeline = self.guard(
            format_args!("pipeline of kernel `{}`", kernel.label()),
            || compile(self, kernel, overrides, shared, checks),
        )?;
        let tables = kernel.tables.iter().map(|table| self.table(kernel, table));
        pipeline.tables = tables.collect::<Result<_, _>>()?;
        let mut cache = self
            .pipelines()
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(
            cache.entry(key).or_insert_with(|| Arc::new(pipeline)),
        ))
    }

    /// A table of `kernel` on the device.
    fn table(&self, kernel: &KernelInfo, table: &Table) -> Result<wgpu::Buffer, DeviceError> {
        let subject = format_args!("table `{}` of kernel `{}`", table.variable, kernel.label());
        let bytes: &[u8] = bytemuck::cast_slice(&table.words);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let buffer = self.buffer(subject, bytes.len() as u64, usage)?;
        self.guard(subject, || self.queue().write_buffer(&buffer, 0, bytes))?;
        Ok(buffer)
    }

    /// Checks what `kernel` needs against what the device has. wgpu itself checks no bytes of
    /// workgroup memory, and names no kernel.
    fn check_kernel(&self, kernel: &KernelInfo, overrides: &[i64]) -> Result<(), DeviceError> {
        let available = self.capabilities().features;
        if !kernel.features.within(available) {
            return Err(DeviceError::Features {
                kernel: kernel.label(),
                needed: kernel.features,
                available,
            });
        }
        let limits = self.limits();
        check_overrides(kernel, overrides)?;
        let size = kernel.workgroup_size_with(overrides);
        self.check_matrices(kernel, size.unwrap_or(kernel.workgroup_size)[0])?;
        let [x, y, z] = size.unwrap_or(kernel.workgroup_size).map(u64::from);
        let bytes = kernel.workgroup_bytes_with(overrides);
        let invocations = x.saturating_mul(y).saturating_mul(z);
        let needs = [
            (
                DeviceLimit::WorkgroupSize(0),
                x,
                u64::from(limits.max_compute_workgroup_size_x),
            ),
            (
                DeviceLimit::WorkgroupSize(1),
                y,
                u64::from(limits.max_compute_workgroup_size_y),
            ),
            (
                DeviceLimit::WorkgroupSize(2),
                z,
                u64::from(limits.max_compute_workgroup_size_z),
            ),
            (
                DeviceLimit::Invocations,
                invocations,
                u64::from(limits.max_compute_invocations_per_workgroup),
            ),
            (
                DeviceLimit::WorkgroupBytes,
                bytes.unwrap_or(u64::MAX),
                u64::from(limits.max_compute_workgroup_storage_size),
            ),
            (
                DeviceLimit::StorageBindings,
                (kernel.bindings.len() + kernel.tables.len()) as u64,
                u64::from(limits.max_storage_buffers_per_shader_stage),
            ),
            (
                DeviceLimit::ParamsBytes,
                u64::from(kernel.params_size),
                limits.max_uniform_buffer_binding_size,
            ),
        ];
        for (limit, need, allowed) in needs {
            if need > allowed {
                let subject = format!("kernel `{}`", kernel.label());
                return Err(DeviceError::Limit {
                    subject,
                    limit,
                    need,
                    allowed,
                });
            }
        }
        Ok(())
    }
}

impl Context {
    /// Checks that the device has the matrices of `kernel`, whose workgroups are `wide` along x. Where it
    /// has not, drivers give zeros and say nothing.
    fn check_matrices(&self, kernel: &KernelInfo, wide: u32) -> Result<(), DeviceError> {
        if kernel.matrices.is_empty() {
            return Ok(());
        }
        let capabilities = self.capabilities();
        let available = &capabilities.matrices;
        let mut all = kernel.matrices.iter();
        if let Some(needed) = all.find(|shape| !shape.is_among(available)) {
            return Err(DeviceError::Matrices {
                kernel: kernel.label(),
                needed: *needed,
                available: available.clone(),
            });
        }
        // Vulkan: the local size along x is a multiple of the subgroup's.
        match capabilities.subgroup_size {
            Some((_, subgroup)) if subgroup > 0 && !wide.is_multiple_of(subgroup) => {
                Err(DeviceError::Subgroups {
                    kernel: kernel.label(),
                    wide,
                    subgroup,
                })
            }
            _ => Ok(()),
        }
    }
}

/// `shared` without the bindings that it changes nothing for, so that one pipeline has one key.
fn effective(kernel: &KernelInfo, shared: BindingSet) -> BindingSet {
    let read_only = kernel
        .bindings
        .iter()
        .enumerate()
        .filter(|(_, binding)| !binding.writable);
    read_only.fold(BindingSet::NONE, |set, (index, _)| {
        if shared.contains(index) {
            set.with(index)
        } else {
            set
        }
    })
}

fn compile(
    context: &Context,
    kernel: &KernelInfo,
    overrides: &[i64],
    shared: BindingSet,
    checks: Checks,
) -> Pipeline {
    // Every value is an integer of 32 bits, which an f64 holds.
    let constants = kernel.overrides.iter().zip(overrides);
    let constants = constants.filter(|(item, _)| !item.variable.is_empty());
    let constants: Vec<_> = constants
        .map(|(item, value)| (&*item.variable, *value as f64))
        .collect();
    let (device, label) = (context.device(), kernel.label());
    let with_immediates = kernel
        .wgsl_with_immediates(shared)
        .filter(|_| context.has_immediates_for(kernel));
    let immediates = with_immediates.is_some();
    let wgsl = with_immediates.unwrap_or_else(|| kernel.wgsl(shared));
    let module = module(
        device,
        ShaderModuleDescriptor {
            label: Some(&label),
            source: ShaderSource::Wgsl(wgsl.into()),
        },
        checks.within(kernel),
    );
    let storage = kernel.bindings.iter().enumerate().map(|(index, binding)| {
        let read_only = !binding.writable && !shared.contains(index);
        layout_entry(
            index,
            BufferBindingType::Storage { read_only },
            binding.stride,
        )
    });
    let params = (kernel.params_size > 0 && !immediates).then(|| {
        layout_entry(
            kernel.bindings.len(),
            BufferBindingType::Uniform,
            kernel.params_size,
        )
    });
    let tables = (kernel.first_table()..)
        .zip(kernel.tables.iter())
        .map(|(index, table)| {
            let read_only = BufferBindingType::Storage { read_only: true };
            layout_entry(index, read_only, size_of_val(&*table.words) as u32)
        });
    let entries: Vec<_> = storage.chain(params).chain(tables).collect();
    let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
        label: Some(&label),
        entries: &entries,
    });
    let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
        label: Some(&label),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: if immediates { kernel.params_size } else { 0 },
    });
    let compute = device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: Some(&label),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some(&kernel.entry),
        compilation_options: PipelineCompilationOptions {
            constants: &constants,
            ..PipelineCompilationOptions::default()
        },
        cache: None,
    });
    Pipeline {
        compute,
        layout,
        immediates,
        tables: Vec::new(),
    }
}

fn layout_entry(index: usize, ty: BufferBindingType, min_bytes: u32) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry {
        binding: index as u32,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: NonZeroU64::new(u64::from(min_bytes)),
        },
        count: None,
    }
}
