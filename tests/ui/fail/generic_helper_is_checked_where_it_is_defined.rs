use rlx_kernels::prelude::*;

#[device]
fn first_of<F: BlockFormat>(w: &[Packed<F>], i: u32) -> u32 {
    F::decode(w.block(i), 0)
}

#[device]
fn second<F: BlockFormat>(w: &[Packed<F>], i: u32) -> f32 {
    F::decode_all(w.block(i))
}

#[kernel(workgroup_size(64), threads(n), instances(F in [Bytes]))]
fn firsts<F: BlockFormat>(w: &[Packed<F>], y: &mut [u32], n: u32) {
    let i = global_index();
    if i < n {
        y[i] = first_of(w, i);
    }
}

#[format(name = "B", ggml = 99, elems = 8, bytes = 8, layout { q: [u8; 8] })]
impl BlockFormat for Bytes {
    fn decode(b: Block<Self>, i: u32) -> f32 {
        b.q(i) as f32
    }
}

fn main() {}
