//! A device and what belongs to it.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use rlx_kernels::KernelInfo;
use rlx_kernels::kernel::BindingSet;
use wgpu::{DeviceDescriptor, ExperimentalFeatures, Limits, MemoryHints, Trace};

use super::adapter::{self, AdapterSummary};
use super::checks::Checks;
use super::error::{ContextError, DeviceError};
use super::fault::{Faults, panic_text};
use super::pipeline::Pipeline;
use crate::backend::Capabilities;

/// How to open a [`Context`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextOptions {
    /// Text in the name of the wanted adapter, in either case; without it the first of discrete GPU,
    /// integrated GPU, virtual GPU and CPU.
    pub adapter: Option<String>,
    /// Opens the device with WebGPU's default limits and no features: what every browser grants.
    pub webgpu_defaults: bool,
    /// Opens the device with storage bindings of so many bytes at most, where it has larger ones: to try
    /// what runs on a smaller device.
    pub binding_bytes: Option<u64>,
}

/// An open device, with its queue and its compiled pipelines. Clones share the device.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    instance: wgpu::Instance,
    adapter: AdapterSummary,
    device: wgpu::Device,
    queue: wgpu::Queue,
    limits: Limits,
    faults: Arc<Faults>,
    pipelines: PipelineCache,
}

/// What a pipeline is compiled for: the kernel's hash, the values of its overrides, and the bindings
/// that are declared `read_write` although the kernel only reads them, and what it checks at run time.
type PipelineKey = (u64, Vec<i64>, BindingSet, Checks);

/// Compiled pipelines.
pub(super) type PipelineCache = Mutex<HashMap<PipelineKey, Arc<Pipeline>>>;

/// Objects that are alive on a context's device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Buffers.
    pub buffers: usize,
    /// Bind groups.
    pub bind_groups: usize,
    /// Compute pipelines.
    pub pipelines: usize,
    /// Bytes of device memory in use, where the driver's allocator can tell.
    pub bytes: Option<u64>,
}

impl Context {
    /// Opens a device.
    ///
    /// # Errors
    /// [`ContextError`] where there is no such adapter or it opens no device.
    pub fn new(options: &ContextOptions) -> Result<Self, ContextError> {
        let _one_at_a_time = adapter::opening();
        let instance = adapter::instance();
        let adapter = adapter::choose(adapter::enumerate(&instance), options.adapter.as_deref())?;
        let (features, mut limits) = if options.webgpu_defaults {
            (wgpu::Features::empty(), Limits::default())
        } else {
            let wanted = wgpu::Features::SUBGROUP
                | wgpu::Features::SHADER_F16
                | wgpu::Features::SHADER_INT64
                | wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX
                | wgpu::Features::IMMEDIATES
                | wgpu::Features::TIMESTAMP_QUERY;
            (
                adapter.features() & wanted,
                compute_limits(&adapter.limits()),
            )
        };
        let binding = &mut limits.max_storage_buffer_binding_size;
        *binding = options.binding_bytes.unwrap_or(u64::MAX).min(*binding);
        let descriptor = DeviceDescriptor {
            label: None,
            required_features: features,
            required_limits: limits.clone(),
            experimental_features: experimental(features),
            // Buffers are few and large, and made before anything runs.
            memory_hints: MemoryHints::MemoryUsage,
            trace: Trace::Off,
        };
        let refused = |message| ContextError::Request {
            adapter: adapter.get_info().name,
            message,
        };
        let (device, queue) = catch_unwind(AssertUnwindSafe(|| {
            pollster::block_on(adapter.request_device(&descriptor))
        }))
        .map_err(|panic| refused(panic_text(&*panic)))?
        .map_err(|error| refused(error.to_string()))?;
        let faults = Faults::watch(&device);
        let mut summary = AdapterSummary::of(&adapter);
        summary.capabilities = adapter::capabilities(&adapter, features, &limits);
        let pipelines = PipelineCache::default();
        Ok(Self(Arc::new(Inner {
            instance,
            adapter: summary,
            device,
            queue,
            limits,
            faults,
            pipelines,
        })))
    }

    /// All adapters of the system, the preferred one first; none is no error.
    pub fn adapters() -> Vec<AdapterSummary> {
        let _one_at_a_time = adapter::opening();
        adapter::enumerate(&adapter::instance())
            .iter()
            .map(AdapterSummary::of)
            .collect()
    }

    /// The adapter, with the capabilities that its device was opened with.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.0.adapter
    }

    /// What the device can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.0.adapter.capabilities
    }

    /// Waits until the device has done all that was submitted.
    ///
    /// # Errors
    /// [`DeviceError`] where the device is lost or an earlier operation failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.wait_for(None)
    }

    /// Counts what is alive on the device, after all that was submitted is done.
    ///
    /// # Errors
    /// [`DeviceError`] as [`Context::wait`].
    pub fn resources(&self) -> Result<Resources, DeviceError> {
        self.wait()?;
        let report = self.0.instance.generate_report();
        let hub = report.as_ref().map(|report| &report.hub);
        Ok(Resources {
            buffers: hub.map_or(0, |hub| hub.buffers.num_kept_from_user),
            bind_groups: hub.map_or(0, |hub| hub.bind_groups.num_kept_from_user),
            pipelines: hub.map_or(0, |hub| hub.compute_pipelines.num_kept_from_user),
            bytes: self
                .device()
                .generate_allocator_report()
                .map(|report| report.total_allocated_bytes),
        })
    }

    pub(super) fn device(&self) -> &wgpu::Device {
        &self.0.device
    }

    pub(super) fn queue(&self) -> &wgpu::Queue {
        &self.0.queue
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub(super) fn faults(&self) -> &Faults {
        &self.0.faults
    }

    pub(super) fn pipelines(&self) -> &PipelineCache {
        &self.0.pipelines
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether the params of `kernel` go with the commands instead of into a uniform buffer: where the
    /// device has immediates, and room in them.
    pub fn has_immediates_for(&self, kernel: &KernelInfo) -> bool {
        self.device()
            .features()
            .contains(wgpu::Features::IMMEDIATES)
            && kernel.params_size <= self.limits().max_immediate_size
            && kernel.wgsl_with_immediates(BindingSet::NONE).is_some()
    }

    /// Whether the device takes the time of its passes itself.
    pub fn has_timestamps(&self) -> bool {
        self.device()
            .features()
            .contains(wgpu::Features::TIMESTAMP_QUERY)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Context")
            .field(&self.0.adapter.name)
            .finish()
    }
}

/// The token without which wgpu opens no device with experimental features.
fn experimental(features: wgpu::Features) -> ExperimentalFeatures {
    if !features.contains(wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX) {
        return ExperimentalFeatures::disabled();
    }
    // SAFETY: the caller takes it upon itself that what is asked of an experimental feature has been
    // defined by its API although wgpu does not check all of it. Cooperative matrices are the only one.
    // wgpu leaves open which products an adapter has, and in whose company an operation is reached:
    // `check_matrices` refuses a kernel whose products are not in the adapter's list, or whose workgroups
    // are no whole number of subgroups, and no kernel compiles in which an operation is not reached by a
    // whole subgroup. What remains is a matrix that passes the end of its binding: Vulkan's robust
    // buffer access does not cover matrices, and wgpu 30 leaves the feature for them off. It touches device
    // memory alone, and the CPU twin reports it.
    #[allow(unsafe_code)]
    unsafe {
        ExperimentalFeatures::enabled()
    }
}

/// The adapter's limits on compute; those on anything else need features that are not requested.
fn compute_limits(adapter: &Limits) -> Limits {
    Limits {
        max_bindings_per_bind_group: adapter.max_bindings_per_bind_group,
        max_immediate_size: adapter.max_immediate_size,
        max_storage_buffers_per_shader_stage: adapter.max_storage_buffers_per_shader_stage,
        max_buffers_and_acceleration_structures_per_shader_stage: adapter
            .max_buffers_and_acceleration_structures_per_shader_stage,
        max_uniform_buffer_binding_size: adapter.max_uniform_buffer_binding_size,
        max_storage_buffer_binding_size: adapter.max_storage_buffer_binding_size,
        max_buffer_size: adapter.max_buffer_size,
        min_uniform_buffer_offset_alignment: adapter.min_uniform_buffer_offset_alignment,
        min_storage_buffer_offset_alignment: adapter.min_storage_buffer_offset_alignment,
        max_compute_workgroup_storage_size: adapter.max_compute_workgroup_storage_size,
        max_compute_invocations_per_workgroup: adapter.max_compute_invocations_per_workgroup,
        max_compute_workgroup_size_x: adapter.max_compute_workgroup_size_x,
        max_compute_workgroup_size_y: adapter.max_compute_workgroup_size_y,
        max_compute_workgroup_size_z: adapter.max_compute_workgroup_size_z,
        max_compute_workgroups_per_dimension: adapter.max_compute_workgroups_per_dimension,
        ..Limits::default().or_worse_values_from(adapter)
    }
}
