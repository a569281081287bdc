//! Functions of one number that the compiler turns into SIMD, where libm's are calls that it cannot: in f32 several times as quick.
//!
//! Without branches and tables; errors stay within two units in the last place, and infinities, NaN and subnormal results are right.
//! In f64, where accuracy counts for more than time, they are libm's.
//!
//! Source: S. L. Moshier, Cephes Mathematical Library, single precision (`expf`, `tanhf`): its constants and ranges.

// Cephes' decimals, as published: some have more digits than f32 holds.
#![allow(clippy::excessive_precision)]

/// A float with functions of this module.
pub trait Quick {
    /// `e^x`.
    fn quick_exp(self) -> Self;
    /// The hyperbolic tangent.
    fn quick_tanh(self) -> Self;
}

impl Quick for f64 {
    #[inline]
    fn quick_exp(self) -> f64 {
        self.exp()
    }

    #[inline]
    fn quick_tanh(self) -> f64 {
        self.tanh()
    }
}

impl Quick for f32 {
    #[inline(always)]
    fn quick_exp(self) -> f32 {
        /// Adding it leaves the nearest integer in the low bits: 1.5 * 2^23.
        const ROUND: f32 = 12_582_912.0;
        // ln 2 in two parts, the first exact when multiplied by an exponent.
        const LN_2: (f32, f32) = (0.693_359_375, -2.121_944_40e-4);
        // Beyond these the result is 0 or infinity; comparisons this way round let NaN through.
        let x = if self > 89.0 { 89.0 } else { self };
        let x = if x < -104.0 { -104.0 } else { x };
        let shifted = x * std::f32::consts::LOG2_E + ROUND;
        let exponent = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
        let n = shifted - ROUND;
        let r = x - n * LN_2.0 - n * LN_2.1;
        let p = 1.987_569_150_0e-4 * r + 1.398_199_950_7e-3;
        let p = p * r + 8.333_451_907_3e-3;
        let p = p * r + 4.166_579_589_4e-2;
        let p = p * r + 1.666_666_545_9e-1;
        let p = p * r + 5.000_000_120_1e-1;
        let y = p * r * r + r + 1.0;
        // In two steps, since 2^128 and 2^-127 are no normal numbers and the result may still be a number.
        let half = exponent >> 1;
        y * power_of_two(half) * power_of_two(exponent.wrapping_sub(half))
    }

    #[inline(always)]
    fn quick_tanh(self) -> f32 {
        let (x, square) = (self.abs(), self * self);
        let p = -5.704_988_727_45e-3 * square + 2.063_908_879_54e-2;
        let p = p * square - 5.373_971_555_31e-2;
        let p = p * square + 1.333_144_220_36e-1;
        let p = p * square - 3.333_328_194_22e-1;
        let small = p * square * self + self;
        let large = 1.0 - 2.0 / ((2.0 * x).quick_exp() + 1.0);
        // Both, so that -0 stays -0.
        (if x < 0.625 { small } else { large }).copysign(self)
    }
}

/// `2^n` for `n` of -126 to 127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far `got` is from `expected`, in units in the last place of f32 there.
    fn ulps(got: f32, expected: f64) -> f64 {
        let near = expected as f32;
        (f64::from(got) - expected).abs() / f64::from(near.abs().next_up() - near.abs())
    }

    #[test]
    fn errors_stay_within_two_units_in_the_last_place() {
        for i in -900_000..=900_000 {
            let x = i as f32 * 1e-4;
            // Where the result overflows there is nothing to measure.
            if x < 88.7 {
                assert!(ulps(x.quick_exp(), f64::from(x).exp()) <= 2.0, "exp({x}) = {}", x.quick_exp());
            }
            assert!(ulps(x.quick_tanh(), f64::from(x).tanh()) <= 2.0, "tanh({x}) = {}", x.quick_tanh());
        }
    }

    #[test]
    fn the_ends_are_right() {
        let inf = f32::INFINITY;
        assert_eq!([inf, -inf, 88.8, -104.0, 0.0].map(f32::quick_exp), [inf, 0.0, inf, 0.0, 1.0]);
        assert_eq!((-103.0f32).quick_exp(), (-103.0f32).exp());
        assert_eq!([inf, -inf, 0.0, 20.0].map(f32::quick_tanh), [1.0, -1.0, 0.0, 1.0]);
        assert!((-0.0f32).quick_tanh().is_sign_negative() && 1e-40f32.quick_tanh() == 1e-40);
        assert!(f32::NAN.quick_exp().is_nan() && f32::NAN.quick_tanh().is_nan());
    }
}
