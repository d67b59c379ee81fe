//! `rlx layer`: one matrix of a model on the GPU and on the CPU, compared and timed.

mod measure;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rlx_backends::wgpu::{Executor, WgpuBackend};
use rlx_backends::{Backend, BackendError, CpuBackend, Executable, Tensor};
use rlx_conformance::product::{F32_BOUND, nmse};
use rlx_conformance::random;
use rlx_core::Precision;
use rlx_core::gguf::GgufFile;
use rlx_core::lower::road;
use serde::Serialize;

use self::measure::{Times, device_times, result, times};
use crate::adapters;
use crate::error::CliError;
use crate::matrix::Matrix;
use crate::near;
use crate::output;
use crate::table::{Align, Table};

/// Activations that one product may take.
const MAX_ACTIVATIONS: u64 = 1 << 28;

/// The seed of the activations.
const SEED: u64 = 0x5eed;

/// The bound on the NMSE between two backends that each keep to [`F32_BOUND`] from the exact product:
/// errors add up as distances, of which the NMSE is the square.
const BOUND: f64 = 4.0 * F32_BOUND;

/// Multiplies random activations with a tensor of a GGUF file, on the GPU and on the CPU.
#[derive(Args, Debug)]
pub struct Layer {
    /// A GGUF file
    file: PathBuf,
    /// The name of a matrix in it
    tensor: String,
    /// Rows of activations; may be given several times [default: 1 32]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u64).range(1..))]
    m: Vec<u64>,
    /// Text in the name of the adapter [default: the preferred one]
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Times this backend alone; the GPU is still held against one run on the CPU [default: both]
    #[arg(long)]
    backend: Option<BackendName>,
    /// Timed runs of each backend, after the warm-up
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Prints one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BackendName {
    /// The GPU
    Wgpu,
    /// Native code
    Cpu,
}

#[derive(Serialize)]
struct Report {
    file: String,
    tensor: String,
    #[serde(rename = "type")]
    ty: &'static str,
    /// Rows of the matrix.
    n: u64,
    /// Elements a row.
    k: u64,
    adapter: Option<String>,
    runs: u32,
    results: Vec<Product>,
}

/// One number of rows of activations.
#[derive(Serialize)]
struct Product {
    m: u64,
    /// How far the GPU is from the CPU backend; none where only one of them ran.
    difference: Option<Difference>,
    backends: Vec<BackendRow>,
}

#[derive(Serialize)]
struct Difference {
    /// Squared error over squared norm.
    nmse: f64,
    /// What it may be at most.
    bound: f64,
    max_abs: f64,
}

#[derive(Serialize)]
struct BackendRow {
    backend: &'static str,
    /// What a run executes.
    kernels: Vec<String>,
    /// Why this kernel; none for the CPU backend, which has one.
    reason: Option<&'static str>,
    /// Whole runs: activations in, kernel, result back.
    run: Times,
    /// The kernel alone, by the device's clock where it has one.
    device: Option<Times>,
}

impl Layer {
    pub fn run(&self) -> Result<(), CliError> {
        let file = GgufFile::open(&self.file)?;
        let tensor = file
            .tensor(&self.tensor)
            .ok_or_else(|| CliError::NoTensor {
                file: self.file.display().to_string(),
                name: self.tensor.clone(),
                near: near::hint(
                    &self.tensor,
                    file.tensors().iter().map(rlx_core::gguf::Tensor::name),
                ),
            })?;
        let matrix = Matrix::of(tensor).map_err(|reason| CliError::NoMatrix {
            name: self.tensor.clone(),
            reason,
        })?;
        let rows = if self.m.is_empty() {
            vec![1, 32]
        } else {
            self.m.clone()
        };
        for &m in &rows {
            let (k, limit) = (matrix.k, MAX_ACTIVATIONS);
            let fits = |elems: u64| m.checked_mul(elems).is_some_and(|all| all <= limit);
            if !fits(k) || !fits(matrix.n) {
                return Err(CliError::Activations { m, k, limit });
            }
        }
        let gpu = self.gpu()?;
        let layer = Compared {
            file: &file,
            tensor: &self.tensor,
            matrix,
            gpu,
            times_cpu: self.backend != Some(BackendName::Wgpu),
            runs: self.runs,
        };
        let products = rows.iter().map(|&m| layer.product(m));
        let report = Report {
            file: self.file.display().to_string(),
            tensor: self.tensor.clone(),
            ty: matrix.format.name,
            n: matrix.n,
            k: matrix.k,
            adapter: layer
                .gpu
                .as_ref()
                .map(|gpu| gpu.context.adapter().name.clone()),
            runs: self.runs,
            results: products.collect::<Result<_, _>>()?,
        };
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.render())?;
        }
        report.verdict()
    }

    /// The GPU, where it takes part. Asked for by name or as a backend, it must be there.
    fn gpu(&self) -> Result<Option<WgpuBackend>, CliError> {
        let wanted = self.adapter.as_deref();
        let context = match (self.backend, wanted) {
            (Some(BackendName::Cpu), Some(_)) => return Err(CliError::AdapterOfCpu),
            (Some(BackendName::Cpu), None) => None,
            (None, None) => adapters::open_preferred()?,
            _ => Some(adapters::open(wanted)?),
        };
        Ok(context.map(WgpuBackend::new))
    }
}

/// A matrix on the backends that take part.
struct Compared<'a> {
    file: &'a GgufFile,
    tensor: &'a str,
    matrix: Matrix,
    gpu: Option<WgpuBackend>,
    times_cpu: bool,
    runs: u32,
}

impl Compared<'_> {
    fn product(&self, m: u64) -> Result<Product, CliError> {
        let graph = self.matrix.product(self.tensor, m)?;
        // Both factors were checked against `MAX_ACTIVATIONS`.
        let x = random::activations(SEED, (m * self.matrix.k) as usize);
        let inputs = [("x", Tensor::f32([m, self.matrix.k], x))];
        let mut backends = Vec::new();
        let mut found = None;
        if let Some(gpu) = &self.gpu {
            let failed = |source| self.failed(gpu, source);
            let mut executor: Executor = gpu.executor(&graph, self.file).map_err(failed)?;
            found = Some(result(&mut executor, &inputs).map_err(failed)?);
            backends.push(BackendRow {
                backend: "wgpu",
                kernels: executor.report().dispatches.clone(),
                reason: Some(
                    road::matmul(
                        self.matrix.format,
                        m,
                        &gpu.capabilities().lowering(Precision::Exact),
                    )
                    .reason,
                ),
                run: times(&mut executor, &inputs, self.runs).map_err(failed)?,
                device: device_times(&mut executor, self.runs)?,
            });
        }
        let cpu = CpuBackend::new();
        let failed = |source| self.failed(&cpu, source);
        let mut executable = cpu.compile(&graph, self.file).map_err(failed)?;
        let wanted = result(&mut *executable, &inputs).map_err(failed)?;
        if self.times_cpu {
            backends.push(BackendRow {
                backend: "cpu",
                kernels: executable.report().dispatches.clone(),
                reason: None,
                run: times(&mut *executable, &inputs, self.runs).map_err(failed)?,
                device: None,
            });
        }
        Ok(Product {
            m,
            difference: found.map(|found| Difference::of(&found, &wanted)),
            backends,
        })
    }

    fn failed(&self, backend: &dyn Backend, source: BackendError) -> CliError {
        CliError::Backend {
            backend: format!("{} on {}", self.tensor, backend.name()),
            source: source.into(),
        }
    }
}

impl Difference {
    fn of(found: &[f32], wanted: &[f32]) -> Self {
        let both = || found.iter().zip(wanted);
        Self {
            nmse: nmse(found.iter().copied(), wanted.iter().copied().map(f64::from)),
            bound: BOUND,
            max_abs: both()
                .map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs())
                .fold(0.0, f64::max),
        }
    }

    /// Not so where the NMSE is not a number.
    fn is_within(&self) -> bool {
        self.nmse <= self.bound
    }
}

impl Report {
    fn verdict(&self) -> Result<(), CliError> {
        let beyond: Vec<String> = self
            .results
            .iter()
            .filter_map(|product| Some((product.m, product.difference.as_ref()?)))
            .filter(|(_, difference)| !difference.is_within())
            .map(|(m, difference)| {
                let Difference { nmse, bound, .. } = difference;
                format!("m = {m}: NMSE {nmse:.1e} between wgpu and cpu is beyond {bound:.0e}")
            })
            .collect();
        if beyond.is_empty() {
            return Ok(());
        }
        Err(CliError::Check(beyond.join("\n  ")))
    }

    fn render(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "{}: {}", self.file, self.tensor.escape_debug());
        let _ = writeln!(
            text,
            "y[m, {}] = x[m, {}] · Wᵀ, W in {}, on {}",
            self.n,
            self.k,
            self.ty,
            self.adapter.as_deref().unwrap_or("the CPU backend")
        );
        for product in &self.results {
            let _ = write!(text, "\nm = {}", product.m);
            let _ = match &product.difference {
                None => writeln!(text),
                Some(Difference {
                    nmse,
                    bound,
                    max_abs,
                }) => writeln!(
                    text,
                    ": wgpu against cpu: NMSE {nmse:.1e} (at most {bound:.0e}), max abs difference {max_abs:.1e}"
                ),
            };
            text.push_str(&product.table(self.runs).render());
            for reason in product.backends.iter().filter_map(|row| row.reason) {
                let _ = writeln!(text, "  wgpu: {reason}");
            }
        }
        text
    }
}

impl Product {
    fn table(&self, runs: u32) -> Table {
        let mut table = Table::new(&[
            ("backend", Align::Left),
            ("kernel", Align::Left),
            ("what is timed", Align::Left),
            ("median ms", Align::Right),
            ("least", Align::Right),
            ("most", Align::Right),
            ("runs", Align::Right),
        ]);
        for row in &self.backends {
            let timed = [
                ("a run", Some(&row.run)),
                ("the kernel", row.device.as_ref()),
            ];
            for (what, times) in timed {
                let Some(Times { median, min, max }) = times else {
                    continue;
                };
                table.row([
                    row.backend.to_owned(),
                    row.kernels.join(" + "),
                    what.to_owned(),
                    format!("{median:.3}"),
                    format!("{min:.3}"),
                    format!("{max:.3}"),
                    runs.to_string(),
                ]);
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_that_is_no_number_is_beyond_every_bound() {
        assert!(Difference::of(&[1.0, 2.0], &[1.0, 2.0]).is_within());
        assert!(!Difference::of(&[f32::NAN], &[1.0]).is_within());
        assert!(!Difference::of(&[1.0], &[1.1]).is_within());
    }
}
