//! What is refused: devices without the matrices, workgroups of no whole subgroups, browsers.

use std::sync::Arc;

use rlx_backends::wgpu::DeviceError;
use rlx_conformance::browser::{Form, Job};
use rlx_conformance::devices::{Outcome, gpu};
use rlx_kernel_twin::program::{Decoded, Op};
use rlx_kernels::kernel::BindingSet;
use rlx_kernels::prelude::*;
use rlx_kernels::{Check, Dispatch, KernelInfo, KernelRef, simulate};

use super::{products, transposed};

#[test]
fn a_kernel_with_matrices_names_its_shape_and_is_not_for_the_web() {
    let kernel = products::instance("f32, N=16").expect("it is compiled");
    let facts = kernel.facts();
    assert!(
        facts.contains("// features    subgroups, f16, cooperative matrices\n"),
        "{facts}"
    );
    assert!(
        facts.contains("// matrices    16x16x16 f16 -> f32\n"),
        "{facts}"
    );
    assert!(
        kernel
            .wgsl
            .starts_with("enable f16;\nenable wgpu_cooperative_matrix;\n")
    );
    let error = kernel
        .wgsl_for_web(BindingSet::NONE)
        .expect_err("no browser has matrices");
    assert_eq!(
        error.to_string(),
        "no browser runs kernel `products::f32, N=16`: it needs the features subgroups, f16, cooperative matrices"
    );
    let added = Job::default().add_module(kernel, Form::Arena);
    assert_eq!(
        added,
        Err(error),
        "the browser's test leaves it out by that"
    );
}

/// A copy of a matrix, if all are to make one.
#[kernel(workgroup_size(64), groups(1))]
fn by_some(x: &[f32], y: &mut [f32], all: u32) {
    let few = local_index() < 3;
    let every = all == 1;
    if few {
        y[local_index()] = 0.0;
    }
    if every {
        let c = MatrixC::<f32, 8>::load_rows(x, 0, 8);
        if subgroup_id() == 0 {
            c.store_rows(y, 64, 8);
        }
    }
}

#[test]
fn the_twin_finds_a_matrix_that_not_all_of_a_subgroup_come_to_and_where_the_others_are() {
    let run = |kernel: &KernelInfo| {
        let kernel = KernelRef::Shared(Arc::new(kernel.clone()));
        let params = by_some::Params::new(1);
        let dispatch = by_some::dispatch(by_some::info(), [0, 1], params).expect("a grid");
        let mut buffers = [vec![0; 256], vec![0; 512]];
        let options = SimOptions::default().subgroup_size(8);
        let dispatch = Dispatch { kernel, ..dispatch };
        simulate::dispatch(&dispatch, &mut buffers, &options).expect("it runs")
    };
    run(by_some::info()).assert_clean();
    // The analysis of uniformity lets no such kernel pass: the second condition becomes the first.
    let Ok(Decoded::Program(mut program)) = Decoded::decode(&by_some::info().twin) else {
        panic!("the twin is a program");
    };
    let mut first = None;
    for step in &mut program.body.0 {
        if let Op::If { condition, .. } = &mut step.op {
            *condition = *first.get_or_insert(*condition);
        }
    }
    let twin = Decoded::Program(program).encode();
    let report = run(&KernelInfo {
        twin: twin.into(),
        ..by_some::info().clone()
    });
    let text = report.to_string();
    assert!(
        text.contains("reached by 3 of the 8 invocations of a subgroup"),
        "{text}"
    );
    assert!(
        text.contains("invocation 3 takes the other side of this branch"),
        "{text}"
    );
    assert_eq!(
        report
            .of(Check::DivergentSubgroup)
            .next()
            .map(|finding| finding.at.line),
        Some(by_some::info().line + 7)
    );
}

#[test]
fn a_workgroup_of_no_whole_subgroups_is_refused_before_a_pipeline_is_made() -> Outcome {
    let gpu = gpu();
    let Some((_, most)) = gpu.capabilities().subgroup_size else {
        return Err("the adapter has subgroups".into());
    };
    // What is wrong is the size alone, on devices with matrices of any kind.
    let mut kernel = transposed::info().clone();
    kernel.workgroup_size = [most + 1, 1, 1];
    kernel.features.matrix = false;
    kernel.matrices = gpu.capabilities().matrices.clone().into();
    let has_any = !kernel.matrices.is_empty();
    kernel.hash ^= 1;
    let dispatch = transposed::dispatch(transposed::info(), [0, 1])?;
    let (x, y) = (gpu.upload(&[0_u32; 32])?, gpu.alloc::<u32>(32)?);
    let run = Dispatch {
        kernel: KernelRef::Shared(Arc::new(kernel)),
        bindings: vec![x.handle().clone(), y.handle().clone()],
        params: dispatch.params,
        overrides: dispatch.overrides,
        grid: dispatch.grid,
    };
    let is_refused = matches!(gpu.run(&run), Err(DeviceError::Subgroups { .. }));
    assert_eq!(is_refused, has_any);
    Ok(())
}
