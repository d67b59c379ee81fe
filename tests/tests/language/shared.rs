//! Structs and arrays in slices, which host and device lay out alike.

use rlx_kernels::prelude::*;

use crate::every_device;

/// The bounds of a cell.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    low: Vec2<f32>,
    high: Vec2<f32>,
}

/// A particle, whose mass and age fill what vectors leave.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    position: Vec3<f32>,
    mass: f32,
    velocity: Vec3<f32>,
    age: u32,
    seen: [Bounds; 2],
    halves: Vec2<u32>,
    pad: [u32; 2],
}

/// Where the particle will be.
#[device]
pub fn moved(p: Particle, by: f32) -> Particle {
    let mut q = p;
    q.position += p.velocity * by;
    q.age += 1;
    q.seen[1] = Bounds {
        low: vec2(p.position.x, p.mass),
        high: p.seen[0].low,
    };
    q.halves.y = q.age * 3;
    q
}

#[device]
fn store(all: &mut [Particle], at: u32, p: Particle) {
    all[at] = p;
    all[at].pad[1] += 7;
}

#[kernel(workgroup_size(64), threads(n))]
fn step(
    from: &[Particle],
    to: &mut [Particle],
    rows: &[[f32; 3]],
    sums: &mut [[f32; 2]],
    by: f32,
    n: u32,
) {
    #[workgroup]
    let tile: [Particle; 64];
    let i = global_index();
    if i < n {
        tile[local_index()] = from[i];
    }
    workgroup_barrier();
    if i < n {
        store(to, i, moved(tile[local_index()], by));
        let row = rows[i];
        sums[i] = [row[0] + row[1], row[2]];
        sums[i][1] *= 2.0;
    }
}

fn particle(i: u32) -> Particle {
    let x = i as f32;
    let bounds = Bounds {
        low: vec2(x, -x),
        high: vec2(0.5, x * 2.0),
    };
    Particle {
        position: vec3(x, x + 1.0, x + 2.0),
        mass: 0.25 * x,
        velocity: vec3(1.0, -2.0, x),
        age: i * 5,
        seen: [bounds; 2],
        halves: vec2(i, i + 1),
        pad: [0; 2],
    }
}

#[test]
fn structs_and_arrays_in_slices_are_the_hosts_own() {
    let info = step::info();
    let strides: Vec<_> = info.bindings.iter().map(|b| b.stride).collect();
    assert_eq!(strides, [80, 80, 12, 8]);
    assert_eq!(size_of::<Particle>(), 80);
    for gpu in every_device() {
        let n = 100;
        let all: Vec<_> = (0..n).map(particle).collect();
        let rows: Vec<_> = (0..n).map(|i| [i as f32, 0.5, i as f32 * 3.0]).collect();
        let from = gpu.upload(&all).expect("it uploads");
        let rows_in = gpu.upload(&rows).expect("it uploads");
        let mut to = gpu.alloc::<Particle>(u64::from(n)).expect("it allocates");
        let mut sums = gpu.alloc::<[f32; 2]>(u64::from(n)).expect("it allocates");
        let run = step::launch(&from, &mut to, &rows_in, &mut sums, 0.5, n).expect("a grid");
        gpu.run(&run).expect("it runs");
        let to = gpu.download(&to).expect("it downloads");
        let sums = gpu.download(&sums).expect("it downloads");
        for i in 0..n as usize {
            let mut wanted = moved(all[i], 0.5);
            wanted.pad[1] += 7;
            assert_eq!(to[i], wanted);
            assert_eq!(sums[i], [rows[i][0] + rows[i][1], rows[i][2] * 2.0]);
        }
    }
}

mod elsewhere {
    use rlx_kernels::prelude::*;

    /// A struct that a kernel reaches by a path.
    #[device]
    #[derive(Clone, Copy)]
    pub struct Count {
        pub wide: u64,
        pub number: i32,
        pub half: Vec2<f16>,
    }
}

#[kernel(workgroup_size(64), threads(n))]
fn count(all: &mut [self::elsewhere::Count], n: u32) {
    let i = global_index();
    if i < n {
        all[i].wide += all[i].number as u64 + all[i].half.y.to_f32() as u64;
    }
}

#[test]
fn structs_of_all_widths_are_found_by_their_paths() {
    for gpu in every_device() {
        let one = elsewhere::Count {
            wide: 1 << 40,
            number: 17,
            half: vec2(f16::ONE, f16::from_f32(5.0)),
        };
        let mut all = gpu.upload(&[one; 3]).expect("it uploads");
        let run = count::launch(&mut all, 3).expect("a grid");
        gpu.run(&run).expect("it runs");
        let all = gpu.download(&all).expect("it downloads");
        assert!(all.iter().all(|one| one.wide == (1 << 40) + 22));
    }
}
