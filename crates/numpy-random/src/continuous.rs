//! Laws of real numbers that are made of the uniform, the normal and the exponential one.

/// The three laws that others are made of; `Generator` and `RandomState` draw them in their own ways.
pub trait Continuous {
    /// A number from 0 up to, but not including, 1.
    fn double(&mut self) -> f64;
    /// A number of the standard normal law.
    fn standard_normal(&mut self) -> f64;
    /// A number of the exponential law with mean 1.
    fn standard_exponential(&mut self) -> f64;
}

/// A number of the gamma law with this shape and scale 1 (Marsaglia and Tsang; below 1, Ahrens and
/// Dieter).
pub fn standard_gamma(from: &mut impl Continuous, shape: f64) -> f64 {
    if shape == 1.0 {
        return from.standard_exponential();
    }
    if shape == 0.0 {
        return 0.0;
    }
    if shape < 1.0 {
        return gamma_below_one(from, shape);
    }
    let b = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * b).sqrt();
    loop {
        let (x, root) = loop {
            let x = from.standard_normal();
            let root = 1.0 + c * x;
            if root > 0.0 {
                break (x, root);
            }
        };
        let v = root * root * root;
        let u = from.double();
        let is_clear = u < 1.0 - 0.0331 * (x * x) * (x * x);
        if is_clear || u.ln() < 0.5 * x * x + b * (1.0 - v + v.ln()) {
            return b * v;
        }
    }
}

fn gamma_below_one(from: &mut impl Continuous, shape: f64) -> f64 {
    loop {
        let u = from.double();
        let v = from.standard_exponential();
        let (x, limit) = if u <= 1.0 - shape {
            (u.powf(1.0 / shape), v)
        } else {
            let y = -((1.0 - u) / shape).ln();
            ((1.0 - shape + shape * y).powf(1.0 / shape), v + y)
        };
        if x <= limit {
            return x;
        }
    }
}

/// Below it, a number of the beta law is 0 or 1.
const TINY: f64 = 3e-103;

/// A number of the beta law (Jöhnk if both parameters are at most 1).
pub fn beta(from: &mut impl Continuous, a: f64, b: f64) -> f64 {
    if a > 1.0 || b > 1.0 {
        let (one, other) = (standard_gamma(from, a), standard_gamma(from, b));
        return one / (one + other);
    }
    if a < TINY && b < TINY {
        return f64::from(u8::from((a + b) * from.double() < a));
    }
    loop {
        let (u, v) = (from.double(), from.double());
        let (x, y) = (u.powf(1.0 / a), v.powf(1.0 / b));
        let sum = x + y;
        if sum > 1.0 || u + v <= 0.0 {
            continue;
        }
        if x > 0.0 && y > 0.0 {
            return x / sum;
        }
        // Their logarithms do not vanish.
        let above = u.ln() / a - v.ln() / b;
        return if above > 0.0 {
            (-(-above).exp().ln_1p()).exp()
        } else {
            (above - above.exp().ln_1p()).exp()
        };
    }
}

/// A number of the triangular law.
pub fn triangular(from: &mut impl Continuous, left: f64, mode: f64, right: f64) -> f64 {
    let base = right - left;
    let left_base = mode - left;
    let u = from.double();
    if u <= left_base / base {
        left + (u * (left_base * base)).sqrt()
    } else {
        right - ((1.0 - u) * ((right - mode) * base)).sqrt()
    }
}

/// Shares of the whole, of the Dirichlet law whose largest parameter is at least 0.1.
pub fn dirichlet(from: &mut impl Continuous, alpha: &[f64]) -> Vec<f64> {
    let mut shares: Vec<f64> = alpha.iter().map(|shape| standard_gamma(from, *shape)).collect();
    let sum = shares.iter().fold(0.0, |sum, share| sum + share);
    let inverse = 1.0 / sum;
    shares.iter_mut().for_each(|share| *share *= inverse);
    shares
}
