//! Atomics whose order matters: nothing races, and what comes out depends on who was first. The barrier
//! that mends them is there or not when they are compiled: one that a run passes by ends a turn too.

use super::planted;
use rlx_kernels::prelude::*;
use rlx_kernels::{Order, Report, SimError, SimOptions};

/// Counts are read before all have counted.
#[kernel(workgroup_size(64), threads(n), instances(MENDED in [0, 1]))]
fn early_histogram<const MENDED: u32>(x: &[u32], bins: &mut [AtomicU32], n: u32) {
    #[workgroup]
    let counts: [AtomicU32; 64];
    let i = global_index();
    let me = local_index();
    if i < n {
        counts[x[i] % 64].fetch_add(1);
    }
    if MENDED == 1 {
        workgroup_barrier();
    }
    bins[me].fetch_add(counts[me].load()); //~ order-dependent
}

/// The first invocation sets a counter while the others count.
#[kernel(workgroup_size(64), threads(n), instances(MENDED in [0, 1]))]
fn late_start<const MENDED: u32>(x: &[u32], y: &mut [u32], n: u32) {
    #[workgroup]
    let count: [AtomicU32; 1];
    let i = global_index();
    let me = local_index();
    if me == 0 {
        count[0].store(100);
    }
    if MENDED == 1 {
        workgroup_barrier();
    }
    if i < n && x[i] % 2 == 0 {
        count[0].fetch_add(1);
    }
    workgroup_barrier();
    if i < n {
        y[i] = count[0].load(); //~ order-dependent
    }
}

/// The last invocation does, and few count.
#[kernel(workgroup_size(64), threads(n), instances(MENDED in [0, 1]))]
fn late_start_by_the_last<const MENDED: u32>(x: &[u32], y: &mut [u32], n: u32) {
    #[workgroup]
    let count: [AtomicU32; 1];
    let i = global_index();
    let me = local_index();
    if me == 63 {
        count[0].store(100);
    }
    if MENDED == 1 {
        workgroup_barrier();
    }
    if me < 4 {
        count[0].fetch_max(1000 + x[me]);
    }
    workgroup_barrier();
    if i < n {
        y[i] = count[0].load(); //~ order-dependent
    }
}

/// Within a loop: the next round begins while the one before is still read.
#[kernel(workgroup_size(32), threads(n), instances(MENDED in [0, 1]))]
fn rounds_that_run_into_one_another<const MENDED: u32>(x: &[u32], y: &mut [u32], n: u32) {
    #[workgroup]
    let most: [AtomicU32; 1];
    let i = global_index();
    let me = local_index();
    for round in 0..3 {
        if i < n {
            most[0].fetch_max(x[i] >> round);
        }
        workgroup_barrier();
        if i < n {
            y[i * 3 + round] = most[0].load(); //~ order-dependent
        }
        if MENDED == 1 {
            workgroup_barrier();
        }
        if me == 7 {
            most[0].store(0);
        }
        workgroup_barrier();
    }
}

fn words() -> Vec<u32> {
    (0..64).map(|i| i * 37 % 101).collect()
}

planted! {
    counts_that_are_read_before_all_have_counted: early_histogram |o, mended| if mended == 1 { early_histogram::simulate::<1>(&words(), &mut [0; 64], 64, o) } else { early_histogram::simulate::<0>(&words(), &mut [0; 64], 64, o) };
    a_counter_that_is_set_while_others_count: late_start |o, mended| if mended == 1 { late_start::simulate::<1>(&words(), &mut [0; 64], 64, o) } else { late_start::simulate::<0>(&words(), &mut [0; 64], 64, o) };
    a_counter_that_the_last_sets: late_start_by_the_last |o, mended| if mended == 1 { late_start_by_the_last::simulate::<1>(&words(), &mut [0; 64], 64, o) } else { late_start_by_the_last::simulate::<0>(&words(), &mut [0; 64], 64, o) };
    a_word_that_is_reset_while_others_read_it: rounds_that_run_into_one_another |o, mended| if mended == 1 { rounds_that_run_into_one_another::simulate::<1>(&words(), &mut [0; 192], 64, o) } else { rounds_that_run_into_one_another::simulate::<0>(&words(), &mut [0; 192], 64, o) };
}

/// What lock-free code does, and what comes out the same in any order: a look before a maximum, a
/// maximum of floats by compare and exchange, a flag that many set, a counter that wraps both ways.
#[kernel(workgroup_size(64), threads(n))]
fn lock_free(x: &[u32], y: &mut [u32], n: u32) {
    #[workgroup]
    let words: [AtomicU32; 4];
    let i = global_index();
    let me = local_index();
    if i < n {
        if words[0].load() < x[i] {
            words[0].fetch_max(x[i]);
        }
        let mine = x[i] as f32 * 0.5;
        let mut seen = words[1].load();
        while f32::from_bits(seen) < mine {
            let old = words[1].compare_exchange(seen, mine.to_bits());
            if old == seen {
                break;
            }
            seen = old;
        }
        if x[i] % 5 == 0 {
            words[2].store(1);
        }
        words[3].fetch_add(x[i]);
        words[3].fetch_sub(i);
    }
    workgroup_barrier();
    if me < 4 && i < n {
        y[i] = words[me].load();
    }
}

#[test]
fn what_comes_out_the_same_in_any_order_is_no_finding() -> Result<(), SimError> {
    let x = words();
    let mut y = vec![0; 64];
    lock_free::simulate(&x, &mut y, 64, &SimOptions::thorough())?.assert_clean();
    assert_eq!(y[..3], [100, 50.0_f32.to_bits(), 1]);
    Ok(())
}

fn early(options: &SimOptions) -> Result<Report, SimError> {
    early_histogram::simulate::<0>(&words(), &mut [0; 64], 64, options)
}

#[test]
fn a_finding_names_both_atomics_and_the_orders() -> Result<(), SimError> {
    let text = early(&SimOptions::thorough())?.to_string();
    for part in [
        "error[order-dependent]: `bins[",
        " in order forward, and ",
        " in order backward, in turns",
        "updates `counts[",
        "loads `counts[",
        "with no barrier between",
        "put a barrier between the atomics",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    Ok(())
}

#[test]
fn one_order_alone_compares_nothing() -> Result<(), SimError> {
    let lockstep = early(&SimOptions::default())?;
    assert!(lockstep.findings.is_empty(), "{lockstep}");
    let in_turns = early(&SimOptions::default().order(Order::Backward))?;
    assert_eq!((in_turns.runs, in_turns.findings.len()), (1, 0));
    Ok(())
}
