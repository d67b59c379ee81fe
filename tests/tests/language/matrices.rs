//! Matrices that a subgroup holds, on the CPU twin, and on a device in the shapes that it has.

mod refused;

use bytemuck::Pod;
use rlx_backends::wgpu::agree;
use rlx_conformance::devices::{Device, Outcome, gpu, twin};
use rlx_kernels::prelude::*;
use rlx_kernels::{KernelInfo, MatrixScalar, MatrixShape, simulate};

/// y = a · b + c for each of `tiles` tiles of N × N. The columns of b lie one after another.
#[kernel(workgroup_size(64), groups(2), instances(S in [f32, f16], N in [8, 16]))]
fn products<S: Float, const N: u32>(a: &[f16], b: &[f16], c: &[S], y: &mut [S], tiles: u32) {
    let first = workgroup_index() * num_subgroups() + subgroup_id();
    for tile in (first..tiles).step_by(2 * num_subgroups()) {
        let at = tile * N * N;
        let left = MatrixA::<f16, N>::load_rows(a, at, N);
        let right = MatrixB::<f16, N>::load_columns(b, at, N);
        let sum = MatrixC::<S, N>::load_rows(c, at, N);
        multiply_add(left, right, sum).store_rows(y, at, N);
    }
}

/// The product of one tile, summed onto what is there.
#[device]
fn add_product<S: Float, const N: u32>(
    a: MatrixA<f16, N>,
    b: MatrixB<f16, N>,
    sum: &mut MatrixC<S, N>,
) {
    *sum = multiply_add(a, b, *sum);
}

/// Twice a matrix, less another.
#[device]
fn mixed<S: Float, const N: u32>(c: MatrixC<S, N>, d: MatrixC<S, N>) -> MatrixC<S, N> {
    c * S::from_f32(2.0) - d
}

/// Two tiles of columns at once, through workgroup memory of four elements a place, with all operators.
#[kernel(workgroup_size(64), groups(1), instances(S in [f32, f16], N in [8, 16]))]
fn staged<S: Float, const N: u32>(a: &[Vec4<f16>], b: &[f16], y: &mut [S], negate: u32) {
    #[workgroup]
    let left: [Vec4<f16>; 64];
    #[workgroup]
    let right: [f16; 512];
    #[workgroup]
    let out: [S; 512];
    let me = local_index();
    if me < N * N / 4 {
        left[me] = a[me];
    }
    for i in (me..2 * N * N).step_by(64) {
        right[i] = b[i];
    }
    workgroup_barrier();
    if subgroup_id() == 0 {
        let mut sums = [MatrixC::<S, N>::zero(); 2];
        let tile = MatrixA::<f16, N>::load_rows(&left, 0, N / 4);
        for i in 0..2 {
            let columns = MatrixB::<f16, N>::load_rows(&right, i * N, 2 * N);
            let mut sum = sums[i];
            add_product(tile, columns, &mut sum);
            sums[i] = sum;
        }
        let other = sums[1];
        sums[0] += other;
        sums[0] *= S::from_f32(0.5);
        let chosen = if negate == 1 {
            mixed(sums[0], other)
        } else {
            sums[0]
        };
        chosen.store_rows(&mut out, 0, N);
        sums[1].store_columns(&mut out, N * N, N);
    }
    workgroup_barrier();
    for i in (me..2 * N * N).step_by(64) {
        y[i] = out[i];
    }
}

/// The same of f32, and what a number and a matrix have to do with one another.
#[kernel(workgroup_size(32), groups(1))]
fn floats(a: &[f32], b: &[f32], y: &mut [f32], by: f32) {
    if subgroup_id() == 0 {
        let a = MatrixA::<f32, 8>::load_columns(a, 0, 8);
        let b = MatrixB::<f32, 8>::load_rows(b, 0, 8);
        let c = multiply_add(a, b, MatrixC::<f32, 8>::zero());
        let d = by * c - (0.25 + 0.25) * c + 2.0 * c;
        d.store_rows(y, 0, 8);
    }
}

/// A matrix and its transpose, which no product is made of.
#[kernel(workgroup_size(64), groups(1))]
fn transposed(x: &[f16], y: &mut [f16]) {
    if subgroup_id() == 0 {
        let x = MatrixC::<f16, 8>::load_rows(x, 0, 8);
        x.store_columns(y, 0, 8);
    }
}

/// Whole numbers of at most `most`, which sums of 16 products leave exact in f16.
fn small(seed: u64, len: u32, most: i8) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..len)
        .map(|_| f32::from(random.i8(-most..=most)))
        .collect()
}

fn halves(x: &[f32]) -> Vec<f16> {
    x.iter().map(|x| f16::from_f32(*x)).collect()
}

/// The twin, and the adapter where it has the matrices of `kernel`; `run` must be refused by name
/// where it has not.
fn devices(
    kernel: &KernelInfo,
    run: impl Fn(&Device) -> Outcome<Vec<f32>>,
    wanted: &[f32],
) -> Outcome {
    let every = twin(SimOptions::thorough());
    assert_eq!(run(&every)?, wanted, "{} on the twin", kernel.label());
    let gpu = gpu();
    let capabilities = gpu.capabilities().clone();
    let has_all = kernel.features.within(capabilities.features);
    let mut shapes = kernel.matrices.iter();
    let missing = shapes.find(|shape| !shape.is_among(&capabilities.matrices));
    let name = gpu.adapter().name.clone();
    let result = run(&Device::Gpu(gpu));
    match (has_all, missing) {
        (true, None) => {
            println!("{} runs on {name}", kernel.label());
            assert_eq!(result?, wanted, "{} on {name}", kernel.label());
        }
        (true, Some(shape)) => {
            let error = result
                .expect_err("the device has no such matrices")
                .to_string();
            let shapes = MatrixShape::list(&capabilities.matrices);
            let label = kernel.label();
            assert_eq!(
                error,
                format!("kernel `{label}` multiplies matrices as {shape}; the device has {shapes}")
            );
        }
        (false, _) => {
            let error = result.expect_err("the device has no matrices").to_string();
            assert!(error.contains("needs the features"), "{error}");
        }
    }
    Ok(())
}

/// Σₖ a[i, k] · b[k, j], of N × N matrices.
fn product(n: usize, a: impl Fn(usize, usize) -> f32, b: impl Fn(usize, usize) -> f32) -> Vec<f32> {
    let at = |index: usize| (0..n).map(|k| a(index / n, k) * b(k, index % n)).sum();
    (0..n * n).map(at).collect()
}

/// Values as halves or as they are.
fn of<S: Float>(x: &[f32]) -> Vec<S> {
    x.iter().map(|x| S::from_f32(*x)).collect()
}

fn back<S: Float>(x: &[S]) -> Vec<f32> {
    x.iter().map(|x| x.to_f32()).collect()
}

fn check_products<S: products::Instance<N> + Pod + Float, const N: u32>() -> Outcome {
    let tiles = 5;
    let n = N as usize;
    let count = tiles * N * N;
    let (a, b, c) = (small(1, count, 2), small(2, count, 2), small(3, count, 9));
    let wanted = (0..tiles as usize).flat_map(|tile| {
        let at = tile * n * n;
        let sums = product(n, |i, k| a[at + i * n + k], |k, j| b[at + j * n + k]);
        let c = &c[at..at + n * n];
        sums.into_iter()
            .zip(c)
            .map(|(sum, c)| sum + c)
            .collect::<Vec<_>>()
    });
    let wanted: Vec<f32> = wanted.collect();
    let run = |device: &Device| {
        let mut y = device.alloc::<S>(count.into())?;
        let (a, b) = (device.upload(&halves(&a))?, device.upload(&halves(&b))?);
        let c = device.upload(&of::<S>(&c))?;
        device.run(&products::launch::<S, N, _>(&a, &b, &c, &mut y, tiles)?)?;
        Ok(back(&device.download(&y)?))
    };
    devices(S::info(), run, &wanted)
}

#[test]
fn products_of_every_shape_are_exact_where_their_sums_are() -> Outcome {
    check_products::<f32, 8>()?;
    check_products::<f32, 16>()?;
    check_products::<f16, 8>()?;
    check_products::<f16, 16>()
}

fn check_staged<S: staged::Instance<N> + Pod + Float, const N: u32>() -> Outcome {
    let n = N as usize;
    let (a, b) = (small(4, N * N, 2), small(5, 2 * N * N, 2));
    let quads = halves(&a);
    let quads: Vec<Vec4<f16>> = quads
        .chunks(4)
        .map(|x| vec4(x[0], x[1], x[2], x[3]))
        .collect();
    let columns = |from: usize| product(n, |i, k| a[i * n + k], |k, j| b[2 * n * k + from + j]);
    let (first, second) = (columns(0), columns(n));
    for negate in [0, 1] {
        let sums = first.iter().zip(&second).map(|(x, y)| {
            let half = (x + y) * 0.5;
            if negate == 1 { half * 2.0 - y } else { half }
        });
        let transposed = (0..n * n).map(|at| second[at % n * n + at / n]);
        let wanted: Vec<f32> = sums.chain(transposed).collect();
        let run = |device: &Device| {
            let mut y = device.alloc::<S>(u64::from(2 * N * N))?;
            let (a, b) = (device.upload(&quads)?, device.upload(&halves(&b))?);
            device.run(&staged::launch::<S, N, _>(&a, &b, &mut y, negate)?)?;
            Ok(back(&device.download(&y)?))
        };
        devices(S::info(), run, &wanted)?;
    }
    Ok(())
}

#[test]
fn matrices_go_through_workgroup_memory_and_all_operators() -> Outcome {
    check_staged::<f32, 8>()?;
    check_staged::<f32, 16>()?;
    check_staged::<f16, 8>()?;
    check_staged::<f16, 16>()
}

#[test]
fn matrices_of_f32_are_multiplied_where_a_device_has_them() -> Outcome {
    let (a, b) = (small(6, 64, 3), small(7, 64, 3));
    let sums = product(8, |i, k| a[8 * k + i], |k, j| b[8 * k + j]);
    let wanted: Vec<f32> = sums.iter().map(|c| 3.0 * c - 0.5 * c + 2.0 * c).collect();
    let run = |device: &Device| {
        let mut y = device.alloc::<f32>(64)?;
        let (a, b) = (device.upload(&a)?, device.upload(&b)?);
        device.run(&floats::launch(&a, &b, &mut y, 3.0)?)?;
        device.download(&y)
    };
    // Subgroups of 64 do not fit the workgroup.
    let device = twin(SimOptions::thorough().subgroup_sizes([4, 8, 16, 32]));
    assert_eq!(run(&device)?, wanted);
    let shape = MatrixShape {
        m: 8,
        n: 8,
        k: 8,
        input: Some(MatrixScalar::F32),
        output: Some(MatrixScalar::F32),
    };
    assert_eq!(*floats::info().matrices, [shape]);
    let has = gpu().capabilities().matrices.contains(&shape);
    assert_eq!(run(&Device::Gpu(gpu())).ok(), has.then_some(wanted));
    Ok(())
}

#[test]
fn a_matrix_is_stored_by_columns_as_its_transpose() -> Outcome {
    let x = small(8, 64, 100);
    let wanted: Vec<f32> = (0..64).map(|at| x[at % 8 * 8 + at / 8]).collect();
    let shape = transposed::info().matrices[0].to_string();
    assert_eq!(shape, "8x8x8 -> f16");
    let run = |device: &Device| {
        let mut y = device.alloc::<f16>(64)?;
        device.run(&transposed::launch(&device.upload(&halves(&x))?, &mut y)?)?;
        Ok(back(&device.download(&y)?))
    };
    devices(transposed::info(), run, &wanted)
}

#[test]
fn functions_of_matrices_are_rust_on_the_host() {
    let a = halves(&small(9, 64, 3));
    let b = halves(&small(10, 64, 3));
    let left = MatrixA::<f16, 8>::load_rows(&a, 0, 8);
    let right = MatrixB::<f16, 8>::load_columns(&b, 0, 8);
    let mut sum = MatrixC::<f32, 8>::zero();
    add_product(left, right, &mut sum);
    let mut y = [0.0; 64];
    mixed(sum, sum).store_rows(&mut y, 0, 8);
    let at = |x: &[f16], index: usize| x[index].to_f32();
    let wanted = product(8, |i, k| at(&a, 8 * i + k), |k, j| at(&b, 8 * j + k));
    assert_eq!(y.as_slice(), wanted);
}

/// y = a · b + c of numbers with all their bits.
#[test]
fn a_device_lies_within_what_any_order_of_summation_allows_of_the_twin() {
    let gpu = gpu();
    for kernel in products::instances() {
        let n = kernel.number("N");
        let count = 3 * n * n;
        let has_halves = kernel.instance.starts_with("f16");
        let mut random = fastrand::Rng::with_seed(11);
        let mut floats = |count| -> Vec<f32> { (0..count).map(|_| random.f32() - 0.3).collect() };
        let bytes_of = |x: &[f32], half: bool| -> Vec<u8> {
            if half {
                bytemuck::cast_slice(&halves(x)).to_vec()
            } else {
                bytemuck::cast_slice(x).to_vec()
            }
        };
        let (a, b, c) = (floats(count), floats(count), floats(count));
        let c = bytes_of(&c, has_halves);
        let y = vec![0; c.len()];
        let buffers = [bytes_of(&a, true), bytes_of(&b, true), c, y];
        let run = products::dispatch(kernel, [0, 1, 2, 3], products::Params::new(3));
        let run = run.expect("a grid");
        let mut twin = buffers.clone();
        let report = simulate::dispatch(&run, &mut twin, &SimOptions::default().bounds());
        let report = report.expect("it runs");
        report.assert_clean();
        let distances = &report.bounds[0].distances;
        assert_eq!(distances.len(), count as usize);
        // Of sums below 16, that many roundings of an f32, or of an f16.
        let unit = if has_halves {
            2.0_f64.powi(-7)
        } else {
            2.0_f64.powi(-20)
        };
        let most = 4.0 * f64::from(n + 1) * unit;
        assert!(
            distances
                .iter()
                .all(|distance| *distance > 0.0 && *distance <= most),
            "{}: {distances:?}",
            kernel.label()
        );
        let mut shapes = kernel.matrices.iter();
        if shapes.all(|shape| shape.is_among(&gpu.capabilities().matrices)) {
            let options = SimOptions::default();
            match agree(&run, &buffers, &options, std::slice::from_ref(&gpu)) {
                Ok(agreement) => print!("{agreement}"),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
