//! Which kernel a matrix product takes: the whole choice in one table, with its reasons.

use kernel_specs::matmul::{gemv, matmul_bt};
use rlx_kernels::{Dispatch, DispatchError, Features, FormatInfo, KernelInfo};

/// A way to compute a matrix product.
struct Row {
    name: &'static str,
    /// Rows of activations that it is for.
    rows: std::ops::RangeInclusive<u64>,
    needs: Features,
    reason: &'static str,
    instance: fn(&str) -> Option<&'static KernelInfo>,
    road: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    GemvSubgroup,
    Gemv,
    Matmul,
}

/// The first row that fits is taken.
static TABLE: &[Row] = &[
    Row {
        name: "gemv_subgroup",
        rows: 1..=1,
        needs: Features {
            subgroup: true,
            ..Features::NONE
        },
        reason: "one row of activations, and the device has subgroups: a subgroup sums a row without workgroup memory",
        instance: gemv::gemv_subgroup::instance,
        road: Kind::GemvSubgroup,
    },
    Row {
        name: "gemv",
        rows: 1..=1,
        needs: Features::NONE,
        reason: "one row of activations, no subgroups: the sums meet in workgroup memory",
        instance: gemv::gemv::instance,
        road: Kind::Gemv,
    },
    Row {
        name: "matmul_bt",
        rows: 0..=u64::MAX,
        needs: Features::NONE,
        reason: "several rows of activations: each tile of weights is decoded once and used for all of them",
        instance: matmul_bt::matmul_bt::instance,
        road: Kind::Matmul,
    },
];

/// The kernel that a matrix product takes, and why.
#[derive(Clone, Copy, Debug)]
pub struct Road {
    /// The kernel's name.
    pub name: &'static str,
    /// The compiled kernel; none where the format has no instance.
    pub kernel: Option<&'static KernelInfo>,
    /// Why this kernel.
    pub reason: &'static str,
    kind: Kind,
}

/// The road of a product of `m` rows of activations with weights in `format`.
pub fn matmul(format: &FormatInfo, m: u64, features: Features) -> Road {
    // The last row fits always.
    let last = || Road::of(&TABLE[TABLE.len() - 1], format);
    fitting(format, m, features).next().unwrap_or_else(last)
}

/// All roads that such a product may take, the preferred one first.
pub fn fitting(
    format: &FormatInfo,
    m: u64,
    features: Features,
) -> impl Iterator<Item = Road> + use<'_> {
    let fits = move |row: &&Row| row.rows.contains(&m) && row.needs.within(features);
    TABLE
        .iter()
        .filter(fits)
        .map(move |row| Road::of(row, format))
}

/// The names of all roads.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name)
}

impl Road {
    fn of(row: &Row, format: &FormatInfo) -> Self {
        Self {
            name: row.name,
            kernel: (row.instance)(format.name),
            reason: row.reason,
            kind: row.road,
        }
    }

    /// The dispatch of `kernel`, the road's own, over weights, activations and results.
    ///
    /// # Errors
    /// [`DispatchError`] where the grid is too large.
    pub fn dispatch<H>(
        &self,
        kernel: &'static KernelInfo,
        bindings: [H; 3],
        [m, n, k]: [u32; 3],
    ) -> Result<Dispatch<H>, DispatchError> {
        match self.kind {
            Kind::GemvSubgroup => gemv::gemv_subgroup::dispatch(
                kernel,
                bindings,
                gemv::gemv_subgroup::Params::new(n, k),
            ),
            Kind::Gemv => gemv::gemv::dispatch(kernel, bindings, gemv::gemv::Params::new(n, k)),
            Kind::Matmul => matmul_bt::matmul_bt::dispatch(
                kernel,
                bindings,
                matmul_bt::matmul_bt::Params::new(m, n, k),
            ),
        }
    }
}
