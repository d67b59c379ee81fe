//! Shapes, and how inputs of several shapes are read under NumPy's broadcasting.

use std::fmt;

/// The extents of a row-major tensor, the outermost first. A scalar has none; an extent may be 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Shape(Vec<u64>);

impl Shape {
    /// A shape of these extents.
    pub fn new(dims: impl Into<Self>) -> Self {
        dims.into()
    }

    /// The extents.
    pub fn dims(&self) -> &[u64] {
        &self.0
    }

    /// The number of extents.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The innermost extent; `None` for a scalar.
    pub fn last(&self) -> Option<u64> {
        self.0.last().copied()
    }

    /// The number of elements.
    ///
    /// # Errors
    /// [`ShapeError::Elements`] where the extents other than 0 multiply past 64 bits. An extent of 0
    /// excuses nothing, so that every stride of a legal shape fits too.
    pub fn elems(&self) -> Result<u64, ShapeError> {
        let product = self
            .0
            .iter()
            .filter(|&&dim| dim != 0)
            .try_fold(1_u64, |n, &dim| n.checked_mul(dim));
        let product = product.ok_or_else(|| ShapeError::Elements {
            shape: self.clone(),
        })?;
        Ok(if self.0.contains(&0) { 0 } else { product })
    }

    /// The shape that `self` and `other` broadcast to: extents are matched from the innermost, and an
    /// extent of 1 or a missing one takes the other's.
    ///
    /// # Errors
    /// [`ShapeError::Broadcast`] where two extents differ and neither is 1.
    pub fn broadcast(&self, other: &Self) -> Result<Self, ShapeError> {
        let rank = self.rank().max(other.rank());
        let dims = (0..rank).map(|i| match (self.padded(i, rank), other.padded(i, rank)) {
            (a, b) if a == b || b == 1 => Ok(a),
            (1, b) => Ok(b),
            _ => Err(ShapeError::Broadcast {
                a: self.clone(),
                b: other.clone(),
            }),
        });
        dims.collect::<Result<Vec<_>, _>>().map(Self)
    }

    /// Extent `i` of the shape with ones put before it up to `rank`.
    fn padded(&self, i: usize, rank: usize) -> u64 {
        (i + self.rank())
            .checked_sub(rank)
            .map_or(1, |own| self.0[own])
    }

    /// Elements from one index to the next, by dimension.
    ///
    /// # Errors
    /// [`ShapeError::Elements`] as for [`Shape::elems`].
    pub fn strides(&self) -> Result<Vec<u64>, ShapeError> {
        self.elems()?;
        let mut strides = vec![1; self.rank()];
        for i in (1..self.rank()).rev() {
            strides[i - 1] = strides[i] * self.0[i];
        }
        Ok(strides)
    }
}

impl From<Vec<u64>> for Shape {
    fn from(dims: Vec<u64>) -> Self {
        Self(dims)
    }
}

impl From<&[u64]> for Shape {
    fn from(dims: &[u64]) -> Self {
        Self(dims.to_vec())
    }
}

impl<const N: usize> From<[u64; N]> for Shape {
    fn from(dims: [u64; N]) -> Self {
        Self(dims.to_vec())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// How each input of an elementwise computation is read: the output's index space with as few
/// dimensions as possible, and for each input the elements to step by in each of them.
///
/// Output element `i` splits into an index a dimension, the last dimension fastest; input `n` is
/// read at `Σ index[d] * strides[n][d]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broadcast {
    /// Extents; there is at least one. Their product is the number of elements of the output.
    pub dims: Vec<u64>,
    /// For each input, a stride in elements for each of [`Self::dims`]: 0 where it is repeated.
    pub strides: Vec<Vec<u64>>,
}

impl Broadcast {
    /// How inputs of shapes `inputs` are read where the output has shape `out`. Extents of 1 vanish,
    /// and neighbours that every input walks as one dimension become one.
    ///
    /// # Errors
    /// [`ShapeError::BroadcastTo`] where an input does not broadcast to `out`, and
    /// [`ShapeError::Elements`] where a shape is too large.
    pub fn of(out: &Shape, inputs: &[&Shape]) -> Result<Self, ShapeError> {
        out.elems()?;
        let mut full = Vec::with_capacity(inputs.len());
        for &input in inputs {
            if input.broadcast(out).as_ref() != Ok(out) {
                return Err(ShapeError::BroadcastTo {
                    from: input.clone(),
                    to: out.clone(),
                });
            }
            full.push(padded_strides(input, out.rank())?);
        }
        let mut dims: Vec<u64> = Vec::new();
        let mut strides: Vec<Vec<u64>> = vec![Vec::new(); inputs.len()];
        for (d, &extent) in out
            .dims()
            .iter()
            .enumerate()
            .filter(|&(_, &extent)| extent != 1)
        {
            let joins = strides.iter().zip(&full).all(|(own, full)| {
                own.last()
                    .is_some_and(|&outer| full[d].checked_mul(extent) == Some(outer))
            });
            match dims.last_mut() {
                Some(outer) if joins => {
                    *outer *= extent;
                    for (own, full) in strides.iter_mut().zip(&full) {
                        own.pop();
                        own.push(full[d]);
                    }
                }
                _ => {
                    dims.push(extent);
                    for (own, full) in strides.iter_mut().zip(&full) {
                        own.push(full[d]);
                    }
                }
            }
        }
        if dims.is_empty() {
            dims.push(1);
            for own in &mut strides {
                own.push(1);
            }
        }
        Ok(Self { dims, strides })
    }

    /// Whether input `input` is read element by element in the output's order.
    pub fn is_dense(&self, input: usize) -> bool {
        let mut inner = 1;
        self.strides.get(input).is_some_and(|strides| {
            strides
                .iter()
                .zip(&self.dims)
                .rev()
                .all(|(&stride, &extent)| {
                    let dense = stride == inner;
                    inner *= extent;
                    dense
                })
        })
    }
}

/// The strides of `input` in an output of `rank` dimensions: 0 where the input has an extent of 1.
fn padded_strides(input: &Shape, rank: usize) -> Result<Vec<u64>, ShapeError> {
    let mut strides = vec![0; rank - input.rank()];
    let own = input.strides()?;
    strides.extend(
        own.iter()
            .zip(input.dims())
            .map(|(&stride, &dim)| if dim == 1 { 0 } else { stride }),
    );
    Ok(strides)
}

/// Why a shape, or a set of shapes, cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The number of elements passes 64 bits.
    #[error("shape {shape} has more than 2^64 - 1 elements")]
    Elements {
        /// The shape.
        shape: Shape,
    },
    /// The number of bytes passes 64 bits.
    #[error("shape {shape} of {elem} takes more than 2^64 - 1 bytes")]
    Bytes {
        /// The shape.
        shape: Shape,
        /// The element type.
        elem: String,
    },
    /// A weight is no whole number of blocks.
    #[error("shape {shape} is no whole number of {format} blocks of {elems} weights")]
    Blocks {
        /// The shape.
        shape: Shape,
        /// The format.
        format: &'static str,
        /// Weights a block.
        elems: u32,
    },
    /// Two shapes do not broadcast together.
    #[error("shapes {a} and {b} do not broadcast: two extents differ and neither is 1")]
    Broadcast {
        /// One shape.
        a: Shape,
        /// The other.
        b: Shape,
    },
    /// A shape does not broadcast to another.
    #[error("shape {from} does not broadcast to {to}")]
    BroadcastTo {
        /// The input's shape.
        from: Shape,
        /// The output's shape.
        to: Shape,
    },
}
