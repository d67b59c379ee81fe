//! Fourier transforms by fours, in Stockham's order (Govindaraju and others, High Performance
//! Discrete Fourier Transforms on Graphics Processors, 2008).

use rlx_kernels::prelude::*;
use std::f64::consts::TAU;

use crate::{Near, Outcome, assert_near, every_device, floats, gamma};

/// Numbers of a line: a power of four, four an invocation.
#[device]
const SIZE: u32 = 1024;

/// The product of complex numbers.
#[device]
fn times(a: Vec2<f32>, b: Vec2<f32>) -> Vec2<f32> {
    vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

/// The transform of four numbers.
#[device]
fn butterfly(v: [Vec2<f32>; 4]) -> [Vec2<f32>; 4] {
    let even = v[0] + v[2];
    let even_turned = v[0] - v[2];
    let odd = v[1] + v[3];
    let difference = v[1] - v[3];
    let odd_turned = vec2(difference.y, -difference.x);
    [
        even + odd,
        even_turned + odd_turned,
        even - odd,
        even_turned - odd_turned,
    ]
}

/// y[k] = Σⱼ x[j] · e^(-2πi jk / SIZE), for each of `lines`. A workgroup takes a line. The roots come
/// from a table, roots[j] = e^(-2πi j / SIZE), since `sin` and `cos` are only exact to 2⁻¹¹ on a GPU.
#[kernel(workgroup_size(256), groups(lines))]
fn fft(x: &[Vec2<f32>], roots: &[Vec2<f32>], y: &mut [Vec2<f32>], lines: u32) {
    #[workgroup]
    let work: [Vec2<f32>; SIZE];
    let me = local_index();
    let line = workgroup_index();
    if line < lines {
        for i in (me..SIZE).step_by(SIZE / 4) {
            work[i] = x[line * SIZE + i];
        }
    }
    // `done` numbers at a time are transformed; each pass joins four such transforms.
    let mut done = 1;
    while done < SIZE {
        workgroup_barrier();
        let k = me % done;
        let mut v = [Vec2::splat(0.0); 4];
        #[unroll]
        for r in 0..4 {
            v[r] = times(work[me + r * SIZE / 4], roots[r * k * (SIZE / 4 / done)]);
        }
        v = butterfly(v);
        workgroup_barrier();
        #[unroll]
        for r in 0..4 {
            work[4 * (me - k) + k + r * done] = v[r];
        }
        done *= 4;
    }
    workgroup_barrier();
    if line < lines {
        for i in (me..SIZE).step_by(SIZE / 4) {
            y[line * SIZE + i] = work[i];
        }
    }
}

#[test]
fn lines_become_their_spectra() -> Outcome {
    for gpu in every_device() {
        let lines = 3;
        let size = SIZE as usize;
        let root = |j: usize| (-TAU * j as f64 / size as f64).sin_cos();
        let complex = |x: &[f32]| vec2(x[0], x[1]);
        let numbers = floats(16, lines * SIZE * 2);
        let x: Vec<Vec2<f32>> = numbers.chunks(2).map(complex).collect();
        let roots: Vec<Vec2<f32>> = (0..size)
            .map(root)
            .map(|(sin, cos)| vec2(cos as f32, sin as f32))
            .collect();
        let mut y = gpu.alloc::<Vec2<f32>>(x.len() as u64)?;
        gpu.run(&fft::launch(
            &gpu.upload(&x)?,
            &gpu.upload(&roots)?,
            &mut y,
            lines,
        )?)?;
        let found: Vec<f32> = gpu.download(&y)?.iter().flat_map(|y| [y.x, y.y]).collect();
        let wanted = numbers.chunks(2 * size).flat_map(|line| {
            let norm = line
                .iter()
                .map(|x| f64::from(*x).powi(2))
                .sum::<f64>()
                .sqrt();
            // Higham, theorem 24.2: a level of twos has at most seven roundings, and there are ten.
            let error = gamma(7 * 10) * norm * (size as f64).sqrt();
            (0..size).flat_map(move |k| {
                let (mut re, mut im) = (0.0, 0.0);
                for j in 0..size {
                    let (sin, cos) = root(j * k % size);
                    let (a, b) = (f64::from(line[2 * j]), f64::from(line[2 * j + 1]));
                    re += a * cos - b * sin;
                    im += a * sin + b * cos;
                }
                [re, im].map(|value| Near { value, error })
            })
        });
        assert_near(&found, wanted);
    }
    Ok(())
}
