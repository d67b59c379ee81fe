use rlx_kernels::prelude::*;

#[device(impl)]
#[derive(Clone, Copy)]
struct Bits {
    word: u32,
}

#[device]
impl Bits {
    fn low<const COUNT: u32>(self) -> u32 {
        self.word & ((1 << COUNT) - 1)
    }
}

#[device]
fn of(bits: Bits) -> u32 {
    Bits::low::<3>(bits) + bits.low::<4>()
}

fn main() {}
