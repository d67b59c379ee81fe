//! Arrays among the params.

use rlx_kernels::prelude::*;

use crate::gpu;

#[device]
pub fn sum_of(all: [f32; 5]) -> f32 {
    let mut sum = 0.0;
    for i in 0..5 {
        sum += all[i] * (i + 1) as f32;
    }
    sum
}

/// y[i] of all that arrays hold, by constants, by variables and whole.
#[kernel(workgroup_size(64), threads(n))]
fn filtered(
    y: &mut [f32],
    first: u32,
    taps: [f32; 5],
    pairs: [[Vec2<f32>; 2]; 3],
    n: u32,
    normals: [Vec3<f32>; 2],
    words: [u64; 2],
    last: f32,
) {
    let i = global_index();
    if i < n {
        let own = pairs[i % 3];
        let pair = own[1];
        let normal = normals[(i + first) % 2];
        let all = taps;
        let wide = (words[1] >> 40) as f32;
        y[i] = taps[2]
            + taps[i % 5] * 10.0
            + sum_of(taps)
            + all[4]
            + pair.y
            + pairs[2][i & 1].x
            + normal.z * normals[0][1]
            + wide
            + last;
    }
}

#[test]
fn arrays_among_the_params_reach_the_kernel_element_by_element() {
    let (taps, words) = ([1.0, 2.0, 4.0, 8.0, 16.0], [7_u64, 3 << 40]);
    let pairs =
        [0, 1, 2].map(|i| [0, 1].map(|j| vec2((i * 4 + j * 2) as f32, (i * 4 + j * 2 + 1) as f32)));
    let normals = [vec3(0.5, 1.5, 2.5), vec3(3.5, 4.5, 5.5)];
    let gpu = gpu();
    let n = 40;
    let mut y = gpu.alloc::<f32>(n).expect("it allocates");
    let run = filtered::launch(&mut y, 1, taps, pairs, n as u32, normals, words, 0.25);
    gpu.run(&run.expect("a grid")).expect("it runs");
    for (i, found) in gpu
        .download(&y)
        .expect("it downloads")
        .into_iter()
        .enumerate()
    {
        let wanted = taps[2]
            + taps[i % 5] * 10.0
            + sum_of(taps)
            + taps[4]
            + pairs[i % 3][1].y
            + pairs[2][i & 1].x
            + normals[(i + 1) % 2].z * normals[0].y
            + 3.0
            + 0.25;
        assert_eq!(found, wanted, "y[{i}]");
    }
    let types: Vec<_> = filtered::info()
        .params
        .iter()
        .map(|field| &*field.ty)
        .collect();
    let rows = [
        "array<vec4f, 5>",
        "array<array<vec4f, 2>, 3>",
        "array<vec3f, 2>",
    ];
    assert_eq!(
        types[1..=3].iter().filter(|ty| rows.contains(ty)).count(),
        2
    );
    assert!(rows.iter().all(|row| types.contains(row)), "{types:?}");
}
