//! Memory of a run.

pub mod atomics;
pub mod shadow;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Words that invocations share. Workgroups of a parallel run share them across threads.
#[derive(Debug)]
pub struct Buffer {
    words: Vec<AtomicU32>,
    /// Bytes.
    pub bytes: u32,
}

impl Buffer {
    /// `bytes` zeros.
    pub fn zeroed(bytes: u32) -> Self {
        Self {
            words: (0..bytes.div_ceil(4)).map(|_| AtomicU32::new(0)).collect(),
            bytes,
        }
    }

    /// A copy of `bytes`; `None` where they are too many for 32-bit addresses.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let len = u32::try_from(bytes.len())
            .ok()
            .filter(|len| *len < u32::MAX - 64)?;
        let words = bytes.chunks(4).map(|chunk| {
            let mut word = [0; 4];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            AtomicU32::new(u32::from_le_bytes(word))
        });
        Some(Self {
            words: words.collect(),
            bytes: len,
        })
    }

    /// Copies what it holds into `bytes`.
    pub fn copy_to(&self, bytes: &mut [u8]) {
        for (chunk, word) in bytes.chunks_mut(4).zip(&self.words) {
            for (to, from) in chunk.iter_mut().zip(word.load(Relaxed).to_le_bytes()) {
                *to = from;
            }
        }
    }

    /// Makes it all zeros.
    pub fn clear(&self) {
        for word in &self.words {
            word.store(0, Relaxed);
        }
    }

    /// The cell of a byte address.
    pub fn word(&self, address: u32) -> Option<&AtomicU32> {
        self.words.get(address as usize / 4)
    }

    /// The word at a byte address that four divides; 0 past the end.
    pub fn load(&self, address: u32) -> u32 {
        self.word(address).map_or(0, |word| word.load(Relaxed))
    }

    /// The four bytes from any address on.
    pub fn load_unaligned(&self, address: u32) -> u32 {
        let low = self.load(address);
        let shift = address % 4 * 8;
        if shift == 0 {
            return low;
        }
        let high = address.checked_add(4).map_or(0, |next| self.load(next));
        low >> shift | high << (32 - shift)
    }

    /// Writes half a word; nothing past the end.
    pub fn store_half(&self, address: u32, half: u16) {
        if let Some(word) = self.word(address) {
            let shift = address % 4 * 8;
            let (keep, put) = (!(0xffff << shift), u32::from(half) << shift);
            // The other half may be written at the same time, by a workgroup on another thread.
            let put = |old: u32| Some(old & keep | put);
            let _ = word.fetch_update(Relaxed, Relaxed, put);
        }
    }

    /// Writes a word; nothing past the end.
    pub fn store(&self, address: u32, value: u32) {
        if let Some(word) = self.word(address) {
            word.store(value, Relaxed);
        }
    }
}
