//! `np.random.RandomState`, whose algorithms are older than those of `Generator`.

use super::{Bits, Mt19937, bounded, choice, discrete};

/// `np.random.RandomState`: each method draws what NumPy's method of the same name draws. Those of
/// the module `np.random` are one after `np.random.seed`.
#[derive(Clone, Debug, PartialEq)]
pub struct NumpyRandomState {
    bits: Mt19937,
    kept: Option<f64>, // normal numbers are made in pairs
}

impl NumpyRandomState {
    /// `np.random.RandomState(seed)`
    pub fn new(seed: u32) -> Self {
        Self { bits: Mt19937::new(seed), kept: None }
    }

    /// All that further numbers follow from: 625 words, and the normal number that is kept.
    pub fn state(&self) -> (Vec<u32>, Option<f64>) {
        (self.bits.words(), self.kept)
    }

    /// The generator with this state, if there is one.
    pub fn of_state(words: &[u32], kept: Option<f64>) -> Option<Self> {
        Some(Self { bits: Mt19937::of_words(words)?, kept })
    }

    /// `rand()`, `random_sample()`, `random()`
    #[inline]
    pub fn rand(&mut self) -> f64 {
        self.bits.next_f64()
    }

    /// `uniform(low, high)`
    #[inline]
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rand()
    }

    /// `randint(low, high)`
    ///
    /// # Panics
    /// If `low` is not below `high`.
    #[inline]
    pub fn randint(&mut self, low: i64, high: i64) -> i64 {
        assert!(low < high, "no whole number from {low} below {high}");
        let most = high.wrapping_sub(low) as u64 - 1;
        low.wrapping_add(bounded::masked(&mut self.bits, most) as i64)
    }

    /// `randn()`, `standard_normal()`: the polar method, which makes two.
    pub fn randn(&mut self) -> f64 {
        if let Some(kept) = self.kept.take() {
            return kept;
        }
        loop {
            let (x, y) = (2.0 * self.rand() - 1.0, 2.0 * self.rand() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.kept = Some(factor * x);
                return factor * y;
            }
        }
    }

    /// `normal(mean, deviation)`
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        mean + deviation * self.randn()
    }

    /// `exponential(scale)`
    pub fn exponential(&mut self, scale: f64) -> f64 {
        scale * -(1.0 - self.rand()).ln()
    }

    /// `poisson(mean)`
    pub fn poisson(&mut self, mean: f64) -> i64 {
        discrete::poisson(&mut self.bits, mean)
    }

    /// `choice(len(weights), p=weights)`
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        choice::weighted(&mut self.bits, weights)
    }

    /// `choice(len(weights), count, replace=False, p=weights)`
    pub fn weighted_sample(&mut self, weights: &[f64], count: usize) -> Vec<usize> {
        choice::weighted_sample(&mut self.bits, weights, count)
    }

    /// `permutation(count)`; its first numbers are `choice(count, …, replace=False)`.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        self.shuffle(&mut order);
        order
    }

    /// `shuffle(list)`
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        bounded::shuffle(&mut self.bits, list);
    }
}
