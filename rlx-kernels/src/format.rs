//! Block formats: how quantised weights lie in memory, and their Rust side.

use std::fmt;
use std::marker::PhantomData;

use half::f16;

use crate::vector::Vec4;

/// A weight format made by `#[format]`: a block of [`Self::BYTES`] bytes holds [`Self::ELEMS`]
/// weights. The same functions are compiled by rustc for the CPU backend and into WGSL.
pub trait BlockFormat: Copy + Send + Sync + 'static {
    /// The facts of the format.
    const INFO: FormatInfo;
    /// Weights a block.
    const ELEMS: u32;
    /// Bytes a block.
    const BYTES: u32;
    /// The tables that decoding reads, in the order of `tables { .. }`.
    const TABLES: &'static [&'static [u32]] = &[];

    /// Weight `i` of block `b`, in f32, rounded as ggml's own decoder rounds.
    fn decode(b: Block<'_, Self>, i: u32) -> f32;

    /// Weights `i .. i + 8` of block `b`; `i` is a multiple of 8. A format of one weight a block
    /// reads on into the blocks that follow.
    fn decode8(b: Block<'_, Self>, i: u32) -> [Vec4<f32>; 2];
}

/// A format whose weights are signed bytes times a scale, less a minimum: what `dot4_i8_packed` multiplies
/// with activations of eight bits. `decode` and `decode8` follow from it, unless a format writes its own.
pub trait IntegerFormat: BlockFormat {
    /// Consecutive weights that share scale and minimum: 8, 16 or 32.
    const RUN: u32;
    /// Whether there is a minimum.
    const HAS_MINIMUM: bool;

    /// Weights `i .. i + 4` of block `b` as signed bytes, the first lowest; `i` is a multiple of 4.
    fn quants(b: Block<'_, Self>, i: u32) -> u32;

    /// What the byte of weight `i` is multiplied by.
    fn scale(b: Block<'_, Self>, i: u32) -> f32;

    /// What is taken off weight `i` then; zero where a format does not say.
    fn minimum(b: Block<'_, Self>, i: u32) -> f32;
}

/// The facts of a format, as a value.
#[derive(Clone, Copy)]
pub struct FormatInfo {
    /// The name of the scheme, as GGUF tools spell it: `Q4_K`.
    pub name: &'static str,
    /// The number of the type in GGUF files.
    pub ggml_type: u32,
    /// Weights a block.
    pub elems: u32,
    /// Bytes a block.
    pub bytes: u32,
    /// The file of the `#[format]`.
    pub file: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Decodes whole blocks: `bytes.len() / self.bytes` blocks into as many times `self.elems`
    /// weights; what does not fit either side is left alone.
    pub decode: fn(bytes: &[u8], weights: &mut [f32]),
}

impl fmt::Debug for FormatInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            ggml_type,
            elems,
            bytes,
            ..
        } = self;
        write!(
            f,
            "{name} (ggml type {ggml_type}, {elems} weights in {bytes} bytes)"
        )
    }
}

impl PartialEq for FormatInfo {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.ggml_type) == (other.name, other.ggml_type)
    }
}

impl Eq for FormatInfo {}

impl FormatInfo {
    /// Bits a weight takes.
    pub fn bits_per_weight(&self) -> f64 {
        f64::from(self.bytes) * 8.0 / f64::from(self.elems)
    }

    /// Bytes of `elems` weights; `None` where they are no whole number of blocks or overflow.
    pub fn size_of(&self, elems: u64) -> Option<u64> {
        if !elems.is_multiple_of(u64::from(self.elems)) {
            return None;
        }
        (elems / u64::from(self.elems)).checked_mul(u64::from(self.bytes))
    }
}

/// The element type of a buffer of weights in format `F`: one block. Never made on the host; it
/// gives `Buffer<Packed<F>, H>` and `&[Packed<F>]` their meaning.
#[derive(Clone, Copy, Debug)]
pub struct Packed<F>(PhantomData<F>);

/// A block of format `F`: where it begins in the bytes of its tensor. `#[format]`'s layout gives it
/// one accessor a field.
pub struct Block<'a, F> {
    bytes: &'a [u8],
    format: PhantomData<F>,
}

impl<F> Clone for Block<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Block<'_, F> {}

impl<'a, F: BlockFormat> Block<'a, F> {
    /// Block `index` of a tensor's `bytes`. Past the end every field reads as zero bytes.
    pub fn new(bytes: &'a [u8], index: usize) -> Self {
        let first = index.saturating_mul(F::BYTES as usize).min(bytes.len());
        Self {
            bytes: &bytes[first..],
            format: PhantomData,
        }
    }
}

/// What the accessors of a layout are made of. Offsets are in bytes from the block's first.
#[doc(hidden)]
impl<F> Block<'_, F> {
    fn bytes_at<const N: usize>(&self, offset: u32) -> [u8; N] {
        let mut out = [0; N];
        if let Some(bytes) = self.bytes.get(offset as usize..offset as usize + N) {
            out.copy_from_slice(bytes);
        }
        out
    }

    #[must_use]
    pub fn load_u8(&self, offset: u32) -> u32 {
        u32::from(u8::from_le_bytes(self.bytes_at(offset)))
    }

    #[must_use]
    pub fn load_i8(&self, offset: u32) -> i32 {
        i32::from(i8::from_le_bytes(self.bytes_at(offset)))
    }

    #[must_use]
    pub fn load_u16(&self, offset: u32) -> u32 {
        u32::from(u16::from_le_bytes(self.bytes_at(offset)))
    }

    #[must_use]
    pub fn load_i16(&self, offset: u32) -> i32 {
        i32::from(i16::from_le_bytes(self.bytes_at(offset)))
    }

    #[must_use]
    pub fn load_u32(&self, offset: u32) -> u32 {
        u32::from_le_bytes(self.bytes_at(offset))
    }

    #[must_use]
    pub fn load_f16(&self, offset: u32) -> f32 {
        f16::from_le_bytes(self.bytes_at(offset)).to_f32()
    }

    #[must_use]
    pub fn load_f32(&self, offset: u32) -> f32 {
        f32::from_le_bytes(self.bytes_at(offset))
    }
}

/// Decodes whole blocks of `F`, eight weights at a time where blocks hold that many.
#[doc(hidden)]
pub fn decode_blocks<F: BlockFormat>(bytes: &[u8], weights: &mut [f32]) {
    let (elems, size) = (F::ELEMS as usize, F::BYTES as usize);
    for (block, out) in bytes
        .chunks_exact(size)
        .zip(weights.chunks_exact_mut(elems))
    {
        let block = Block::<F>::new(block, 0);
        if elems.is_multiple_of(8) {
            for (i, run) in out.chunks_exact_mut(8).enumerate() {
                let [low, high] = F::decode8(block, i as u32 * 8);
                run[..4].copy_from_slice(&low.to_array());
                run[4..].copy_from_slice(&high.to_array());
            }
        } else {
            for (i, weight) in out.iter_mut().enumerate() {
                *weight = F::decode(block, i as u32);
            }
        }
    }
}

/// Declares the table of formats: one line a format, `module::Type`, each in a file of its own; those of
/// integers ([`IntegerFormat`]) after the dense ones.
///
/// Makes the modules, re-exports their types, and the lists `ALL` and `INTEGERS`, both as values and for
/// `instances(F in formats::ALL)`.
#[macro_export]
macro_rules! formats {
    (
        dense { $($dense_module:ident :: $dense:ident),* $(,)? }
        integers { $($module:ident :: $format:ident),* $(,)? }
    ) => {
        $(
            mod $dense_module;
            pub use $dense_module::$dense;
        )*
        $(
            mod $module;
            pub use $module::$format;
        )*

        /// Every format, in the order of the table.
        pub static ALL: &[&$crate::FormatInfo] = &[
            $(&<$dense as $crate::BlockFormat>::INFO,)*
            $(&<$format as $crate::BlockFormat>::INFO,)*
        ];

        /// The formats whose weights are integers times a scale.
        pub static INTEGERS: &[&$crate::FormatInfo] = &[
            $({
                const fn is_of_integers<F: $crate::IntegerFormat>() -> &'static $crate::FormatInfo {
                    &F::INFO
                }
                is_of_integers::<$format>()
            },)*
        ];

        $crate::__private::__define_list! { ALL $($dense)* $($format)* }
        $crate::__private::__define_list! { INTEGERS $($format)* }
    };
}
