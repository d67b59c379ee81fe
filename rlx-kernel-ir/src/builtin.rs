//! The builtin library, one row a function: what Rust calls it, what WGSL calls it, its types.

use crate::types::Scalar;

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
    /// `bitcast<T>(x)` to the result type.
    Bitcast,
    /// `(a + b - 1) / b`
    DivCeil,
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
    /// Integers and vectors of them.
    Int,
    /// Either.
    Number,
    /// Integers, floats and `bool`, and vectors of them.
    Any,
    /// A vector of floats.
    FloatVector,
    /// A vector of numbers.
    NumberVector,
}

impl Domain {
    /// The domain in words, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::None | Self::Any => "a scalar or a vector",
            Self::Float => "a float or a vector of floats",
            Self::Int => "an integer or a vector of integers",
            Self::Number => "a number or a vector of numbers",
            Self::FloatVector => "a vector of floats",
            Self::NumberVector => "a vector of numbers",
        }
    }
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// `T`
    T,
    /// This scalar.
    Is(Scalar),
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
}

use Arg::{Is, T};
use Domain::{Any, Float, FloatVector, Int, Number, NumberVector};
use Effect::{Barrier, Pure, Subgroup};
use Form::{Function, Method};
use Scalar::{Bool, F32, I32, U32};
use Spelling::{Bitcast, Call, Constructor, DivCeil, Operator};

const fn row(
    name: &'static str,
    wgsl: Spelling,
    form: Form,
    domain: Domain,
    args: &'static [Arg],
    ret: Ret,
    effect: Effect,
) -> Builtin {
    Builtin {
        name,
        wgsl,
        form,
        domain,
        args,
        ret,
        effect,
    }
}

const fn input(name: &'static str, input: Input) -> Builtin {
    let ret = match input {
        Input::GlobalId | Input::LocalId | Input::WorkgroupId | Input::NumWorkgroups => {
            Ret::Vector(U32, 3)
        }
        _ => Ret::Is(U32),
    };
    row(
        name,
        Spelling::Input(input),
        Function,
        Domain::None,
        &[],
        ret,
        Pure,
    )
}

/// Every builtin. Methods have Rust's names and Rust's meaning: where WGSL's function of the same
/// name differs (`round`, `fract`, `signum`), it is not here.
pub static BUILTINS: &[Builtin] = &[
    // Values of the invocation.
    input("global_id", Input::GlobalId),
    input("local_id", Input::LocalId),
    input("local_index", Input::LocalIndex),
    input("workgroup_id", Input::WorkgroupId),
    input("num_workgroups", Input::NumWorkgroups),
    input("workgroup_index", Input::WorkgroupIndex),
    input("global_index", Input::GlobalIndex),
    input("subgroup_lane", Input::SubgroupLane),
    input("subgroup_size", Input::SubgroupSize),
    input("subgroup_id", Input::SubgroupId),
    input("num_subgroups", Input::NumSubgroups),
    // Numbers.
    row("abs", Call("abs"), Method, Number, &[T], Ret::T, Pure),
    row("min", Call("min"), Method, Number, &[T, T], Ret::T, Pure),
    row("max", Call("max"), Method, Number, &[T, T], Ret::T, Pure),
    row(
        "clamp",
        Call("clamp"),
        Method,
        Number,
        &[T, T, T],
        Ret::T,
        Pure,
    ),
    // Floats.
    row("sqrt", Call("sqrt"), Method, Float, &[T], Ret::T, Pure),
    row("exp", Call("exp"), Method, Float, &[T], Ret::T, Pure),
    row("exp2", Call("exp2"), Method, Float, &[T], Ret::T, Pure),
    row("ln", Call("log"), Method, Float, &[T], Ret::T, Pure),
    row("log2", Call("log2"), Method, Float, &[T], Ret::T, Pure),
    row("powf", Call("pow"), Method, Float, &[T, T], Ret::T, Pure),
    row("sin", Call("sin"), Method, Float, &[T], Ret::T, Pure),
    row("cos", Call("cos"), Method, Float, &[T], Ret::T, Pure),
    row("tan", Call("tan"), Method, Float, &[T], Ret::T, Pure),
    row("asin", Call("asin"), Method, Float, &[T], Ret::T, Pure),
    row("acos", Call("acos"), Method, Float, &[T], Ret::T, Pure),
    row("atan", Call("atan"), Method, Float, &[T], Ret::T, Pure),
    row("atan2", Call("atan2"), Method, Float, &[T, T], Ret::T, Pure),
    row("sinh", Call("sinh"), Method, Float, &[T], Ret::T, Pure),
    row("cosh", Call("cosh"), Method, Float, &[T], Ret::T, Pure),
    row("tanh", Call("tanh"), Method, Float, &[T], Ret::T, Pure),
    row("floor", Call("floor"), Method, Float, &[T], Ret::T, Pure),
    row("ceil", Call("ceil"), Method, Float, &[T], Ret::T, Pure),
    row("trunc", Call("trunc"), Method, Float, &[T], Ret::T, Pure),
    row(
        "round_ties_even",
        Call("round"),
        Method,
        Float,
        &[T],
        Ret::T,
        Pure,
    ),
    row(
        "mul_add",
        Call("fma"),
        Method,
        Float,
        &[T, T, T],
        Ret::T,
        Pure,
    ),
    row(
        "inverse_sqrt",
        Call("inverseSqrt"),
        Function,
        Float,
        &[T],
        Ret::T,
        Pure,
    ),
    row("to_bits", Bitcast, Method, Float, &[T], Ret::As(U32), Pure),
    row(
        "dot",
        Call("dot"),
        Function,
        NumberVector,
        &[T, T],
        Ret::Elem,
        Pure,
    ),
    row(
        "length",
        Call("length"),
        Function,
        FloatVector,
        &[T],
        Ret::Elem,
        Pure,
    ),
    row(
        "to_f32",
        Constructor,
        Function,
        NumberVector,
        &[T],
        Ret::As(F32),
        Pure,
    ),
    // Integers.
    row(
        "count_ones",
        Call("countOneBits"),
        Method,
        Int,
        &[T],
        Ret::T,
        Pure,
    ),
    row(
        "leading_zeros",
        Call("countLeadingZeros"),
        Method,
        Int,
        &[T],
        Ret::T,
        Pure,
    ),
    row(
        "trailing_zeros",
        Call("countTrailingZeros"),
        Method,
        Int,
        &[T],
        Ret::T,
        Pure,
    ),
    row(
        "reverse_bits",
        Call("reverseBits"),
        Method,
        Int,
        &[T],
        Ret::T,
        Pure,
    ),
    row(
        "wrapping_add",
        Operator("+"),
        Method,
        Int,
        &[T, T],
        Ret::T,
        Pure,
    ),
    row(
        "wrapping_sub",
        Operator("-"),
        Method,
        Int,
        &[T, T],
        Ret::T,
        Pure,
    ),
    row(
        "wrapping_mul",
        Operator("*"),
        Method,
        Int,
        &[T, T],
        Ret::T,
        Pure,
    ),
    row("div_ceil", DivCeil, Method, Int, &[T, T], Ret::T, Pure),
    // Selection and vectors.
    row(
        "select",
        Call("select"),
        Function,
        Any,
        &[T, T, Is(Bool)],
        Ret::T,
        Pure,
    ),
    row(
        "vec2",
        Constructor,
        Function,
        Any,
        &[T, T],
        Ret::VectorOfT(2),
        Pure,
    ),
    row(
        "vec3",
        Constructor,
        Function,
        Any,
        &[T, T, T],
        Ret::VectorOfT(3),
        Pure,
    ),
    row(
        "vec4",
        Constructor,
        Function,
        Any,
        &[T, T, T, T],
        Ret::VectorOfT(4),
        Pure,
    ),
    row(
        "Vec2::splat",
        Constructor,
        Function,
        Any,
        &[T],
        Ret::VectorOfT(2),
        Pure,
    ),
    row(
        "Vec3::splat",
        Constructor,
        Function,
        Any,
        &[T],
        Ret::VectorOfT(3),
        Pure,
    ),
    row(
        "Vec4::splat",
        Constructor,
        Function,
        Any,
        &[T],
        Ret::VectorOfT(4),
        Pure,
    ),
    // Packed data.
    row(
        "f32::from_bits",
        Bitcast,
        Function,
        Domain::None,
        &[Is(U32)],
        Ret::Is(F32),
        Pure,
    ),
    row(
        "unpack2x16float",
        Call("unpack2x16float"),
        Function,
        Domain::None,
        &[Is(U32)],
        Ret::Vector(F32, 2),
        Pure,
    ),
    row(
        "unpack4x_u8",
        Call("unpack4xU8"),
        Function,
        Domain::None,
        &[Is(U32)],
        Ret::Vector(U32, 4),
        Pure,
    ),
    row(
        "unpack4x_i8",
        Call("unpack4xI8"),
        Function,
        Domain::None,
        &[Is(U32)],
        Ret::Vector(I32, 4),
        Pure,
    ),
    row(
        "dot4_i8_packed",
        Call("dot4I8Packed"),
        Function,
        Domain::None,
        &[Is(U32), Is(U32)],
        Ret::Is(I32),
        Pure,
    ),
    row(
        "dot4_u8_packed",
        Call("dot4U8Packed"),
        Function,
        Domain::None,
        &[Is(U32), Is(U32)],
        Ret::Is(U32),
        Pure,
    ),
    // Waiting.
    row(
        "workgroup_barrier",
        Call("workgroupBarrier"),
        Function,
        Domain::None,
        &[],
        Ret::Unit,
        Barrier,
    ),
    row(
        "storage_barrier",
        Call("storageBarrier"),
        Function,
        Domain::None,
        &[],
        Ret::Unit,
        Barrier,
    ),
    // Subgroups.
    row(
        "subgroup_add",
        Call("subgroupAdd"),
        Function,
        Number,
        &[T],
        Ret::T,
        Subgroup,
    ),
    row(
        "subgroup_mul",
        Call("subgroupMul"),
        Function,
        Number,
        &[T],
        Ret::T,
        Subgroup,
    ),
    row(
        "subgroup_min",
        Call("subgroupMin"),
        Function,
        Number,
        &[T],
        Ret::T,
        Subgroup,
    ),
    row(
        "subgroup_max",
        Call("subgroupMax"),
        Function,
        Number,
        &[T],
        Ret::T,
        Subgroup,
    ),
    row(
        "subgroup_broadcast_first",
        Call("subgroupBroadcastFirst"),
        Function,
        Number,
        &[T],
        Ret::T,
        Subgroup,
    ),
    row(
        "subgroup_shuffle",
        Call("subgroupShuffle"),
        Function,
        Number,
        &[T, Is(U32)],
        Ret::T,
        Subgroup,
    ),
    row(
        "subgroup_shuffle_xor",
        Call("subgroupShuffleXor"),
        Function,
        Number,
        &[T, Is(U32)],
        Ret::T,
        Subgroup,
    ),
];

/// Methods of Rust whose WGSL namesake means something else, and what to write instead.
pub static REFUSED_METHODS: &[(&str, &str)] = &[
    (
        "round",
        "`round` rounds halves away from zero in Rust and to even on a GPU; write `round_ties_even()`, or `(x + 0.5).floor()`",
    ),
    (
        "fract",
        "`fract` keeps the sign in Rust and not on a GPU; write `x - x.floor()` or `x - x.trunc()`",
    ),
    (
        "signum",
        "`signum` of 0.0 is 1.0 in Rust and 0.0 on a GPU; write the comparison that you mean",
    ),
    ("rem_euclid", "write `x - y * (x / y).floor()`"),
    ("powi", "write the product, or `powf`"),
    (
        "log10",
        "write `x.ln() * core::f32::consts::LOG10_E` with the number in place of the const",
    ),
    ("saturating_sub", "write `a - a.min(b)`"),
    ("unwrap", "there is no `Option` on a GPU"),
    ("iter", "write `for i in 0..n` and index"),
];

impl Builtin {
    /// The builtin of that name and form.
    pub fn find(name: &str, form: Form) -> Option<&'static Self> {
        BUILTINS
            .iter()
            .find(|builtin| builtin.form == form && builtin.name == name)
    }

    /// Whether a function of that name is a builtin.
    pub fn is_function(name: &str) -> bool {
        Self::find(name, Function).is_some()
    }
}
