//! Arrays, structs and generic floats among the params.

use rlx_kernels::kernel::BindingSet;
use rlx_kernels::prelude::*;

use crate::every_device;

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
    let n = 40;
    let wanted: Vec<f32> = (0..n)
        .map(|i: usize| {
            taps[2]
                + taps[i % 5] * 10.0
                + sum_of(taps)
                + taps[4]
                + pairs[i % 3][1].y
                + pairs[2][i & 1].x
                + normals[(i + 1) % 2].z * normals[0].y
                + 3.0
                + 0.25
        })
        .collect();
    for gpu in every_device() {
        let mut y = gpu.alloc::<f32>(40).expect("it allocates");
        let run = filtered::launch(&mut y, 1, taps, pairs, n as u32, normals, words, 0.25);
        gpu.run(&run.expect("a grid")).expect("it runs");
        assert_eq!(gpu.download(&y).expect("it downloads"), wanted);
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

/// One that lies in a uniform buffer as it does anywhere.
#[device]
#[derive(Clone, Copy)]
pub struct Light {
    at: Vec3<f32>,
    power: f32,
}

/// One that a uniform buffer lays out in its own way.
#[device]
#[derive(Clone, Copy)]
pub struct Curve {
    first: u32,
    taps: [f32; 3],
    halves: [f16; 2],
    half: f16,
}

/// Structs in a struct, in an array, and one that fills no row.
#[device]
pub struct Scene {
    eye: Vec2<f32>,
    sun: Light,
    ends: [Curve; 2],
    lights: [Light; 2],
    span: Span,
    last: f32,
}

#[device]
#[derive(Clone, Copy)]
pub struct Span {
    low: u32,
    high: u32,
}

#[device]
pub fn brightness(light: Light) -> f32 {
    (light.at.x + light.at.y * 2.0 + light.at.z * 4.0) * light.power
}

#[device]
pub fn height(curve: Curve, i: u32) -> f32 {
    curve.taps[(i + curve.first) % 3] + curve.halves[i % 2].to_f32() * curve.half.to_f32()
}

#[device]
pub fn seen(scene: Scene, span: Span, i: u32) -> f32 {
    let end = scene.ends[i % 2];
    scene.eye.x
        + scene.eye.y * 2.0
        + brightness(scene.sun)
        + height(end, i)
        + scene.lights[1].at.y
        + (scene.span.low + scene.span.high * 3 + span.low * 5 + span.high * 7) as f32
        + scene.last
}

/// y[i] of all that structs hold, by fields, by elements and whole.
#[kernel(workgroup_size(64), threads(n))]
fn shaded(
    y: &mut [f32],
    small: f32,
    scene: Scene,
    n: u32,
    span: Span,
    lights: [Light; 3],
    curves: [Curve; 2],
    spans: [[Span; 2]; 1],
) {
    let i = global_index();
    if i < n {
        let parts = scene.ends[i & 1].taps[i % 3]
            + scene.ends[1].halves[0].to_f32()
            + scene.sun.at.z * scene.lights[i % 2].power
            + curves[i % 2].half.to_f32()
            + brightness(lights[(i + 1) % 3])
            + height(curves[1], i)
            + (spans[0][i % 2].high + span.low) as f32;
        y[i] = seen(scene, spans[0][1], i) + parts + small;
    }
}

fn a_scene() -> Scene {
    Scene {
        eye: vec2(0.5, -1.0),
        sun: a_light(3.0),
        ends: [a_curve(1), a_curve(2)],
        lights: [a_light(7.0), a_light(-2.0)],
        span: Span { low: 2, high: 9 },
        last: 64.0,
    }
}

fn a_light(x: f32) -> Light {
    Light {
        at: vec3(x, x + 0.25, x * 2.0),
        power: x - 1.0,
    }
}

fn a_curve(first: u32) -> Curve {
    let x = first as f32;
    Curve {
        first,
        taps: [x, x + 10.0, x + 20.0],
        halves: [f16::from_f32(x * 0.5), f16::from_f32(-x)],
        half: f16::from_f32(0.25),
    }
}

#[test]
fn structs_among_the_params_reach_the_kernel_whole_and_by_their_parts() {
    let (n, small) = (40, 0.125);
    let lights = [1.0, 2.0, 4.0].map(a_light);
    let curves = [a_curve(3), a_curve(4)];
    let span = |low| Span { low, high: low + 5 };
    let spans = [[span(1), span(3)]];
    let wanted = |i: usize| {
        let scene = a_scene();
        let parts = scene.ends[i & 1].taps[i % 3]
            + scene.ends[1].halves[0].to_f32()
            + scene.sun.at.z * scene.lights[i % 2].power
            + curves[i % 2].half.to_f32()
            + brightness(lights[(i + 1) % 3])
            + height(curves[1], i as u32)
            + (spans[0][i % 2].high + span(20).low) as f32;
        seen(scene, spans[0][1], i as u32) + parts + small
    };
    let wanted: Vec<f32> = (0..n).map(wanted).collect();
    for gpu in every_device() {
        let mut y = gpu.alloc::<f32>(n as u64).expect("it allocates");
        let run = shaded::launch(
            &mut y,
            small,
            a_scene(),
            n as u32,
            span(20),
            lights,
            curves,
            spans,
        );
        gpu.run(&run.expect("a grid")).expect("it runs");
        assert_eq!(gpu.download(&y).expect("it downloads"), wanted);
    }
}

#[test]
fn a_struct_is_declared_once_where_a_uniform_buffer_holds_it_as_it_is() {
    let wgsl = shaded::info().wgsl(BindingSet::NONE);
    for text in [
        "    lights: array<Light, 3>,\n",
        "    @align(16) @size(16) span: Span,\n",
        "    scene: SceneParam,\n",
        "    curves: array<CurveParam, 2>,\n",
        "    taps: array<vec4f, 3>,\n    halves: array<vec4f, 2>,\n    half: f16,\n",
        "params.scene.ends[i & 1u].taps[i % 3u].x",
        "brightness(params.lights[(i + 1u) % 3u])",
    ] {
        assert!(wgsl.contains(text), "{text} is not in\n{wgsl}");
    }
}

#[device]
const TAPS: u32 = 2;

/// y[i] of halves in rows, under lengths that are consts.
#[kernel(workgroup_size(64), threads(n))]
fn weighed(y: &mut [f32], halves: [f16; TAPS as usize + 1], pairs: [[Vec2<f16>; TAPS]; 2], n: u32) {
    let i = global_index();
    if i < n {
        let all = halves;
        let pair = pairs[i % 2][i % TAPS];
        y[i] = (halves[i % 3] + all[2] + pair.x * pairs[1][0].y).to_f32();
    }
}

/// y[i] = x[i] · by + v.x + taps[i % 2] in T, which the params hold as `f32`.
#[kernel(workgroup_size(64), threads(n), instances(T in [f32, f16]))]
#[requires(x.len() >= n, y.len() >= n)]
fn scaled<T: Float>(x: &[T], y: &mut [T], by: T, n: u32, v: Vec3<T>, taps: [T; 2]) {
    let i = global_index();
    if i < n {
        let scale: T = by;
        y[i] = x[i] * scale + v.z + taps[i % 2];
    }
}

#[test]
fn halves_and_generic_floats_among_the_params_are_held_as_f32() {
    let half = f16::from_f32;
    let (halves, n) = ([1.5, -2.0, 0.25].map(half), 12);
    let pairs = [0.5, 8.0].map(|x| [1.0, 2.0].map(|y| vec2(half(x), half(x * y))));
    let wanted: Vec<f32> = (0..n)
        .map(|i| {
            let sum = halves[i % 3] + halves[2] + pairs[i % 2][i % 2].x * pairs[1][0].y;
            sum.to_f32()
        })
        .collect();

    let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
    let of = |i: usize| x[i] * 1.5 + 3.0 + [0.25, -4.0][i % 2];
    let scaled_x: Vec<f32> = (0..n).map(of).collect();
    let in_halves: Vec<f16> = x.iter().map(|x| half(*x)).collect();
    let scaled_halves: Vec<f16> = scaled_x.iter().map(|x| half(*x)).collect();
    let v = vec3(1.0, 2.0, 3.0);
    let (n, len) = (n as u32, n as u64);
    let (by, taps) = (half(1.5), [half(0.25), half(-4.0)]);
    for gpu in every_device() {
        let a = gpu.upload(&x).expect("it uploads");
        let mut y = gpu.alloc::<f32>(len).expect("it allocates");
        let run = scaled::launch(&a, &mut y, 1.5, n, v, [0.25, -4.0]);
        gpu.run(&run.expect("a grid")).expect("it runs");
        assert_eq!(gpu.download(&y).expect("it downloads"), scaled_x);
        let mut y = gpu.alloc::<f32>(len).expect("it allocates");
        let run = weighed::launch(&mut y, halves, pairs, n).expect("a grid");
        gpu.run(&run).expect("it runs");
        assert_eq!(gpu.download(&y).expect("it downloads"), wanted);
        let a = gpu.upload(&in_halves).expect("it uploads");
        let mut y = gpu.alloc::<f16>(len).expect("it allocates");
        let run = scaled::launch(&a, &mut y, by, n, v.map(half), taps);
        gpu.run(&run.expect("a grid")).expect("it runs");
        assert_eq!(gpu.download(&y).expect("it downloads"), scaled_halves);
    }
    let wgsl = scaled::instance("f16").expect("one").wgsl(BindingSet::NONE);
    let line = "y[i] = x[i] * scale + vec3h(params.v).z + f16(params.taps[i % 2u].x);";
    assert!(wgsl.contains(line), "{wgsl}");
}
