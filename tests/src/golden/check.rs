//! Holds a backend to golden blocks, bit by bit.
//!
//! A device may differ from ggml's decoder in one way, and each row states how often it did: it may
//! flush a subnormal f32 to zero ([`Allowance::Flush`]). That a driver contracts a product and a sum
//! into an fma needs no allowance: in every block format that adds to a product (Q4_1, Q5_1, Q2_K,
//! Q4_K, Q5_K) the product is of an f16 (11 bits), a scale of at most 6 bits and a quant of at most
//! 5, so an f32 (24 bits) holds it exactly and the fma rounds to the same bits.

use std::collections::HashMap;

use rlx_backends::{Backend, BackendError, Tensor};
use rlx_core::{Graph, GraphError, Shape};
use serde::Serialize;

use super::GoldenType;

/// In what a backend may differ from ggml's decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// In nothing: the CPU backend.
    Exact,
    /// A subnormal f32, be it a weight or the scale of a block, may be taken for zero: WGSL grants
    /// that to devices.
    Flush,
}

/// How one backend decodes one type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The adapter's name; `cpu` for the CPU backend.
    pub adapter: String,
    /// The type: `Q4_K`.
    #[serde(rename = "type")]
    pub name: String,
    /// Blocks that were decoded.
    pub blocks: u64,
    /// Elements that were compared.
    pub elements: u64,
    /// Elements whose bits differ from ggml's; one NaN is as good as another.
    pub mismatches: u64,
    /// Mismatches that are allowed, as subnormals flushed to zero.
    pub flushed: u64,
    /// The greatest difference, in units of the last place: 0 where all bits agree, 2^32 - 1 where
    /// only one of two values is NaN.
    pub max_ulp: u32,
    /// The first mismatch that is not allowed.
    pub first: Option<Difference>,
}

/// An element that differs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The block, from 0.
    pub block: u64,
    /// The element in that block, from 0.
    pub element: u64,
    /// ggml's value, as bits.
    pub expected: u32,
    /// The backend's, as bits.
    pub found: u32,
}

impl Row {
    /// Whether every mismatch is allowed.
    pub fn passes(&self) -> bool {
        self.mismatches == self.flushed
    }
}

/// Why blocks could not be decoded at all.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CheckError {
    /// No format has the type's number.
    #[error("{name}: there is no kernel for ggml type {ggml_type} yet")]
    NoFormat {
        /// The type.
        name: String,
        /// Its number.
        ggml_type: u32,
    },
    /// The golden blocks are laid out differently from the format's.
    #[error(
        "{name}: the golden blocks hold {elems} elements in {bytes} bytes, those of the format {format_elems} in \
         {format_bytes}"
    )]
    Blocks {
        /// The type.
        name: String,
        /// Elements of a golden block.
        elems: u32,
        /// Bytes of a golden block.
        bytes: u32,
        /// Elements of the format's blocks.
        format_elems: u32,
        /// Bytes of the format's blocks.
        format_bytes: u32,
    },
    /// The graph that decodes cannot be made.
    #[error("{name}: {source}")]
    Graph {
        /// The type.
        name: String,
        /// What is wrong with it.
        source: Box<GraphError>,
    },
    /// The backend refused or failed.
    #[error("{name}: {source}")]
    Backend {
        /// The type.
        name: String,
        /// What it says.
        source: Box<BackendError>,
    },
    /// The backend gave another number of values than there are weights.
    #[error("{name}: the backend gave {found} values for {expected} weights")]
    Values {
        /// The type.
        name: String,
        /// The weights.
        expected: usize,
        /// The values.
        found: usize,
    },
}

/// Decodes all blocks of `golden` on `backend`, by a graph of one `dequantise`, and compares bits.
/// `adapter` is what the row calls the backend.
///
/// # Errors
/// [`CheckError`] where nothing could be compared.
pub fn check(
    golden: &GoldenType,
    adapter: &str,
    backend: &dyn Backend,
    allowance: Allowance,
) -> Result<Row, CheckError> {
    let found = decode(golden, backend)?;
    let (expected, given) = (golden.values.len(), found.len());
    if expected != given {
        let name = golden.name.clone();
        return Err(CheckError::Values {
            name,
            expected,
            found: given,
        });
    }
    let mut row = Row {
        adapter: adapter.to_owned(),
        name: golden.name.clone(),
        blocks: golden.count,
        elements: expected as u64,
        mismatches: 0,
        flushed: 0,
        max_ulp: 0,
        first: None,
    };
    for (at, (expected, found)) in golden.values.iter().zip(&found).enumerate() {
        if expected.to_bits() == found.to_bits() || (expected.is_nan() && found.is_nan()) {
            continue;
        }
        row.mismatches += 1;
        row.max_ulp = row.max_ulp.max(ulps(*expected, *found));
        if allowance == Allowance::Flush && is_flush(*expected, *found) {
            row.flushed += 1;
        } else {
            row.first.get_or_insert(Difference {
                block: at as u64 / u64::from(golden.elems),
                element: at as u64 % u64::from(golden.elems),
                expected: expected.to_bits(),
                found: found.to_bits(),
            });
        }
    }
    Ok(row)
}

fn decode(golden: &GoldenType, backend: &dyn Backend) -> Result<Vec<f32>, CheckError> {
    let name = || golden.name.clone();
    let format = golden.format().ok_or_else(|| CheckError::NoFormat {
        name: name(),
        ggml_type: golden.ggml_type,
    })?;
    if (format.elems, format.bytes) != (golden.elems, golden.bytes) {
        return Err(CheckError::Blocks {
            name: name(),
            elems: golden.elems,
            bytes: golden.bytes,
            format_elems: format.elems,
            format_bytes: format.bytes,
        });
    }
    let shape = Shape::from([golden.count, u64::from(golden.elems)]);
    let graph = || -> Result<Graph, GraphError> {
        let mut graph = Graph::new();
        let w = graph.weight("w", shape, format)?;
        let y = graph.dequantise(w)?;
        graph.output("y", y)?;
        Ok(graph)
    };
    let graph = graph().map_err(|source| CheckError::Graph {
        name: name(),
        source: source.into(),
    })?;
    let weights = HashMap::from([("w".to_owned(), golden.blocks.clone())]);
    let outputs = backend
        .compile(&graph, &weights)
        .and_then(|mut executable| executable.run(&[]))
        .map_err(|source| CheckError::Backend {
            name: name(),
            source: source.into(),
        })?;
    let values = |(_, tensor): (String, Tensor)| tensor.data.as_f32().map(<[f32]>::to_vec);
    Ok(outputs.into_iter().find_map(values).unwrap_or_default())
}

/// Whether `found` is what remains of `expected` where a subnormal was taken for zero: the weight
/// itself, or an MXFP4 scale, which is times at most 12.
fn is_flush(expected: f32, found: f32) -> bool {
    found == 0.0 && expected.abs() <= f32::MIN_POSITIVE * 12.0
}

/// Floats from one value to the other; +0 and -0 are one apart.
fn ulps(a: f32, b: f32) -> u32 {
    if a.is_nan() || b.is_nan() {
        return u32::MAX;
    }
    // In the order of their values: negative floats count downwards from -1.
    let place = |x: f32| {
        let bits = i64::from(x.to_bits() & 0x7fff_ffff);
        if x.is_sign_negative() {
            -1 - bits
        } else {
            bits
        }
    };
    (place(a) - place(b)).unsigned_abs() as u32
}

#[cfg(test)]
mod tests {
    use rlx_backends::CpuBackend;

    use super::*;

    /// F32 weights that are claimed to be `values`.
    fn f32_type(weights: &[f32], values: &[f32]) -> GoldenType {
        GoldenType {
            name: "F32".into(),
            ggml_type: 0,
            elems: 1,
            bytes: 4,
            count: weights.len() as u64,
            blocks: weights.iter().flat_map(|w| w.to_le_bytes()).collect(),
            values: values.to_vec(),
        }
    }

    fn row(weights: &[f32], values: &[f32], allowance: Allowance) -> Row {
        let golden = f32_type(weights, values);
        check(&golden, "cpu", &CpuBackend::new(), allowance).unwrap()
    }

    #[test]
    fn a_difference_of_one_bit_is_a_mismatch_and_is_named() {
        let next = f32::from_bits(1.0_f32.to_bits() + 1);
        let row = row(&[2.0, next], &[2.0, 1.0], Allowance::Flush);
        assert_eq!((row.mismatches, row.max_ulp, row.passes()), (1, 1, false));
        let first = Difference {
            block: 1,
            element: 0,
            expected: 0x3f80_0000,
            found: 0x3f80_0001,
        };
        assert_eq!(row.first, Some(first));
    }

    #[test]
    fn zeros_of_different_sign_are_a_mismatch_of_one_ulp() {
        let row = row(&[0.0], &[-0.0], Allowance::Exact);
        assert_eq!((row.mismatches, row.max_ulp, row.passes()), (1, 1, false));
    }

    #[test]
    fn one_nan_is_as_good_as_another_and_a_number_is_none() {
        let other = f32::from_bits(0xffc0_0001);
        assert_eq!(row(&[f32::NAN], &[other], Allowance::Exact).mismatches, 0);
        let row = row(&[1.0], &[f32::NAN], Allowance::Exact);
        assert_eq!((row.mismatches, row.max_ulp), (1, u32::MAX));
    }

    #[test]
    fn a_flushed_subnormal_is_allowed_and_counted_on_a_device_only() {
        let subnormal = f32::from_bits(5);
        let device = row(&[0.0], &[subnormal], Allowance::Flush);
        assert_eq!((device.mismatches, device.flushed), (1, 1));
        assert!(device.passes() && device.first.is_none());
        assert!(!row(&[0.0], &[subnormal], Allowance::Exact).passes());
        assert!(!row(&[0.0], &[1e-30], Allowance::Flush).passes());
    }

    #[test]
    fn blocks_of_another_size_than_the_formats_are_refused() {
        let mut golden = f32_type(&[1.0, 2.0], &[1.0]);
        (golden.bytes, golden.count) = (8, 1);
        let error = check(&golden, "cpu", &CpuBackend::new(), Allowance::Exact).unwrap_err();
        assert_eq!(
            error.to_string(),
            "F32: the golden blocks hold 1 elements in 8 bytes, those of the format 1 in 4"
        );
    }
}
