//! Shapes, their broadcasting, and the strides that it gives.

use proptest::prelude::*;
use rlx_core::{Broadcast, DType, Elem, Shape, ShapeError};

fn shape(dims: &[u64]) -> Shape {
    Shape::from(dims)
}

fn broadcast(out: &[u64], inputs: &[&[u64]]) -> Broadcast {
    let inputs: Vec<_> = inputs.iter().map(|dims| shape(dims)).collect();
    Broadcast::of(&shape(out), &inputs.iter().collect::<Vec<_>>()).unwrap()
}

#[test]
fn a_scalar_has_one_element_and_an_extent_of_zero_none() {
    assert_eq!(Shape::default().elems(), Ok(1));
    assert_eq!(shape(&[3, 0, 5]).elems(), Ok(0));
}

#[test]
fn elements_past_64_bits_are_an_error_even_beside_an_extent_of_zero() {
    for dims in [&[1 << 32, 1 << 32][..], &[1 << 32, 0, 1 << 32]] {
        let shape = shape(dims);
        assert_eq!(
            shape.elems(),
            Err(ShapeError::Elements {
                shape: shape.clone()
            })
        );
    }
}

#[test]
fn bytes_past_64_bits_are_an_error_that_names_shape_and_dtype() {
    let error = Elem::F32.bytes_of(&shape(&[1 << 62])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shape [4611686018427387904] of f32 takes more than 2^64 - 1 bytes"
    );
    assert_eq!(Elem::from(DType::U32).bytes_of(&shape(&[2, 3])), Ok(24));
}

#[test]
fn broadcasting_matches_extents_from_the_innermost() {
    assert_eq!(
        shape(&[4, 1, 3]).broadcast(&shape(&[5, 1])),
        Ok(shape(&[4, 5, 3]))
    );
    assert_eq!(shape(&[]).broadcast(&shape(&[2, 0])), Ok(shape(&[2, 0])));
    assert_eq!(shape(&[1]).broadcast(&shape(&[0])), Ok(shape(&[0])));
}

#[test]
fn extents_that_differ_do_not_broadcast() {
    let error = shape(&[2, 3]).broadcast(&shape(&[2, 4])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shapes [2, 3] and [2, 4] do not broadcast: two extents differ and neither is 1"
    );
}

#[test]
fn equal_shapes_collapse_to_one_dimension() {
    let found = broadcast(&[2, 3, 4], &[&[2, 3, 4], &[2, 3, 4]]);
    assert_eq!(
        found,
        Broadcast {
            dims: vec![24],
            strides: vec![vec![1], vec![1]]
        }
    );
    assert!(found.is_dense(0));
}

#[test]
fn a_row_that_is_repeated_keeps_two_dimensions() {
    let found = broadcast(&[2, 3, 4], &[&[2, 3, 4], &[4]]);
    assert_eq!(
        found,
        Broadcast {
            dims: vec![6, 4],
            strides: vec![vec![4, 1], vec![0, 1]]
        }
    );
    assert!(found.is_dense(0) && !found.is_dense(1));
}

#[test]
fn a_middle_extent_that_is_repeated_keeps_three_dimensions() {
    let found = broadcast(&[1, 3, 5, 4], &[&[1, 3, 1, 4], &[1, 3, 5, 4]]);
    assert_eq!(
        found,
        Broadcast {
            dims: vec![3, 5, 4],
            strides: vec![vec![4, 0, 1], vec![20, 4, 1]]
        }
    );
}

#[test]
fn a_scalar_is_repeated_over_one_dimension() {
    assert_eq!(
        broadcast(&[7, 2], &[&[]]),
        Broadcast {
            dims: vec![14],
            strides: vec![vec![0]]
        }
    );
    assert_eq!(
        broadcast(&[], &[&[]]),
        Broadcast {
            dims: vec![1],
            strides: vec![vec![1]]
        }
    );
    assert_eq!(
        broadcast(&[1, 1], &[&[1]]),
        Broadcast {
            dims: vec![1],
            strides: vec![vec![1]]
        }
    );
}

#[test]
fn an_input_larger_than_the_output_is_an_error() {
    let (from, to) = (shape(&[2, 3]), shape(&[3]));
    let found = Broadcast::of(&to, &[&from]);
    assert_eq!(found, Err(ShapeError::BroadcastTo { from, to }));
}

/// Where element `i` of the output reads an input of shape `input`, by NumPy's rule.
fn read_at(out: &[u64], input: &[u64], mut i: u64) -> u64 {
    let (mut at, mut stride) = (0, 1);
    for d in (0..out.len()).rev() {
        let index = i % out[d];
        i /= out[d];
        if let Some(own) = (d + input.len()).checked_sub(out.len()) {
            at += if input[own] == 1 { 0 } else { index * stride };
            stride *= input[own];
        }
    }
    at
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn collapsed_strides_read_what_numpy_reads(
        out in prop::collection::vec(1_u64..4, 0..5),
        cuts in prop::collection::vec((0_usize..5, any::<u8>()), 1..4),
    ) {
        let inputs: Vec<Vec<u64>> = cuts.iter().map(|&(skip, ones)| {
            let dims = out.iter().enumerate().skip(skip.min(out.len()));
            dims.map(|(d, &dim)| if ones >> d & 1 == 1 { 1 } else { dim }).collect()
        }).collect();
        let slices: Vec<&[u64]> = inputs.iter().map(Vec::as_slice).collect();
        let found = broadcast(&out, &slices);
        let elems: u64 = out.iter().product();
        prop_assert_eq!(found.dims.iter().product::<u64>(), elems);
        for (n, input) in inputs.iter().enumerate() {
            for i in 0..elems {
                let (mut rest, mut at) = (i, 0);
                for (&dim, &stride) in found.dims.iter().zip(&found.strides[n]).rev() {
                    at += rest % dim * stride;
                    rest /= dim;
                }
                prop_assert_eq!(at, read_at(&out, input, i));
            }
        }
    }
}
