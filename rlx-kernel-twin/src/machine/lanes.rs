//! Loops over lanes, of a form that vectorises.

pub(super) fn map1(to: &mut [u32], a: &[u32], f: impl Fn(u32) -> u32) {
    for (to, a) in to.iter_mut().zip(a) {
        *to = f(*a);
    }
}

pub(super) fn map2(to: &mut [u32], a: &[u32], b: &[u32], f: impl Fn(u32, u32) -> u32) {
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = f(*a, *b);
    }
}

pub(super) fn map3(to: &mut [u32], [a, b, c]: [&[u32]; 3], f: impl Fn(u32, u32, u32) -> u32) {
    for (((to, a), b), c) in to.iter_mut().zip(a).zip(b).zip(c) {
        *to = f(*a, *b, *c);
    }
}

pub(super) fn float1(to: &mut [u32], a: &[u32], f: impl Fn(f32) -> f32) {
    map1(to, a, |a| f(f32::from_bits(a)).to_bits());
}

pub(super) fn float2(to: &mut [u32], a: &[u32], b: &[u32], f: impl Fn(f32, f32) -> f32) {
    map2(to, a, b, |a, b| {
        f(f32::from_bits(a), f32::from_bits(b)).to_bits()
    });
}

pub(super) fn compare(to: &mut [u32], a: &[u32], b: &[u32], f: impl Fn(f32, f32) -> bool) {
    map2(to, a, b, |a, b| {
        u32::from(f(f32::from_bits(a), f32::from_bits(b)))
    });
}

/// Whether `f` holds for a lane that takes part.
pub(super) fn any1(active: &[u32], a: &[u32], f: impl Fn(u32) -> bool) -> bool {
    let lanes = active.iter().zip(a);
    lanes.fold(0, |any, (mask, a)| any | mask & u32::from(f(*a))) != 0
}

/// Whether `f` holds for a lane that takes part.
pub(super) fn any2(active: &[u32], a: &[u32], b: &[u32], f: impl Fn(u32, u32) -> bool) -> bool {
    let lanes = active.iter().zip(a).zip(b);
    lanes.fold(0, |any, ((mask, a), b)| any | mask & u32::from(f(*a, *b))) != 0
}

/// Whether a float is NaN or infinite.
pub(super) fn is_not_finite(bits: u32) -> bool {
    bits & 0x7f80_0000 == 0x7f80_0000
}
