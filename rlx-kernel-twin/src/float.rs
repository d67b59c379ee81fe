//! Parts of a float.

/// `x` as `fraction · 2ⁿ` with a fraction of at least 1/2 and below 1; 0 has the exponent 0, and
/// what is not finite is its own fraction.
pub fn frexp(x: f32) -> (f32, i32) {
    const BITS: u32 = 23;
    const BIAS: i32 = 126;
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // A number below the normal ones is brought among them.
    let (normal, raised) = if x.is_normal() {
        (x, 0)
    } else {
        (x * (1u32 << BITS) as f32, BITS as i32)
    };
    let bits = normal.to_bits();
    let exponent = (bits >> BITS & 0xff) as i32 - BIAS;
    let fraction = f32::from_bits(bits & 0x807f_ffff | (BIAS as u32) << BITS);
    (fraction, exponent - raised)
}

#[cfg(test)]
mod tests {
    use super::frexp;

    #[test]
    fn a_fraction_times_its_power_is_the_number() {
        let all = [
            1.0,
            -1.0,
            0.5,
            3.75,
            -1e-30,
            1e30,
            f32::MAX,
            f32::MIN_POSITIVE,
            1e-42,
        ];
        for x in all {
            let (fraction, exponent) = frexp(x);
            assert!((0.5..1.0).contains(&fraction.abs()), "{x}: {fraction}");
            let product = f64::from(fraction) * f64::from(exponent).exp2();
            assert_eq!(product, f64::from(x));
        }
        assert_eq!(frexp(0.0), (0.0, 0));
        assert_eq!(frexp(f32::INFINITY), (f32::INFINITY, 0));
    }
}
