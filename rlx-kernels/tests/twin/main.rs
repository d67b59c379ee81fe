//! Kernels on their CPU twin: what they compute, and what is found.

mod bugs;
mod chapter;
mod first;
mod sized;
mod traces;
