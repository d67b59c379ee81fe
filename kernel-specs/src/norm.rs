//! Normalisations.

pub mod rms_norm;
