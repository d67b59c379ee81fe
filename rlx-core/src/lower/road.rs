//! Which kernels a matrix product takes: the whole choice in one table, with its reasons.

use std::ops::RangeInclusive;

use kernel_specs::matmul::{gemv, gemv_int8, matmul_bt, matmul_halves};
use kernel_specs::quant::{halve_rows, quantise_int8};
use rlx_kernels::{Dispatch, DispatchError, FormatInfo, KernelInfo};

use super::{LowerOptions, Precision};

/// A way to compute a matrix product.
struct Row {
    name: &'static str,
    /// Rows of activations that it is for.
    rows: RangeInclusive<u64>,
    /// The least precision that it keeps.
    keeps: Precision,
    reason: &'static str,
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
}

/// The rows of activations that GEMV kernels take at once.
const FEW: RangeInclusive<u64> = 1..=(gemv::MOST as u64);

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
        rows: 1..=u64::MAX,
        keeps: Precision::Half,
        reason: "many rows of activations, which may be rounded to halves, and the device has cooperative matrices of 16 x 16",
        kernel: matmul_halves::matmul_halves::instance,
        kind: Kind::MatmulHalves,
    },
    Row {
        name: "matmul_bt",
        rows: 0..=u64::MAX,
        keeps: Precision::Exact,
        reason: "many rows of activations: each tile of weights is decoded once and used for all of them",
        kernel: matmul_bt::matmul_bt::instance,
        kind: Kind::Matmul,
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
    /// The result, f32 `[m, n]`.
    Result,
    /// The road's own value of that number, see [`Road::temporaries`].
    Temporary(usize),
}

/// The roads that a product of `m` rows of activations with weights in `format` may take, the best first:
/// never empty.
pub fn all(format: &FormatInfo, m: u64, options: &LowerOptions) -> Vec<Road> {
    let rows = TABLE.iter().filter(|row| row.rows.contains(&m));
    let roads = rows.filter_map(|row| {
        let road = row.road(format);
        let is_right = row.keeps >= options.precision;
        let fits = road.kernel.is_some_and(|kernel| options.has(kernel));
        (is_right && fits).then_some(road)
    });
    let mut roads: Vec<Road> = roads.collect();
    if roads.is_empty() {
        // The last row fits always, unless its kernel has no instance.
        roads.extend(TABLE.last().map(|row| row.road(format)));
    }
    roads
}

/// The road of a product of `m` rows of activations with weights in `format`.
pub fn matmul(format: &FormatInfo, m: u64, options: &LowerOptions) -> Road {
    let last = &TABLE[TABLE.len() - 1];
    let mut roads = all(format, m, options).into_iter();
    roads.next().unwrap_or_else(|| last.road(format))
}

/// The names of all roads.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name)
}

impl Row {
    fn road(&self, format: &FormatInfo) -> Road {
        Road {
            name: self.name,
            kernel: (self.kernel)(format.name),
            reason: self.reason,
            keeps: self.keeps,
            kind: self.kind,
        }
    }
}

impl Road {
    /// The bytes of the values that the road needs of its own, for `m` rows of `k`.
    pub fn temporaries(&self, m: u64, k: u64) -> Vec<u64> {
        match self.kind {
            Kind::GemvInt8 => vec![m * k, m * (k / 32) * 8],
            Kind::MatmulHalves => vec![m * k.div_ceil(8) * 16, m * 4],
            Kind::GemvSubgroup | Kind::Gemv | Kind::Matmul => Vec::new(),
        }
    }

    /// What the road runs, in order, with `kernel`, its own.
    ///
    /// # Errors
    /// [`DispatchError`] where a grid is too large.
    pub fn dispatches(
        &self,
        kernel: &'static KernelInfo,
        [m, n, k]: [u32; 3],
    ) -> Result<Vec<Dispatch<Operand>>, DispatchError> {
        use Operand::{Activations, Result, Temporary, Weight};
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
                let params = halve_rows::halve_rows::Params::new(m, k);
                let bindings = [Activations, Temporary(0), Temporary(1)];
                let info = halve_rows::halve_rows::info();
                let rounded = halve_rows::halve_rows::dispatch(info, bindings, params)?;
                let params = matmul_halves::matmul_halves::Params::new(m, n, k);
                let bindings = [Weight, Temporary(0), Temporary(1), Result];
                let product = matmul_halves::matmul_halves::dispatch(kernel, bindings, params)?;
                vec![rounded, product]
            }
            Kind::Matmul => {
                let params = matmul_bt::matmul_bt::Params::new(m, n, k);
                vec![matmul_bt::matmul_bt::dispatch(kernel, plain, params)?]
            }
        })
    }
}
