use super::Raw;

#[test]
fn another_magic_is_shown() {
    let error = Raw::default().bytes(b"GG\0\xff").u32(3).error();
    assert_eq!(
        error,
        "magic at byte 0: expected \"GGUF\", found \"GG\\x00\\xff\""
    );
}

#[test]
fn version_1_and_unknown_versions_are_refused() {
    for version in [0, 1, 4, 65_535] {
        let error = Raw::default()
            .bytes(b"GGUF")
            .u32(version)
            .u64(0)
            .u64(0)
            .error();
        let expected = format!(
            "version at byte 4: version {version} is not read, only 2 and 3 are; convert the model again"
        );
        assert_eq!(error, expected);
    }
}

#[test]
fn a_big_endian_file_is_called_so() {
    let error = Raw::default()
        .bytes(b"GGUF")
        .bytes(&3_u32.to_be_bytes())
        .u64(0)
        .u64(0)
        .error();
    let expected =
        "version at byte 4: the file is big-endian (version 3), only little-endian is read";
    assert_eq!(error, expected);
}

#[test]
fn a_key_that_is_not_utf8_is_named_by_its_entry() {
    let error = Raw::head(0, 1)
        .u64(3)
        .bytes(b"a\xffb")
        .u32(0)
        .bytes(&[1])
        .error();
    assert_eq!(
        error,
        "key of metadata entry 0 at byte 32: not UTF-8 after 1 bytes"
    );
}

#[test]
fn a_string_that_is_not_utf8_is_named_by_its_key() {
    let error = Raw::head(0, 1)
        .string("k")
        .u32(8)
        .u64(2)
        .bytes(b"\xc3\x28")
        .error();
    assert_eq!(error, "value of `k` at byte 45: not UTF-8 after 0 bytes");
    let array = Raw::head(0, 1)
        .string("k")
        .u32(9)
        .u32(8)
        .u64(2)
        .string("ok");
    let error = array.u64(1).bytes(b"\x80").error();
    assert_eq!(
        error,
        "element 1 of `k` at byte 67: not UTF-8 after 0 bytes"
    );
}

#[test]
fn a_tensor_name_that_is_not_utf8_is_named_by_its_place() {
    let error = Raw::head(1, 0)
        .u64(1)
        .bytes(b"\xff")
        .u32(0)
        .u32(0)
        .u64(0)
        .data(4)
        .error();
    assert_eq!(
        error,
        "name of tensor 0 at byte 32: not UTF-8 after 0 bytes"
    );
}

#[test]
fn an_unknown_value_type_is_named_by_its_key() {
    let error = Raw::head(0, 1).string("k").u32(13).u64(0).error();
    assert_eq!(
        error,
        "value type of `k` at byte 33: value type 13 is unknown"
    );
    let error = Raw::head(0, 1).string("k").u32(9).u32(99).u64(0).error();
    assert_eq!(
        error,
        "array element type of `k` at byte 37: value type 99 is unknown"
    );
}

#[test]
fn a_bool_of_2_is_refused() {
    let error = Raw::head(0, 1).string("k").u32(7).bytes(&[2]).error();
    assert_eq!(
        error,
        "value of `k` at byte 37: a bool of 2, expected 0 or 1"
    );
    let error = Raw::head(0, 1)
        .string("k")
        .u32(9)
        .u32(7)
        .u64(3)
        .bytes(&[0, 1, 255])
        .error();
    assert_eq!(
        error,
        "element 2 of `k` at byte 51: a bool of 255, expected 0 or 1"
    );
}

#[test]
fn a_key_twice_is_refused() {
    let raw = Raw::head(0, 2)
        .string("k")
        .u32(0)
        .bytes(&[1])
        .string("k")
        .u32(0)
        .bytes(&[1]);
    let expected = "key of metadata entry 1 at byte 38: the key `k` is that of entry 0 already";
    assert_eq!(raw.error(), expected);
}

#[test]
fn a_key_over_65535_bytes_is_refused() {
    let longest = "k".repeat(65_535);
    assert!(
        Raw::head(0, 1)
            .string(&longest)
            .u32(0)
            .bytes(&[1])
            .parse()
            .is_ok()
    );
    let error = Raw::head(0, 1)
        .string(&"k".repeat(65_536))
        .u32(0)
        .bytes(&[1])
        .error();
    let expected = "key of metadata entry 0 at byte 24: a name of 65536 bytes, the limit is 65535";
    assert_eq!(error, expected);
}

#[test]
fn control_characters_of_a_name_are_escaped_in_errors() {
    let error = Raw::head(0, 1).string("\u{1b}[2J\n").u32(13).u64(0).error();
    assert_eq!(
        error,
        "value type of `\\u{1b}[2J\\n` at byte 37: value type 13 is unknown"
    );
}

#[test]
fn an_alignment_that_is_no_power_of_two_is_refused() {
    for alignment in [0, 24, u32::MAX] {
        let error = Raw::head(0, 1)
            .string("general.alignment")
            .u32(4)
            .u32(alignment)
            .error();
        let expected = format!(
            "value of `general.alignment` at byte 53: an alignment of {alignment}, expected a power of two"
        );
        assert_eq!(error, expected);
    }
}

#[test]
fn an_alignment_that_is_no_u32_is_refused() {
    let error = Raw::head(0, 1)
        .string("general.alignment")
        .u32(10)
        .u64(32)
        .error();
    let expected = "value type of `general.alignment` at byte 49: expected u32, found u64";
    assert_eq!(error, expected);
}

#[test]
fn the_largest_alignment_is_taken_and_leaves_no_room_for_a_tensor() {
    let raw = Raw::head(0, 1)
        .string("general.alignment")
        .u32(4)
        .u32(1 << 31);
    assert_eq!(raw.parse().unwrap().alignment(), 1 << 31);
    let raw = Raw::head(1, 1)
        .string("general.alignment")
        .u32(4)
        .u32(1 << 31);
    let error = raw.tensor("w", &[1], 24, 0).data(32).error();
    let expected = "offset of tensor `w` at byte 82: 1 bytes from 0 on, the data section (from byte \
                    2147483648) has 0";
    assert_eq!(error, expected);
}

#[test]
fn five_dims_are_refused() {
    let error = Raw::head(1, 0).tensor("w", &[1; 5], 0, 0).data(4).error();
    assert_eq!(
        error,
        "number of dims of tensor `w` at byte 33: 5 dims, the limit is 4"
    );
    let error = Raw::head(1, 0).string("w").u32(u32::MAX).data(64).error();
    assert_eq!(
        error,
        "number of dims of tensor `w` at byte 33: 4294967295 dims, the limit is 4"
    );
}

#[test]
fn a_dim_of_0_is_refused() {
    let error = Raw::head(1, 0).tensor("w", &[4, 0], 0, 0).data(16).error();
    assert_eq!(error, "dim 1 of tensor `w` at byte 45: dim 1 is 0");
}

#[test]
fn dims_whose_product_overflows_are_refused() {
    for dims in [
        &[1 << 32, 1 << 32][..],
        &[u64::MAX, u64::MAX, 2, 2],
        &[1 << 62],
        &[1 << 63, 2],
    ] {
        let error = Raw::head(1, 0).tensor("w", dims, 0, 0).data(16).error();
        let expected = format!(
            "dims of tensor `w` at byte 37: {dims:?} elements of type F32 overflow 64 bits"
        );
        assert_eq!(error, expected);
    }
}

#[test]
fn a_row_that_is_no_whole_number_of_blocks_is_refused() {
    let error = Raw::head(1, 0)
        .tensor("w", &[128, 2], 12, 0)
        .data(144)
        .error();
    let expected = "dim 0 of tensor `w` at byte 37: a row of 128 elements, Q4_K has blocks of 256";
    assert_eq!(error, expected);
    let error = Raw::head(1, 0).tensor("w", &[], 2, 0).data(18).error();
    assert_eq!(
        error,
        "dim 0 of tensor `w` at byte 37: a row of 1 elements, Q4_0 has blocks of 32"
    );
}

#[test]
fn an_unknown_type_is_named_by_tensor_and_number() {
    let error = Raw::head(1, 0).tensor("w", &[256], 43, 0).data(256).error();
    assert_eq!(
        error,
        "type of tensor `w` at byte 45: type number 43 is unknown"
    );
}

#[test]
fn a_removed_type_is_called_removed() {
    let error = Raw::head(1, 0).tensor("w", &[256], 31, 0).data(256).error();
    let expected = "type of tensor `w` at byte 45: type number 31 (Q4_0_4_4) was removed from ggml; \
                    quantise the model again";
    assert_eq!(error, expected);
}

#[test]
fn an_offset_off_the_alignment_is_refused() {
    let error = Raw::head(1, 0).tensor("w", &[4], 0, 16).data(64).error();
    let expected = "offset of tensor `w` at byte 49: an offset of 16 is no multiple of the \
                    alignment 32";
    assert_eq!(error, expected);
}

#[test]
fn a_tensor_that_ends_past_the_file_is_refused() {
    let error = Raw::head(1, 0).tensor("w", &[16], 0, 0).data(63).error();
    let expected = "offset of tensor `w` at byte 49: 64 bytes from 0 on, the data section (from \
                    byte 64) has 63";
    assert_eq!(error, expected);
}

#[test]
fn an_offset_near_2_to_64_does_not_wrap() {
    let offset = u64::MAX - 31;
    let error = Raw::head(1, 0)
        .tensor("w", &[16], 0, offset)
        .data(64)
        .error();
    let expected = format!(
        "offset of tensor `w` at byte 49: 64 bytes from {offset} on, the data section (from byte 64) has 64"
    );
    assert_eq!(error, expected);
}

#[test]
fn a_tensor_name_twice_is_refused() {
    let raw = Raw::head(2, 0)
        .tensor("w", &[4], 0, 0)
        .tensor("w", &[4], 0, 32)
        .data(64);
    let expected = "name of tensor 1 at byte 57: the name `w` is that of tensor 0 already";
    assert_eq!(raw.error(), expected);
}

#[test]
fn tensors_that_overlap_are_both_named() {
    let raw = Raw::head(2, 0)
        .tensor("a", &[4], 0, 32)
        .tensor("b", &[16], 0, 0)
        .data(64);
    let expected =
        "offset of tensor `b` at byte 82: 64 bytes from 0 on overlap tensor `a` from 32 on";
    assert_eq!(raw.error(), expected);
    let raw = Raw::head(2, 0)
        .tensor("a", &[4], 0, 0)
        .tensor("b", &[4], 0, 0)
        .data(64);
    let expected =
        "offset of tensor `a` at byte 49: 16 bytes from 0 on overlap tensor `b` from 0 on";
    assert_eq!(raw.error(), expected);
}

#[test]
fn a_tensor_inside_another_is_an_overlap_even_when_a_third_follows() {
    let raw = Raw::head(3, 0)
        .tensor("outer", &[32], 0, 0)
        .tensor("inner", &[4], 0, 32)
        .tensor("next", &[4], 0, 128);
    let error = raw.data(160).error();
    assert!(
        error.ends_with("128 bytes from 0 on overlap tensor `inner` from 32 on"),
        "{error}"
    );
}

#[test]
fn q2_0_in_the_blocks_of_a_fork_is_recognised_by_its_room() {
    let raw = Raw::head(2, 0)
        .tensor("q", &[2048], 42, 0)
        .tensor("n", &[4], 0, 544)
        .data(560);
    let expected = "offset of tensor `q` at byte 49: Q2_0 of 576 bytes has only 544 bytes: blocks of \
                    128 elements in 34 bytes, as a fork writes them, and not of 64 in 18";
    assert_eq!(raw.error(), expected);
    let error = Raw::head(1, 0)
        .tensor("q", &[2048], 42, 0)
        .data(544)
        .error();
    assert_eq!(error, expected);
    let error = Raw::head(1, 0)
        .tensor("q", &[2048], 42, 0)
        .data(543)
        .error();
    assert!(
        error.contains("576 bytes from 0 on, the data section"),
        "{error}"
    );
    // 1088 bytes in the fork's blocks, 1152 in ggml's: this file is cut short.
    let error = Raw::head(1, 0)
        .tensor("q", &[4096], 42, 0)
        .data(1130)
        .error();
    assert!(
        error.contains("1152 bytes from 0 on, the data section"),
        "{error}"
    );
}
