//! Elementwise regions as kernels: composed from the `#[device]` functions of their operators,
//! printed and validated like any other.

use std::sync::Arc;

use rlx_kernel_ir::builtin::{Builtin, Form};
use rlx_kernel_ir::{
    BinaryOp, Block, CompileOptions, Expr, ExprKind, Function, Item, ItemId, Kernel, KernelBinding,
    KernelParam, Local, LocalId, Module, Origin, Printed, Requires, Span, Stmt, Type, compile,
};
use rlx_kernels::geometry::Extent;
use rlx_kernels::{Dispatch, DispatchError, ElementwiseOp, KernelInfo, KernelRef};

use crate::graph::{Region, ValueId};
use crate::shape::{Broadcast, Shape, ShapeError};

/// How one input is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Access {
    /// At the index of the output.
    Dense,
    /// By strides: whether each dimension moves it.
    Strided(Vec<bool>),
}

/// What makes two regions the same kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    steps: Vec<(&'static ElementwiseOp, Vec<usize>)>,
    access: Vec<Access>,
    /// Dimensions that strided inputs are read by; 0 where all are dense.
    rank: usize,
    /// The input whose place the output takes.
    in_place: Option<usize>,
}

/// A region with the numbers of one dispatch.
pub(super) struct Lowered {
    pub key: Key,
    params: Vec<u32>,
}

impl Lowered {
    pub fn new(
        region: &Region,
        out: &Shape,
        inputs: &[&Shape],
        n: u32,
        in_place: Option<usize>,
    ) -> Result<Self, ShapeError> {
        let broadcast = Broadcast::of(out, inputs)?;
        let dense: Vec<bool> = (0..inputs.len())
            .map(|input| broadcast.is_dense(input))
            .collect();
        let rank = if dense.iter().all(|dense| *dense) {
            0
        } else {
            broadcast.dims.len()
        };
        let access = broadcast
            .strides
            .iter()
            .zip(&dense)
            .map(|(strides, dense)| {
                if *dense {
                    Access::Dense
                } else {
                    Access::Strided(strides.iter().map(|stride| *stride != 0).collect())
                }
            })
            .collect::<Vec<_>>();
        // Every number is below `n`, which fits 32 bits.
        let mut params = vec![n];
        if rank > 0 {
            params.extend(broadcast.dims.iter().skip(1).map(|dim| *dim as u32));
            for (strides, access) in broadcast.strides.iter().zip(&access) {
                if matches!(access, Access::Strided(_)) {
                    params.extend(
                        strides
                            .iter()
                            .filter(|stride| **stride != 0)
                            .map(|stride| *stride as u32),
                    );
                }
            }
        }
        let steps = region
            .steps
            .iter()
            .map(|step| (step.op, step.operands.clone()))
            .collect();
        Ok(Self {
            key: Key {
                steps,
                access,
                rank,
                in_place,
            },
            params,
        })
    }

    pub fn dispatch(
        &self,
        kernel: Arc<KernelInfo>,
        bindings: Vec<ValueId>,
        n: u32,
    ) -> Result<Dispatch<ValueId>, DispatchError> {
        let extent = Extent::Threads([u64::from(n), 1, 1]);
        Dispatch::new(
            KernelRef::Shared(kernel),
            bindings,
            bytemuck::cast_slice(&self.params),
            extent,
        )
    }
}

/// The kernel of `op` alone over dense operands: what a snapshot shows of an operator.
///
/// # Errors
/// What the kernel compiler says.
pub fn sample_region(op: &'static ElementwiseOp) -> Result<KernelInfo, String> {
    let steps = vec![(op, (0..op.arity).collect())];
    Key {
        steps,
        access: vec![Access::Dense; op.arity],
        rank: 0,
        in_place: None,
    }
    .compile()
}

impl Key {
    /// Composes and compiles the kernel.
    pub fn compile(&self) -> Result<KernelInfo, String> {
        let mut builder = Builder::default();
        builder.interface(self);
        let module = builder.finish(self)?;
        let compiled = compile(&module, CompileOptions::default()).map_err(|problems| {
            problems
                .iter()
                .map(|problem| problem.message.clone())
                .collect::<Vec<_>>()
                .join("; ")
        })?;
        match &module.kernel {
            Some(kernel) => Ok(super::compiled::kernel_info(kernel, compiled, file!())),
            None => Err("the region has no kernel".into()),
        }
    }

    /// `region_` and the operators' names.
    fn name(&self) -> String {
        let names: Vec<_> = self.steps.iter().map(|(op, _)| op.name).collect();
        let mut name = format!("region_{}", names.join("_"));
        if name.len() > 60 {
            name.truncate(56);
            name.push_str("_etc");
        }
        name
    }
}

/// Builds the body of a region.
#[derive(Default)]
struct Builder {
    items: Vec<Item>,
    locals: Vec<Local>,
    stmts: Vec<Stmt>,
    bindings: Vec<KernelBinding>,
    params: Vec<KernelParam>,
    /// The binding of each input.
    inputs: Vec<usize>,
    output: usize,
}

const NO: Span = Span::NONE;

fn call(name: &str, args: Vec<Expr>) -> Expr {
    // Names of the table only.
    debug_assert!(Builtin::find(name, Form::Function).is_some());
    Expr::new(ExprKind::Named(name.into(), NO, args), NO)
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), NO)
}

impl Builder {
    /// Bindings: the inputs, but for one that the output replaces, then the output. Params: the
    /// number of elements, the extents but the first, and the strides that are not 0.
    fn interface(&mut self, key: &Key) {
        let binding = |name: String, writable| KernelBinding {
            name,
            elem: Type::F32,
            writable,
            span: NO,
        };
        let mut count = 0;
        let inputs: Vec<Option<usize>> = (0..key.access.len())
            .map(|input| {
                (Some(input) != key.in_place).then(|| {
                    self.bindings.push(binding(format!("x{input}"), false));
                    count += 1;
                    count - 1
                })
            })
            .collect();
        self.output = self.bindings.len();
        self.bindings.push(binding("y".into(), true));
        self.inputs = inputs
            .into_iter()
            .map(|input| input.unwrap_or(self.output))
            .collect();
        self.param("n".into());
        for dim in 1..key.rank {
            self.param(format!("dim{dim}"));
        }
        for (input, access) in key.access.iter().enumerate() {
            if let Access::Strided(moves) = access {
                for dim in (0..key.rank).filter(|dim| moves[*dim]) {
                    self.param(format!("x{input}_stride{dim}"));
                }
            }
        }
    }

    fn param(&mut self, name: String) {
        self.params.push(KernelParam {
            name,
            ty: Type::U32,
            widened: false,
            span: NO,
        });
    }

    fn param_named(&self, name: &str) -> Expr {
        let index = self
            .params
            .iter()
            .position(|param| param.name == name)
            .unwrap_or(0);
        Expr::new(ExprKind::Param(index), NO)
    }

    fn keep(&mut self, name: String, value: Expr) -> Expr {
        let local = LocalId(self.locals.len());
        self.locals.push(Local {
            name,
            ty: Type::Unknown,
            mutable: false,
            span: NO,
        });
        self.stmts.push(Stmt::Let {
            local,
            init: Some(value),
            span: NO,
        });
        Expr::new(ExprKind::Local(local), NO)
    }

    fn finish(mut self, key: &Key) -> Result<Module, String> {
        let index = {
            let value = call("global_index", Vec::new());
            self.keep("i".into(), value)
        };
        let outer = std::mem::take(&mut self.stmts);
        let coordinates = self.coordinates(key, &index);
        let mut values = Vec::new();
        for (input, access) in key.access.iter().enumerate() {
            let at = match access {
                Access::Dense => index.clone(),
                Access::Strided(moves) => self.strided(input, moves, &coordinates),
            };
            let binding = Expr::new(ExprKind::Binding(self.inputs[input]), NO);
            let value = Expr::new(ExprKind::Index(Box::new(binding), Box::new(at)), NO);
            values.push(self.keep(format!("v{input}"), value));
        }
        for (op, operands) in &key.steps {
            let (item, name) = (self.operator(op), op.name);
            let args: Option<Vec<Expr>> = operands
                .iter()
                .map(|operand| values.get(*operand).cloned())
                .collect();
            let args =
                args.ok_or_else(|| format!("step `{name}` names a value that is not there"))?;
            let value = Expr::new(ExprKind::Call(item, args), NO);
            values.push(self.keep(format!("{name}_{}", values.len()), value));
        }
        let Some(result) = values.last().cloned() else {
            return Err("the region has no steps".into());
        };
        let output = Expr::new(ExprKind::Binding(self.output), NO);
        let place = Expr::new(
            ExprKind::Index(Box::new(output), Box::new(index.clone())),
            NO,
        );
        self.stmts.push(Stmt::Assign {
            place,
            op: None,
            value: result,
            span: NO,
        });
        let requires = self.requires(key);
        let inside = Block {
            stmts: std::mem::replace(&mut self.stmts, outer),
            tail: None,
        };
        let condition = binary(BinaryOp::Lt, index, self.param_named("n"));
        let guard = Expr::new(ExprKind::If(Box::new(condition), inside, None), NO);
        self.stmts.push(Stmt::Expr(guard));
        let name = key.name();
        let function = Function {
            wgsl_name: name.clone(),
            name,
            locals: self.locals,
            body: Block {
                stmts: self.stmts,
                tail: None,
            },
            span: NO,
            origin: Origin {
                file: file!().into(),
                line: line!(),
            },
            ..Function::default()
        };
        let kernel = Kernel {
            function,
            bindings: self.bindings,
            params: self.params,
            workgroup_size: [256, 1, 1],
            requires,
            ..Kernel::default()
        };
        Ok(Module {
            tables: Vec::new(),
            items: self.items,
            kernel: Some(kernel),
        })
    }

    /// What is dense has as many elements as the output.
    fn requires(&self, key: &Key) -> Vec<Requires> {
        let dense = key.access.iter().zip(&self.inputs);
        let mut bindings: Vec<usize> = dense
            .filter(|(access, _)| **access == Access::Dense)
            .map(|(_, binding)| *binding)
            .collect();
        bindings.push(self.output);
        bindings.sort_unstable();
        bindings.dedup();
        let conditions = bindings.into_iter().map(|index| {
            let binding = Box::new(Expr::new(ExprKind::Binding(index), NO));
            let length = Expr::new(ExprKind::Method(binding, "len".into(), NO, Vec::new()), NO);
            let name = self.bindings.get(index).map_or("", |binding| &binding.name);
            Requires {
                condition: binary(BinaryOp::Ge, length, self.param_named("n")),
                text: format!("{name}.len() >= n"),
            }
        });
        conditions.collect()
    }

    /// The index in each dimension, the last fastest.
    fn coordinates(&mut self, key: &Key, index: &Expr) -> Vec<Expr> {
        let mut coordinates = Vec::new();
        let mut rest = index.clone();
        for dim in (1..key.rank).rev() {
            let extent = self.param_named(&format!("dim{dim}"));
            coordinates.push(self.keep(
                format!("at{dim}"),
                binary(BinaryOp::Rem, rest.clone(), extent.clone()),
            ));
            rest = self.keep(format!("above{dim}"), binary(BinaryOp::Div, rest, extent));
        }
        if key.rank > 0 {
            coordinates.push(rest);
        }
        coordinates.reverse();
        coordinates
    }

    fn strided(&mut self, input: usize, moves: &[bool], coordinates: &[Expr]) -> Expr {
        let mut sum: Option<Expr> = None;
        for (dim, coordinate) in coordinates
            .iter()
            .enumerate()
            .filter(|(dim, _)| moves[*dim])
        {
            let stride = self.param_named(&format!("x{input}_stride{dim}"));
            let term = binary(BinaryOp::Mul, coordinate.clone(), stride);
            sum = Some(match sum {
                None => term,
                Some(sum) => binary(BinaryOp::Add, sum, term),
            });
        }
        sum.unwrap_or_else(|| Expr::u32(0, NO))
    }

    /// The item of an operator, added on its first use.
    fn operator(&mut self, op: &ElementwiseOp) -> ItemId {
        let is_known =
            |item: &Item| matches!(item, Item::Printed(printed) if printed.name == op.name);
        if let Some(index) = self.items.iter().position(is_known) {
            return ItemId(index);
        }
        self.items.push(Item::Printed(Printed {
            name: op.name.into(),
            params: vec![Type::F32; op.arity],
            ret: Type::F32,
            texts: op
                .wgsl
                .iter()
                .map(|(name, text)| ((*name).to_string(), (*text).to_string()))
                .collect(),
            twin: op.twin.to_vec(),
        }));
        ItemId(self.items.len() - 1)
    }
}
