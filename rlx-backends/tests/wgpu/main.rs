//! The wgpu backend on whatever adapter the system prefers; lavapipe where there is no GPU.

mod chain;
mod context;
mod executor;
mod kernels;
mod refusals;
