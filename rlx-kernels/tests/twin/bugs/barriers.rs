//! Barriers and subgroup operations that not all invocations reach.
//!
//! The analysis of uniformity refuses such kernels, and it is sound; the twin must find them all the
//! same, since it is what holds the analysis to account. So these kernels write to a workgroup
//! variable `wait` or `vote` where they would wait or vote, and the test puts the operation there.

use std::sync::Arc;

use rlx_kernel_twin::program::code::Fence;
use rlx_kernel_twin::program::{Block, Decoded, Op, Program, Reg};
use rlx_kernels::prelude::*;
use rlx_kernels::{Dispatch, KernelInfo, KernelRef, Report, SimError, SimOptions, simulate};

/// Puts operations in place of the writes to `wait` and `vote`.
fn put(block: &mut Block, (wait, vote): (Option<u32>, Option<u32>), scratch: Reg) {
    for step in &mut block.0 {
        match &mut step.op {
            Op::Store { memory, .. } if Some(memory.0) == wait => {
                let fence = Fence::Workgroup;
                step.op = Op::Barrier { fence };
            }
            Op::Store { memory, .. } if Some(memory.0) == vote => {
                step.op = Op::Elect { to: scratch };
            }
            Op::If {
                then, otherwise, ..
            } => {
                put(then, (wait, vote), scratch);
                put(otherwise, (wait, vote), scratch);
            }
            Op::Loop { body, .. } | Op::Scope { body } => put(body, (wait, vote), scratch),
            _ => {}
        }
    }
}

/// The kernel with operations in place of the writes that stand for them.
fn with_waits(kernel: &KernelInfo) -> KernelInfo {
    let Ok(Decoded::Program(mut program)) = Decoded::decode(&kernel.twin) else {
        panic!("the twin of {} is a program", kernel.label());
    };
    let named = |name: &str| {
        let index = program
            .memories
            .iter()
            .position(|memory| memory.name == name);
        index.map(|index| index as u32)
    };
    let (wait, vote) = (named("wait"), named("vote"));
    let scratch = Reg(program.registers);
    program.registers += 1;
    put(&mut program.body, (wait, vote), scratch);
    let program: Program = program;
    KernelInfo {
        twin: Decoded::Program(program).encode().into(),
        ..kernel.clone()
    }
}

fn run(kernel: &KernelInfo, fixed: u32, options: &SimOptions) -> Result<Report, SimError> {
    let dispatch = Dispatch {
        kernel: KernelRef::Shared(Arc::new(with_waits(kernel))),
        bindings: vec![0, 1],
        params: fixed.to_le_bytes().to_vec(),
        overrides: Vec::new(),
        grid: [2, 1, 1],
    };
    // 64 numbers, and as many results.
    let x: Vec<u8> = (0..64_u32).flat_map(|i| (i % 5).to_le_bytes()).collect();
    simulate::dispatch(&dispatch, &mut [x, vec![0; 256]], options)
}

macro_rules! waits {
    ($($test:ident: $kernel:ident;)+) => { $(
        #[test]
        fn $test() {
            let source = include_str!("barriers.rs");
            super::check(source, $kernel::info(), |fixed, options| run($kernel::info(), fixed, options));
        }
    )+ };
}

waits! {
    a_barrier_under_a_branch: under_a_branch;
    a_barrier_in_the_other_branch: in_the_other_branch;
    a_return_before_a_barrier: return_before;
    a_loop_of_as_many_rounds_as_each_likes: rounds_of_its_own;
    a_loop_that_some_leave_before_the_barrier: left_early;
    a_loop_that_some_go_on_with_before_the_barrier: gone_on;
    a_vote_under_a_branch: vote_under_a_branch;
    a_vote_after_a_return: vote_after_a_return;
}

#[kernel(workgroup_size(32), groups(1))]
fn under_a_branch(x: &[u32], y: &mut [u32], fixed: u32) {
    #[workgroup]
    let wait: u32;
    let me = local_index();
    if me < 16 || fixed == 1 {
        wait = 0; //~ divergent-barrier
    }
    y[global_index()] = x[me];
}

#[kernel(workgroup_size(32), groups(1))]
fn in_the_other_branch(x: &[u32], y: &mut [u32], fixed: u32) {
    #[workgroup]
    let wait: u32;
    let me = local_index();
    if x[me] == 3 && fixed == 0 {
        y[global_index()] = 1;
    } else {
        wait = 0; //~ divergent-barrier
        y[global_index()] = 2;
    }
}

#[kernel(workgroup_size(32), groups(1))]
fn return_before(x: &[u32], y: &mut [u32], fixed: u32) {
    #[workgroup]
    let wait: u32;
    let me = global_index();
    if x[me] == 3 && fixed == 0 {
        return;
    }
    wait = 0; //~ divergent-barrier
    y[me] = 1;
}

#[kernel(workgroup_size(32), groups(1))]
fn rounds_of_its_own(x: &[u32], y: &mut [u32], fixed: u32) {
    #[workgroup]
    let wait: u32;
    let me = global_index();
    let rounds = if fixed == 1 { 4 } else { x[me] };
    for _ in 0..rounds {
        wait = 0; //~ divergent-barrier
    }
    y[me] = rounds;
}

#[kernel(workgroup_size(32), groups(1))]
fn left_early(x: &[u32], y: &mut [u32], fixed: u32) {
    #[workgroup]
    let wait: u32;
    let me = global_index();
    let mut round = 0;
    while round < 4 {
        if x[me] == round && fixed == 0 {
            break;
        }
        wait = 0; //~ divergent-barrier
        round += 1;
    }
    y[me] = round;
}

#[kernel(workgroup_size(32), groups(1))]
fn gone_on(x: &[u32], y: &mut [u32], fixed: u32) {
    #[workgroup]
    let wait: u32;
    let me = global_index();
    let mut sum = 0;
    for round in 0..4 {
        if x[me] == round && fixed == 0 {
            continue;
        }
        wait = 0; //~ divergent-barrier
        sum += round;
    }
    y[me] = sum;
}

#[kernel(workgroup_size(32), groups(1))]
fn vote_under_a_branch(x: &[u32], y: &mut [u32], fixed: u32) {
    #[workgroup]
    let vote: u32;
    let me = global_index();
    if x[me] == 3 || fixed == 1 {
        vote = 0; //~ divergent-subgroup
    }
    y[me] = me;
}

#[kernel(workgroup_size(32), groups(1))]
fn vote_after_a_return(x: &[u32], y: &mut [u32], fixed: u32) {
    #[workgroup]
    let vote: u32;
    let me = global_index();
    if x[me] == 3 && fixed == 0 {
        return;
    }
    vote = 0; //~ divergent-subgroup
    y[me] = me;
}
