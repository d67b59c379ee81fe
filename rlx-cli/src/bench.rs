//! `rlx bench`: kernels over matrices of weights, timed so that the figures mean something.

mod check;
mod clock;
mod op;
mod probe;
mod report;
mod rotation;
mod weights;
pub mod work;

use std::time::Duration;

use clap::{Args, ValueEnum};
use kernel_specs::formats;
use rlx_backends::wgpu::{AdapterKind, Context, DeviceError};
use rlx_core::Precision;
use rlx_kernels::FormatInfo;

use self::check::Round;
use self::clock::Clock;
use self::op::{Op, Roads};
use self::probe::Calibration;
use self::report::{Machine, Row, Rows};
use self::rotation::Rotation;
use self::weights::Weights;
use self::work::{Choice, Content, Shape, Work};
use crate::adapters;
use crate::error::CliError;
use crate::near;
use crate::output::{self, complain};
use crate::spread::Spread;

/// The types that are measured where none is given.
const TYPES: [&str; 5] = ["Q4_0", "Q8_0", "Q4_K", "Q6_K", "F16"];

/// Rounds of a pass, unless they take too long.
const CHAIN: u32 = 32;

/// How long a pass may take, unless it is one round.
const PASS: Duration = Duration::from_millis(250);

/// Weights of a matrix, activations or results of a product at most.
const MAX_NUMBERS: u64 = 1 << 31;

/// Times the kernels for matrices of weights: rounds over other weights each, in one compute pass with a
/// barrier between, as in a model.
#[derive(Args, Debug)]
pub struct Bench {
    /// What to do; may be given several times [default: gemv gemm]
    #[arg(long, num_args = 1..)]
    op: Vec<Op>,
    /// Types of the weights, or `all` [default: Q4_0 Q8_0 Q4_K Q6_K F16]
    #[arg(long = "type", value_name = "TYPE", num_args = 1..)]
    types: Vec<String>,
    /// Rows of activations [default: those of ggml's own measurements; less on a CPU adapter]
    #[arg(long, value_name = "M", num_args = 1.., value_parser = clap::value_parser!(u32).range(1..))]
    m: Vec<u32>,
    /// Rows of the weight [default: as above]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u32).range(1..))]
    n: Vec<u32>,
    /// Weights a row [default: as above]
    #[arg(long, value_name = "K", num_args = 1.., value_parser = clap::value_parser!(u32).range(1..))]
    k: Vec<u32>,
    /// Experts of `--op moe` [default: as above]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    experts: Option<u32>,
    /// Experts that a row of activations uses [default: as above]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 10))]
    used: Option<u32>,
    /// The kernels to take, or `all` that fit [default: what a graph takes]
    #[arg(long, value_name = "NAME")]
    road: Option<String>,
    /// How exact products must be [default: exact; where roads are named or all are taken, int8]
    #[arg(long)]
    precision: Option<LeastPrecision>,
    /// Times the product alone, without activations being rounded before it
    #[arg(long)]
    alone: bool,
    /// Timed passes [default: 30; on a CPU adapter 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: Option<u32>,
    /// Rounds a pass [default: 32, fewer where a pass would take more than 250 ms]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    chain: Option<u32>,
    /// Bytes of weights that are read before any is read again [default: 1 GiB; on a CPU adapter 128 MiB]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=1 << 36))]
    rotate: Option<u64>,
    /// Milliseconds of unbroken load before each timing [default: 300; on a CPU adapter 25]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(0..=60_000))]
    warm_up: Option<u64>,
    /// Text in the name of the adapter [default: the preferred one]
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Prints a line of JSON a measurement
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LeastPrecision {
    /// All in f32
    Exact,
    /// Activations and weights may be rounded to halves
    Half,
    /// Activations may be rounded to bytes
    Int8,
}

/// A device with what is known of it, and how it is to be measured.
struct Bencher {
    context: Context,
    clock: Clock,
    calibration: Calibration,
    machine: Machine,
    runs: usize,
    chain: Option<u32>,
    rotate: u64,
    warm_up: Duration,
    alone: bool,
}

impl Bench {
    pub fn run(&self) -> Result<(), CliError> {
        let (formats, roads) = (self.formats()?, self.roads()?);
        self.check_experts()?;
        if self.alone && self.ops().contains(&Op::Moe) {
            return Err(CliError::AloneWithExperts);
        }
        let context = adapters::open(self.adapter.as_deref())?;
        let all = formats
            .into_iter()
            .map(|format| Ok((format, self.works(&context, format, &roads)?)));
        let all: Vec<_> = all.collect::<Result<_, CliError>>()?;
        if all.iter().all(|(_, works)| works.is_empty()) {
            return Err(CliError::NothingToMeasure);
        }
        let bencher = self.bencher(context)?;
        if !self.json {
            output::print(&bencher.machine.render())?;
        }
        let mut rows = Rows::new(self.json);
        for (format, works) in &all {
            bencher.measure(format, works, &mut rows)?;
        }
        rows.finish()
    }

    fn formats(&self) -> Result<Vec<&'static FormatInfo>, CliError> {
        let names: Vec<&str> = if self.types.is_empty() {
            TYPES.to_vec()
        } else {
            self.types.iter().map(String::as_str).collect()
        };
        let mut found = Vec::new();
        for name in names {
            if name == "all" {
                return Ok(formats::ALL.to_vec());
            }
            let mut all = formats::ALL.iter();
            let format = all.find(|format| format.name.eq_ignore_ascii_case(name));
            found.push(*format.ok_or_else(|| CliError::NoType {
                name: name.to_owned(),
                near: near::hint(name, formats::ALL.iter().map(|format| format.name)),
            })?);
        }
        Ok(found)
    }

    fn roads(&self) -> Result<Roads, CliError> {
        match self.road.as_deref() {
            None => Ok(Roads::Preferred),
            Some("all") => Ok(Roads::All),
            Some(name) if Roads::names().any(|road| road == name) => {
                Ok(Roads::Named(name.to_owned()))
            }
            Some(name) => Err(CliError::NoRoad {
                name: name.to_owned(),
                names: Roads::names().collect(),
            }),
        }
    }

    fn precision(&self, roads: &Roads) -> Precision {
        match self.precision {
            Some(LeastPrecision::Exact) => Precision::Exact,
            Some(LeastPrecision::Half) => Precision::Half,
            None if *roads == Roads::Preferred => Precision::Exact,
            Some(LeastPrecision::Int8) | None => Precision::Int8,
        }
    }

    fn ops(&self) -> &[Op] {
        if self.op.is_empty() {
            &[Op::Gemv, Op::Gemm]
        } else {
            &self.op
        }
    }

    /// The shapes of `op`: every mixture of the numbers given, where there are any.
    fn shapes(&self, op: Op, kind: AdapterKind) -> Vec<Shape> {
        let defaults = op.shapes();
        let has_shape = !(self.m.is_empty() && self.n.is_empty() && self.k.is_empty());
        if !has_shape && self.experts.is_none() && self.used.is_none() {
            let small = |shape: Shape| Shape {
                m: shape.m.min(64),
                n: shape.n / 16,
                ..shape
            };
            return match kind {
                AdapterKind::Cpu => defaults.into_iter().map(small).collect(),
                _ => defaults,
            };
        }
        let given = |numbers: &[u32], of: fn(&Shape) -> u32| {
            let first = defaults.first().map(of);
            let default: Vec<u32> = first.into_iter().collect();
            if numbers.is_empty() {
                default
            } else {
                numbers.to_vec()
            }
        };
        let ms = if op.has_rows() {
            given(&self.m, |shape| shape.m)
        } else {
            vec![1]
        };
        let (ns, ks) = (
            given(&self.n, |shape| shape.n),
            given(&self.k, |shape| shape.k),
        );
        let experts = self.choice(op);
        let mut shapes = Vec::new();
        for &k in &ks {
            for &n in &ns {
                let shape = |&m: &u32| Shape { m, n, k, experts };
                // Where no op is named, each shape is measured once.
                let is_of = |shape: &Shape| !self.op.is_empty() || op.is_for(shape.m);
                shapes.extend(ms.iter().map(shape).filter(is_of));
            }
        }
        shapes
    }

    /// The experts of `op`, where it has any: those given, or those of its first shape.
    fn choice(&self, op: Op) -> Option<Choice> {
        let first = op.shapes().first()?.experts?;
        let experts = self.experts.unwrap_or(first.experts);
        let used = self.used.unwrap_or(first.used.min(experts));
        Some(Choice { experts, used })
    }

    /// Refuses experts that nothing has.
    fn check_experts(&self) -> Result<(), CliError> {
        let choice = self.ops().iter().find_map(|op| self.choice(*op));
        let given = [
            ("experts", self.experts.is_some()),
            ("used", self.used.is_some()),
        ];
        match (choice, given.into_iter().find(|(_, is_given)| *is_given)) {
            (None, Some((option, _))) => Err(CliError::NoExperts { option }),
            (Some(Choice { experts, used }), _) if used > experts => {
                Err(CliError::Used { used, experts })
            }
            _ => Ok(()),
        }
    }

    /// All that is to be measured with weights in `format`.
    fn works(
        &self,
        context: &Context,
        format: &'static FormatInfo,
        roads: &Roads,
    ) -> Result<Vec<(Op, Shape, Work)>, CliError> {
        let mut works = Vec::new();
        let options = context.capabilities().lowering(self.precision(roads));
        for &op in self.ops() {
            for shape in self.shapes(op, context.adapter().kind) {
                if self.k.is_empty() && !shape.k.is_multiple_of(format.elems) {
                    continue;
                }
                check(format, shape)?;
                let found = op.works(format, shape, &options, roads)?;
                if let (true, Roads::Named(name)) = (found.is_empty(), roads) {
                    complain(
                        "note",
                        &format_args!(
                            "{name} is no road of {} with {} at {shape} on this device",
                            op.name(),
                            format.name
                        ),
                    );
                }
                works.extend(found.into_iter().map(|work| (op, shape, work)));
            }
        }
        Ok(works)
    }

    fn bencher(&self, context: Context) -> Result<Bencher, DeviceError> {
        let clock = if context.has_timestamps() {
            Clock::Device
        } else {
            Clock::Host
        };
        let (runs, rotate, warm_up) = match context.adapter().kind {
            AdapterKind::Cpu => (5, 128 << 20, 25),
            _ => (30, 1 << 30, 300),
        };
        let rotate = self.rotate.unwrap_or(rotate);
        let warm_up = Duration::from_millis(self.warm_up.unwrap_or(warm_up));
        let calibration = Calibration::new(&context, clock)?;
        calibration.keep_busy(warm_up)?;
        let copy = probe::copy_bandwidth(&context, clock, rotate / 2)?;
        Ok(Bencher {
            machine: Machine::new(context.adapter(), clock, copy, rotate, warm_up),
            context,
            clock,
            calibration,
            runs: self.runs.unwrap_or(runs) as usize,
            chain: self.chain,
            rotate,
            warm_up,
            alone: self.alone,
        })
    }
}

impl Bencher {
    fn measure(
        &self,
        format: &'static FormatInfo,
        works: &[(Op, Shape, Work)],
        rows: &mut Rows,
    ) -> Result<(), CliError> {
        let contents = works.iter().flat_map(|(_, _, work)| &work.buffers);
        let largest = contents.filter_map(|content| match *content {
            Content::Weights { bytes } => Some(bytes),
            _ => None,
        });
        let Some(largest) = largest.max() else {
            return Ok(());
        };
        let weights = Weights::new(&self.context, format, self.rotate, largest)?;
        for (op, shape, work) in works {
            let row = self.row(format, *op, *shape, work, &weights)?;
            rows.add(&row)?;
        }
        rows.end_group()
    }

    fn row(
        &self,
        format: &'static FormatInfo,
        op: Op,
        shape: Shape,
        work: &Work,
        weights: &Weights,
    ) -> Result<Row, DeviceError> {
        let mut rotation = Rotation::new(&self.context, work, weights, self.rotate)?;
        let times = |rotation: &mut Rotation, count, length| {
            let passes = rotation.passes(count, length);
            self.clock.times(rotation.chain(), &passes)
        };
        // What the driver does once is done in the first.
        let first = times(&mut rotation, 2, 1)?;
        let round = first.into_iter().min().unwrap_or_default();
        if self.alone {
            rotation.leave_out_preparation();
        }
        let chain = self.chain.unwrap_or_else(|| {
            let fits = PASS.as_nanos() / round.as_nanos().max(1);
            u32::try_from(fits).unwrap_or(CHAIN).clamp(1, CHAIN)
        });
        self.calibration.keep_busy(self.warm_up)?;
        let before = self.calibration.time()?;
        let all = times(&mut rotation, self.runs + 1, chain as usize)?;
        let after = self.calibration.time()?;
        let round = Round {
            context: &self.context,
            buffers: rotation.last(),
        };
        let error = work.check.as_ref().map(|check| check(&round)).transpose()?;
        // The first comes from other work.
        let spread = Spread::of(all.into_iter().skip(1).collect());
        Ok(Row {
            machine: self.machine.clone(),
            op,
            format,
            shape,
            road: work.road,
            keeps: work.keeps,
            error,
            kernels: work.kernels(),
            alone: self.alone,
            amount: work.amount,
            matrices: rotation.matrices,
            chain,
            runs: self.runs,
            spread: spread.unwrap_or_default().per(chain),
            calibration: [before, after],
        })
    }
}

/// Checks that a row is whole blocks and that nothing is too large to count.
fn check(format: &FormatInfo, shape: Shape) -> Result<(), CliError> {
    let Shape { m, n, k, experts } = shape;
    if !k.is_multiple_of(format.elems) {
        return Err(CliError::Blocks {
            k,
            format: format.name,
            elems: format.elems,
        });
    }
    let Choice { experts, used } = experts.unwrap_or(Choice {
        experts: 1,
        used: 1,
    });
    let sizes = [[m, n, used], [m, k, 1], [n, k, experts]];
    let numbers = sizes.map(|size| size.map(u128::from).into_iter().product::<u128>());
    if numbers
        .iter()
        .any(|&numbers| numbers > u128::from(MAX_NUMBERS))
    {
        let limit = MAX_NUMBERS;
        return Err(CliError::Shape { shape, limit });
    }
    Ok(())
}
