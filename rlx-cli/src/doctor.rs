//! `rlx doctor`: what the machine has, and whether it decodes golden blocks as ggml does.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use rlx_backends::wgpu::{AdapterSummary, Context, ContextOptions, WgpuBackend};
use rlx_backends::{Backend, CpuBackend};
use rlx_conformance::golden::{Allowance, Golden, Row, check};
use rlx_kernels::MatrixShape;
use serde::Serialize;

use crate::adapters::{AdapterJson, feature_names, note_no_adapter};
use crate::error::CliError;
use crate::output;
use crate::table::{Align, Table};

/// Shows adapters, and decodes golden blocks of every weight type on each of them and on the CPU.
#[derive(Args, Debug)]
pub struct Doctor {
    /// A folder of golden blocks instead of those built in: index.json, `<name>.blocks`, `<name>.f32`
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Opens devices with WebGPU's default limits and no features, as any browser grants
    #[arg(long)]
    webgpu_defaults: bool,
    /// Prints one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    versions: Versions,
    #[serde(serialize_with = "adapters_as_json")]
    adapters: Vec<AdapterSummary>,
    rows: Vec<Row>,
    unsupported: Vec<String>,
    failures: Vec<Failure>,
}

#[derive(Serialize)]
struct Versions {
    rlx: &'static str,
    wgpu: &'static str,
    naga: &'static str,
    os: &'static str,
    arch: &'static str,
}

/// A device that cannot be opened, or a type that cannot be decoded there.
#[derive(Serialize)]
struct Failure {
    adapter: String,
    error: String,
}

fn adapters_as_json<S: serde::Serializer>(
    adapters: &[AdapterSummary],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(adapters.iter().map(AdapterJson::from))
}

impl Doctor {
    pub fn run(&self) -> Result<(), CliError> {
        let golden = match &self.data {
            Some(folder) => Golden::load(folder)?,
            None => Golden::embedded()?,
        };
        let report = self.report(&golden);
        if report.adapters.is_empty() {
            note_no_adapter();
        }
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.render())?;
        }
        report.verdict()
    }

    fn report(&self, golden: &Golden) -> Report {
        let mut report = Report {
            versions: Versions::here(),
            adapters: Context::adapters(),
            rows: Vec::new(),
            unsupported: golden
                .unsupported()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            failures: Vec::new(),
        };
        report.check(golden, "cpu", &CpuBackend::new(), Allowance::Exact);
        let mut seen = HashSet::new();
        for adapter in report.adapters.clone() {
            // A name picks its first adapter, so a second one of that name is not reached.
            if !seen.insert(adapter.name.clone()) {
                continue;
            }
            match self.open(&adapter) {
                Ok(backend) => report.check(golden, &adapter.name, &backend, Allowance::Flush),
                Err(error) => report.failures.push(Failure {
                    adapter: adapter.name,
                    error,
                }),
            }
        }
        report
    }

    fn open(&self, adapter: &AdapterSummary) -> Result<WgpuBackend, String> {
        let options = ContextOptions {
            adapter: Some(adapter.name.clone()),
            webgpu_defaults: self.webgpu_defaults,
            ..ContextOptions::default()
        };
        let context = Context::new(&options).map_err(|error| error.to_string())?;
        if context.adapter().name == adapter.name {
            return Ok(WgpuBackend::new(context));
        }
        let other = &context.adapter().name;
        Err(format!("its name picks `{other}`, so it was not checked"))
    }
}

impl Versions {
    fn here() -> Self {
        Self {
            rlx: env!("CARGO_PKG_VERSION"),
            wgpu: locked("wgpu"),
            naga: locked("naga"),
            os: std::env::consts::OS,
            arch: std::env::consts::ARCH,
        }
    }
}

/// The version of a package that this command was built with.
fn locked(package: &str) -> &'static str {
    let lock = include_str!("../../Cargo.lock");
    let head = format!("name = \"{package}\"\nversion = \"");
    let version = lock.split_once(&head).map(|(_, rest)| rest);
    version
        .and_then(|rest| rest.split('"').next())
        .unwrap_or("unknown")
}

impl Report {
    fn check(
        &mut self,
        golden: &Golden,
        adapter: &str,
        backend: &dyn Backend,
        allowance: Allowance,
    ) {
        for ty in golden.types().iter().filter(|ty| ty.format().is_some()) {
            match check(ty, adapter, backend, allowance) {
                Ok(row) => self.rows.push(row),
                Err(error) => self.failures.push(Failure {
                    adapter: adapter.to_owned(),
                    error: error.to_string(),
                }),
            }
        }
    }

    fn verdict(&self) -> Result<(), CliError> {
        let mut wrong: Vec<String> = self
            .failures
            .iter()
            .map(|failure| format!("{}: {}", failure.adapter, failure.error))
            .collect();
        for row in self.rows.iter().filter(|row| !row.passes()) {
            let at = row.first.map_or(String::new(), |first| {
                format!(
                    ", first at block {} element {}: expected {:e} ({:#010x}), found {:e} ({:#010x})",
                    first.block,
                    first.element,
                    f32::from_bits(first.expected),
                    first.expected,
                    f32::from_bits(first.found),
                    first.found
                )
            });
            wrong.push(format!(
                "{}: {}: {} of {} elements differ from ggml's decoder{at}",
                row.adapter,
                row.name,
                row.mismatches - row.flushed,
                row.elements
            ));
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(CliError::Check(wrong.join("\n  ")))
    }

    fn render(&self) -> String {
        let mut text = String::new();
        let Versions {
            rlx,
            wgpu,
            naga,
            os,
            arch,
        } = &self.versions;
        let _ = writeln!(text, "rlx {rlx}, wgpu {wgpu}, naga {naga}, {os} {arch}");
        text.push_str("\nadapters\n");
        if self.adapters.is_empty() {
            text.push_str("  none\n");
        }
        for adapter in &self.adapters {
            render_adapter(adapter, &mut text);
        }
        text.push_str("\ngolden blocks, decoded and held against ggml's decoder bit by bit\n");
        let mut table = Table::new(&[
            ("adapter", Align::Left),
            ("type", Align::Left),
            ("blocks", Align::Right),
            ("elements", Align::Right),
            ("mismatches", Align::Right),
            ("max ulp", Align::Right),
            ("", Align::Left),
        ]);
        for row in &self.rows {
            table.row([
                row.adapter.clone(),
                row.name.clone(),
                row.blocks.to_string(),
                row.elements.to_string(),
                row.mismatches.to_string(),
                row.max_ulp.to_string(),
                outcome(row),
            ]);
        }
        text.push_str(&table.render());
        for Failure { adapter, error } in &self.failures {
            let _ = writeln!(text, "  {adapter}: {error}");
        }
        if !self.unsupported.is_empty() {
            let _ = writeln!(text, "\nno kernel yet\n  {}", self.unsupported.join(", "));
        }
        text
    }
}

fn outcome(row: &Row) -> String {
    match (row.passes(), row.flushed) {
        (true, 0) => "ok".into(),
        (true, flushed) => format!("ok, {flushed} subnormals flushed to zero"),
        (false, _) => "differs".into(),
    }
}

fn render_adapter(adapter: &AdapterSummary, text: &mut String) {
    let capabilities = &adapter.capabilities;
    let limits = &capabilities.limits;
    let subgroups = match capabilities.subgroup_size {
        None => "none".into(),
        Some((min, max)) if min == max => format!("{min} invocations"),
        Some((min, max)) => format!("{min} to {max} invocations"),
    };
    let features = match feature_names(capabilities.features) {
        names if names.is_empty() => "none".into(),
        names => names.join(", "),
    };
    let _ = writeln!(text, "  {}", adapter.name);
    for (what, value) in [
        ("backend", adapter.backend.clone()),
        ("driver", adapter.driver.clone()),
        ("type", adapter.kind.to_string()),
        ("subgroups", subgroups),
        ("features", features),
        ("matrices", MatrixShape::list(&capabilities.matrices)),
        (
            "workgroup",
            format!(
                "{} invocations, {} of memory",
                capabilities.invocations,
                output::bytes(u64::from(capabilities.workgroup_bytes))
            ),
        ),
        (
            "limits",
            format!(
                "binding {}, buffer {}, storage alignment {}",
                output::bytes(limits.max_binding),
                output::bytes(limits.max_buffer),
                limits.storage_alignment
            ),
        ),
    ] {
        let _ = writeln!(text, "    {what:<10} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_of_dependencies_are_known() {
        for package in ["wgpu", "naga"] {
            assert!(locked(package).starts_with(char::is_numeric), "{package}");
        }
        assert_eq!(locked("no-such-package"), "unknown");
    }

    #[test]
    fn a_row_that_differs_fails_the_check_and_names_its_first_element() {
        let row = |mismatches, flushed| Row {
            adapter: "cpu".into(),
            name: "Q4_K".into(),
            blocks: 1,
            elements: 256,
            mismatches,
            flushed,
            max_ulp: 1,
            first: None,
        };
        let report = |row| Report {
            versions: Versions::here(),
            adapters: Vec::new(),
            rows: vec![row],
            unsupported: Vec::new(),
            failures: Vec::new(),
        };
        assert!(report(row(3, 3)).verdict().is_ok());
        let error = report(row(3, 1)).verdict().unwrap_err();
        assert_eq!(
            error.to_string(),
            "cpu: Q4_K: 2 of 256 elements differ from ggml's decoder"
        );
    }
}
