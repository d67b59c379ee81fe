//! `rlx inspect`: what a GGUF file holds, and the way that each of its matrices takes.

mod metadata;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use rlx_backends::Capabilities;
use rlx_backends::wgpu::Context;
use rlx_core::gguf::{GgufFile, Tensor, TensorType};
use serde::Serialize;

use self::metadata::Entry;
use crate::adapters;
use crate::error::CliError;
use crate::matrix::{Matrix, NoMatrix, Path};
use crate::output;
use crate::table::{Align, Table};

/// The rows of activations for which paths are shown: one token, and a batch of them.
const ROWS: [u64; 2] = [1, 32];

/// Shows the metadata and the tensors of a GGUF file, and which kernel each matrix would take.
#[derive(Args, Debug)]
pub struct Inspect {
    /// A GGUF file
    file: PathBuf,
    /// Text in the name of the adapter whose paths are shown [default: the preferred one]
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Prints one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    file: String,
    version: u32,
    alignment: u32,
    /// The adapter of the paths; none for the CPU backend.
    adapter: Option<String>,
    metadata: Vec<Entry>,
    tensors: Vec<TensorRow>,
    totals: Vec<Total>,
}

#[derive(Serialize)]
struct TensorRow {
    name: String,
    /// As in the file: the length of a row first.
    dims: Vec<u64>,
    #[serde(rename = "type")]
    ty: &'static str,
    bits_per_weight: f64,
    bytes: u64,
    /// From the first byte of the data section.
    offset: u64,
    /// Empty for what is no matrix.
    paths: Vec<PathRow>,
}

#[derive(Serialize)]
struct PathRow {
    m: u64,
    kernel: Option<String>,
    reason: String,
}

#[derive(Serialize)]
struct Total {
    #[serde(rename = "type")]
    ty: &'static str,
    tensors: u64,
    elements: u64,
    bytes: u64,
    bits_per_weight: f64,
}

impl Inspect {
    pub fn run(&self) -> Result<(), CliError> {
        let file = GgufFile::open(&self.file)?;
        let context = match self.adapter.as_deref() {
            None => adapters::open_preferred()?,
            wanted => Some(adapters::open(wanted)?),
        };
        let device = context.as_ref().map(Context::capabilities);
        let report = Report {
            file: self.file.display().to_string(),
            version: file.version(),
            alignment: file.alignment(),
            adapter: context
                .as_ref()
                .map(|context| context.adapter().name.clone()),
            metadata: file.metadata().iter().map(Entry::new).collect(),
            tensors: file
                .tensors()
                .iter()
                .map(|tensor| TensorRow::new(tensor, device))
                .collect(),
            totals: totals(file.tensors()),
        };
        if self.json {
            output::print_json(&report)
        } else {
            output::print(&report.render())
        }
    }
}

impl TensorRow {
    fn new(tensor: &Tensor, device: Option<&Capabilities>) -> Self {
        let ty = tensor.tensor_type();
        Self {
            name: tensor.name().to_owned(),
            dims: tensor.dims().to_vec(),
            ty: ty.name,
            bits_per_weight: bits_per_weight(ty),
            bytes: tensor.size(),
            offset: tensor.offset(),
            paths: paths(tensor, device),
        }
    }
}

/// The paths of a tensor, one for each of [`ROWS`]; vectors have none and need none.
fn paths(tensor: &Tensor, device: Option<&Capabilities>) -> Vec<PathRow> {
    let path = |m| match Matrix::of(tensor) {
        Err(NoMatrix::Rank(0 | 1)) => None,
        Err(reason) => Some(Path {
            kernel: None,
            reason: reason.to_string(),
        }),
        Ok(matrix) => Some(matrix.path(m, device)),
    };
    let row = |m| {
        let Path { kernel, reason } = path(m)?;
        Some(PathRow { m, kernel, reason })
    };
    ROWS.into_iter().filter_map(row).collect()
}

fn bits_per_weight(ty: TensorType) -> f64 {
    f64::from(ty.bytes) * 8.0 / f64::from(ty.elems)
}

/// Tensors, elements and bytes by type, in the order of the types' numbers.
fn totals(tensors: &[Tensor]) -> Vec<Total> {
    let mut totals = BTreeMap::new();
    for tensor in tensors {
        let ty = tensor.tensor_type();
        let total = totals.entry(ty.number).or_insert(Total {
            ty: ty.name,
            tensors: 0,
            elements: 0,
            bytes: 0,
            bits_per_weight: bits_per_weight(ty),
        });
        total.tensors += 1;
        // Tensors do not overlap, so that their bytes are those of a file at most; but elements of
        // the small types are several a byte.
        total.elements = total.elements.saturating_add(tensor.elems());
        total.bytes += tensor.size();
    }
    totals.into_values().collect()
}

impl Report {
    fn render(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "{}", self.file);
        let _ = writeln!(
            text,
            "GGUF version {}, alignment {}, {} metadata entries, {} tensors",
            self.version,
            self.alignment,
            self.metadata.len(),
            self.tensors.len()
        );
        text.push_str("\nmetadata\n");
        let mut table = Table::new(&[
            ("key", Align::Left),
            ("type", Align::Left),
            ("value", Align::Left),
        ]);
        for entry in &self.metadata {
            table.row(entry.cells());
        }
        text.push_str(&table.render());
        text.push_str("\ntensors (dims as in the file: the length of a row first; offsets in the data section)\n");
        text.push_str(&self.tensor_table().render());
        text.push_str("\ntotals by type\n");
        text.push_str(&self.total_table().render());
        self.render_reasons(&mut text);
        text
    }

    fn tensor_table(&self) -> Table {
        let mut table = Table::new(&[
            ("name", Align::Left),
            ("dims", Align::Left),
            ("type", Align::Left),
            ("bpw", Align::Right),
            ("bytes", Align::Right),
            ("offset", Align::Right),
            ("m = 1", Align::Left),
            ("m = 32", Align::Left),
        ]);
        for tensor in &self.tensors {
            let dims: Vec<String> = tensor.dims.iter().map(u64::to_string).collect();
            let kernel = |index: usize| {
                tensor.paths.get(index).map_or(String::new(), |path| {
                    path.kernel.clone().unwrap_or_else(|| "none".into())
                })
            };
            table.row([
                tensor.name.escape_debug().to_string(),
                dims.join(" x "),
                tensor.ty.into(),
                tensor.bits_per_weight.to_string(),
                tensor.bytes.to_string(),
                tensor.offset.to_string(),
                kernel(0),
                kernel(1),
            ]);
        }
        table
    }

    fn total_table(&self) -> Table {
        let mut table = Table::new(&[
            ("type", Align::Left),
            ("tensors", Align::Right),
            ("elements", Align::Right),
            ("bytes", Align::Right),
            ("bpw", Align::Right),
        ]);
        let sum =
            |part: fn(&Total) -> u64| self.totals.iter().map(part).fold(0, u64::saturating_add);
        let (elements, bytes) = (sum(|total| total.elements), sum(|total| total.bytes));
        for total in &self.totals {
            table.row([
                total.ty.into(),
                total.tensors.to_string(),
                total.elements.to_string(),
                total.bytes.to_string(),
                total.bits_per_weight.to_string(),
            ]);
        }
        let bits = bytes as f64 * 8.0 / (elements as f64).max(1.0);
        table.row([
            "all".into(),
            sum(|total| total.tensors).to_string(),
            elements.to_string(),
            bytes.to_string(),
            format!("{bits:.3}"),
        ]);
        table
    }

    /// The reason of each path that some matrix takes, once.
    fn render_reasons(&self, text: &mut String) {
        let on = self.adapter.as_deref().unwrap_or("the CPU backend");
        let _ = writeln!(text, "\npaths of matrices on {on}");
        let paths = self.tensors.iter().flat_map(|tensor| &tensor.paths);
        // Formats differ only in the instance.
        let reason = |path: &PathRow| {
            let kernel = path.kernel.as_deref().unwrap_or("none");
            let name = kernel.split("::").next().unwrap_or(kernel);
            (path.m, name.to_owned(), path.reason.clone())
        };
        let mut table = Table::new(&[
            ("m", Align::Right),
            ("kernel", Align::Left),
            ("why", Align::Left),
        ]);
        for (m, kernel, why) in paths.map(reason).collect::<BTreeSet<_>>() {
            table.row([m.to_string(), kernel, why]);
        }
        text.push_str(&table.render());
    }
}
