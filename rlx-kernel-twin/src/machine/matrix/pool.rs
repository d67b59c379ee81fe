//! The matrices that registers name.

use std::collections::HashSet;

/// What the number of the first matrix is. Few other words look like one; a register that never held
/// a matrix holds 0, and that is a matrix of zeros.
pub const FIRST: u32 = 0x6d61_0000;

/// Matrices before those that no register names are looked for.
const FEW: usize = 1024;

/// A matrix, by rows, and how far each element may be off on another device.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    pub elements: Vec<f32>,
    pub errors: Option<Vec<f64>>,
}

impl Matrix {
    pub fn element(&self, at: usize) -> f32 {
        self.elements.get(at).copied().unwrap_or(0.0)
    }

    /// An element, and how far it may be off.
    pub fn known(&self, at: usize) -> (f64, f64) {
        let errors = self.errors.as_ref().and_then(|errors| errors.get(at));
        (f64::from(self.element(at)), errors.copied().unwrap_or(0.0))
    }

    pub fn is_finite(&self) -> bool {
        self.elements.iter().all(|element| element.is_finite())
    }
}

/// The matrices that are held.
#[derive(Debug, Default)]
pub struct Matrices {
    all: Vec<Matrix>,
    free: Vec<u32>,
    /// How many there may be before they are gone through.
    limit: usize,
}

impl Matrices {
    pub fn get(&self, number: u32) -> Option<&Matrix> {
        let index = number.checked_sub(FIRST)?;
        self.all.get(index as usize)
    }

    pub fn is_full(&self) -> bool {
        self.free.is_empty() && self.all.len() >= self.limit.max(FEW)
    }

    /// Gives up all that `held` does not name.
    pub fn sweep(&mut self, held: &HashSet<u32>) {
        for index in 0..self.all.len() as u32 {
            if !held.contains(&(FIRST + index)) {
                self.free.push(index);
            }
        }
        self.limit = 2 * (self.all.len() - self.free.len());
    }

    pub fn add(&mut self, matrix: Matrix) -> u32 {
        if let Some(index) = self.free.pop()
            && let Some(slot) = self.all.get_mut(index as usize)
        {
            *slot = matrix;
            return FIRST + index;
        }
        self.all.push(matrix);
        FIRST + self.all.len() as u32 - 1
    }
}
