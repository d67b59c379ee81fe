//! Kernels without one of their barriers: the twin must find what each is for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rlx_kernel_twin::program::{Block, Decoded, Op};
use rlx_kernels::simulate::{TwinBuffer, TwinDevice};
use rlx_kernels::{Dispatch, KernelInfo, KernelRef};

/// Bytes of a dispatch's buffers up to which its barriers are tried.
const MAX_BYTES: usize = 1 << 16;

/// The barriers that were taken out, by kernel and number, and whether the twin missed them.
#[derive(Debug, Default)]
pub struct Barriers {
    tried: Mutex<BTreeMap<(String, usize), bool>>,
    /// Barriers that the twin need not miss.
    spared: &'static [(&'static str, usize)],
}

impl Barriers {
    /// All barriers but those of `spared`, by kernel and number.
    pub fn but(spared: &'static [(&'static str, usize)]) -> Self {
        Self {
            tried: Mutex::default(),
            spared,
        }
    }

    /// Runs `dispatch` on copies of its buffers without each of its barriers in turn.
    pub fn take_out(&self, twin: &TwinDevice, dispatch: &Dispatch<TwinBuffer>) {
        let bytes: usize = dispatch
            .bindings
            .iter()
            .map(|buffer| buffer.bytes().len())
            .sum();
        if bytes > MAX_BYTES {
            return;
        }
        for number in 0.. {
            let Some(kernel) = without(&dispatch.kernel, number) else {
                return;
            };
            let key = (kernel.label(), number);
            let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
            let is_missed = tried.entry(key).or_default();
            if *is_missed {
                continue;
            }
            let copy = Dispatch {
                kernel: KernelRef::Shared(Arc::new(kernel)),
                bindings: copies(&dispatch.bindings),
                params: dispatch.params.clone(),
                overrides: dispatch.overrides.clone(),
                grid: dispatch.grid,
            };
            *is_missed = twin
                .run(&copy)
                .is_ok_and(|report| !report.findings.is_empty());
        }
    }
}

/// Asserts that each barrier was missed.
impl Drop for Barriers {
    fn drop(&mut self) {
        let tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let unneeded = tried.iter().filter(|(_, is_missed)| !**is_missed);
        let unneeded = unneeded.map(|((kernel, number), _)| (kernel.as_str(), *number));
        let unneeded: Vec<_> = unneeded
            .filter(|barrier| !self.spared.contains(barrier))
            .collect();
        if !std::thread::panicking() {
            assert!(
                unneeded.is_empty(),
                "nobody misses the barriers {unneeded:?}"
            );
        }
    }
}

/// Copies of buffers; those that are one stay one.
fn copies(buffers: &[TwinBuffer]) -> Vec<TwinBuffer> {
    let mut made: Vec<TwinBuffer> = Vec::new();
    for (index, buffer) in buffers.iter().enumerate() {
        let same = buffers[..index].iter().position(|other| other.is(buffer));
        made.push(match same {
            Some(same) => made[same].clone(),
            None => TwinBuffer::new(buffer.bytes()),
        });
    }
    made
}

/// The kernel without barrier `number`; none where it has no such barrier.
fn without(kernel: &KernelInfo, number: usize) -> Option<KernelInfo> {
    let Ok(Decoded::Program(mut program)) = Decoded::decode(&kernel.twin) else {
        return None;
    };
    let mut left = number;
    if !remove(&mut program.body, &mut left) {
        return None;
    }
    Some(KernelInfo {
        twin: Decoded::Program(program).encode().into(),
        ..kernel.clone()
    })
}

fn remove(block: &mut Block, left: &mut usize) -> bool {
    for index in 0..block.0.len() {
        let found = match &mut block.0[index].op {
            Op::Barrier { .. } if *left == 0 => {
                block.0.remove(index);
                return true;
            }
            Op::Barrier { .. } => {
                *left -= 1;
                false
            }
            Op::If {
                then, otherwise, ..
            } => remove(then, left) || remove(otherwise, left),
            Op::Loop { body, continuing } => remove(body, left) || remove(continuing, left),
            Op::Scope { body } => remove(body, left),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}
