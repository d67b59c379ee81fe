//! Edit distance (Wagner and Fischer, The String-to-String Correction Problem, 1974), all of an
//! antidiagonal at a time.

use rlx_kernels::prelude::*;

use crate::{Outcome, every_device, words};

/// Characters that a word of `a` may have.
#[device]
const LONGEST: u32 = 500;

/// distances[p] is how many insertions, deletions and replacements make word p of `a` word p of `b`.
/// Word p begins at starts[p]. A workgroup takes a pair, whose cell (i, j) needs its neighbours on
/// the two diagonals before its own.
#[kernel(workgroup_size(64), groups(pairs))]
fn edit_distance(
    a: &[u32],
    a_starts: &[u32],
    b: &[u32],
    b_starts: &[u32],
    distances: &mut [u32],
    pairs: u32,
) {
    #[workgroup]
    let diagonals: [[u32; LONGEST + 1]; 3];
    let pair = workgroup_index();
    let me = local_index();
    if pair < pairs {
        let a_start = a_starts[pair];
        let b_start = b_starts[pair];
        let a_len = a_starts[pair + 1] - a_start;
        let b_len = b_starts[pair + 1] - b_start;
        for d in 0..=a_len + b_len {
            let before = (d + 2) % 3;
            let before_that = (d + 1) % 3;
            for i in (d - d.min(b_len) + me..=d.min(a_len)).step_by(64) {
                let j = d - i;
                diagonals[d % 3][i] = if i == 0 || j == 0 {
                    d
                } else {
                    let differ = a[a_start + i - 1] != b[b_start + j - 1];
                    let replaced = diagonals[before_that][i - 1] + differ as u32;
                    let deleted = diagonals[before][i - 1] + 1;
                    let inserted = diagonals[before][i] + 1;
                    replaced.min(deleted).min(inserted)
                };
            }
            workgroup_barrier();
        }
        if me == 0 {
            distances[pair] = diagonals[(a_len + b_len) % 3][a_len];
        }
    }
}

/// The same, a row at a time.
fn wanted(a: &[u32], b: &[u32]) -> u32 {
    let mut row: Vec<u32> = (0..=b.len() as u32).collect();
    for (i, x) in (1..).zip(a) {
        let mut diagonal = std::mem::replace(&mut row[0], i);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + u32::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[test]
fn pairs_of_words_of_any_length_are_compared() -> Outcome {
    for gpu in every_device() {
        let text = |word: &str| word.chars().map(u32::from).collect();
        let mut pairs: Vec<(Vec<u32>, Vec<u32>)> = vec![
            (text("kitten"), text("sitting")),
            (text("Sonntag"), text("Samstag")),
            (text(""), text("nothing")),
            (text("nothing"), text("")),
            (text(""), text("")),
        ];
        for (m, n) in [(63, 65), (499, 130), (1, 333), (500, 777)] {
            pairs.push((words(27, m, 4), words(28, n, 4)));
        }
        let (mut a, mut a_starts, mut b, mut b_starts) = (vec![], vec![0], vec![], vec![0]);
        for (left, right) in &pairs {
            a.extend(left);
            a_starts.push(a.len() as u32);
            b.extend(right);
            b_starts.push(b.len() as u32);
        }
        let mut distances = gpu.alloc::<u32>(pairs.len() as u64)?;
        let run = edit_distance::launch(
            &gpu.upload(&a)?,
            &gpu.upload(&a_starts)?,
            &gpu.upload(&b)?,
            &gpu.upload(&b_starts)?,
            &mut distances,
            pairs.len() as u32,
        )?;
        gpu.run(&run)?;
        let found = gpu.download(&distances)?;
        assert_eq!(found[..5], [3, 3, 7, 7, 0]);
        let wanted: Vec<u32> = pairs.iter().map(|(a, b)| wanted(a, b)).collect();
        assert_eq!(found, wanted);
    }
    Ok(())
}
