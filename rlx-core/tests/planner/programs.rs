//! Programs of kernels that do nothing.

use std::sync::Arc;

use rlx_core::{PlanLimits, Program, ProgramValue, ValueId, ValueKind};
use rlx_kernels::kernel::{Binding, Features};
use rlx_kernels::{Dispatch, KernelInfo, KernelRef};

/// Limits that none of the small programs meets.
pub const LIMITS: PlanLimits = PlanLimits {
    storage_alignment: 32,
    max_binding: 1 << 20,
    max_buffer: 1 << 20,
};

/// A kernel that reads `reads` bindings and then writes one.
pub fn kernel(reads: usize, stride: u32) -> KernelRef {
    let binding = |writable| Binding {
        name: "b".into(),
        variable: "b".into(),
        element: "f32".into(),
        stride,
        writable,
    };
    let bindings: Vec<_> = (0..=reads).map(|i| binding(i == reads)).collect();
    KernelRef::Shared(Arc::new(KernelInfo {
        name: "dummy".into(),
        instance: "".into(),
        file: "".into(),
        line: 0,
        bindings: bindings.into(),
        params: (&[]).into(),
        params_size: 0,
        workgroup_size: [64, 1, 1],
        workgroup_bytes: 0,
        features: Features::NONE,
        linear: true,
        entry: "main".into(),
        wgsl: "".into(),
        hash: 0,
        ..KernelInfo::BROKEN
    }))
}

/// Adds to `Program` what a lowering would.
pub trait Build {
    fn value(&mut self, bytes: u64, kind: ValueKind, alias_of: Option<ValueId>) -> ValueId;
    fn dispatch(&mut self, reads: &[ValueId], write: ValueId);

    fn temporary(&mut self, bytes: u64) -> ValueId {
        self.value(bytes, ValueKind::Temporary, None)
    }
    fn weight(&mut self, bytes: u64, name: &str) -> ValueId {
        self.value(
            bytes,
            ValueKind::Weight {
                name: name.into(),
                from: 0,
            },
            None,
        )
    }
    fn input(&mut self, bytes: u64, name: &str) -> ValueId;
    fn output(&mut self, name: &str, value: ValueId);
}

impl Build for Program {
    fn value(&mut self, bytes: u64, kind: ValueKind, alias_of: Option<ValueId>) -> ValueId {
        self.values.push(ProgramValue {
            bytes,
            kind,
            alias_of,
        });
        ValueId(self.values.len() as u32 - 1)
    }
    fn dispatch(&mut self, reads: &[ValueId], write: ValueId) {
        let bindings = [reads, &[write]].concat();
        self.dispatches.push(Dispatch {
            kernel: kernel(reads.len(), 4),
            overrides: Vec::new(),
            bindings,
            params: Vec::new(),
            grid: [1, 1, 1],
        });
    }
    fn input(&mut self, bytes: u64, name: &str) -> ValueId {
        let id = self.value(bytes, ValueKind::Input, None);
        self.inputs.push((name.into(), id));
        id
    }
    fn output(&mut self, name: &str, value: ValueId) {
        self.outputs.push((name.into(), value));
    }
}

/// An input, then a temporary of each size computed from the one before; the last is the output.
pub fn chain(sizes: &[u64]) -> Program {
    let mut program = Program::default();
    let mut last = program.input(sizes[0], "x");
    for &size in &sizes[1..] {
        let next = program.temporary(size);
        program.dispatch(&[last], next);
        last = next;
    }
    program.output("y", last);
    program
}
