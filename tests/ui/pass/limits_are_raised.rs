use rlx_kernels::prelude::*;

#[device]
const SIZE: u32 = 512;

#[kernel(workgroup_size(SIZE), threads(n), limits(workgroup_bytes = 32768, invocations = SIZE, bindings = 9))]
fn reversed(x: &[f32], y: &mut [f32], n: u32) {
    #[workgroup]
    let tile: [Vec4<f32>; 2048];
    let me = local_index();
    tile[me] = Vec4::splat(x[global_index() % n]);
    workgroup_barrier();
    y[global_index() % n] = tile[SIZE - 1 - me].x;
}

fn main() {
    let limits: Vec<_> = reversed::info()
        .limits
        .iter()
        .map(|limit| (&*limit.name, limit.needed, limit.default))
        .collect();
    // The bindings were raised for nothing.
    assert_eq!(
        limits,
        [
            ("workgroup_bytes", 32768, 16384),
            ("invocations", 512, 256)
        ]
    );
}
