//! What was measured, as a table or as lines of JSON.

use std::fmt::Write as _;
use std::time::Duration;

use rlx_backends::wgpu::AdapterSummary;
use rlx_core::Precision;
use rlx_kernels::FormatInfo;
use serde::Serialize;

use super::check::bound;
use super::clock::Clock;
use super::op::Op;
use super::work::{Amount, Choice, Shape};
use crate::date;
use crate::error::CliError;
use crate::output;
use crate::spread::Spread;
use crate::table::{Align, Table};

/// Where and how everything was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    adapter: String,
    driver: String,
    backend: String,
    #[serde(rename = "adapter_type")]
    kind: String,
    version: &'static str,
    date: String,
    command: Vec<String>,
    clock: Clock,
    #[serde(rename = "copy_gb_s")]
    copy: f64,
    #[serde(rename = "rotate_bytes")]
    rotate: u64,
    #[serde(rename = "warm_up_ms")]
    warm_up: u64,
}

impl Machine {
    /// `copy`: bytes a second, read and written, of a copy.
    pub fn new(
        adapter: &AdapterSummary,
        clock: Clock,
        copy: f64,
        rotate: u64,
        warm_up: Duration,
    ) -> Self {
        Self {
            adapter: adapter.name.clone(),
            driver: adapter.driver.clone(),
            backend: adapter.backend.clone(),
            kind: adapter.kind.to_string(),
            version: env!("CARGO_PKG_VERSION"),
            date: date::now(),
            command: std::env::args_os()
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect(),
            clock,
            copy: copy / 1e9,
            rotate,
            warm_up: warm_up.as_millis() as u64,
        }
    }

    /// The head of a table.
    pub fn render(&self) -> String {
        let Self {
            adapter,
            driver,
            backend,
            kind,
            version,
            date,
            clock,
            copy,
            rotate,
            warm_up,
            ..
        } = self;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{adapter} ({kind}), {driver}, {backend}; rlx {version}, {date}"
        );
        let _ = writeln!(
            text,
            "copy {copy:.0} GB/s, read and written; times by {clock}; weights rotated through {}; {warm_up} ms of \
             warm-up before each timing",
            output::bytes(*rotate)
        );
        text
    }
}

/// One measurement.
pub struct Row {
    pub machine: Machine,
    pub op: Op,
    pub format: &'static FormatInfo,
    pub shape: Shape,
    pub road: &'static str,
    pub keeps: Precision,
    /// How far results are from the right ones, where that was looked at.
    pub error: Option<f64>,
    pub kernels: Vec<String>,
    /// Whether only the last of them was timed.
    pub alone: bool,
    pub amount: Amount,
    /// Different matrices of weights.
    pub matrices: usize,
    /// Rounds a pass.
    pub chain: u32,
    /// Timed passes.
    pub runs: usize,
    /// Of the time of a round.
    pub spread: Spread,
    /// The time of a fixed piece of arithmetic, before and after.
    pub calibration: [Duration; 2],
}

/// A row as JSON.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    machine: &'a Machine,
    op: Op,
    #[serde(rename = "type")]
    ty: &'static str,
    m: Option<u32>,
    n: u32,
    k: u32,
    #[serde(flatten)]
    experts: Option<Choice>,
    road: &'static str,
    kernels: &'a [String],
    alone: bool,
    precision: &'static str,
    nmse: Option<f64>,
    matrices: usize,
    chain: u32,
    runs: usize,
    median_us: f64,
    min_us: f64,
    lower_quartile_us: f64,
    upper_quartile_us: f64,
    max_us: f64,
    weight_bytes: u64,
    weight_gb_s: f64,
    moved_bytes: u64,
    /// Of what is moved, in the bandwidth of a copy.
    copy_share: f64,
    tflop_s: Option<f64>,
    calibration_before_us: f64,
    calibration_after_us: f64,
}

impl Row {
    /// `amount` a second, in the median.
    fn a_second(&self, amount: f64) -> f64 {
        amount / self.spread.median.as_secs_f64()
    }

    fn weight_gb_s(&self) -> f64 {
        self.a_second(self.amount.weights as f64) / 1e9
    }

    fn copy_share(&self) -> f64 {
        self.a_second(self.amount.moved as f64) / 1e9 / self.machine.copy
    }

    fn tflop_s(&self) -> Option<f64> {
        let operations = self.amount.operations?;
        Some(self.a_second(operations) / 1e12)
    }

    fn m(&self) -> Option<u32> {
        self.op.has_rows().then_some(self.shape.m)
    }

    /// What is wrong with the results, if anything is; an error that is no number is.
    fn wrong(&self) -> Option<String> {
        let (error, bound) = (self.error?, bound(self.keeps));
        let is_right = error <= bound;
        (!is_right).then(|| {
            format!(
                "{} with {} at {}: NMSE {error:.1e} is beyond {bound:.0e}",
                self.road, self.format.name, self.shape
            )
        })
    }

    fn line(&self) -> Line<'_> {
        let Spread {
            least,
            lower,
            median,
            upper,
            most,
        } = self.spread;
        let [before, after] = self.calibration;
        Line {
            machine: &self.machine,
            op: self.op,
            ty: self.format.name,
            m: self.m(),
            n: self.shape.n,
            k: self.shape.k,
            experts: self.shape.experts,
            road: self.road,
            kernels: &self.kernels,
            alone: self.alone,
            precision: match self.keeps {
                Precision::Exact => "exact",
                Precision::Half => "half",
                Precision::Int8 => "int8",
            },
            nmse: self.error,
            matrices: self.matrices,
            chain: self.chain,
            runs: self.runs,
            median_us: micros(median),
            min_us: micros(least),
            lower_quartile_us: micros(lower),
            upper_quartile_us: micros(upper),
            max_us: micros(most),
            weight_bytes: self.amount.weights,
            weight_gb_s: self.weight_gb_s(),
            moved_bytes: self.amount.moved,
            copy_share: self.copy_share(),
            tflop_s: self.tflop_s(),
            calibration_before_us: micros(before),
            calibration_after_us: micros(after),
        }
    }

    fn cells(&self) -> [String; 20] {
        let Spread {
            least,
            lower,
            median,
            upper,
            most,
        } = self.spread;
        let time = |time| format!("{:.1}", micros(time));
        let slowest = self.calibration.into_iter().max().unwrap_or_default();
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let experts = self.shape.experts;
        let experts = experts.map(|Choice { experts, used }| format!("{used}/{experts}"));
        [
            self.op.name().into(),
            self.format.name.into(),
            or_none(self.m().map(|m| m.to_string())),
            self.shape.n.to_string(),
            self.shape.k.to_string(),
            or_none(experts),
            if self.alone {
                format!("{} alone", self.road)
            } else {
                self.road.into()
            },
            self.matrices.to_string(),
            self.chain.to_string(),
            self.runs.to_string(),
            time(median),
            time(least),
            time(lower),
            time(upper),
            time(most),
            figures(self.weight_gb_s()),
            or_none(self.tflop_s().map(figures)),
            format!("{:.1}", self.copy_share() * 100.0),
            or_none(self.error.map(|error| format!("{error:.0e}"))),
            time(slowest),
        ]
    }
}

/// A number with as many decimals as leave it three figures.
fn figures(number: f64) -> String {
    let decimals = match number {
        number if number >= 100.0 => 0,
        number if number >= 10.0 => 1,
        number if number >= 1.0 => 2,
        _ => 3,
    };
    format!("{number:.decimals$}")
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Rows on their way to the standard output: as JSON at once, in a table with others of their kind.
pub struct Rows {
    json: bool,
    table: Option<Table>,
    /// What is wrong with rows.
    wrong: Vec<String>,
}

impl Rows {
    pub fn new(json: bool) -> Self {
        Self {
            json,
            table: None,
            wrong: Vec::new(),
        }
    }

    pub fn add(&mut self, row: &Row) -> Result<(), CliError> {
        self.wrong.extend(row.wrong());
        if self.json {
            return output::print_json_line(&row.line());
        }
        self.table.get_or_insert_with(table).row(row.cells());
        Ok(())
    }

    /// Prints the rows that wait for others.
    pub fn end_group(&mut self) -> Result<(), CliError> {
        match self.table.take() {
            Some(table) => output::print(&format!("\n{}", table.render())),
            None => Ok(()),
        }
    }

    /// An error where a kernel computes something else than its product.
    pub fn finish(self) -> Result<(), CliError> {
        if self.wrong.is_empty() {
            return Ok(());
        }
        Err(CliError::Check(self.wrong.join("\n  ")))
    }
}

fn table() -> Table {
    Table::new(&[
        ("op", Align::Left),
        ("type", Align::Left),
        ("m", Align::Right),
        ("n", Align::Right),
        ("k", Align::Right),
        ("experts", Align::Right),
        ("road", Align::Left),
        ("matrices", Align::Right),
        ("chain", Align::Right),
        ("runs", Align::Right),
        ("median µs", Align::Right),
        ("least", Align::Right),
        ("¼", Align::Right),
        ("¾", Align::Right),
        ("most", Align::Right),
        ("GB/s", Align::Right),
        ("TFLOP/s", Align::Right),
        ("copy %", Align::Right),
        ("NMSE", Align::Right),
        ("calibration µs", Align::Right),
    ])
}
