//! Products at the edges: large activations, rows of zeros, the rows at which roads change.

use kernel_specs::formats;
use rlx_conformance::backends::{Named, backends};
use rlx_conformance::devices::Outcome;
use rlx_conformance::product::{Case, F32_BOUND, multiply};
use rlx_conformance::random;
use rlx_kernels::FormatInfo;

/// The first length from 1024 on that is whole blocks.
fn row_length(format: &FormatInfo, least: usize) -> usize {
    least.next_multiple_of(format.elems as usize)
}

/// The NMSE on `backend`, by the energy of terms where operands are rounded.
fn error(backend: &Named, cases: &[Case; 2], [m, n]: [usize; 2]) -> Outcome<f64> {
    let [exact, rounded] = cases;
    let case = if backend.bound > F32_BOUND {
        rounded
    } else {
        exact
    };
    Ok(case.nmse(&*backend.backend, m, n)?)
}

#[test]
fn activations_of_1e5_with_sums_beyond_halves_keep_their_bounds() -> Outcome {
    const N: usize = 65;
    let backends = backends(None)?;
    for format in formats::ALL.iter().copied() {
        let k = row_length(format, 1024);
        let x: Vec<f32> = random::activations(5, 33 * k)
            .iter()
            .map(|x| x.signum() * 1e5)
            .collect();
        let case = || Case::of(format, N, k, x.clone());
        let cases = [case(), case().by_energy()];
        let largest = cases[0]
            .wanted()
            .iter()
            .fold(0.0_f64, |most, y| most.max(y.abs()));
        assert!(largest > 65_504.0, "{}: {largest}", format.name);
        for backend in &backends {
            for m in [3, 33] {
                let error = error(backend, &cases, [m, N])?;
                assert!(
                    error <= backend.bound,
                    "{} with m {m} on {}: NMSE {error:e}",
                    format.name,
                    backend.name
                );
            }
        }
    }
    Ok(())
}

#[test]
fn rows_of_zeros_give_zeros() -> Outcome {
    const N: usize = 65;
    let backends = backends(None)?;
    for format in formats::ALL.iter().copied() {
        let k = row_length(format, 256);
        let weight = random::blocks(format, 1, N * k / format.elems as usize);
        for m in [3, 33] {
            let mut x = random::activations(2, m * k);
            x[k..2 * k].fill(0.0);
            x[2 * k..3 * k].fill(-0.0);
            for Named { name, backend, .. } in &backends {
                let y = multiply(&**backend, format, &weight, &x, [m, N, k])?;
                assert!(
                    y[N..3 * N].iter().all(|value| *value == 0.0),
                    "{} with m {m} on {name}",
                    format.name
                );
                assert!(y[..N].iter().any(|value| *value != 0.0));
            }
        }
    }
    Ok(())
}

#[test]
fn no_number_of_rows_is_a_cliff() -> Outcome {
    const N: usize = 129;
    let backends = backends(None)?;
    for name in ["F32", "F16", "Q4_0", "Q8_0", "Q4_K", "Q6_K", "IQ4_XS"] {
        let format = formats::by_name(name).ok_or("no such format")?;
        let k = row_length(format, 1536);
        let cases = [
            Case::new(format, 65, N, k),
            Case::new(format, 65, N, k).by_energy(),
        ];
        for backend in &backends {
            for m in [8, 9, 63, 64, 65] {
                let error = error(backend, &cases, [m, N])?;
                assert!(
                    error <= backend.bound,
                    "{name} with m {m} on {}: NMSE {error:e}",
                    backend.name
                );
            }
        }
    }
    Ok(())
}
