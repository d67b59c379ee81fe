//! Programs that the macros refuse (`fail/`, with what they say) and accept (`pass/`).
#![forbid(unsafe_code)]
