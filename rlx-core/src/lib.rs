//! The graph compiler's device-free half: shapes and dtypes, model files, the graph and its
//! [`verify()`], passes, lowering to a [`Program`] and the memory [`plan`] of its values.
#![deny(unsafe_code)]

pub mod dtype;
pub mod gguf;
pub mod graph;
pub mod lower;
pub mod passes;
pub mod planner;
pub mod program;
pub mod shape;
pub mod verify;
pub mod weights;

pub use dtype::{DType, Elem};
pub use graph::{
    Graph, GraphError, MAX_HEAD, MAX_REGION_INPUTS, Node, Op, Region, RegionError, RopeLayout,
    Scores, Step, ValueId,
};
pub use lower::{LowerError, LowerOptions, Precision, lower};
pub use passes::regions::fuse_regions;
pub use planner::{Place, Plan, PlanError, PlanLimits, WeightBuffer, Window, plan};
pub use program::{Program, ProgramValue, ValueKind};
pub use shape::{Broadcast, Shape, ShapeError};
pub use verify::{VerifyError, verify};
pub use weights::{Weights, WeightsError};
