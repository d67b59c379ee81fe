//! A kernel compiled at run time as a [`KernelInfo`].

use std::borrow::Cow;

use rlx_kernel_ir::twin::Location;
use rlx_kernel_ir::{BinaryOp, Compiled, Kernel, bounds};
use rlx_kernels::cost::{Amount, Cost, Symbol, Term};
use rlx_kernels::kernel::fnv1a;
use rlx_kernels::proof::Code;
use rlx_kernels::{
    Binding, Features, KernelInfo, ParamField, Proof, RequiredLimit, Requirement, Unproved,
};

/// The facts of `compiled`, which was made from `kernel` in `file`.
pub(super) fn kernel_info(kernel: &Kernel, compiled: Compiled, file: &'static str) -> KernelInfo {
    let bindings: Vec<Binding> = compiled
        .bindings
        .into_iter()
        .map(|binding| Binding {
            name: binding.name.into(),
            variable: binding.variable.into(),
            element: binding.element.into(),
            stride: binding.stride,
            writable: binding.writable,
        })
        .collect();
    let params: Vec<ParamField> = compiled
        .params
        .into_iter()
        .map(|param| ParamField {
            name: param.name.into(),
            ty: param.ty.into(),
            offset: param.offset,
            size: param.size,
        })
        .collect();
    let limits = compiled.limits.iter().map(|required| RequiredLimit {
        name: required.limit.name.into(),
        needed: required.needed,
        default: required.limit.default,
    });
    // A region has no source: its findings name the file that makes it.
    let twin = compiled.twin.encode(|_| Location {
        file: format!("{} (made in {file})", kernel.function.name),
        line: 0,
        column: 0,
    });
    let proof = proof(
        &compiled.proof,
        &compiled.wgsl,
        (file, kernel.function.origin.line),
    );
    KernelInfo {
        name: kernel.function.name.clone().into(),
        entry: compiled.entry.into(),
        instance: Cow::Borrowed(""),
        file: Cow::Borrowed(file),
        line: kernel.function.origin.line,
        bindings: bindings.into(),
        params: params.into(),
        // Regions decode no weights.
        tables: Cow::Borrowed(&[]),
        params_size: compiled.validated.params_size,
        workgroup_size: kernel.workgroup_size,
        workgroup_bytes: compiled.validated.workgroup_bytes,
        numbers: Cow::Borrowed(&[]),
        // A region is compiled for its graph.
        overrides: Cow::Borrowed(&[]),
        workgroup: None,
        features: Features {
            subgroup: compiled.validated.subgroup,
            f16: compiled.validated.f16,
            int64: compiled.validated.int64,
            matrix: compiled.validated.matrix,
        },
        // Elementwise operators have none.
        matrices: Cow::Borrowed(&[]),
        linear: compiled.linear,
        limits: limits.collect(),
        proof,
        cost: cost(&compiled.cost),
        hash: fnv1a(compiled.wgsl.as_bytes()),
        wgsl: compiled.wgsl.into(),
        twin: twin.into(),
        // Operators are printed before they are put together.
        traced: None,
    }
}

/// What a kernel costs.
fn cost(found: &rlx_kernel_ir::cost::Cost) -> Cost {
    let amount = |amount: &rlx_kernel_ir::cost::Amount| {
        let terms = amount.terms().iter().map(|(factors, ratio)| Term {
            above: ratio.above,
            below: ratio.below,
            factors: factors
                .iter()
                .map(|(own, power)| (symbol(*own), *power))
                .collect(),
        });
        Amount(terms.collect())
    };
    Cost {
        flops: amount(&found.flops),
        read: amount(&found.read),
        written: amount(&found.written),
        open: found.open,
    }
}

fn symbol(symbol: rlx_kernel_ir::cost::Symbol) -> Symbol {
    use rlx_kernel_ir::cost::Symbol as Found;

    match symbol {
        Found::Param(index) => Symbol::Param(index),
        Found::Length(index) => Symbol::Length(index),
        Found::Override(index) => Symbol::Override(index),
        Found::SubgroupSize => Symbol::SubgroupSize,
        Found::NumSubgroups => Symbol::NumSubgroups,
    }
}

/// What is proved of a kernel that was made at `place`.
fn proof(found: &bounds::Proof, wgsl: &str, (file, line): (&'static str, u32)) -> Proof {
    let list = |all: &[bounds::Unproved]| {
        let all = all.iter().map(|open| Unproved {
            file: Cow::Borrowed(file),
            line,
            column: 1,
            reason: open.reason.clone().into(),
        });
        all.collect()
    };
    let requires = found.requires.iter().map(|requirement| Requirement {
        text: requirement.text.clone().into(),
        code: requirement.code.iter().copied().filter_map(step).collect(),
    });
    Proof::of_the_compiler(
        fnv1a(wgsl.as_bytes()),
        list(&found.indices),
        list(&found.loops),
        requires.collect(),
    )
}

/// A step of a condition; none that conditions do not have.
fn step(code: bounds::Code) -> Option<Code> {
    Some(match code {
        bounds::Code::Number(value) => Code::Number(value),
        bounds::Code::Param(index) => Code::Param(index),
        bounds::Code::Override(index) => Code::Override(index),
        bounds::Code::Length(index) => Code::Length(index),
        bounds::Code::DivCeil => Code::DivCeil,
        bounds::Code::Operator(op) => match op {
            BinaryOp::Add => Code::Add,
            BinaryOp::Sub => Code::Sub,
            BinaryOp::Mul => Code::Mul,
            BinaryOp::Div => Code::Div,
            BinaryOp::Rem => Code::Rem,
            BinaryOp::And => Code::And,
            BinaryOp::Eq => Code::Eq,
            BinaryOp::Ne => Code::Ne,
            BinaryOp::Lt => Code::Lt,
            BinaryOp::Le => Code::Le,
            BinaryOp::Gt => Code::Gt,
            BinaryOp::Ge => Code::Ge,
            BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Or => return None,
        },
    })
}
