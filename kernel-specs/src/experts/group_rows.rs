//! Slots by their experts: count, scan and scatter in one dispatch.

use rlx_kernels::prelude::*;

/// The most slots.
pub const MOST: u32 = 1 << 30;

/// Places of `tiles` for `rows` slots of `experts`: those of whole tiles of `tile` slots, and one for the rest
/// of each expert's and of those of none.
#[device]
pub fn tiles_of(rows: u32, experts: u32, tile: u32) -> u32 {
    rows / tile + experts + 1
}

/// `order` = the numbers of the `rows` slots, those of expert 0 first, in their own order; last those whose id
/// is no expert's. `tiles` = what workgroups of a grouped product take of it, [expert, first place of `order`, slots, 0]
/// each: at most `tile` slots, none where a place is not needed. A workgroup takes an expert, the last
/// those of none. It counts the slots of the experts before its own itself, so no workgroup waits for another.
#[kernel(workgroup_size(256), groups(experts + 1))]
#[requires(rows <= 1 << 30, experts <= 1 << 16, ids.len() >= rows, order.len() >= rows, tile >= 16, tiles.len() >= rows / tile + experts + 1)]
pub fn group_rows(
    ids: &[u32],
    order: &mut [u32],
    tiles: &mut [Vec4<u32>],
    rows: u32,
    experts: u32,
    tile: u32,
) {
    // Slots before those of the expert, and its own.
    #[workgroup]
    let counts: [Vec2<u32>; 256];
    #[workgroup]
    let own: [u32; 256];
    let expert = workgroup_index();
    if expert > experts {
        return;
    }
    let me = local_index();
    let mut count = vec2(0, 0);
    for slot in (me..rows).step_by(256) {
        let id = ids[slot].min(experts);
        if id < expert {
            count.x += 1;
        }
        if id == expert {
            count.y += 1;
        }
    }
    counts[me] = count;
    workgroup_barrier();
    #[unroll]
    for step in 0..8 {
        if me < 128 >> step {
            counts[me] += counts[me + (128 >> step)];
        }
        workgroup_barrier();
    }
    let first = counts[0].x;
    let all = counts[0].y;
    // Where the tiles of the expert begin, and those of the next: no fewer than it needs.
    let places = tiles_of(rows, experts, tile);
    let from = first / tile + expert;
    let to = if expert == experts {
        places
    } else {
        (first + all) / tile + expert + 1
    };
    for place in (from + me..to.min(places)).step_by(256) {
        let at = (place - from) * tile;
        tiles[place] = vec4(expert, first + at, (all - at.min(all)).min(tile), 0);
    }
    // The expert's slots in their order: 256 at a time, each after those before it.
    let mut next = first;
    for base in (0..rows).step_by(256) {
        let slot = base + me;
        let mut is_own = 0;
        if slot < rows && ids[slot].min(experts) == expert {
            is_own = 1;
        }
        own[me] = is_own;
        workgroup_barrier();
        #[unroll]
        for step in 0..8 {
            let mut before = 0;
            if me >= 1 << step {
                before = own[me - (1 << step)];
            }
            workgroup_barrier();
            own[me] += before;
            workgroup_barrier();
        }
        if is_own == 1 {
            let at = next + own[me] - 1;
            if at < rows {
                order[at] = slot;
            }
        }
        next += own[255];
        workgroup_barrier();
    }
}
