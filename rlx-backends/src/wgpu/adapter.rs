//! Adapters: which there are, what they can do, which one is taken.

use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rlx_core::PlanLimits;
use rlx_kernels::{Features, MatrixScalar, MatrixShape};
use wgpu::{Backends, DeviceType, InstanceDescriptor, InstanceFlags};

use super::error::ContextError;
use crate::backend::Capabilities;

/// What kind of device an adapter is, in the order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the host's memory.
    Integrated,
    /// A GPU of a virtual machine.
    Virtual,
    /// A software adapter, such as lavapipe.
    Cpu,
    /// Unknown.
    Other,
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete GPU",
            Self::Integrated => "integrated GPU",
            Self::Virtual => "virtual GPU",
            Self::Cpu => "CPU",
            Self::Other => "other",
        })
    }
}

/// An adapter that the system offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterSummary {
    /// Its name, by which `ContextOptions::adapter` picks it.
    pub name: String,
    /// The API that reaches it: `vulkan`, `metal`, `dx12`.
    pub backend: String,
    /// What kind of device it is.
    pub kind: AdapterKind,
    /// The driver's name and version.
    pub driver: String,
    /// What it can do.
    pub capabilities: Capabilities,
}

impl AdapterSummary {
    pub(super) fn of(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        let capabilities = capabilities(adapter, adapter.features(), &adapter.limits());
        let driver = [info.driver.as_str(), info.driver_info.as_str()]
            .join(" ")
            .trim()
            .to_owned();
        Self {
            name: info.name,
            backend: info.backend.to_string(),
            kind: kind(info.device_type),
            driver,
            capabilities,
        }
    }
}

fn kind(device_type: DeviceType) -> AdapterKind {
    match device_type {
        DeviceType::DiscreteGpu => AdapterKind::Discrete,
        DeviceType::IntegratedGpu => AdapterKind::Integrated,
        DeviceType::VirtualGpu => AdapterKind::Virtual,
        DeviceType::Cpu => AdapterKind::Cpu,
        DeviceType::Other => AdapterKind::Other,
    }
}

/// What a device of `adapter` with these features and limits can do.
pub(super) fn capabilities(
    adapter: &wgpu::Adapter,
    features: wgpu::Features,
    limits: &wgpu::Limits,
) -> Capabilities {
    let info = adapter.get_info();
    let subgroup = features.contains(wgpu::Features::SUBGROUP);
    let matrix = features.contains(wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX);
    Capabilities {
        features: Features {
            subgroup,
            f16: features.contains(wgpu::Features::SHADER_F16),
            int64: features.contains(wgpu::Features::SHADER_INT64),
            matrix,
        },
        limits: PlanLimits {
            storage_alignment: u64::from(limits.min_storage_buffer_offset_alignment),
            // Bindings and buffers are whole words.
            max_binding: limits.max_storage_buffer_binding_size / 4 * 4,
            max_buffer: limits.max_buffer_size / 4 * 4,
        },
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        invocations: limits.max_compute_invocations_per_workgroup,
        subgroup_size: subgroup.then_some((info.subgroup_min_size, info.subgroup_max_size)),
        matrices: if matrix {
            matrices(adapter)
        } else {
            Vec::new()
        },
    }
}

/// The products of matrices that an adapter has, of those that kernels may ask for.
fn matrices(adapter: &wgpu::Adapter) -> Vec<MatrixShape> {
    let scalar = |ty| match ty {
        wgpu::CooperativeScalarType::F16 => Some(MatrixScalar::F16),
        wgpu::CooperativeScalarType::F32 => Some(MatrixScalar::F32),
        _ => None,
    };
    let all = adapter.cooperative_matrix_properties().into_iter();
    let shapes = all.filter_map(|shape| {
        Some(MatrixShape {
            m: shape.m_size,
            n: shape.n_size,
            k: shape.k_size,
            input: Some(scalar(shape.ab_type)?),
            output: Some(scalar(shape.cr_type)?),
        })
    });
    shapes.collect()
}

/// Held while an instance is made and its adapters are listed.
///
/// The first call also opens an instance that stays: a loader that has no instance left unloads its
/// drivers, and NVIDIA's 580 refuses to be loaded some thirty times in one process. Neither the lock
/// nor that instance holds anything of a device.
pub(super) fn opening() -> MutexGuard<'static, ()> {
    static OPENING: Mutex<()> = Mutex::new(());
    static DRIVERS: OnceLock<wgpu::Instance> = OnceLock::new();
    let guard = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    DRIVERS.get_or_init(instance);
    guard
}

/// An instance that no environment variable changes.
pub(super) fn instance() -> wgpu::Instance {
    wgpu::Instance::new(InstanceDescriptor {
        backends: Backends::PRIMARY,
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    })
}

/// All adapters, the preferred one first.
pub(super) fn enumerate(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    let mut adapters = pollster::block_on(instance.enumerate_adapters(Backends::PRIMARY));
    adapters.sort_by_key(|adapter| kind(adapter.get_info().device_type));
    adapters
}

/// The preferred adapter among those whose name has `wanted` in it, in either case.
pub(super) fn choose(
    adapters: Vec<wgpu::Adapter>,
    wanted: Option<&str>,
) -> Result<wgpu::Adapter, ContextError> {
    if adapters.is_empty() {
        return Err(ContextError::NoAdapter);
    }
    let names: Vec<_> = adapters
        .iter()
        .map(|adapter| adapter.get_info().name)
        .collect();
    let text = wanted.unwrap_or_default().to_lowercase();
    let found = adapters
        .into_iter()
        .zip(&names)
        .find(|(_, name)| name.to_lowercase().contains(&text));
    found
        .map(|(adapter, _)| adapter)
        .ok_or_else(|| ContextError::NoSuchAdapter {
            wanted: wanted.unwrap_or_default().to_owned(),
            available: names.clone(),
        })
}

#[cfg(test)]
mod tests {
    use super::{ContextError, choose};

    #[test]
    fn without_an_adapter_the_error_says_how_to_get_a_software_one() {
        let error = choose(Vec::new(), None).unwrap_err();
        assert_eq!(error, ContextError::NoAdapter);
        assert!(
            error
                .to_string()
                .contains("apt-get install mesa-vulkan-drivers libvulkan1"),
            "{error}"
        );
    }
}
