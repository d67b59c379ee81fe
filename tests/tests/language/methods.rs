//! Functions, methods and consts of device structs.

use super::{every_device, words};
use rlx_kernels::prelude::*;

/// A generator of numbers, as in PCG.
#[device(impl)]
#[derive(Clone, Copy)]
pub struct Pcg {
    state: u32,
    drawn: u32,
}

#[device]
impl Pcg {
    const FACTOR: u32 = 747_796_405;
    /// Numbers that a test draws.
    pub const ROUNDS: u32 = Self::HALF * 2;
    const HALF: u32 = 3;
    /// A generator that has drawn nothing.
    pub const FRESH: Self = Self { state: 1, drawn: 0 };

    /// The generator of a seed.
    pub fn new(seed: u32) -> Self {
        let mut this = Self::FRESH;
        this.state = seed ^ this.state;
        this.step();
        this
    }

    fn step(&mut self) {
        self.state = self
            .state
            .wrapping_mul(Pcg::FACTOR)
            .wrapping_add(2_891_336_453);
    }

    /// The next number.
    pub fn draw(&mut self) -> u32 {
        self.step();
        self.drawn += 1;
        mixed(self.state)
    }

    /// The sum of what another and this have drawn.
    pub fn both(self, other: Pcg) -> u32 {
        self.drawn + other.drawn
    }

    /// The state, of a borrowed one.
    pub fn peek(&self) -> u32 {
        let copy = *self;
        copy.state ^ self.drawn
    }
}

#[device]
fn mixed(state: u32) -> u32 {
    ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737)
}

/// Types that import one another's names.
pub mod shapes {
    use rlx_kernels::prelude::*;

    use super::Pcg as Random;

    /// A point of a grid.
    #[device(impl)]
    #[derive(Clone, Copy)]
    pub struct Point {
        /// Column.
        pub x: u32,
        /// Row.
        pub y: u32,
    }

    #[device]
    impl Point {
        /// Points on a side.
        pub const SIDE: u32 = 8;

        /// A point at random.
        pub fn random(from: &mut Random) -> Point {
            Self {
                x: from.draw() % Self::SIDE,
                y: from.draw() % Self::SIDE,
            }
        }

        /// Where it lies in memory.
        pub fn index(self) -> u32 {
            self.y * Self::SIDE + self.x
        }

        /// Goes to the right, and round.
        pub fn shift(&mut self, by: u32) {
            self.x = (self.x + by) % Self::SIDE;
        }
    }
}

/// All of it.
#[device]
pub fn methods(x: u32) -> u32 {
    let mut rng = Pcg::new(x);
    let mut grid = [0; (shapes::Point::SIDE * shapes::Point::SIDE) as usize];
    for _ in 0..Pcg::ROUNDS {
        let mut at = shapes::Point::random(&mut rng);
        grid[at.index()] += 1;
        at.shift(x % 5);
        grid[at.index()] += 10;
    }
    let mut sum = rng.both(Pcg::new(x ^ 1)) * 1000 + rng.peek() % 97;
    for i in 0..64 {
        sum = sum.wrapping_mul(31).wrapping_add(grid[i]);
    }
    sum
}

pure! {
    methods_and_consts_of_structs_give_rustcs_bits: methods_kernel(methods);
}
