//! Python's `random.Random`.

use super::{Bits, Mt19937};
use std::collections::BTreeSet;

/// `random.Random`: each method draws what Python's method of the same name draws. The functions of
/// the module `random` are one after `random.seed`.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonRandom {
    bits: Mt19937,
    kept: Option<f64>, // `gauss` makes numbers in pairs
}

impl PythonRandom {
    /// `random.Random(seed)`; a negative seed is the same as its positive.
    pub fn new(seed: u64) -> Self {
        let words = [seed as u32, (seed >> 32) as u32];
        let used = if words[1] == 0 { &words[..1] } else { &words[..] };
        Self { bits: Mt19937::of_array(used), kept: None }
    }

    /// All that further numbers follow from: 625 words, and the number that `gauss` keeps.
    pub fn state(&self) -> (Vec<u32>, Option<f64>) {
        (self.bits.words(), self.kept)
    }

    /// The generator with this state, if there is one.
    pub fn of_state(words: &[u32], kept: Option<f64>) -> Option<Self> {
        Some(Self { bits: Mt19937::of_words(words)?, kept })
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

    /// `getrandbits(count)`, for up to 64 bits.
    pub fn getrandbits(&mut self, count: u32) -> u64 {
        match count {
            0 => 0,
            1..=32 => u64::from(self.bits.next_u32() >> (32 - count)),
            _ => {
                u64::from(self.bits.next_u32())
                    | u64::from(self.bits.next_u32() >> (64 - count)) << 32
            }
        }
    }

    /// A place in a list of `count`, as `choice` draws it.
    ///
    /// # Panics
    /// If `count` is 0.
    #[inline]
    pub fn below(&mut self, count: u64) -> u64 {
        assert!(count > 0, "no whole number below 0");
        let bits = u64::BITS - count.leading_zeros();
        loop {
            let drawn = self.getrandbits(bits);
            if drawn < count {
                return drawn;
            }
        }
    }

    /// `randrange(low, high)`
    ///
    /// # Panics
    /// If `low` is not below `high`.
    pub fn randrange(&mut self, low: i64, high: i64) -> i64 {
        assert!(low < high, "no whole number from {low} below {high}");
        low.wrapping_add(self.below(high.wrapping_sub(low) as u64) as i64)
    }

    /// `randint(low, high)`: `high` is one of them.
    pub fn randint(&mut self, low: i64, high: i64) -> i64 {
        self.randrange(low, high + 1)
    }

    /// `shuffle(list)`
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// The places that `sample(range(all), count)` chooses.
    ///
    /// # Panics
    /// If `count` is more than `all`.
    pub fn sample(&mut self, all: usize, count: usize) -> Vec<usize> {
        assert!(count <= all, "no {count} different numbers below {all}");
        let mut few = 21.0; // elements of a small set, which takes more memory than a list of `all`
        if count > 5 {
            few += 4f64.powf((((count * 3) as f64).ln() / 4f64.ln()).ceil());
        }
        if all as f64 <= few {
            let mut pool: Vec<usize> = (0..all).collect();
            let draw = |number| pool.swap_remove(self.below((all - number) as u64) as usize);
            return (0..count).map(draw).collect();
        }
        let mut chosen = BTreeSet::new();
        let draw = |_| loop {
            let place = self.below(all as u64) as usize;
            if chosen.insert(place) {
                return place;
            }
        };
        (0..count).map(draw).collect()
    }

    /// A place, as `choices(…, weights)` draws it.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut sum = 0.0;
        let sums: Vec<f64> = (weights.iter())
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        let share = self.random() * sum;
        sums[..sums.len() - 1].partition_point(|sum| *sum <= share)
    }

    /// `gauss(mean, deviation)`
    pub fn gauss(&mut self, mean: f64, deviation: f64) -> f64 {
        let z = self.kept.take().unwrap_or_else(|| {
            let angle = self.random() * std::f64::consts::TAU;
            let radius = (-2.0 * (1.0 - self.random()).ln()).sqrt();
            self.kept = Some(angle.sin() * radius);
            angle.cos() * radius
        });
        mean + z * deviation
    }

    /// `normalvariate(mean, deviation)`: Kinderman and Monahan.
    pub fn normalvariate(&mut self, mean: f64, deviation: f64) -> f64 {
        let spread = 4.0 * (-0.5f64).exp() / 2f64.sqrt();
        loop {
            let u = self.random();
            let v = 1.0 - self.random();
            let z = spread * (u - 0.5) / v;
            if z * z / 4.0 <= -v.ln() {
                return mean + z * deviation;
            }
        }
    }

    /// `expovariate(rate)`
    pub fn expovariate(&mut self, rate: f64) -> f64 {
        -(1.0 - self.random()).ln() / rate
    }
}
