//! Sine and cosine of whole registers.
//!
//! An angle is a count of quarter turns and a remainder of at most an eighth. The quarter turn is
//! taken away in four parts (Cody and Waite): the first two have so few bits that nothing is
//! rounded, the others are below the last place of the remainder. Polynomials of the remainder are
//! those of Cephes (float32) and fdlibm (float64).

use crate::lanes::{Element, Lanes, Mask};

/// Angles below this keep the promise of four parts; others go to the standard library.
const LARGEST: f64 = 8192.0;

/// Registers whose bits can be looked at.
pub trait Quadrants: Lanes {
    /// Sine and cosine of an angle out of those of its remainder. The lowest two bits of `count`
    /// count the quarter turns between them.
    fn turned(count: Self, sine: Self, cosine: Self) -> (Self, Self);
}

/// What differs between float32 and float64.
pub trait Polynomials {
    /// Of the quarter turn: their sum is pi / 2.
    const PARTS: [f64; 4];
    /// Added to a small number, it leaves an integer in the lowest bits.
    const ROUNDING: f64;
    /// Of (sin x - x) / x^3, in powers of x^2, the highest first.
    const SINE: &'static [f64];
    /// Of (cos x - 1 + x^2 / 2) / x^4, in powers of x^2, the highest first.
    const COSINE: &'static [f64];
}

impl Polynomials for f32 {
    const PARTS: [f64; 4] = [
        1.570_312_5,
        4.837_512_969_970_703e-4,
        7.549_790_126_404_332e-8,
        -1.715_124_510_005_881_9e-15,
    ];
    const ROUNDING: f64 = 12_582_912.0; // 1.5 * 2^23
    const SINE: &'static [f64] = &[-1.951_529_589_1e-4, 8.332_160_873_6e-3, -1.666_665_461_1e-1];
    const COSINE: &'static [f64] =
        &[2.443_315_711_809_948e-5, -1.388_731_625_493_765e-3, 4.166_664_568_298_827e-2];
}

impl Polynomials for f64 {
    const PARTS: [f64; 4] = [
        1.570_796_326_734_125_6,
        6.077_100_506_303_966e-11,
        2.022_266_248_711_166_5e-21,
        8.478_427_660_368_9e-32,
    ];
    const ROUNDING: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    const SINE: &'static [f64] = &[
        1.589_690_995_211_55e-10,
        -2.505_076_025_340_686_3e-8,
        2.755_731_370_707_006_8e-6,
        -1.984_126_982_985_795e-4,
        8.333_333_333_322_49e-3,
        -1.666_666_666_666_663_2e-1,
    ];
    const COSINE: &'static [f64] = &[
        -1.135_964_755_778_819_5e-11,
        2.087_572_321_298_175e-9,
        -2.755_731_435_139_066_3e-7,
        2.480_158_728_947_673e-5,
        -1.388_888_888_887_411e-3,
        4.166_666_666_666_66e-2,
    ];
}

/// Of every lane.
#[inline(always)]
pub fn sin_cos<V: Quadrants>(angle: V) -> (V, V)
where
    V::Element: Polynomials,
{
    let small = angle.abs().less(V::of(LARGEST));
    if (!small).any() {
        return V::apart(|| {
            let sine = angle.one_by_one(|angle| angle.std_sin_cos().0);
            (sine, angle.one_by_one(|angle| angle.std_sin_cos().1))
        });
    }
    let rounding = V::of(V::Element::ROUNDING);
    let count = rounding.plus(angle, V::of(std::f64::consts::FRAC_2_PI));
    let quarters = count - rounding;
    let remainder =
        (V::Element::PARTS.into_iter()).fold(angle, |rest, part| rest.minus(quarters, V::of(part)));
    let square = remainder * remainder;
    let sine = remainder.plus(remainder * square, polynomial(V::Element::SINE, square));
    let cosine = polynomial(V::Element::COSINE, square);
    let cosine = V::of(-0.5).plus(square, cosine);
    V::turned(count, sine, V::one().plus(square, cosine))
}

/// Horner's rule.
#[inline(always)]
fn polynomial<V: Lanes>(coefficients: &[f64], x: V) -> V {
    let (&highest, others) = coefficients.split_first().expect("there are some");
    others.iter().fold(V::of(highest), |sum, &next| V::of(next).plus(sum, x))
}
