//! `np.random.Generator` over PCG64.

use super::choice;
use super::continuous::{self, Continuous};
use super::ziggurat;
use super::{Bits, Pcg64, bounded, discrete};

/// What `np.random.default_rng(seed)` returns, and Gymnasium's `np_random`: each method draws what
/// NumPy's method of the same name draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    bits: Pcg64,
}

impl Generator {
    /// `np.random.default_rng(seed)`
    pub fn new(seed: u64) -> Self {
        Self { bits: Pcg64::new(seed) }
    }

    /// All that further numbers follow from.
    pub fn words(&self) -> [u64; 6] {
        self.bits.words()
    }

    /// The generator with these `words`, whose fourth is odd.
    pub fn of_words(words: [u64; 6]) -> Self {
        Self { bits: Pcg64::of_words(words) }
    }

    /// `bit_generator.random_raw()`
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.bits.next_u64()
    }

    /// `random()`
    #[inline]
    pub fn random(&mut self) -> f64 {
        self.bits.next_f64()
    }

    /// `uniform(low, high)`
    #[inline]
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random()
    }

    /// `integers(low, high)`, of any dtype with 32 or 64 bits.
    #[inline]
    pub fn integers(&mut self, low: i64, high: i64) -> i64 {
        let most = high.wrapping_sub(low) as u64 - 1;
        low.wrapping_add(bounded::bounded(&mut self.bits, most) as i64)
    }

    /// `standard_normal()`
    #[inline]
    pub fn standard_normal(&mut self) -> f64 {
        ziggurat::standard_normal(&mut self.bits)
    }

    /// `normal(mean, deviation)`
    #[inline]
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        mean + deviation * self.standard_normal()
    }

    /// `lognormal(mean, deviation)`
    pub fn lognormal(&mut self, mean: f64, deviation: f64) -> f64 {
        self.normal(mean, deviation).exp()
    }

    /// `exponential(scale)`
    #[inline]
    pub fn exponential(&mut self, scale: f64) -> f64 {
        scale * self.standard_exponential()
    }

    /// `gamma(shape, scale)`
    pub fn gamma(&mut self, shape: f64, scale: f64) -> f64 {
        scale * continuous::standard_gamma(self, shape)
    }

    /// `beta(a, b)`
    pub fn beta(&mut self, a: f64, b: f64) -> f64 {
        continuous::beta(self, a, b)
    }

    /// `triangular(left, mode, right)`
    pub fn triangular(&mut self, left: f64, mode: f64, right: f64) -> f64 {
        continuous::triangular(self, left, mode, right)
    }

    /// `dirichlet(alpha)`
    ///
    /// # Panics
    /// If every parameter is below 0.1, where NumPy draws in another way.
    pub fn dirichlet(&mut self, alpha: &[f64]) -> Vec<f64> {
        assert!(alpha.iter().any(|a| *a >= 0.1), "a parameter of at least 0.1 is needed");
        continuous::dirichlet(self, alpha)
    }

    /// `poisson(mean)`
    pub fn poisson(&mut self, mean: f64) -> i64 {
        discrete::poisson(&mut self.bits, mean)
    }

    /// `binomial(n, p)`
    pub fn binomial(&mut self, n: i64, p: f64) -> i64 {
        discrete::binomial(&mut self.bits, n, p)
    }

    /// `geometric(p)`
    pub fn geometric(&mut self, p: f64) -> i64 {
        if p >= 1.0 / 3.0 {
            discrete::geometric_by_search(&mut self.bits, p)
        } else {
            (-self.standard_exponential() / (-p).ln_1p()).ceil() as i64
        }
    }

    /// `multinomial(n, probabilities)`
    pub fn multinomial(&mut self, n: i64, probabilities: &[f64]) -> Vec<i64> {
        discrete::multinomial(&mut self.bits, n, probabilities)
    }

    /// `choice(len(weights), p=weights)`
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        choice::weighted(&mut self.bits, weights)
    }

    /// `choice(all, count, replace=False)`
    pub fn sample(&mut self, all: usize, count: usize) -> Vec<usize> {
        choice::sample(&mut self.bits, all, count)
    }

    /// `choice(len(weights), count, replace=False, p=weights)`
    pub fn weighted_sample(&mut self, weights: &[f64], count: usize) -> Vec<usize> {
        choice::weighted_sample(&mut self.bits, weights, count)
    }

    /// `shuffle(list)`
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        bounded::shuffle(&mut self.bits, list);
    }
}

impl Continuous for Generator {
    #[inline]
    fn double(&mut self) -> f64 {
        self.random()
    }

    #[inline]
    fn standard_normal(&mut self) -> f64 {
        ziggurat::standard_normal(&mut self.bits)
    }

    #[inline]
    fn standard_exponential(&mut self) -> f64 {
        ziggurat::standard_exponential(&mut self.bits)
    }
}
