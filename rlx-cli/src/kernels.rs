//! `rlx kernels`: every compiled kernel instance, and its WGSL.

use std::borrow::Cow;

use clap::{Args, Subcommand};
use kernel_specs::elementwise::OPS;
use rlx_core::lower::sample_region;
use rlx_kernels::KernelInfo;
use rlx_kernels::kernel::BindingSet;
use serde::Serialize;

use crate::adapters::feature_names;
use crate::error::CliError;
use crate::near;
use crate::output;
use crate::table::{Align, Table};

/// Lists kernels and shows their WGSL.
#[derive(Debug, Subcommand)]
pub enum Kernels {
    List(List),
    Show(Show),
}

/// Lists every kernel instance, and the region of every elementwise operator
#[derive(Args, Debug)]
pub struct List {
    /// Prints one JSON document
    #[arg(long)]
    json: bool,
}

/// Shows the facts of a kernel and its WGSL
#[derive(Args, Debug)]
pub struct Show {
    /// A kernel, with its instance where where it has several: gather_rows::Q4_0
    #[arg(value_name = "NAME[::INSTANCE]")]
    name: String,
    /// Shows the module for browsers, which must enable what it uses
    #[arg(long)]
    web: bool,
}

impl Kernels {
    pub fn run(&self) -> Result<(), CliError> {
        match self {
            Self::List(list) => list.run(),
            Self::Show(show) => show.run(),
        }
    }
}

/// Compiled kernels, then a region of each elementwise operator alone.
fn all() -> Result<Vec<Cow<'static, KernelInfo>>, CliError> {
    let compiled = kernel_specs::kernels().map(|kernel| Ok(Cow::Borrowed(kernel)));
    let regions = OPS.iter().map(|op| {
        let region = sample_region(op);
        region.map(Cow::Owned).map_err(|message| CliError::Region {
            op: op.name,
            message,
        })
    });
    compiled.chain(regions).collect()
}

/// A kernel as JSON.
#[derive(Serialize)]
struct KernelJson<'a> {
    label: String,
    name: &'a str,
    instance: &'a str,
    file: &'a str,
    line: u32,
    workgroup_size: [u32; 3],
    workgroup_bytes: u32,
    bindings: Vec<BindingJson<'a>>,
    params: Vec<ParamJson<'a>>,
    params_bytes: u32,
    features: Vec<String>,
    limits: Vec<LimitJson<'a>>,
    wgsl_bytes: usize,
    hash: String,
}

#[derive(Serialize)]
struct BindingJson<'a> {
    name: &'a str,
    element: &'a str,
    stride: u32,
    writable: bool,
}

#[derive(Serialize)]
struct LimitJson<'a> {
    name: &'a str,
    needed: u32,
    default: u32,
}

#[derive(Serialize)]
struct ParamJson<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    ty: &'a str,
    offset: u32,
}

impl<'a> From<&'a KernelInfo> for KernelJson<'a> {
    fn from(kernel: &'a KernelInfo) -> Self {
        let bindings = kernel.bindings.iter().map(|binding| BindingJson {
            name: &binding.name,
            element: &binding.element,
            stride: binding.stride,
            writable: binding.writable,
        });
        let params = kernel.params.iter().map(|field| ParamJson {
            name: &field.name,
            ty: &field.ty,
            offset: field.offset,
        });
        let limits = kernel.limits.iter().map(|limit| LimitJson {
            name: &limit.name,
            needed: limit.needed,
            default: limit.default,
        });
        Self {
            label: kernel.label(),
            name: &kernel.name,
            instance: &kernel.instance,
            file: &kernel.file,
            line: kernel.line,
            workgroup_size: kernel.workgroup_size,
            workgroup_bytes: kernel.workgroup_bytes,
            bindings: bindings.collect(),
            params: params.collect(),
            params_bytes: kernel.params_size,
            features: feature_names(kernel.features),
            limits: limits.collect(),
            wgsl_bytes: kernel.wgsl.len(),
            hash: format!("{:016x}", kernel.hash),
        }
    }
}

/// The limits that a kernel raises: `workgroup_bytes 32768`.
fn limits(kernel: &KernelInfo) -> String {
    if kernel.limits.is_empty() {
        return "default".into();
    }
    let limits = kernel.limits.iter();
    let limits = limits.map(|limit| format!("{} {}", limit.name, limit.needed));
    limits.collect::<Vec<_>>().join(", ")
}

impl List {
    fn run(&self) -> Result<(), CliError> {
        let kernels = all()?;
        if self.json {
            let kernels: Vec<KernelJson> = kernels
                .iter()
                .map(|kernel| KernelJson::from(&**kernel))
                .collect();
            return output::print_json(&kernels);
        }
        let mut table = Table::new(&[
            ("name", Align::Left),
            ("instance", Align::Left),
            ("source", Align::Left),
            ("workgroup", Align::Left),
            ("bindings", Align::Left),
            ("features", Align::Left),
            ("limits", Align::Left),
            ("WGSL bytes", Align::Right),
            ("hash", Align::Left),
        ]);
        for kernel in &kernels {
            let [x, y, z] = kernel.workgroup_size;
            let bindings = kernel.bindings.iter().map(|binding| {
                let access = if binding.writable { "mut " } else { "" };
                format!("{access}{}", binding.name)
            });
            table.row([
                kernel.name.to_string(),
                kernel.instance.to_string(),
                format!("{}:{}", kernel.file, kernel.line),
                format!("{x} x {y} x {z}"),
                bindings.collect::<Vec<_>>().join(", "),
                kernel.features.describe(),
                limits(kernel),
                kernel.wgsl.len().to_string(),
                format!("{:016x}", kernel.hash),
            ]);
        }
        output::print(&table.render())
    }
}

impl Show {
    fn run(&self) -> Result<(), CliError> {
        let kernels = all()?;
        let kernel = find(&kernels, &self.name)?;
        let wgsl = if self.web {
            kernel.wgsl_for_web(BindingSet::NONE)?
        } else {
            kernel.wgsl(BindingSet::NONE)
        };
        output::print(&format!("{}\n{}\n", kernel.facts(), wgsl.trim_end()))
    }
}

/// The kernel of a label, or of a name that has one instance.
fn find<'a>(
    kernels: &'a [Cow<'static, KernelInfo>],
    wanted: &str,
) -> Result<&'a KernelInfo, CliError> {
    let (name, instance) = match wanted.split_once("::") {
        Some((name, instance)) => (name, Some(instance)),
        None => (wanted, None),
    };
    let named: Vec<&KernelInfo> = kernels
        .iter()
        .map(|kernel| &**kernel)
        .filter(|kernel| kernel.name == name)
        .collect();
    let labels = || {
        named
            .iter()
            .map(|kernel| kernel.label())
            .collect::<Vec<_>>()
    };
    match (named.as_slice(), instance) {
        ([], _) => {
            let mut names: Vec<&str> = kernels.iter().map(|kernel| &*kernel.name).collect();
            names.dedup();
            Err(CliError::NoKernel {
                name: name.to_owned(),
                near: near::hint(name, names),
            })
        }
        ([kernel], None) => Ok(kernel),
        (several, None) => several
            .iter()
            .find(|kernel| kernel.instance.is_empty())
            .copied()
            .ok_or_else(|| CliError::Instances {
                name: name.to_owned(),
                labels: labels(),
            }),
        (some, Some(instance)) => some
            .iter()
            .find(|kernel| kernel.instance == instance)
            .copied()
            .ok_or_else(|| CliError::NoInstance {
                name: name.to_owned(),
                instance: instance.to_owned(),
                labels: labels(),
            }),
    }
}
