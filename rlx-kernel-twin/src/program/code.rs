//! The codes of operations.

/// An enum of codes, with its encoding: a byte.
macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every code, in the order of the encoding.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
        }
    };
}

codes! {
    /// How to show the bits of a register.
    Kind {
        /// `bool`
        Bool,
        /// `i32`
        I32,
        /// `u32`
        U32,
        /// `f32`
        F32,
        /// `f16`, which a register holds as the `f32` of the same value.
        F16,
        /// `i64`, in two registers, the low word first.
        I64,
        /// `u64`, in two registers, the low word first.
        U64,
    }
}

codes! {
    /// Values of an invocation, each a word.
    Input {
        /// Place in the grid.
        GlobalX,
        /// Place in the grid.
        GlobalY,
        /// Place in the grid.
        GlobalZ,
        /// Place in the workgroup.
        LocalX,
        /// Place in the workgroup.
        LocalY,
        /// Place in the workgroup.
        LocalZ,
        /// Place of the workgroup.
        WorkgroupX,
        /// Place of the workgroup.
        WorkgroupY,
        /// Place of the workgroup.
        WorkgroupZ,
        /// Workgroups.
        NumWorkgroupsX,
        /// Workgroups.
        NumWorkgroupsY,
        /// Workgroups.
        NumWorkgroupsZ,
        /// Place in the workgroup, as one number.
        LocalIndex,
        /// Place of the workgroup over a folded grid.
        WorkgroupIndex,
        /// Place in a folded grid.
        GlobalIndex,
        /// Place in the subgroup.
        SubgroupLane,
        /// Invocations of a subgroup.
        SubgroupSize,
        /// Place of the subgroup.
        SubgroupId,
        /// Subgroups of the workgroup.
        NumSubgroups,
    }
}

codes! {
    /// Operations of one operand.
    Unary {
        /// `-x` of an `i32`; wraps at the least one.
        NegI,
        /// `-x` of an `f32`.
        NegF,
        /// `!x` of a `bool`.
        NotB,
        /// `!x` of an integer.
        Not,
        /// Magnitude of an `i32`; the least one stays.
        AbsI,
        /// Magnitude of an `f32`.
        AbsF,
        /// √x
        Sqrt,
        /// 1 / √x
        InverseSqrt,
        /// eˣ
        Exp,
        /// 2ˣ
        Exp2,
        /// Natural logarithm.
        Ln,
        /// Logarithm to base 2.
        Log2,
        /// Sine.
        Sin,
        /// Cosine.
        Cos,
        /// Tangent.
        Tan,
        /// Arc sine.
        Asin,
        /// Arc cosine.
        Acos,
        /// Arc tangent.
        Atan,
        /// Hyperbolic sine.
        Sinh,
        /// Hyperbolic cosine.
        Cosh,
        /// Hyperbolic tangent.
        Tanh,
        /// Inverse hyperbolic sine.
        Asinh,
        /// Inverse hyperbolic cosine.
        Acosh,
        /// Inverse hyperbolic tangent.
        Atanh,
        /// To the nearest, ties away from zero.
        RoundAway,
        /// The sign of an `i32`: -1, 0 or 1.
        SignI,
        /// The highest bit that is set, or all ones.
        LeadingU,
        /// The highest bit that differs from the sign's, or all ones.
        LeadingI,
        /// The lowest bit that is set, or all ones.
        TrailingBit,
        /// Towards minus infinity.
        Floor,
        /// Towards infinity.
        Ceil,
        /// Towards zero.
        Trunc,
        /// To the nearest, ties to even.
        Round,
        /// To the nearest f16.
        QuantizeToF16,
        /// To the nearest f16, after an operation on halves.
        RoundToF16,
        /// The fraction of `fraction · 2ⁿ`, at least 1/2.
        FrexpFract,
        /// The exponent of the same.
        FrexpExp,
        /// Bits that are set.
        CountOnes,
        /// Zeros from the top.
        LeadingZeros,
        /// Zeros from the bottom.
        TrailingZeros,
        /// Bits in reverse.
        ReverseBits,
        /// `i32` as `f32`.
        I32ToF32,
        /// `u32` as `f32`.
        U32ToF32,
        /// `f32` as `i32`.
        F32ToI32,
        /// `f32` as `u32`.
        F32ToU32,
        /// `bool` as `f32`.
        BoolToF32,
        /// Whether an integer is not 0.
        IntToBool,
        /// Whether a float is not 0.
        F32ToBool,
    }
}

codes! {
    /// Operations of two operands.
    Binary {
        /// `a + b` of `u32`, which should not wrap.
        AddU,
        /// `a + b` of `i32`, which should not wrap.
        AddI,
        /// `a - b` of `u32`, which should not wrap.
        SubU,
        /// `a - b` of `i32`, which should not wrap.
        SubI,
        /// `a * b` of `u32`, which should not wrap.
        MulU,
        /// `a * b` of `i32`, which should not wrap.
        MulI,
        /// `wrapping_add`
        AddWrap,
        /// `wrapping_sub`
        SubWrap,
        /// `wrapping_mul`
        MulWrap,
        /// `a / b` of `u32`; by zero it is `a`.
        DivU,
        /// `a / b` of `i32`; by zero, and where it overflows, it is `a`.
        DivI,
        /// `a % b` of `u32`; by zero it is 0.
        RemU,
        /// `a % b` of `i32`; by zero, and where it overflows, it is 0.
        RemI,
        /// `a + b`
        AddF,
        /// `a - b`
        SubF,
        /// `a * b`
        MulF,
        /// `a / b`
        DivF,
        /// `a - b * trunc(a / b)`
        RemF,
        /// `a & b`
        And,
        /// `a | b`
        Or,
        /// `a ^ b`
        Xor,
        /// `a << b`, by the low five bits.
        Shl,
        /// `a >> b` of `u32`, by the low five bits.
        ShrU,
        /// `a >> b` of `i32`, by the low five bits.
        ShrI,
        /// `a == b` of bits.
        Eq,
        /// `a != b` of bits.
        Ne,
        /// `a < b` of `u32`.
        LtU,
        /// `a <= b` of `u32`.
        LeU,
        /// `a < b` of `i32`.
        LtI,
        /// `a <= b` of `i32`.
        LeI,
        /// `a == b` of `f32`.
        EqF,
        /// `a != b` of `f32`.
        NeF,
        /// `a < b` of `f32`.
        LtF,
        /// `a <= b` of `f32`.
        LeF,
        /// The lesser `u32`.
        MinU,
        /// The lesser `i32`.
        MinI,
        /// The lesser `f32`.
        MinF,
        /// The greater `u32`.
        MaxU,
        /// The greater `i32`.
        MaxI,
        /// The greater `f32`.
        MaxF,
        /// aᵇ
        Pow,
        /// The angle of (b, a).
        Atan2,
        /// a · 2ᵇ
        Ldexp,
        /// Bits moved round towards the high end.
        RotateLeft,
        /// Bits moved round towards the low end.
        RotateRight,
        /// Σ of products of unsigned bytes.
        DotU8,
        /// Σ of products of signed bytes.
        DotI8,
    }
}

codes! {
    /// Conversions from and to integers of 64 bits.
    Convert {
        /// `u32` as 64 bits.
        FromU32,
        /// `i32` as 64 bits.
        FromI32,
        /// `f32` as `u64`.
        F32ToU64,
        /// `f32` as `i64`.
        F32ToI64,
        /// `u64` as `f32`.
        U64ToF32,
        /// `i64` as `f32`.
        I64ToF32,
    }
}

codes! {
    /// Operations of three operands.
    Ternary {
        /// `a` where `c`, else `b`.
        Select,
        /// `a * b + c` with one rounding.
        Fma,
        /// `c` bits of `a` from bit `b` on.
        ExtractBits,
    }
}

codes! {
    /// From a word to components.
    Unpack {
        /// Four unsigned bytes.
        U8x4,
        /// Four signed bytes.
        I8x4,
        /// Two halves as floats.
        F16x2,
        /// Four signed bytes of 127ths.
        Snorm8x4,
        /// Four unsigned bytes of 255ths.
        Unorm8x4,
        /// Two signed halves of 32767ths.
        Snorm16x2,
        /// Two unsigned halves of 65535ths.
        Unorm16x2,
    }
}

codes! {
    /// From components to a word.
    Pack {
        /// The low bytes of four words.
        Bytes,
        /// Four words, clamped to `u8`.
        ClampU8,
        /// Four words, clamped to `i8`.
        ClampI8,
        /// Two floats as halves.
        F16x2,
        /// Four floats as 127ths.
        Snorm8x4,
        /// Four floats as 255ths.
        Unorm8x4,
        /// Two floats as 32767ths.
        Snorm16x2,
        /// Two floats as 65535ths.
        Unorm16x2,
    }
}

codes! {
    /// What an atomic does to a word.
    Update {
        /// Nothing.
        Load,
        /// The operand.
        Store,
        /// The operand; gives the word from before, as all that follow.
        Swap,
        /// Sum.
        Add,
        /// Difference.
        Sub,
        /// The lesser `u32`.
        MinU,
        /// The greater `u32`.
        MaxU,
        /// The lesser `i32`.
        MinI,
        /// The greater `i32`.
        MaxI,
        /// `&`
        And,
        /// `|`
        Or,
        /// `^`
        Xor,
        /// The second operand, where the word is the first.
        CompareExchange,
    }
}

codes! {
    /// What a subgroup does with the values of its invocations.
    Reduce {
        /// Σ of integers.
        Add,
        /// Σ of `f32`.
        AddF,
        /// Σ of `f16`, each partial sum rounded to one.
        AddH,
        /// Π of integers.
        Mul,
        /// Π of `f32`.
        MulF,
        /// Π of `f16`, each partial product rounded to one.
        MulH,
        /// The least `u32`.
        MinU,
        /// The least `i32`.
        MinI,
        /// The least `f32`.
        MinF,
        /// The greatest `u32`.
        MaxU,
        /// The greatest `i32`.
        MaxI,
        /// The greatest `f32`.
        MaxF,
        /// `&`
        And,
        /// `|`
        Or,
        /// `^`
        Xor,
    }
}

codes! {
    /// How far a reduction goes.
    Scan {
        /// Over the whole subgroup.
        All,
        /// Up to and with the invocation.
        Inclusive,
        /// Up to the invocation.
        Exclusive,
    }
}

codes! {
    /// Whose value an invocation gets.
    Move {
        /// The first's.
        First,
        /// That of the invocation of this number, alike for all.
        Broadcast,
        /// That of the invocation of this number.
        Shuffle,
        /// That of `lane ^ mask`.
        Xor,
        /// That of `lane - delta`.
        Up,
        /// That of `lane + delta`.
        Down,
    }
}

codes! {
    /// What lies at a byte address of packed data.
    Raw {
        /// `u8` as `u32`.
        U8,
        /// `i8` as `i32`.
        I8,
        /// `u16` as `u32`.
        U16,
        /// `i16` as `i32`.
        I16,
        /// `u32`
        U32,
        /// `f16` as `f32`.
        F16,
        /// `f32`
        F32,
    }
}

impl Raw {
    /// Bytes that it takes.
    pub fn size(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

codes! {
    /// Which memory a barrier orders.
    Fence {
        /// That of the workgroup.
        Workgroup,
        /// Storage.
        Storage,
    }
}

impl Binary {
    /// Whether the result is a `bool`.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Eq
                | Self::Ne
                | Self::LtU
                | Self::LeU
                | Self::LtI
                | Self::LeI
                | Self::EqF
                | Self::NeF
                | Self::LtF
                | Self::LeF
        )
    }

    /// Whether it shifts.
    pub fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::ShrU | Self::ShrI)
    }
}

impl Convert {
    /// Whether the result is an `f32`.
    pub fn is_to_float(self) -> bool {
        matches!(self, Self::U64ToF32 | Self::I64ToF32)
    }
}

impl Kind {
    /// Registers of a value.
    pub fn words(self) -> u32 {
        match self {
            Self::I64 | Self::U64 => 2,
            _ => 1,
        }
    }
}
