//! Blocks that ggml itself decoded.
