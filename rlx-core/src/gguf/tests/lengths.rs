use super::super::Fault;
use super::Raw;

#[test]
fn a_string_of_2_to_63_bytes_is_refused_before_it_is_read() {
    let error = Raw::head(0, 1)
        .string("k")
        .u32(8)
        .u64(1 << 63)
        .bytes(b"abc")
        .error();
    let expected =
        "value of `k` at byte 45: takes 9223372036854775808 bytes, 3 are left in the file";
    assert_eq!(error, expected);
}

#[test]
fn a_key_or_a_tensor_name_of_2_to_64_bytes_is_refused() {
    let error = Raw::head(0, 1).u64(u64::MAX).bytes(&[0; 16]).error();
    let expected = "key of metadata entry 0 at byte 32: takes 18446744073709551615 bytes, 16 are \
                    left in the file";
    assert_eq!(error, expected);
    let error = Raw::head(1, 0).u64(u64::MAX).bytes(&[0; 16]).error();
    let expected = "name of tensor 0 at byte 32: takes 18446744073709551615 bytes, 16 are left in \
                    the file";
    assert_eq!(error, expected);
}

#[test]
fn an_array_of_2_to_62_elements_is_refused_whatever_they_are() {
    for element in 0..13 {
        let error = Raw::head(0, 1)
            .string("k")
            .u32(9)
            .u32(element)
            .u64(1 << 62)
            .u64(0)
            .error();
        let expected =
            "array count of `k` at byte 41: claims 4611686018427387904 items of at least ";
        assert!(error.starts_with(expected), "{error}");
        assert!(error.ends_with(" bytes each, 8 bytes are left"), "{error}");
    }
}

#[test]
fn an_array_of_one_element_too_many_is_refused() {
    let raw = Raw::head(0, 1).string("k").u32(9).u32(4);
    assert!(raw.clone().u64(2).u64(0).parse().is_ok());
    let expected =
        "array count of `k` at byte 41: claims 3 items of at least 4 bytes each, 8 bytes are left";
    assert_eq!(raw.u64(3).u64(0).error(), expected);
}

#[test]
fn a_tensor_count_of_2_to_60_is_refused() {
    let error = Raw::head(1 << 60, 0).bytes(&[0; 100]).error();
    let expected = "tensor count at byte 8: claims 1152921504606846976 items of at least 24 bytes \
                    each, 100 bytes are left";
    assert_eq!(error, expected);
}

#[test]
fn a_metadata_count_of_2_to_64_is_refused() {
    let error = Raw::head(0, u64::MAX).bytes(&[0; 100]).error();
    let expected = "metadata count at byte 16: claims 18446744073709551615 items of at least 13 \
                    bytes each, 100 bytes are left";
    assert_eq!(error, expected);
}

/// Arrays of one array each, `depth` of them, around an empty array of u8.
fn nested(depth: usize) -> Raw {
    let outer = (1..depth).fold(Raw::head(0, 1).string("k").u32(9), |raw, _| {
        raw.u32(9).u64(1)
    });
    outer.u32(0).u64(0)
}

#[test]
fn arrays_nested_10000_deep_are_refused_at_the_ninth() {
    let error = nested(10_000).error();
    let byte = 37 + 8 * 12;
    assert_eq!(
        error,
        format!("value of `k` at byte {byte}: arrays nested more than 8 deep")
    );
}

#[test]
fn arrays_nested_8_deep_are_read_and_9_are_not() {
    let file = nested(8).parse().unwrap();
    let mut array = file.metadata().array("k").unwrap();
    for _ in 1..8 {
        array = array.values().unwrap().next().unwrap();
    }
    assert!(array.is_empty());
    let fault = nested(9).parse().unwrap_err().fault;
    assert_eq!(fault, Fault::Depth { limit: 8 });
}
