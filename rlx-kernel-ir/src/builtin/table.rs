//! The rows of the builtin library.

use super::{Arg, Builtin, Domain, Effect, Form, Input, Ret, Spelling};
use crate::matrix::MatrixOp::{Load, MultiplyAdd, Store, Zero};
use crate::matrix::Role::{A, B, C};
use crate::types::Scalar;
use Arg::{Either, Elem, Is, Mask, T, Vector};
use Domain::{Any, BoolVector, Float, FloatVector, Int, Int32, Narrow, Number, NumberVector};
use Effect::{Barrier, Pure, Subgroup};
use Form::{Function, Method};
use Scalar::{Bool, F16, F32, I32, U32};
use Spelling::{
    Bitcast, Call, CompareExchange, Constructor, DivCeil, Elect, OnPlace, Operator, Power, Rotate,
    Template, Trace,
};

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
/// name differs (`round`, `fract`), WGSL is told what Rust means; where that cannot be exact
/// (`signum` of a float), it is not here.
// A row a line reads best.
#[rustfmt::skip]
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
    row("clamp", Call("clamp"), Method, Number, &[T, T, T], Ret::T, Pure),
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
    row("round_ties_even", Call("round"), Method, Float, &[T], Ret::T, Pure),
    row("mul_add", Call("fma"), Method, Float, &[T, T, T], Ret::T, Pure),
    row("asinh", Call("asinh"), Method, Float, &[T], Ret::T, Pure),
    row("acosh", Call("acosh"), Method, Float, &[T], Ret::T, Pure),
    row("atanh", Call("atanh"), Method, Float, &[T], Ret::T, Pure),
    row("to_radians", Call("radians"), Method, Float, &[T], Ret::T, Pure),
    row("to_degrees", Call("degrees"), Method, Float, &[T], Ret::T, Pure),
    row("fract", Template("{0} - trunc({0})"), Method, Float, &[T], Ret::T, Pure),
    row("round", Template("select(trunc({0}), trunc({0}) + sign({0}), abs({0} - trunc({0})) >= {T:0.5})"), Method, Float, &[T], Ret::T, Pure),
    row("powi", Power, Method, Float, &[T, Is(I32)], Ret::T, Pure),
    row("recip", Template("{T:1.0} / {0}"), Method, Float, &[T], Ret::T, Pure),
    row("saturate", Call("saturate"), Function, Float, &[T], Ret::T, Pure),
    row("ldexp", Call("ldexp"), Function, Domain::None, &[Is(F32), Is(I32)], Ret::Is(F32), Pure),
    row("frexp_fract", Template("frexp({0}).fract"), Function, Domain::F32, &[T], Ret::T, Pure),
    row("frexp_exp", Template("frexp({0}).exp"), Function, Domain::F32, &[T], Ret::As(I32), Pure),
    row("length", Call("length"), Function, FloatVector, &[T], Ret::Elem, Pure),
    row("distance", Call("distance"), Function, FloatVector, &[T, T], Ret::Elem, Pure),
    row("normalize", Call("normalize"), Function, FloatVector, &[T], Ret::T, Pure),
    row("reflect", Call("reflect"), Function, FloatVector, &[T, T], Ret::T, Pure),
    row("refract", Call("refract"), Function, FloatVector, &[T, T, Elem], Ret::T, Pure),
    row("face_forward", Call("faceForward"), Function, FloatVector, &[T, T, T], Ret::T, Pure),
    row("inverse_sqrt", Call("inverseSqrt"), Function, Float, &[T], Ret::T, Pure),
    row("to_bits", Bitcast, Method, Domain::F32, &[T], Ret::As(U32), Pure),
    row("dot", Call("dot"), Function, NumberVector, &[T, T], Ret::Elem, Pure),
    row("to_f32", Constructor, Function, NumberVector, &[T], Ret::As(F32), Pure),
    row("to_i32", Constructor, Function, NumberVector, &[T], Ret::As(I32), Pure),
    row("to_u32", Constructor, Function, NumberVector, &[T], Ret::As(U32), Pure),
    row("to_f32", Constructor, Method, Domain::F16, &[T], Ret::As(F32), Pure),
    row("to_f16", Constructor, Function, Domain::F32, &[T], Ret::As(F16), Pure),
    row("f16::from_f32", Constructor, Function, Domain::None, &[Is(F32)], Ret::Is(F16), Pure),
    row("f16::from_f32_const", Constructor, Function, Domain::None, &[Is(F32)], Ret::Is(F16), Pure),
    // Integers.
    row("count_ones", Call("countOneBits"), Method, Int32, &[T], Ret::T, Pure),
    row("leading_zeros", Call("countLeadingZeros"), Method, Int32, &[T], Ret::T, Pure),
    row("trailing_zeros", Call("countTrailingZeros"), Method, Int32, &[T], Ret::T, Pure),
    row("reverse_bits", Call("reverseBits"), Method, Int32, &[T], Ret::T, Pure),
    row("first_leading_bit", Call("firstLeadingBit"), Function, Int32, &[T], Ret::T, Pure),
    row("first_trailing_bit", Call("firstTrailingBit"), Function, Int32, &[T], Ret::T, Pure),
    row("rotate_left", Rotate { left: true }, Method, Domain::None, &[Is(U32), Is(U32)], Ret::Is(U32), Pure),
    row("rotate_right", Rotate { left: false }, Method, Domain::None, &[Is(U32), Is(U32)], Ret::Is(U32), Pure),
    row("abs_diff", Template("max({0}, {1}) - min({0}, {1})"), Method, Int32, &[T, T], Ret::As(U32), Pure),
    row("next_multiple_of", Template("({0} / {1} + u32({0} % {1} != 0u)) * {1}"), Method, Domain::None, &[Is(U32), Is(U32)], Ret::Is(U32), Pure),
    row("is_multiple_of", Template("{0} % {1} == 0u"), Method, Domain::None, &[Is(U32), Is(U32)], Ret::Is(Bool), Pure),
    row("saturating_add", Template("{0} + min({1}, ~{0})"), Method, Domain::None, &[Is(U32), Is(U32)], Ret::Is(U32), Pure),
    row("saturating_sub", Template("{0} - min({1}, {0})"), Method, Domain::None, &[Is(U32), Is(U32)], Ret::Is(U32), Pure),
    row("unsigned_abs", Template("u32(abs({0}))"), Method, Domain::None, &[Is(I32)], Ret::Is(U32), Pure),
    row("is_power_of_two", Template("countOneBits({0}) == 1u"), Method, Domain::None, &[Is(U32)], Ret::Is(Bool), Pure),
    row("rem_euclid", Template("{0} % {1} + select(0, abs({1}), {0} % {1} < 0)"), Method, Domain::None, &[Is(I32), Is(I32)], Ret::Is(I32), Pure),
    row("signum", Call("sign"), Method, Domain::None, &[Is(I32)], Ret::Is(I32), Pure),
    row("pow", Power, Method, Int, &[T, Is(U32)], Ret::T, Pure),
    row("wrapping_add", Operator("+"), Method, Int, &[T, T], Ret::T, Pure),
    row("wrapping_sub", Operator("-"), Method, Int, &[T, T], Ret::T, Pure),
    row("wrapping_mul", Operator("*"), Method, Int, &[T, T], Ret::T, Pure),
    row("div_ceil", DivCeil, Method, Int, &[T, T], Ret::T, Pure),
    // Shown by the CPU twin.
    row("trace!", Trace, Function, Any, &[T], Ret::Unit, Pure),
    // Selection and vectors.
    row("select", Call("select"), Function, Any, &[T, T, Mask], Ret::T, Pure),
    row("any", Call("any"), Function, BoolVector, &[T], Ret::Is(Bool), Pure),
    row("all", Call("all"), Function, BoolVector, &[T], Ret::Is(Bool), Pure),
    row("cmpeq", Operator("=="), Method, NumberVector, &[T, T], Ret::As(Bool), Pure),
    row("cmpne", Operator("!="), Method, NumberVector, &[T, T], Ret::As(Bool), Pure),
    row("cmplt", Operator("<"), Method, NumberVector, &[T, T], Ret::As(Bool), Pure),
    row("cmple", Operator("<="), Method, NumberVector, &[T, T], Ret::As(Bool), Pure),
    row("cmpgt", Operator(">"), Method, NumberVector, &[T, T], Ret::As(Bool), Pure),
    row("cmpge", Operator(">="), Method, NumberVector, &[T, T], Ret::As(Bool), Pure),
    row("vec2", Constructor, Function, Any, &[T, T], Ret::VectorOfT(2), Pure),
    row("vec3", Constructor, Function, Any, &[T, T, T], Ret::VectorOfT(3), Pure),
    row("vec4", Constructor, Function, Any, &[T, T, T, T], Ret::VectorOfT(4), Pure),
    row("Vec2::splat", Constructor, Function, Any, &[T], Ret::VectorOfT(2), Pure),
    row("Vec3::splat", Constructor, Function, Any, &[T], Ret::VectorOfT(3), Pure),
    row("Vec4::splat", Constructor, Function, Any, &[T], Ret::VectorOfT(4), Pure),
    // Packed data.
    row("f32::from_bits", Bitcast, Function, Domain::None, &[Is(U32)], Ret::Is(F32), Pure),
    row("unpack2x16float", Call("unpack2x16float"), Function, Domain::None, &[Is(U32)], Ret::Vector(F32, 2), Pure),
    row("unpack4x_u8", Call("unpack4xU8"), Function, Domain::None, &[Is(U32)], Ret::Vector(U32, 4), Pure),
    row("unpack4x_i8", Call("unpack4xI8"), Function, Domain::None, &[Is(U32)], Ret::Vector(I32, 4), Pure),
    row("dot4_i8_packed", Call("dot4I8Packed"), Function, Domain::None, &[Is(U32), Is(U32)], Ret::Is(I32), Pure),
    row("dot4_u8_packed", Call("dot4U8Packed"), Function, Domain::None, &[Is(U32), Is(U32)], Ret::Is(U32), Pure),
    row("quantize_to_f16", Call("quantizeToF16"), Function, Domain::None, &[Is(F32)], Ret::Is(F32), Pure),
    row("mix", Call("mix"), Function, Float, &[T, T, Either], Ret::T, Pure),
    row("step", Call("step"), Function, Float, &[T, T], Ret::T, Pure),
    row("smoothstep", Call("smoothstep"), Function, Float, &[T, T, T], Ret::T, Pure),
    row("cross", Call("cross"), Function, Domain::None, &[Vector(F32, 3), Vector(F32, 3)], Ret::Vector(F32, 3), Pure),
    row("extract_bits", Call("extractBits"), Function, Int32, &[T, Is(U32), Is(U32)], Ret::T, Pure),
    row("insert_bits", Call("insertBits"), Function, Int32, &[T, T, Is(U32), Is(U32)], Ret::T, Pure),
    row("unpack4x8snorm", Call("unpack4x8snorm"), Function, Domain::None, &[Is(U32)], Ret::Vector(F32, 4), Pure),
    row("unpack4x8unorm", Call("unpack4x8unorm"), Function, Domain::None, &[Is(U32)], Ret::Vector(F32, 4), Pure),
    row("unpack2x16snorm", Call("unpack2x16snorm"), Function, Domain::None, &[Is(U32)], Ret::Vector(F32, 2), Pure),
    row("unpack2x16unorm", Call("unpack2x16unorm"), Function, Domain::None, &[Is(U32)], Ret::Vector(F32, 2), Pure),
    row("pack4x8snorm", Call("pack4x8snorm"), Function, Domain::None, &[Vector(F32, 4)], Ret::Is(U32), Pure),
    row("pack4x8unorm", Call("pack4x8unorm"), Function, Domain::None, &[Vector(F32, 4)], Ret::Is(U32), Pure),
    row("pack2x16snorm", Call("pack2x16snorm"), Function, Domain::None, &[Vector(F32, 2)], Ret::Is(U32), Pure),
    row("pack2x16unorm", Call("pack2x16unorm"), Function, Domain::None, &[Vector(F32, 2)], Ret::Is(U32), Pure),
    row("pack2x16float", Call("pack2x16float"), Function, Domain::None, &[Vector(F32, 2)], Ret::Is(U32), Pure),
    row("pack4x_i8", Call("pack4xI8"), Function, Domain::None, &[Vector(I32, 4)], Ret::Is(U32), Pure),
    row("pack4x_u8", Call("pack4xU8"), Function, Domain::None, &[Vector(U32, 4)], Ret::Is(U32), Pure),
    row("pack4x_i8_clamp", Call("pack4xI8Clamp"), Function, Domain::None, &[Vector(I32, 4)], Ret::Is(U32), Pure),
    row("pack4x_u8_clamp", Call("pack4xU8Clamp"), Function, Domain::None, &[Vector(U32, 4)], Ret::Is(U32), Pure),
    // Atomics.
    row("load", OnPlace("atomicLoad"), Method, Domain::Atomic, &[T], Ret::Elem, Effect::Atomic),
    row("store", OnPlace("atomicStore"), Method, Domain::Atomic, &[T, Elem], Ret::Unit, Effect::Atomic),
    row("swap", OnPlace("atomicExchange"), Method, Domain::Atomic, &[T, Elem], Ret::Elem, Effect::Atomic),
    row("fetch_add", OnPlace("atomicAdd"), Method, Domain::Atomic, &[T, Elem], Ret::Elem, Effect::Atomic),
    row("fetch_sub", OnPlace("atomicSub"), Method, Domain::Atomic, &[T, Elem], Ret::Elem, Effect::Atomic),
    row("fetch_min", OnPlace("atomicMin"), Method, Domain::Atomic, &[T, Elem], Ret::Elem, Effect::Atomic),
    row("fetch_max", OnPlace("atomicMax"), Method, Domain::Atomic, &[T, Elem], Ret::Elem, Effect::Atomic),
    row("fetch_and", OnPlace("atomicAnd"), Method, Domain::Atomic, &[T, Elem], Ret::Elem, Effect::Atomic),
    row("fetch_or", OnPlace("atomicOr"), Method, Domain::Atomic, &[T, Elem], Ret::Elem, Effect::Atomic),
    row("fetch_xor", OnPlace("atomicXor"), Method, Domain::Atomic, &[T, Elem], Ret::Elem, Effect::Atomic),
    row("compare_exchange", CompareExchange, Method, Domain::Atomic, &[T, Elem, Elem], Ret::Elem, Effect::Atomic),
    // Waiting.
    row("workgroup_barrier", Call("workgroupBarrier"), Function, Domain::None, &[], Ret::Unit, Barrier),
    row("storage_barrier", Call("storageBarrier"), Function, Domain::None, &[], Ret::Unit, Barrier),
    row("workgroup_uniform_load", OnPlace("workgroupUniformLoad"), Function, Domain::Workgroup, &[T], Ret::T, Barrier),
    // Subgroups.
    row("subgroup_add", Call("subgroupAdd"), Function, Narrow, &[T], Ret::T, Subgroup),
    row("subgroup_mul", Call("subgroupMul"), Function, Narrow, &[T], Ret::T, Subgroup),
    row("subgroup_min", Call("subgroupMin"), Function, Narrow, &[T], Ret::T, Subgroup),
    row("subgroup_max", Call("subgroupMax"), Function, Narrow, &[T], Ret::T, Subgroup),
    row("subgroup_broadcast_first", Call("subgroupBroadcastFirst"), Function, Narrow, &[T], Ret::T, Subgroup),
    row("subgroup_shuffle", Call("subgroupShuffle"), Function, Narrow, &[T, Is(U32)], Ret::T, Subgroup),
    row("subgroup_shuffle_xor", Call("subgroupShuffleXor"), Function, Narrow, &[T, Is(U32)], Ret::T, Subgroup),
    row("subgroup_and", Call("subgroupAnd"), Function, Int32, &[T], Ret::T, Subgroup),
    row("subgroup_or", Call("subgroupOr"), Function, Int32, &[T], Ret::T, Subgroup),
    row("subgroup_xor", Call("subgroupXor"), Function, Int32, &[T], Ret::T, Subgroup),
    row("subgroup_all", Call("subgroupAll"), Function, Domain::Bool, &[T], Ret::T, Subgroup),
    row("subgroup_any", Call("subgroupAny"), Function, Domain::Bool, &[T], Ret::T, Subgroup),
    row("subgroup_ballot", Call("subgroupBallot"), Function, Domain::None, &[Is(Bool)], Ret::Vector(U32, 4), Subgroup),
    row("subgroup_inclusive_add", Call("subgroupInclusiveAdd"), Function, Narrow, &[T], Ret::T, Subgroup),
    row("subgroup_exclusive_add", Call("subgroupExclusiveAdd"), Function, Narrow, &[T], Ret::T, Subgroup),
    row("subgroup_inclusive_mul", Call("subgroupInclusiveMul"), Function, Narrow, &[T], Ret::T, Subgroup),
    row("subgroup_exclusive_mul", Call("subgroupExclusiveMul"), Function, Narrow, &[T], Ret::T, Subgroup),
    row("subgroup_broadcast", Call("subgroupBroadcast"), Function, Narrow, &[T, Is(U32)], Ret::T, Subgroup),
    row("subgroup_shuffle_up", Call("subgroupShuffleUp"), Function, Narrow, &[T, Is(U32)], Ret::T, Subgroup),
    row("subgroup_shuffle_down", Call("subgroupShuffleDown"), Function, Narrow, &[T, Is(U32)], Ret::T, Subgroup),
    row("subgroup_elect", Elect, Function, Domain::None, &[], Ret::Is(Bool), Subgroup),
    // Matrices that a subgroup holds.
    row("MatrixA::zero", Spelling::Matrix(Zero), Function, Domain::None, &[], Ret::Matrix(A), Pure),
    row("MatrixA::load_rows", Spelling::Matrix(Load { rows: true }), Function, Domain::None, &[Arg::Slice, Is(U32), Is(U32)], Ret::Matrix(A), Subgroup),
    row("MatrixA::load_columns", Spelling::Matrix(Load { rows: false }), Function, Domain::None, &[Arg::Slice, Is(U32), Is(U32)], Ret::Matrix(A), Subgroup),
    row("MatrixB::zero", Spelling::Matrix(Zero), Function, Domain::None, &[], Ret::Matrix(B), Pure),
    row("MatrixB::load_rows", Spelling::Matrix(Load { rows: true }), Function, Domain::None, &[Arg::Slice, Is(U32), Is(U32)], Ret::Matrix(B), Subgroup),
    row("MatrixB::load_columns", Spelling::Matrix(Load { rows: false }), Function, Domain::None, &[Arg::Slice, Is(U32), Is(U32)], Ret::Matrix(B), Subgroup),
    row("MatrixC::zero", Spelling::Matrix(Zero), Function, Domain::None, &[], Ret::Matrix(C), Pure),
    row("MatrixC::load_rows", Spelling::Matrix(Load { rows: true }), Function, Domain::None, &[Arg::Slice, Is(U32), Is(U32)], Ret::Matrix(C), Subgroup),
    row("MatrixC::load_columns", Spelling::Matrix(Load { rows: false }), Function, Domain::None, &[Arg::Slice, Is(U32), Is(U32)], Ret::Matrix(C), Subgroup),
    row("multiply_add", Spelling::Matrix(MultiplyAdd), Function, Domain::None, &[Arg::Matrix(A), Arg::Matrix(B), Arg::Matrix(C)], Ret::Matrix(C), Subgroup),
    row("store_rows", Spelling::Matrix(Store { rows: true }), Method, Domain::Matrix, &[T, Arg::Slice, Is(U32), Is(U32)], Ret::Unit, Subgroup),
    row("store_columns", Spelling::Matrix(Store { rows: false }), Method, Domain::Matrix, &[T, Arg::Slice, Is(U32), Is(U32)], Ret::Unit, Subgroup),
];

/// What a method is refused for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Everything.
    All,
    /// Floats and vectors of them.
    Floats,
    /// Unsigned integers and vectors of them.
    Unsigned,
    /// Wide integers, and vectors of integers.
    OtherInts,
}

impl Of {
    /// Whether it holds for a type of the scalar `of`, or a vector of it.
    pub fn holds(self, of: Option<Scalar>, is_vector: bool) -> bool {
        match self {
            Self::All => true,
            Self::Floats => of.is_some_and(Scalar::is_float),
            Self::Unsigned => of.is_some_and(Scalar::is_unsigned),
            Self::OtherInts => of == Some(Scalar::I64) || is_vector && of == Some(I32),
        }
    }
}

/// Methods of Rust whose WGSL namesake means something else, or that are there for other types
/// alone, and what to write instead.
pub static REFUSED_METHODS: &[(&str, Of, &str)] = &[
    (
        "signum",
        Of::Floats,
        "`signum` of 0.0 is 1.0 in Rust and 0.0 on a GPU; write the comparison that you mean",
    ),
    ("signum", Of::Unsigned, "write `x.min(1)`"),
    ("rem_euclid", Of::Floats, "write `x - y * (x / y).floor()`"),
    (
        "rem_euclid",
        Of::Unsigned,
        "write `x % y`: numbers without a sign have no other remainder",
    ),
    (
        "rem_euclid",
        Of::OtherInts,
        "write `(x % y + y) % y`, for a `y` above 0",
    ),
    (
        "log10",
        Of::All,
        "write `x.ln() * core::f32::consts::LOG10_E` with the number in place of the const",
    ),
    ("unwrap", Of::All, "there is no `Option` on a GPU"),
    ("iter", Of::All, "write `for i in 0..n` and index"),
];
