//! Missing barriers, in the kernels of the gallery where one matters.

use rlx_kernels::prelude::*;

use crate::{floats, planted};

/// The levels of the tree do not wait for one another.
#[kernel(workgroup_size(64), threads(n))]
fn reduction_levels(x: &[f32], sums: &mut [f32], n: u32, mended: u32) {
    #[workgroup]
    let partial: [f32; 64];
    let me = local_index();
    partial[me] = if me < n { x[me] } else { 0.0 };
    workgroup_barrier();
    let mut half = 32;
    while half > 0 {
        if me < half {
            partial[me] += partial[me + half]; //~ race
        }
        if mended == 1 {
            workgroup_barrier();
        }
        half /= 2;
    }
    if mended == 0 {
        workgroup_barrier();
    }
    if me == 0 {
        sums[0] = partial[0];
    }
}

/// The first level does not wait for the loads.
#[kernel(workgroup_size(64), threads(n))]
fn reduction_loads(x: &[f32], sums: &mut [f32], n: u32, mended: u32) {
    #[workgroup]
    let partial: [f32; 64];
    let me = local_index();
    partial[me] = if me < n { x[me] } else { 0.0 };
    if mended == 1 {
        workgroup_barrier();
    }
    if me < 32 {
        partial[me] += partial[me + 32]; //~ race
    }
    workgroup_barrier();
    if me == 0 {
        let mut sum = 0.0;
        for i in 0..32 {
            sum += partial[i];
        }
        sums[0] = sum;
    }
}

/// The way up the tree does not wait between its levels.
#[allow(bank_conflict)] // What is planted here is something else.
#[kernel(workgroup_size(32), groups(1))]
fn scan_up(x: &[u32], totals: &mut [u32], n: u32, mended: u32) {
    #[workgroup]
    let tree: [u32; 64];
    let me = local_index();
    tree[me] = if me < n { x[me] } else { 0 };
    tree[me + 32] = if me + 32 < n { x[me + 32] } else { 0 };
    workgroup_barrier();
    let mut stride = 1;
    while stride < 64 {
        let right = (2 * me + 2) * stride - 1;
        if right < 64 {
            tree[right] += tree[right - stride]; //~ race
        }
        if mended == 1 {
            workgroup_barrier();
        }
        stride *= 2;
    }
    workgroup_barrier();
    if me == 0 {
        totals[0] = tree[63];
    }
}

/// The way down begins while the root is still being read.
#[kernel(workgroup_size(32), threads(n))]
fn scan_down(x: &[u32], sums: &mut [u32], n: u32, mended: u32) {
    #[workgroup]
    let tree: [u32; 32];
    let me = local_index();
    tree[me] = if me < n { x[me] } else { 0 };
    workgroup_barrier();
    if me == 31 {
        tree[31] = 0;
    }
    if mended == 1 {
        workgroup_barrier();
    }
    let before = tree[(me + 31) % 32]; //~ race
    if me < n {
        sums[me] = before;
    }
}

/// What one invocation has loaded is read by another that has not waited.
#[allow(bank_conflict)] // What is planted here is something else.
#[kernel(workgroup_size(8, 8), groups(n.div_ceil(8), n.div_ceil(8)))]
fn transpose(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    #[workgroup]
    let tile: [[f32; 9]; 8];
    let me = local_id();
    let left = workgroup_id().x * 8;
    let top = workgroup_id().y * 8;
    if top + me.y < n && left + me.x < n {
        tile[me.y][me.x] = x[(top + me.y) * n + left + me.x];
    }
    if mended == 1 {
        workgroup_barrier();
    }
    if left + me.y < n && top + me.x < n {
        y[(left + me.y) * n + top + me.x] = tile[me.x][me.y]; //~ race
    }
}

/// The steps of the network do not wait for one another.
#[kernel(workgroup_size(32), threads(n.div_ceil(2)))]
fn bitonic(keys: &mut [u32], n: u32, mended: u32) {
    #[workgroup]
    let block: [u32; 64];
    let me = local_index();
    block[me] = if me < n { keys[me] } else { u32::MAX };
    block[me + 32] = if me + 32 < n { keys[me + 32] } else { u32::MAX };
    workgroup_barrier();
    let mut sorted = 1;
    while sorted < 64 {
        sorted *= 2;
        let mut height = sorted;
        while height > 1 {
            let half = height / 2;
            let low = me / half * height + me % half;
            let high = if height == sorted {
                me / half * height + height - 1 - me % half
            } else {
                low + half
            };
            let a = block[low];
            let b = block[high];
            if a > b {
                block[low] = b; //~ race
                block[high] = a;
            }
            if mended == 1 {
                workgroup_barrier();
            }
            height /= 2;
        }
    }
    workgroup_barrier();
    if me < n {
        keys[me] = block[me];
    }
    if me + 32 < n {
        keys[me + 32] = block[me + 32];
    }
}

/// The next tile is loaded while others still read this one.
#[kernel(workgroup_size(32), threads(n))]
fn nbody_next_tile(mass: &[f32], sums: &mut [f32], n: u32, mended: u32) {
    #[workgroup]
    let tile: [f32; 32];
    let i = global_index();
    let me = local_index();
    let mut sum = 0.0;
    for first in (0..n).step_by(32) {
        if first + me < n {
            tile[me] = mass[first + me]; //~ race
        }
        workgroup_barrier();
        for j in 0..(n - first).min(32) {
            sum += tile[j];
        }
        if mended == 1 {
            workgroup_barrier();
        }
    }
    if i < n {
        sums[i] = sum;
    }
}

/// The tile is read before the others have loaded it.
#[kernel(workgroup_size(32), threads(n))]
fn nbody_this_tile(mass: &[f32], sums: &mut [f32], n: u32, mended: u32) {
    #[workgroup]
    let tile: [f32; 32];
    let i = global_index();
    let me = local_index();
    if i < n {
        tile[me] = mass[i];
    }
    if mended == 1 {
        workgroup_barrier();
    }
    let mut sum = 0.0;
    for j in 0..n.min(32) {
        sum += tile[j]; //~ race
    }
    if i < n {
        sums[i] = sum;
    }
}

/// Tiles of the next step of k overwrite those that are being multiplied.
#[kernel(workgroup_size(8, 8), groups(1))]
fn sgemm(a: &[f32], b: &[f32], c: &mut [f32], k: u32, mended: u32) {
    #[workgroup]
    let a_tile: [[f32; 8]; 8];
    #[workgroup]
    let b_tile: [[f32; 8]; 8];
    let me = local_id();
    let mut sum = 0.0;
    for base in (0..k).step_by(8) {
        a_tile[me.y][me.x] = a[me.y * k + base + me.x]; //~ race
        b_tile[me.y][me.x] = b[(base + me.y) * 8 + me.x];
        workgroup_barrier();
        for step in 0..8 {
            sum += a_tile[me.y][step] * b_tile[step][me.x];
        }
        if mended == 1 {
            workgroup_barrier();
        }
    }
    c[me.y * 8 + me.x] = sum;
}

/// Partial sums are read before they are there.
#[kernel(workgroup_size(64), groups(rows))]
fn split_k(a: &[f32], x: &[f32], y: &mut [f32], rows: u32, k: u32, mended: u32) {
    #[workgroup]
    let sums: [f32; 64];
    let me = local_index();
    let row = workgroup_index();
    let mut sum = 0.0;
    for i in (me..k).step_by(64) {
        sum += a[row * k + i] * x[i];
    }
    sums[me] = sum;
    if mended == 1 {
        workgroup_barrier();
    }
    if me == 0 && row < rows {
        let mut all = 0.0;
        for i in 0..64 {
            all += sums[i]; //~ race
        }
        y[row] = all;
    }
}

/// The maximum is overwritten by the first partial sum.
#[kernel(workgroup_size(32), groups(1))]
fn softmax(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let seen: [f32; 32];
    let me = local_index();
    seen[me] = x[me];
    workgroup_barrier();
    let mut most = seen[0];
    for i in 1..32 {
        most = most.max(seen[i]);
    }
    if mended == 1 {
        workgroup_barrier();
    }
    seen[me] = (x[me] - most).exp(); //~ race
    workgroup_barrier();
    let mut sum = 0.0;
    for i in 0..32 {
        sum += seen[i];
    }
    y[me] = (x[me] - most).exp() / sum;
}

/// The keys of the next tile arrive while this tile's are scored.
#[kernel(workgroup_size(16), threads(n))]
fn attention(q: &[f32], k: &[f32], y: &mut [f32], n: u32, mended: u32) {
    #[workgroup]
    let keys: [f32; 16];
    let row = global_index();
    let me = local_index();
    let mut query = 0.0;
    if row < n {
        query = q[row];
    }
    let mut most = -1e30;
    for first in (0..n).step_by(16) {
        let count = (n - first).min(16);
        if me < count {
            keys[me] = k[first + me]; //~ race
        }
        workgroup_barrier();
        for j in 0..count {
            most = most.max(query * keys[j]);
        }
        if mended == 1 {
            workgroup_barrier();
        }
    }
    if row < n {
        y[row] = most;
    }
}

/// A pass of the transform writes where others still read.
#[kernel(workgroup_size(16), groups(1))]
fn fft(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let work: [f32; 32];
    let me = local_index();
    work[me] = x[me];
    work[me + 16] = x[me + 16];
    let mut done = 1;
    while done < 32 {
        workgroup_barrier();
        let a = work[me];
        let b = work[me + 16];
        if mended == 1 {
            workgroup_barrier();
        }
        let k = me % done;
        work[2 * (me - k) + k] = a + b; //~ race
        work[2 * (me - k) + k + done] = a - b;
        done *= 2;
    }
    workgroup_barrier();
    y[me] = work[me];
    y[me + 16] = work[me + 16];
}

/// The filter reads pixels that a neighbour is still to load.
#[kernel(workgroup_size(32), threads(n))]
fn convolution(x: &[f32], y: &mut [f32], n: u32, mended: u32) {
    #[workgroup]
    let tile: [f32; 34];
    let me = local_index();
    let first = workgroup_index() * 32;
    for i in (me..34).step_by(32) {
        let at = first + i;
        tile[i] = if at > 0 && at <= n { x[at - 1] } else { 0.0 };
    }
    if mended == 1 {
        workgroup_barrier();
    }
    let i = global_index();
    if i < n {
        y[i] = tile[me] + 2.0 * tile[me + 1] + tile[me + 2]; //~ race
    }
}

/// A diagonal begins before the one before it is done.
#[kernel(workgroup_size(16), groups(1))]
fn edit_distance(a: &[u32], b: &[u32], distance: &mut [u32], len: u32, mended: u32) {
    #[workgroup]
    let diagonals: [[u32; 17]; 3];
    let me = local_index();
    for d in 0..=2 * len {
        for i in (d - d.min(len) + me..=d.min(len)).step_by(16) {
            let j = d - i;
            diagonals[d % 3][i] = if i == 0 || j == 0 {
                d
            } else {
                let differ = (a[i - 1] != b[j - 1]) as u32;
                let replaced = diagonals[(d + 1) % 3][i - 1] + differ;
                let deleted = diagonals[(d + 2) % 3][i - 1] + 1; //~ race
                let inserted = diagonals[(d + 2) % 3][i] + 1;
                replaced.min(deleted).min(inserted)
            };
        }
        if mended == 1 {
            workgroup_barrier();
        }
    }
    workgroup_barrier();
    if me == 0 {
        distance[0] = diagonals[2 * len % 3][len];
    }
}

/// The digits of the others are counted before they are known.
#[kernel(workgroup_size(32), threads(n))]
fn radix_ranks(keys: &[u32], ranks: &mut [u32], n: u32, mended: u32) {
    #[workgroup]
    let digits: [u32; 32];
    let i = global_index();
    let me = local_index();
    if i < n {
        digits[me] = keys[i] % 16;
    }
    if mended == 1 {
        workgroup_barrier();
    }
    if i < n {
        let mut rank = 0;
        for other in 0..me {
            rank += (digits[other] == digits[me]) as u32; //~ race
        }
        ranks[i] = rank;
    }
}

/// A value that one invocation finds is used by all without waiting for it.
#[kernel(workgroup_size(32), groups(1))]
fn broadcast(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let scale: [f32; 1];
    let me = local_index();
    if me == 0 {
        scale[0] = x[0] * 0.5;
    }
    if mended == 1 {
        workgroup_barrier();
    }
    y[me] = x[me] * scale[0]; //~ race
}

/// A storage barrier orders storage, not workgroup memory.
#[kernel(workgroup_size(32), groups(1))]
fn wrong_barrier(x: &[f32], y: &mut [f32], mended: u32) {
    #[workgroup]
    let tile: [f32; 32];
    let me = local_index();
    tile[me] = x[me];
    if mended == 1 {
        workgroup_barrier();
    } else {
        storage_barrier();
    }
    y[me] = tile[31 - me]; //~ race
}

planted! {
    levels_of_a_tree_that_do_not_wait: reduction_levels |o, mended| reduction_levels::simulate(&floats(64), &mut [0.0], 64, mended, o);
    a_tree_over_loads_that_are_not_done: reduction_loads |o, mended| reduction_loads::simulate(&floats(64), &mut [0.0], 64, mended, o);
    a_scan_that_does_not_wait_on_its_way_up: scan_up |o, mended| scan_up::simulate(&[1; 64], &mut [0], 64, mended, o);
    a_scan_that_does_not_wait_for_its_root: scan_down |o, mended| scan_down::simulate(&[1; 32], &mut [0; 32], 32, mended, o);
    a_tile_turned_before_it_is_there: transpose |o, mended| transpose::simulate(&floats(100), &mut [0.0; 100], 10, mended, o);
    comparators_that_do_not_wait: bitonic |o, mended| bitonic::simulate(&mut (0..50).rev().collect::<Vec<u32>>(), 50, mended, o);
    a_tile_overwritten_while_it_is_read: nbody_next_tile |o, mended| nbody_next_tile::simulate(&floats(70), &mut [0.0; 70], 70, mended, o);
    a_tile_read_while_it_is_loaded: nbody_this_tile |o, mended| nbody_this_tile::simulate(&floats(20), &mut [0.0; 20], 20, mended, o);
    tiles_of_a_product_overwritten: sgemm |o, mended| sgemm::simulate(&floats(128), &floats(128), &mut [0.0; 64], 16, mended, o);
    partial_sums_that_are_not_there: split_k |o, mended| split_k::simulate(&floats(200), &floats(100), &mut [0.0; 2], 2, 100, mended, o);
    a_maximum_overwritten_by_a_sum: softmax |o, mended| softmax::simulate(&floats(32), &mut [0.0; 32], mended, o);
    keys_overwritten_while_they_are_scored: attention |o, mended| attention::simulate(&floats(40), &floats(40), &mut [0.0; 40], 40, mended, o);
    a_transform_in_place_without_waiting: fft |o, mended| fft::simulate(&floats(32), &mut [0.0; 32], mended, o);
    a_halo_that_is_not_there: convolution |o, mended| convolution::simulate(&floats(50), &mut [0.0; 50], 50, mended, o);
    a_wavefront_that_does_not_wait: edit_distance |o, mended| edit_distance::simulate(&[1; 16], &[2; 16], &mut [0], 16, mended, o);
    digits_counted_before_they_are_known: radix_ranks |o, mended| radix_ranks::simulate(&[3; 30], &mut [0; 30], 30, mended, o);
    a_value_of_one_used_by_all: broadcast |o, mended| broadcast::simulate(&floats(32), &mut [0.0; 32], mended, o);
    a_barrier_of_the_wrong_memory: wrong_barrier |o, mended| wrong_barrier::simulate(&floats(32), &mut [0.0; 32], mended, o);
}
