//! `rlx roads`: which kernels matrix products take, and why.

use clap::Args;
use kernel_specs::formats;
use rlx_backends::wgpu::Context;
use rlx_core::lower::road::{self, Row};
use rlx_core::{LowerOptions, Precision};
use rlx_kernels::KernelInfo;
use serde::Serialize;

use crate::adapters::{self, feature_names};
use crate::error::CliError;
use crate::output;
use crate::table::{Align, Table};

/// Shows which kernels matrix products take, and why: the first that fits is taken
#[derive(Args, Debug)]
pub struct Roads {
    /// Prints one JSON document
    #[arg(long)]
    json: bool,
}

/// A road as JSON.
#[derive(Serialize)]
struct RoadJson {
    product: &'static str,
    name: &'static str,
    least_rows: u32,
    most_rows: Option<u32>,
    precision: &'static str,
    features: Vec<String>,
    workgroup_bytes: u32,
    invocations: u32,
    on_this_device: Option<bool>,
    reason: &'static str,
}

impl Roads {
    pub fn run(&self) -> Result<(), CliError> {
        let context = adapters::open_preferred()?;
        let capabilities = context.as_ref().map(Context::capabilities);
        let device = capabilities.map(|found| found.lowering(Precision::Int8));
        let [one, grouped] = road::table();
        let products = [("one weight", one), ("experts", grouped)];
        let rows = products
            .into_iter()
            .flat_map(|(product, rows)| rows.iter().map(move |row| (product, row)));
        let roads: Vec<RoadJson> = rows
            .filter_map(|(product, row)| RoadJson::of(product, row, device.as_ref()))
            .collect();
        if self.json {
            return output::print_json(&roads);
        }
        output::print(&render(&roads))
    }
}

impl RoadJson {
    fn of(product: &'static str, row: &Row, device: Option<&LowerOptions>) -> Option<Self> {
        // All instances of a kernel need the same.
        let mut kernels = formats::ALL.iter().filter_map(|format| row.kernel(format));
        let kernel: &KernelInfo = kernels.next()?;
        Some(Self {
            product,
            name: row.name,
            least_rows: *row.rows.start(),
            most_rows: Some(*row.rows.end()).filter(|most| *most != u32::MAX),
            precision: match row.keeps {
                Precision::Exact => "exact",
                Precision::Half => "half",
                Precision::Int8 => "int8",
            },
            features: feature_names(kernel.features),
            workgroup_bytes: kernel.workgroup_bytes,
            invocations: kernel.workgroup_size.iter().product(),
            on_this_device: device.map(|device| device.has(kernel)),
            reason: row.reason,
        })
    }
}

fn render(roads: &[RoadJson]) -> String {
    let mut table = Table::new(&[
        ("product with", Align::Left),
        ("rows", Align::Left),
        ("precision", Align::Left),
        ("road", Align::Left),
        ("this device", Align::Left),
        ("needs", Align::Left),
        ("reason", Align::Left),
    ]);
    for road in roads {
        let mut needs = road.features.clone();
        needs.push(format!("{} B of workgroup memory", road.workgroup_bytes));
        table.row([
            road.product.to_owned(),
            match road.most_rows {
                Some(most) => format!("{} to {most}", road.least_rows),
                None => format!("{} on", road.least_rows),
            },
            road.precision.to_owned(),
            road.name.to_owned(),
            match road.on_this_device {
                Some(true) => "has it",
                Some(false) => "lacks it",
                None => "-",
            }
            .to_owned(),
            needs.join(", "),
            road.reason.to_owned(),
        ]);
    }
    table.render()
}
