use rlx_kernels::prelude::*;

#[device]
fn collatz(n: u32) -> u32 {
    let mut steps = 0;
    let mut at = n;
    loop {
        if at <= 1 {
            return steps;
        }
        at = if at % 2 == 0 { at / 2 } else { 3 * at + 1 };
        steps += 1;
    }
}

fn main() {}
