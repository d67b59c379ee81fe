//! What the macros say: one file a diagnostic, named for its claim.

#[test]
fn every_mistake_is_reported_at_its_token_and_says_what_to_write_instead() {
    trybuild::TestCases::new().compile_fail("fail/*.rs");
}

#[test]
fn correct_programs_compile_wherever_their_parts_are() {
    trybuild::TestCases::new().pass("pass/*.rs");
}
