//! Packed data in registers.

use half::f16;

use super::Machine;
use crate::program::code::{Pack, Unpack};
use crate::program::{Reg, Regs};

impl Machine<'_> {
    pub(super) fn unpack(&mut self, op: Unpack, to: Regs, a: Reg) {
        for index in 0..to.count {
            let target = to.at(index);
            let mut out = self.take(target);
            for (out, word) in out.iter_mut().zip(self.reg(a)) {
                *out = component(op, *word, index);
            }
            self.give(target, out);
        }
    }

    pub(super) fn pack(&mut self, op: Pack, to: Reg, a: Regs) {
        let mut out = self.take(to);
        let bits = 32 / a.count.max(1);
        out.fill(0);
        for index in 0..a.count {
            for (out, word) in out.iter_mut().zip(self.reg(a.at(index))) {
                *out |= packed(op, *word) << (index * bits);
            }
        }
        self.give(to, out);
    }
}

fn component(op: Unpack, word: u32, index: u32) -> u32 {
    let byte = word.to_le_bytes().get(index as usize).copied().unwrap_or(0);
    let half = (word >> (index % 2 * 16)) as u16;
    let float = match op {
        Unpack::U8x4 => return byte.into(),
        Unpack::I8x4 => return byte as i8 as i32 as u32,
        Unpack::F16x2 => f16::from_bits(half).to_f32(),
        Unpack::Snorm8x4 => (f32::from(byte as i8) / 127.0).max(-1.0),
        Unpack::Unorm8x4 => f32::from(byte) / 255.0,
        Unpack::Snorm16x2 => (f32::from(half as i16) / 32_767.0).max(-1.0),
        Unpack::Unorm16x2 => f32::from(half) / 65_535.0,
    };
    float.to_bits()
}

fn packed(op: Pack, word: u32) -> u32 {
    let float = f32::from_bits(word);
    let norm = |low: f32, scale: f32| (0.5 + scale * float.max(low).min(1.0)).floor();
    match op {
        Pack::Bytes => word & 0xff,
        Pack::ClampU8 => word.min(255),
        Pack::ClampI8 => (word as i32).clamp(-128, 127) as u32 & 0xff,
        Pack::F16x2 => f16::from_f32(float).to_bits().into(),
        Pack::Snorm8x4 => norm(-1.0, 127.0) as i8 as u8 as u32,
        Pack::Unorm8x4 => norm(0.0, 255.0) as u8 as u32,
        Pack::Snorm16x2 => norm(-1.0, 32_767.0) as i16 as u16 as u32,
        Pack::Unorm16x2 => norm(0.0, 65_535.0) as u16 as u32,
    }
}
