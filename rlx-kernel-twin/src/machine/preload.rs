//! What the first registers hold.

use super::Machine;
use crate::program::code::Input;
use crate::program::{Preload, Space};

impl Machine<'_> {
    pub(super) fn preload(&mut self, index: usize, preload: Preload) {
        let run = self.run;
        let [wide, high, _] = run.program.workgroup_size.map(|size| size.max(1));
        let [across, down, _] = run.grid;
        let [x, y, z] = self.group;
        let size = run.subgroup_size;
        let lanes = run.program.lanes();
        let folded = x.wrapping_add(y.wrapping_mul(across));
        let value = |lane: u32| match preload {
            Preload::Const(bits) => bits,
            Preload::Override(index) => {
                let value = run.overrides.get(index as usize);
                value.map_or(0, |value| *value as u32)
            }
            Preload::Param(offset) => {
                let at = offset as usize;
                let word = run.params.get(at..at + 4);
                word.and_then(|word| word.try_into().ok())
                    .map_or(0, u32::from_le_bytes)
            }
            Preload::ParamHalf(offset) => {
                let at = offset as usize;
                let half = run.params.get(at..at + 2);
                half.and_then(|half| half.try_into().ok())
                    .map_or(0, |half| half::f16::from_le_bytes(half).to_f32().to_bits())
            }
            Preload::Length(memory) => {
                let known = run.program.memories.get(memory.0 as usize);
                let stride = known.map_or(1, |memory| memory.stride.max(1));
                let bytes = match known.map(|memory| memory.space) {
                    Some(Space::Workgroup { bytes }) => Some(bytes),
                    _ => run.storage.get(run.slot(memory)).map(|buffer| buffer.bytes),
                };
                bytes.map_or(0, |bytes| bytes / stride)
            }
            Preload::Input(input) => match input {
                Input::LocalX => lane % wide,
                Input::LocalY => lane / wide % high,
                Input::LocalZ => lane / wide / high,
                Input::WorkgroupX => x,
                Input::WorkgroupY => y,
                Input::WorkgroupZ => z,
                Input::GlobalX => x.wrapping_mul(wide).wrapping_add(lane % wide),
                Input::GlobalY => y.wrapping_mul(high).wrapping_add(lane / wide % high),
                Input::GlobalZ => {
                    let deep = run.program.workgroup_size[2];
                    z.wrapping_mul(deep).wrapping_add(lane / wide / high)
                }
                Input::NumWorkgroupsX => across,
                Input::NumWorkgroupsY => down,
                Input::NumWorkgroupsZ => run.grid[2],
                Input::LocalIndex => lane,
                Input::WorkgroupIndex => folded,
                Input::GlobalIndex => folded.wrapping_mul(lanes).wrapping_add(lane),
                Input::SubgroupLane => lane % size,
                Input::SubgroupSize => size,
                Input::SubgroupId => lane / size,
                Input::NumSubgroups => lanes.div_ceil(size),
            },
        };
        if let Some(register) = self.registers.get_mut(index) {
            for (lane, word) in register.iter_mut().enumerate() {
                *word = value(lane as u32);
            }
        }
    }
}
