//! Tensors that activations are multiplied with, and the way that takes on a device.

use std::fmt;

use kernel_specs::formats;
use rlx_backends::Capabilities;
use rlx_core::gguf::{Tensor, TensorType};
use rlx_core::lower::road;
use rlx_core::{DType, Graph, GraphError, Precision, lower, plan};
use rlx_kernels::FormatInfo;

/// A tensor as the weight of a product.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    /// Its format.
    pub format: &'static FormatInfo,
    /// Rows.
    pub n: u64,
    /// Elements a row.
    pub k: u64,
}

/// Why a tensor is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMatrix {
    /// It has not two dims.
    Rank(usize),
    /// No kernel reads its type.
    Format(TensorType),
}

impl fmt::Display for NoMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rank(rank) => write!(f, "a tensor of rank {rank} is no matrix"),
            Self::Format(ty) => write!(f, "there is no kernel for type {} yet", ty.name),
        }
    }
}

/// What computes a product, or why nothing does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// The kernel.
    pub kernel: Option<String>,
    /// Why this one, or why none.
    pub reason: String,
}

impl Matrix {
    /// `tensor`, whose dims are `[k, n]`, as a weight of shape `[n, k]`.
    pub fn of(tensor: &Tensor) -> Result<Self, NoMatrix> {
        let &[k, n] = tensor.dims() else {
            return Err(NoMatrix::Rank(tensor.dims().len()));
        };
        let ty = tensor.tensor_type();
        let format = formats::by_ggml_type(ty.number).ok_or(NoMatrix::Format(ty))?;
        Ok(Self { format, n, k })
    }

    /// The graph of `y[m, n] = x[m, k] · Wᵀ`, where W is the weight `name`.
    pub fn product(&self, name: &str, m: u64) -> Result<Graph, GraphError> {
        let mut graph = Graph::new();
        let x = graph.input("x", [m, self.k], DType::F32)?;
        let w = graph.weight(name, [self.n, self.k], self.format)?;
        let y = graph.matmul_bt(x, w)?;
        graph.output("y", y)?;
        Ok(graph)
    }

    /// The way that `m` rows of activations take on a device, or on the CPU backend.
    pub fn path(&self, m: u64, device: Option<&Capabilities>) -> Path {
        let Some(device) = device else {
            return Path {
                kernel: Some(format!("cpu matmul_bt::{}", self.format.name)),
                reason:
                    "no adapter: the CPU backend decodes some rows of weights at a time and sums \
                         in f32"
                        .into(),
            };
        };
        match self.kernel(m, device) {
            Ok(kernel) => Path {
                kernel: Some(kernel),
                reason: road::matmul(self.format, m, &device.lowering(Precision::Exact))
                    .reason
                    .into(),
            },
            Err(reason) => Path {
                kernel: None,
                reason,
            },
        }
    }

    /// What lowering makes of the product, as a run would have it.
    fn kernel(&self, m: u64, device: &Capabilities) -> Result<String, String> {
        let graph = self.product("w", m).map_err(|error| error.to_string())?;
        let options = device.lowering(Precision::Exact);
        let program = lower(&graph, &options).map_err(|error| error.to_string())?;
        plan(&program, &device.limits).map_err(|error| error.to_string())?;
        let labels: Vec<String> = program
            .dispatches
            .iter()
            .map(|dispatch| dispatch.kernel.label())
            .collect();
        Ok(labels.join(" + "))
    }
}
