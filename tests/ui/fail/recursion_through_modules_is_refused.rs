use rlx_kernels::prelude::*;

mod parity {
    use rlx_kernels::prelude::*;

    #[device]
    pub fn even(n: u32) -> bool {
        if n == 0 { true } else { super::odd(n - 1) }
    }
}

use parity::even;

#[device]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { self::even(n - 1) }
}

fn main() {}
