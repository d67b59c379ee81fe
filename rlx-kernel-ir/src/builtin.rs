//! The builtin library, one row a function: what Rust calls it, what WGSL calls it, its types.

mod signature;
mod table;

use std::sync::LazyLock;

use crate::matrix::{MatrixOp, Role};
use crate::types::Scalar;
pub use table::{BUILTINS, Of, REFUSED_METHODS};

/// A builtin function or method.
#[derive(Debug)]
pub struct Builtin {
    /// The name in Rust.
    pub name: &'static str,
    /// How WGSL spells it.
    pub wgsl: Spelling,
    /// Whether it is a method (`x.sqrt()`), a function (`dot(a, b)`), or either.
    pub form: Form,
    /// What `T` may be.
    pub domain: Domain,
    /// Argument types; a method's receiver is the first.
    pub args: &'static [Arg],
    /// Result type.
    pub ret: Ret,
    /// What it does besides giving a value.
    pub effect: Effect,
}

/// How WGSL spells a builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `name(args)`
    Call(&'static str),
    /// The `T` of the result as a constructor: `vec4f(args)`.
    Constructor,
    /// `a op b`, for methods that WGSL writes as operators.
    Operator(&'static str),
    /// An expression of the arguments: `{0}`, `{1}` …; `{T}` is the type of the first, `{T:1}` a number
    /// of that type.
    Template(&'static str),
    /// Bits moved round, by as many as the second argument says.
    Rotate {
        /// Towards the high bits.
        left: bool,
    },
    /// The product of as many as the second argument says, a constant.
    Power,
    /// `bitcast<T>(x)` to the result type.
    Bitcast,
    /// `(a + b - 1) / b`
    DivCeil,
    /// `name(&place, args)`, for what works on a place in memory.
    OnPlace(&'static str),
    /// `atomicCompareExchangeWeak(&place, current, new).old_value`
    CompareExchange,
    /// Whether this is the first active invocation of its subgroup; naga has no `subgroupElect`.
    Elect,
    /// Nothing: the twin shows the value.
    Trace,
    /// What a subgroup does with a matrix.
    Matrix(MatrixOp),
    /// A value that the entry point is given, or one made from such values.
    Input(Input),
}

/// Values of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Input {
    /// Place in the whole grid.
    GlobalId,
    /// Place in the workgroup.
    LocalId,
    /// Place in the workgroup, as one number.
    LocalIndex,
    /// Place of the workgroup in the grid.
    WorkgroupId,
    /// Workgroups in the grid.
    NumWorkgroups,
    /// Place of the workgroup, as one number over a folded grid.
    WorkgroupIndex,
    /// Place in the whole of a folded one-dimensional grid.
    GlobalIndex,
    /// Place in the subgroup.
    SubgroupLane,
    /// Invocations in the subgroup.
    SubgroupSize,
    /// Place of the subgroup in the workgroup.
    SubgroupId,
    /// Subgroups in the workgroup.
    NumSubgroups,
}

impl Input {
    /// The name of the value in WGSL.
    pub fn name(self) -> &'static str {
        match self {
            Self::GlobalId => "global_id",
            Self::LocalId => "local_id",
            Self::LocalIndex => "local_index",
            Self::WorkgroupId => "workgroup_id",
            Self::NumWorkgroups => "num_workgroups",
            Self::WorkgroupIndex => "workgroup_index",
            Self::GlobalIndex => "global_index",
            Self::SubgroupLane => "subgroup_lane",
            Self::SubgroupSize => "subgroup_size",
            Self::SubgroupId => "subgroup_id",
            Self::NumSubgroups => "num_subgroups",
        }
    }

    /// WGSL's `@builtin` for it; `None` for a value made from others.
    pub fn attribute(self) -> Option<&'static str> {
        Some(match self {
            Self::GlobalId => "global_invocation_id",
            Self::LocalId => "local_invocation_id",
            Self::LocalIndex => "local_invocation_index",
            Self::WorkgroupId => "workgroup_id",
            Self::NumWorkgroups => "num_workgroups",
            Self::SubgroupLane => "subgroup_invocation_id",
            Self::SubgroupSize => "subgroup_size",
            Self::SubgroupId => "subgroup_id",
            Self::NumSubgroups => "num_subgroups",
            Self::WorkgroupIndex | Self::GlobalIndex => return None,
        })
    }

    /// The values that it is made from.
    pub fn made_from(self) -> &'static [Self] {
        match self {
            Self::WorkgroupIndex => &[Self::WorkgroupId, Self::NumWorkgroups],
            Self::GlobalIndex => &[Self::WorkgroupId, Self::NumWorkgroups, Self::LocalIndex],
            _ => &[],
        }
    }

    /// Whether it is a `vec3u` rather than a `u32`.
    pub fn is_vector(self) -> bool {
        matches!(
            self,
            Self::GlobalId | Self::LocalId | Self::WorkgroupId | Self::NumWorkgroups
        )
    }
}

/// Forms of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `x.name(..)`
    Method,
    /// `name(x, ..)`
    Function,
}

/// What `T` may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// There is no `T`.
    None,
    /// Floats and vectors of them.
    Float,
    /// `f32` and vectors of it.
    F32,
    /// `f16` and vectors of it.
    F16,
    /// Integers and vectors of them.
    Int,
    /// Integers of 32 bits and vectors of them.
    Int32,
    /// Numbers of 32 bits or fewer and vectors of them.
    Narrow,
    /// Either.
    Number,
    /// Integers, floats and `bool`, and vectors of them.
    Any,
    /// A vector of numbers.
    NumberVector,
    /// A vector of floats.
    FloatVector,
    /// A vector of `bool`.
    BoolVector,
    /// `bool`
    Bool,
    /// An atomic.
    Atomic,
    /// A place in workgroup memory.
    Workgroup,
    /// A matrix.
    Matrix,
}

impl Domain {
    /// The domain in words, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::None | Self::Any => "a scalar or a vector",
            Self::Float => "a float or a vector of floats",
            Self::F32 => "an `f32` or a vector of `f32`",
            Self::F16 => "an `f16` or a vector of `f16`",
            Self::Int32 => "an integer of 32 bits or a vector of them",
            Self::Narrow => "a number of at most 32 bits or a vector of them",
            Self::Int => "an integer or a vector of integers",
            Self::Number => "a number or a vector of numbers",
            Self::NumberVector => "a vector of numbers",
            Self::FloatVector => "a vector of floats",
            Self::BoolVector => "a vector of `bool`",
            Self::Bool => "a `bool`",
            Self::Atomic => "an atomic",
            Self::Workgroup => "a value in workgroup memory",
            Self::Matrix => "a matrix",
        }
    }
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// `T`
    T,
    /// The scalar of `T`.
    Elem,
    /// `T` or its scalar.
    Either,
    /// A `bool`, or where `T` is a vector one a component.
    Mask,
    /// This scalar.
    Is(Scalar),
    /// A vector.
    Vector(Scalar, u8),
    /// A matrix of the role.
    Matrix(Role),
    /// A slice of the matrix's scalars, or of `Vec4` of them.
    Slice,
}

/// The type of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ret {
    /// `T`
    T,
    /// The scalar of `T`.
    Elem,
    /// No value.
    Unit,
    /// This scalar.
    Is(Scalar),
    /// A vector.
    Vector(Scalar, u8),
    /// A vector of `T`, of this length.
    VectorOfT(u8),
    /// `T` with its scalar replaced.
    As(Scalar),
    /// A matrix of the role.
    Matrix(Role),
}

/// What a builtin does besides giving a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Pure,
    /// Waits for the workgroup.
    Barrier,
    /// Takes part in a subgroup operation.
    Subgroup,
    /// Reads and writes memory that others write.
    Atomic,
}

impl Builtin {
    /// The builtin of that name and form.
    pub fn find(name: &str, form: Form) -> Option<&'static Self> {
        static ROWS: LazyLock<[Vec<&Builtin>; 2]> = LazyLock::new(|| {
            [Form::Method, Form::Function].map(|form| {
                let rows = BUILTINS.iter().filter(|builtin| builtin.form == form);
                let mut rows: Vec<_> = rows.collect();
                rows.sort_unstable_by_key(|builtin| builtin.name);
                rows
            })
        });
        let [methods, functions] = &*ROWS;
        let rows = match form {
            Form::Method => methods,
            Form::Function => functions,
        };
        let at = rows.binary_search_by(|builtin| builtin.name.cmp(name));
        rows.get(at.ok()?).copied()
    }

    /// Whether it reads, writes, makes or multiplies matrices.
    pub fn is_of_matrices(&self) -> bool {
        matches!(self.wgsl, Spelling::Matrix(_))
    }

    /// Whether a function of that name is a builtin.
    pub fn is_function(name: &str) -> bool {
        Self::find(name, Form::Function).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{BUILTINS, Builtin};

    #[test]
    fn a_name_has_one_row_a_form() {
        for builtin in BUILTINS {
            let found = Builtin::find(builtin.name, builtin.form);
            assert!(
                found.is_some_and(|found| std::ptr::eq(found, builtin)),
                "{}",
                builtin.name
            );
        }
    }
}
