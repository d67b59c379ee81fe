use super::super::{Fault, GgufFile};
use super::sample;

#[test]
fn every_prefix_of_a_file_is_refused_with_a_byte_inside_it() {
    let whole = sample();
    for length in 0..whole.len() {
        let error = GgufFile::parse(whole[..length].to_vec()).unwrap_err();
        assert!(error.byte <= length as u64, "prefix of {length}: {error}");
        assert!(!error.field.is_empty());
        // The tail of `sample` is a Q2_0 tensor, whose cut may leave what a fork would write.
        let short = matches!(
            error.fault,
            Fault::Truncated { .. }
                | Fault::Count { .. }
                | Fault::PastEnd { .. }
                | Fault::ForkBlocks { .. }
        );
        assert!(short, "prefix of {length}: {error}");
    }
    assert!(GgufFile::parse(whole).is_ok());
}

#[test]
fn a_head_cut_in_each_field_names_that_field() {
    let whole = sample();
    for (length, field, byte) in [
        (0, "magic", 0),
        (3, "magic", 0),
        (4, "version", 4),
        (7, "version", 4),
        (8, "tensor count", 8),
        (15, "tensor count", 8),
        (16, "metadata count", 16),
        (23, "metadata count", 16),
    ] {
        let error = GgufFile::parse(whole[..length].to_vec()).unwrap_err();
        assert_eq!(
            (error.field.as_str(), error.byte),
            (field, byte),
            "prefix of {length}"
        );
    }
}
