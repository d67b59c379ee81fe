//! Limits of a device: what every device has, what a kernel may ask for, what it needs.

use crate::compile::CompileOptions;
use crate::diagnostic::Diagnostic;
use crate::item::{Kernel, Module};
use crate::layout;
use crate::types::Type;

/// A limit that `#[kernel(.., limits(name = n))]` raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Its name in the attribute.
    pub name: &'static str,
    /// Its name in WebGPU.
    pub webgpu: &'static str,
    /// What every device has.
    pub default: u32,
}

/// Every limit, in the order of [`CompileOptions`].
pub static LIMITS: [Limit; 3] = [
    Limit {
        name: "workgroup_bytes",
        webgpu: "maxComputeWorkgroupStorageSize",
        default: 16_384,
    },
    Limit {
        name: "invocations",
        webgpu: "maxComputeInvocationsPerWorkgroup",
        default: 256,
    },
    Limit {
        name: "bindings",
        webgpu: "maxStorageBuffersPerShaderStage",
        default: 8,
    },
];

/// Invocations along z on every device; no attribute raises it.
const MAX_Z: u32 = 64;

/// A limit that a kernel needs to be higher than every device has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Required {
    /// The limit.
    pub limit: &'static Limit,
    /// What the kernel needs.
    pub needed: u32,
}

impl CompileOptions {
    /// The value of the limit called `name`.
    pub fn limit_mut(&mut self, name: &str) -> Option<&mut u32> {
        match name {
            "workgroup_bytes" => Some(&mut self.workgroup_bytes),
            "invocations" => Some(&mut self.invocations),
            "bindings" => Some(&mut self.bindings),
            _ => None,
        }
    }

    fn all(self) -> [u32; 3] {
        [self.workgroup_bytes, self.invocations, self.bindings]
    }
}

/// What `kernel`, which reads so many tables, needs beyond what every device has.
pub fn required(module: &Module, kernel: &Kernel, tables: usize) -> Vec<Required> {
    let needs = [
        workgroup_bytes(module, kernel),
        invocations(kernel),
        (kernel.bindings.len() + tables) as u64,
    ];
    let pairs = LIMITS.iter().zip(needs);
    pairs
        .filter(|(limit, needed)| *needed > u64::from(limit.default))
        .map(|(limit, needed)| Required {
            limit,
            needed: u32::try_from(needed).unwrap_or(u32::MAX),
        })
        .collect()
}

/// What is wrong with the size of a kernel's workgroups, their memory and the number of its slices.
pub fn check(module: &Module, kernel: &Kernel, options: CompileOptions) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let [bytes, most, slots] = options.all();
    let found = invocations(kernel);
    let [x, y, z] = kernel.workgroup_size;
    if found > u64::from(most) {
        let message = format!(
            "a workgroup of {x} × {y} × {z} = {found} invocations is too large: {}",
            allowed(1, most, "runs")
        );
        let help = format!(
            "choose numbers whose product is at most {most}{}",
            raise(1, found)
        );
        problems.push(Diagnostic::new(kernel.workgroup_size_span, message).help(help));
    } else if z > MAX_Z {
        let message = format!("a workgroup is {z} deep along z, and every device runs {MAX_Z}");
        problems.push(
            Diagnostic::new(kernel.workgroup_size_span, message)
                .help("put the larger number first: along x and y"),
        );
    }
    let slices = kernel.bindings.len();
    if slices as u64 > u64::from(slots)
        && let Some(first) = kernel.bindings.get(slots as usize)
    {
        let names = kernel.bindings.iter().map(|b| format!("`{}`", b.name));
        let message = format!(
            "this kernel has {slices} slices ({}), and {}",
            names.collect::<Vec<_>>().join(", "),
            allowed(2, slots, "binds")
        );
        let help = format!(
            "put several of them into one slice, and index it{}",
            raise(2, slices as u64)
        );
        problems.push(Diagnostic::new(first.span, message).help(help));
    }
    problems.extend(memory(module, kernel, bytes));
    problems
}

/// Says of the workgroup variable that passes the limit what all of them take.
fn memory(module: &Module, kernel: &Kernel, most: u32) -> Option<Diagnostic> {
    let total = workgroup_bytes(module, kernel);
    if total <= u64::from(most) {
        return None;
    }
    let mut sum = 0;
    let over = kernel.workgroup.iter().find(|var| {
        sum += bytes_of(module, &var.ty);
        sum > u64::from(most)
    })?;
    let message = format!(
        "the workgroup memory of this kernel takes {total} bytes, and {}",
        allowed(0, most, "has")
    );
    let help = format!(
        "make the arrays smaller, or use one of them twice{}",
        raise(0, total)
    );
    let mut problem = Diagnostic::new(over.span, message).help(help);
    for var in &kernel.workgroup {
        let text = format!(
            "`{}` {{}} takes {} bytes",
            var.name,
            bytes_of(module, &var.ty)
        );
        problem = problem.note(var.span, text);
    }
    Some(problem)
}

/// What a kernel may have of limit `index`, of which it has asked for `most`.
fn allowed(index: usize, most: u32, verb: &str) -> String {
    let limit = &LIMITS[index];
    if most == limit.default {
        format!("every device {verb} {most}")
    } else {
        format!("its `limits(..)` ask for {most}")
    }
}

/// How to ask for more of limit `index`.
fn raise(index: usize, needed: u64) -> String {
    let name = LIMITS[index].name;
    format!(", or ask for more than every device has: `limits({name} = {needed})`")
}

fn invocations(kernel: &Kernel) -> u64 {
    let sizes = kernel.workgroup_size.iter().map(|size| u64::from(*size));
    sizes.fold(1, u64::saturating_mul)
}

/// Bytes of workgroup memory: each variable begins at a multiple of 16.
fn workgroup_bytes(module: &Module, kernel: &Kernel) -> u64 {
    let sizes = kernel.workgroup.iter().map(|var| bytes_of(module, &var.ty));
    sizes.sum()
}

fn bytes_of(module: &Module, ty: &Type) -> u64 {
    layout::on_device(module, ty).map_or(0, |(size, _)| u64::from(size).next_multiple_of(16))
}
