//! The chapter "Find a race in five minutes".

use rlx_kernels::prelude::*;

/// sum[0] = Σ x, by a tree in workgroup memory.
#[kernel(workgroup_size(64), groups(1))]
#[requires(x.len() >= 64, sum.len() >= 1)]
pub fn tree(x: &[f32], sum: &mut [f32]) {
    #[workgroup]
    let partial: [f32; 64];
    let me = local_index();
    partial[me] = x[me];
    let mut half = 32;
    while half > 0 {
        if me < half {
            partial[me] += partial[me + half];
        }
        workgroup_barrier();
        half /= 2;
    }
    if me == 0 {
        sum[0] = partial[0];
    }
}

/// The report of a run over the numbers from 0 to 63.
fn report(sum: &mut [f32]) -> Result<Report, SimError> {
    let x: Vec<f32> = (0..64_u8).map(f32::from).collect();
    tree::simulate(&x, sum, &SimOptions::thorough())
}

#[test]
fn the_chapter_shows_what_the_twin_prints() {
    let mut sum = [0.0];
    let text = report(&mut sum).expect("it runs").to_string();
    assert_eq!(sum, [2016.0], "the sum is right all the same");
    let chapter = include_str!("../../../docs/find-a-race.md");
    assert!(chapter.contains(&text), "the chapter should show:\n{text}");
}

/// bins[b] = how many of x are b, counted in workgroup memory.
#[kernel(workgroup_size(64), groups(1))]
#[requires(x.len() >= 64, bins.len() >= 64)]
pub fn counts(x: &[u32], bins: &mut [u32]) {
    #[workgroup]
    let own: [AtomicU32; 64];
    let me = local_index();
    own[x[me] % 64].fetch_add(1);
    bins[me] = own[me].load();
}

#[test]
fn the_chapter_shows_what_the_twin_prints_of_atomics() {
    let x: Vec<u32> = (0..64).map(|i| 63 - i).collect();
    let report = counts::simulate(&x, &mut [0; 64], &SimOptions::thorough()).expect("it runs");
    let text = report.to_string();
    let chapter = include_str!("../../../docs/find-a-race.md");
    assert!(chapter.contains(&text), "the chapter should show:\n{text}");
}
