//! Laws of whole numbers.

use super::Bits;

/// A number of the Poisson law (Hörmann's PTRS from 10 on, products of uniform numbers below).
pub fn poisson(bits: &mut impl Bits, mean: f64) -> i64 {
    if mean >= 10.0 {
        return poisson_by_rejection(bits, mean);
    }
    if mean == 0.0 {
        return 0;
    }
    let limit = (-mean).exp();
    let (mut count, mut product) = (0, bits.next_f64());
    while product > limit {
        count += 1;
        product *= bits.next_f64();
    }
    count
}

fn poisson_by_rejection(bits: &mut impl Bits, mean: f64) -> i64 {
    let log_mean = mean.ln();
    let b = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let accepted = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let u = bits.next_f64() - 0.5;
        let v = bits.next_f64();
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + mean + 0.43).floor();
        if us >= 0.07 && v <= accepted {
            return k as i64;
        }
        if k < 0.0 || (us < 0.013 && v > us) {
            continue;
        }
        let tried = v.ln() + inverse_alpha.ln() - (a / (us * us) + b).ln();
        if tried <= -mean + k * log_mean - log_gamma(k + 1.0) {
            return k as i64;
        }
    }
}

/// The logarithm of the gamma function, by Stirling's series above 7.
fn log_gamma(x: f64) -> f64 {
    const TERMS: [f64; 10] = [
        8.333333333333333e-02,
        -2.777777777777778e-03,
        7.936507936507937e-04,
        -5.952380952380952e-04,
        8.417508417508418e-04,
        -1.917526917526918e-03,
        6.41025641025641e-03,
        -2.955065359477124e-02,
        1.796443723688307e-01,
        -1.392_432_216_905_9,
    ];
    const LOG_TWO_PI: f64 = 1.837_877_066_409_345_3;
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    let shift = if x < 7.0 { (7.0 - x).trunc() } else { 0.0 };
    let mut at = x + shift;
    let square = (1.0 / at) * (1.0 / at);
    let series = TERMS.iter().rev().copied().reduce(|sum, term| sum * square + term);
    let series = series.expect("ten terms");
    let mut result = series / at + 0.5 * LOG_TWO_PI + (at - 0.5) * at.ln() - at;
    for _ in 0..shift as i64 {
        result -= (at - 1.0).ln();
        at -= 1.0;
    }
    result
}

/// How many of `n` attempts succeed, each with probability `p`.
pub fn binomial(bits: &mut impl Bits, n: i64, p: f64) -> i64 {
    if n == 0 || p == 0.0 {
        return 0;
    }
    let rarer = if p <= 0.5 { p } else { 1.0 - p };
    let drawn = if rarer * n as f64 <= 30.0 {
        binomial_by_inversion(bits, n, rarer)
    } else {
        binomial_by_rejection(bits, n, rarer)
    };
    if p <= 0.5 { drawn } else { n - drawn }
}

fn binomial_by_inversion(bits: &mut impl Bits, n: i64, p: f64) -> i64 {
    let q = 1.0 - p;
    let none = (n as f64 * (-p).ln_1p()).exp();
    let mean = n as f64 * p;
    let bound = (n as f64).min(mean + 10.0 * (mean * q + 1.0).sqrt()) as i64;
    let (mut count, mut density) = (0, none);
    let mut u = bits.next_f64();
    while u > density {
        count += 1;
        if count > bound {
            (count, density) = (0, none);
            u = bits.next_f64();
        } else {
            u -= density;
            density = (n - count + 1) as f64 * p * density / (count as f64 * q);
        }
    }
    count
}

/// BTPE of Kachitvichyanukul and Schmeiser: a triangle, two parallelograms and two tails around the
/// scaled density; `p` is at most 0.5.
fn binomial_by_rejection(bits: &mut impl Bits, n: i64, p: f64) -> i64 {
    let count = n as f64;
    let r = p.min(1.0 - p);
    let q = 1.0 - r;
    let spread = count * r * q;
    let centre = count * r + r;
    let mode = centre.floor();
    let m = mode as i64;
    let p1 = (2.195 * spread.sqrt() - 4.6 * q).floor() + 0.5;
    let middle = mode + 0.5;
    let (left, right) = (middle - p1, middle + p1);
    let c = 0.134 + 20.5 / (15.3 + mode);
    let slope = |a: f64| a * (1.0 + a / 2.0);
    let to_left = slope((centre - left) / (centre - left * r));
    let to_right = slope((right - centre) / (right * q));
    let p2 = p1 * (1.0 + 2.0 * c);
    let p3 = p2 + c / to_left;
    let p4 = p3 + c / to_right;
    loop {
        let u = bits.next_f64() * p4;
        let v = bits.next_f64();
        if u <= p1 {
            return (middle - p1 * v + u).floor() as i64;
        }
        let (y, v) = if u <= p2 {
            let x = left + (u - p1) / c;
            let v = v * c + 1.0 - (mode - x + 0.5).abs() / p1;
            if v > 1.0 {
                continue;
            }
            (x.floor(), v)
        } else if u <= p3 {
            let y = (left + v.ln() / to_left).floor();
            if y < 0.0 || v == 0.0 {
                continue;
            }
            (y, v * (u - p2) * to_left)
        } else {
            let y = (right - v.ln() / to_right).floor();
            if y > count || v == 0.0 {
                continue;
            }
            (y, v * (u - p3) * to_right)
        };
        let k = (y - mode).abs();
        let is_likely = if k > 20.0 && k < spread / 2.0 - 1.0 {
            is_below_the_density(v, [count, r, q, spread, mode, middle, y, k])
        } else {
            v <= density(n, r, q, m, y as i64)
        };
        if is_likely {
            return y as i64;
        }
    }
}

/// The density at `y` beside that at the mode, by its recursion.
fn density(n: i64, r: f64, q: f64, mode: i64, y: i64) -> f64 {
    let s = r / q;
    let a = s * (n + 1) as f64;
    let mut f = 1.0;
    for i in mode + 1..=y {
        f *= a / i as f64 - s;
    }
    for i in y + 1..=mode {
        f /= a / i as f64 - s;
    }
    f
}

/// Whether `v` is below the density at `y`: by bounds of its logarithm, else by Stirling's formula.
fn is_below_the_density(v: f64, [n, r, q, spread, mode, middle, y, k]: [f64; 8]) -> bool {
    let rho = (k / spread) * ((k * (k / 3.0 + 0.625) + 0.166_666_666_666_666_66) / spread + 0.5);
    let t = -k * k / (2.0 * spread);
    let log = v.ln();
    if log < t - rho {
        return true;
    }
    if log > t + rho {
        return false;
    }
    let (x1, f1, z, w) = (y + 1.0, mode + 1.0, n + 1.0 - mode, n - y + 1.0);
    let stirling = |x: f64| {
        let square = x * x;
        (13680. - (462. - (132. - (99. - 140. / square) / square) / square) / square) / x / 166320.
    };
    log <= middle * (f1 / x1).ln()
        + (n - mode + 0.5) * (z / w).ln()
        + (y - mode) * (w * r / (x1 * q)).ln()
        + stirling(f1)
        + stirling(z)
        + stirling(x1)
        + stirling(w)
}

/// The number of the first success: from 1 on, by adding up probabilities.
pub fn geometric_by_search(bits: &mut impl Bits, p: f64) -> i64 {
    let (mut number, mut probability, mut sum) = (1, p, p);
    let u = bits.next_f64();
    while u > sum {
        probability *= 1.0 - p;
        sum += probability;
        number += 1;
    }
    number
}

/// How many of `n` fall to each of these probabilities; the last takes what is left.
pub fn multinomial(bits: &mut impl Bits, n: i64, probabilities: &[f64]) -> Vec<i64> {
    let mut counts = vec![0; probabilities.len()];
    let (mut left, mut rest) = (n, 1.0);
    let Some((last, earlier)) = counts.split_last_mut() else {
        return counts;
    };
    for (count, p) in earlier.iter_mut().zip(probabilities) {
        *count = binomial(bits, left, p / rest);
        left -= *count;
        if left <= 0 {
            return counts;
        }
        rest -= p;
    }
    *last = left;
    counts
}
