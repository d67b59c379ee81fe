//! Which kernels a matrix product takes: the whole choice in one table, with its reasons.

use std::ops::RangeInclusive;

use kernel_specs::experts::{gemv_experts, group_rows, matmul_experts, matmul_experts_halves};
use kernel_specs::matmul::{gemv, gemv_int8, matmul_bt, matmul_halves};
use kernel_specs::quant::{halve_rows, quantise_int8};
use rlx_kernels::{Dispatch, DispatchError, FormatInfo, KernelInfo};

use super::{LowerOptions, Precision};

/// A matrix product: y[m, n] = Σₖ x[m, k] · W[n, k], or such a product for each slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Rows of activations.
    pub m: u32,
    /// Rows of the weight; of one expert's.
    pub n: u32,
    /// Length of a row.
    pub k: u32,
    /// The experts among whose weights each slot chooses.
    pub experts: Option<Experts>,
}

/// The experts of a grouped product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experts {
    /// How many there are.
    pub count: u32,
    /// How many rows the result has: a multiple of the rows of activations.
    pub slots: u32,
    /// The first whose weights are at hand.
    pub first: u32,
    /// How many are at hand. Slots of others stay as they are, or are zeros where the first is expert 0.
    pub here: u32,
}

/// A way to compute a matrix product: a row of the table.
#[derive(Debug)]
pub struct Row {
    /// The name of the kernel that multiplies.
    pub name: &'static str,
    /// Rows of activations that it is for.
    pub rows: RangeInclusive<u32>,
    /// The least precision that it keeps.
    pub keeps: Precision,
    /// When it is taken, and why.
    pub reason: &'static str,
    /// The kernel for weights in a format of that name.
    kernel: fn(&str) -> Option<&'static KernelInfo>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    GemvInt8,
    GemvSubgroup,
    Gemv,
    MatmulHalves,
    Matmul,
    GemvExperts,
    MatmulExpertsHalves,
    MatmulExperts,
}

/// The rows of activations that GEMV kernels take at once.
const FEW: RangeInclusive<u32> = 1..=gemv::MOST;

/// The first row that fits is taken; the last fits always.
static TABLE: &[Row] = &[
    Row {
        name: "gemv_int8",
        rows: FEW,
        keeps: Precision::Int8,
        reason: "up to eight rows of activations, which may be rounded to bytes, and weights of integers: four products an instruction",
        kernel: gemv_int8::gemv_int8::instance,
        kind: Kind::GemvInt8,
    },
    Row {
        name: "gemv_subgroup",
        rows: FEW,
        keeps: Precision::Exact,
        reason: "up to eight rows of activations, and the device has subgroups: they add without workgroup memory",
        kernel: |format| gemv::gemv_subgroup::instance(&format!("{format}, F32")),
        kind: Kind::GemvSubgroup,
    },
    Row {
        name: "gemv",
        rows: FEW,
        keeps: Precision::Exact,
        reason: "up to eight rows of activations, no subgroups: the sums meet in workgroup memory",
        kernel: |format| gemv::gemv::instance(&format!("{format}, F32")),
        kind: Kind::Gemv,
    },
    Row {
        name: "matmul_halves",
        rows: 1..=u32::MAX,
        keeps: Precision::Half,
        reason: "many rows of activations, which may be rounded to halves, and the device has cooperative matrices of 16 x 16",
        kernel: matmul_halves::matmul_halves::instance,
        kind: Kind::MatmulHalves,
    },
    Row {
        name: "matmul_bt",
        rows: 0..=u32::MAX,
        keeps: Precision::Exact,
        reason: "many rows of activations: each tile of weights is decoded once and used for all of them",
        kernel: matmul_bt::matmul_bt::instance,
        kind: Kind::Matmul,
    },
];

/// The same for grouped products.
static GROUPED: &[Row] = &[
    Row {
        name: "gemv_experts",
        rows: FEW,
        keeps: Precision::Exact,
        reason: "up to eight rows of activations, each with its own experts: few slots share one, so each takes its weights for itself",
        kernel: gemv_experts::gemv_experts::instance,
        kind: Kind::GemvExperts,
    },
    Row {
        name: "matmul_experts_halves",
        rows: 1..=u32::MAX,
        keeps: Precision::Half,
        reason: "many rows of activations, which may be rounded to halves, grouped by their experts, and the device has cooperative matrices of 16 x 16",
        kernel: matmul_experts_halves::matmul_experts_halves::instance,
        kind: Kind::MatmulExpertsHalves,
    },
    Row {
        name: "matmul_experts",
        rows: 0..=u32::MAX,
        keeps: Precision::Exact,
        reason: "many rows of activations: slots are grouped by their experts, and each tile of weights is decoded once for up to 32 of them",
        kernel: matmul_experts::matmul_experts::instance,
        kind: Kind::MatmulExperts,
    },
];

/// The kernels that a matrix product takes, and why.
#[derive(Clone, Copy, Debug)]
pub struct Road {
    /// The name of the kernel that multiplies.
    pub name: &'static str,
    /// It, compiled; none where the format has no instance.
    pub kernel: Option<&'static KernelInfo>,
    /// Why this road.
    pub reason: &'static str,
    /// The precision that it keeps.
    pub keeps: Precision,
    kind: Kind,
}

/// What a road's dispatches bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The packed weights `[n, k]`.
    Weight,
    /// The activations, f32 `[m, k]`.
    Activations,
    /// The experts of the slots, u32 `[slots]`.
    Ids,
    /// The result, f32 `[m, n]` or `[slots, n]`.
    Result,
    /// The road's own value of that number, see [`Road::temporaries`].
    Temporary(usize),
}

/// The roads that a product of weights in `format` may take, the best first: never empty.
pub fn all(format: &FormatInfo, product: &Product, options: &LowerOptions) -> Vec<Road> {
    let table = product.table();
    let rows = table.iter().filter(|row| row.rows.contains(&product.m));
    let roads = rows.filter_map(|row| {
        let road = row.road(format);
        let is_right = row.keeps >= options.precision;
        let fits = road.kernel.is_some_and(|kernel| options.has(kernel));
        (is_right && fits).then_some(road)
    });
    let mut roads: Vec<Road> = roads.collect();
    if roads.is_empty() {
        // The last row fits always, unless its kernel has no instance.
        roads.extend(table.last().map(|row| row.road(format)));
    }
    roads
}

/// The road of a product of weights in `format`.
pub fn best(format: &FormatInfo, product: &Product, options: &LowerOptions) -> Road {
    let table = product.table();
    let last = &table[table.len() - 1];
    let mut roads = all(format, product, options).into_iter();
    roads.next().unwrap_or_else(|| last.road(format))
}

/// The road of a product of `m` rows of activations with one weight in `format`, of any size.
pub fn matmul(format: &FormatInfo, m: u64, options: &LowerOptions) -> Road {
    let m = u32::try_from(m).unwrap_or(u32::MAX);
    best(format, &Product::of(m, 0, 0), options)
}

/// The whole table: the rows of products with one weight, then those of grouped products, each in the order
/// in which they are tried.
pub fn table() -> [&'static [Row]; 2] {
    [TABLE, GROUPED]
}

/// The names of all roads.
pub fn names() -> impl Iterator<Item = &'static str> {
    table().into_iter().flatten().map(|row| row.name)
}

impl Product {
    /// A product with one weight for all rows.
    pub const fn of(m: u32, n: u32, k: u32) -> Self {
        let experts = None;
        Self { m, n, k, experts }
    }

    /// Rows of the result.
    pub fn rows(&self) -> u32 {
        self.experts.map_or(self.m, |experts| experts.slots)
    }

    fn table(&self) -> &'static [Row] {
        match self.experts {
            None => TABLE,
            Some(_) => GROUPED,
        }
    }
}

impl Row {
    /// Its kernel for weights in `format`, where there is one.
    pub fn kernel(&self, format: &FormatInfo) -> Option<&'static KernelInfo> {
        (self.kernel)(format.name)
    }

    fn road(&self, format: &FormatInfo) -> Road {
        Road {
            name: self.name,
            kernel: self.kernel(format),
            reason: self.reason,
            keeps: self.keeps,
            kind: self.kind,
        }
    }
}

impl Road {
    /// The bytes of the values that the road needs of its own.
    pub fn temporaries(&self, product: &Product) -> Vec<u64> {
        let [m, k] = [product.m, product.k].map(u64::from);
        match (self.kind, product.experts) {
            (Kind::GemvInt8, _) => vec![m * k, m * (k / 32) * 8],
            (Kind::MatmulHalves, _) => halved(product).into(),
            (Kind::MatmulExperts, Some(experts)) => experts.groups(matmul_experts::TILE).into(),
            (Kind::MatmulExpertsHalves, Some(experts)) => {
                let [order, tiles] = experts.groups(matmul_experts_halves::TILE);
                let [x, scales] = halved(product);
                vec![order, tiles, x, scales]
            }
            _ => Vec::new(),
        }
    }

    /// What the road runs, in order, with `kernel`, its own.
    ///
    /// # Errors
    /// [`DispatchError`] where a grid is too large.
    pub fn dispatches(
        &self,
        kernel: &'static KernelInfo,
        product: &Product,
    ) -> Result<Vec<Dispatch<Operand>>, DispatchError> {
        use Operand::{Activations, Ids, Result, Temporary, Weight};
        let &Product { m, n, k, experts } = product;
        let experts = experts.unwrap_or(Experts::all(1, m));
        let Experts {
            count,
            slots,
            first,
            here,
        } = experts;
        // Rows of all experts at hand, and slots that share a row of activations.
        let (all, per) = (here * n, slots.checked_div(m).unwrap_or(1));
        let plain = [Weight, Activations, Result];
        Ok(match self.kind {
            Kind::GemvInt8 => {
                let params = quantise_int8::quantise_int8::Params::new(m * k);
                let bindings = [Activations, Temporary(0), Temporary(1)];
                let info = quantise_int8::quantise_int8::info();
                let rounded = quantise_int8::quantise_int8::dispatch(info, bindings, params)?;
                let overrides = gemv_int8::gemv_int8::Overrides {
                    m,
                    ..Default::default()
                };
                let params = gemv_int8::gemv_int8::Params::new(n, k);
                let bindings = [Weight, Temporary(0), Temporary(1), Result];
                let product =
                    gemv_int8::gemv_int8::dispatch_with(overrides, kernel, bindings, params)?;
                vec![rounded, product]
            }
            Kind::GemvSubgroup => {
                let overrides = gemv::gemv_subgroup::Overrides {
                    m,
                    ..Default::default()
                };
                let params = gemv::gemv_subgroup::Params::new(n, k);
                vec![gemv::gemv_subgroup::dispatch_with(
                    overrides, kernel, plain, params,
                )?]
            }
            Kind::Gemv => {
                let params = gemv::gemv::Params::new(n, k);
                let overrides = gemv::gemv::Overrides { m };
                vec![gemv::gemv::dispatch_with(overrides, kernel, plain, params)?]
            }
            Kind::MatmulHalves => {
                let rounded = halve(product, [Temporary(0), Temporary(1)])?;
                let params = matmul_halves::matmul_halves::Params::new(m, n, k);
                let bindings = [Weight, Temporary(0), Temporary(1), Result];
                let product = matmul_halves::matmul_halves::dispatch(kernel, bindings, params)?;
                vec![rounded, product]
            }
            Kind::Matmul => {
                let params = matmul_bt::matmul_bt::Params::new(m, n, k);
                vec![matmul_bt::matmul_bt::dispatch(kernel, plain, params)?]
            }
            Kind::GemvExperts => {
                let params =
                    gemv_experts::gemv_experts::Params::new(n, k, all, slots, m, per, first);
                let bindings = [Weight, Ids, Activations, Result];
                let product = gemv_experts::gemv_experts::dispatch(kernel, bindings, params)?;
                vec![product]
            }
            Kind::MatmulExperts => {
                let grouped = group(experts, matmul_experts::TILE)?;
                let params = matmul_experts::matmul_experts::Params::new(
                    n, k, all, slots, m, per, count, first,
                );
                let bindings = [Weight, Activations, Temporary(0), Temporary(1), Result];
                let product = matmul_experts::matmul_experts::dispatch(kernel, bindings, params)?;
                vec![grouped, product]
            }
            Kind::MatmulExpertsHalves => {
                let grouped = group(experts, matmul_experts_halves::TILE)?;
                let [x, scales] = [Temporary(2), Temporary(3)];
                let rounded = halve(product, [x, scales])?;
                let [order, tiles] = [Temporary(0), Temporary(1)];
                let bindings = [Weight, x, scales, order, tiles, Result];
                let params = matmul_experts_halves::matmul_experts_halves::Params::new(
                    n, k, all, slots, m, per, count, first,
                );
                let product = matmul_experts_halves::matmul_experts_halves::dispatch(
                    kernel, bindings, params,
                )?;
                vec![grouped, rounded, product]
            }
        })
    }
}

impl Experts {
    /// `count` experts, whose weights are all at hand.
    pub const fn all(count: u32, slots: u32) -> Self {
        Self {
            count,
            slots,
            first: 0,
            here: count,
        }
    }

    /// The bytes of what [`group`] makes.
    fn groups(self, tile: u32) -> [u64; 2] {
        let tiles = group_rows::tiles_of(self.slots, self.count, tile);
        [u64::from(self.slots) * 4, u64::from(tiles) * 16]
    }
}

/// Slots by their experts, in tiles of `tile`: their order in the first temporary, tiles in the second.
fn group(experts: Experts, tile: u32) -> Result<Dispatch<Operand>, DispatchError> {
    let params = group_rows::group_rows::Params::new(experts.slots, experts.count, tile);
    let bindings = [Operand::Ids, Operand::Temporary(0), Operand::Temporary(1)];
    group_rows::group_rows::dispatch(group_rows::group_rows::info(), bindings, params)
}

/// The bytes of activations in halves, and of their scales.
fn halved(product: &Product) -> [u64; 2] {
    let [m, k] = [product.m, product.k].map(u64::from);
    [m * k.div_ceil(8) * 16, m * 4]
}

/// Activations to halves and scales.
fn halve(product: &Product, [x, scales]: [Operand; 2]) -> Result<Dispatch<Operand>, DispatchError> {
    let params = halve_rows::halve_rows::Params::new(product.m, product.k);
    let bindings = [Operand::Activations, x, scales];
    halve_rows::halve_rows::dispatch(halve_rows::halve_rows::info(), bindings, params)
}
