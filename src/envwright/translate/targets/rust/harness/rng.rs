//! A small seeded generator: xoshiro256++, whose seed splitmix64 spreads.

use super::tape::Tape;
use super::Fields;

/// Random numbers. The same seed gives the same ones; they are not the reference's, except where
/// a step is compared with one of the reference that drew some: then it draws the same.
///
/// | the reference calls | a game calls |
/// |---|---|
/// | `random()` | `uniform()` |
/// | `random() < p` | `chance(p)` |
/// | `uniform(low, high)` | `between(low, high)` |
/// | `integers(low, high)` | `integer(low, high)` |
/// | `standard_normal()` | `normal()` |
/// | `normal(mean, deviation)` | `gauss(mean, deviation)` |
/// | `choice([2, 3, 5])` | `choice(&[2, 3, 5])` |
/// | `choice(n, p=weights)` | `weighted(&weights)` |
/// | `permutation(n)` | `permutation(n)` |
///
/// With `size=n`, the reference draws n numbers, one after the other. A game cannot tell whether it
/// is compared: a number that the reference did not draw, or not from this range, is a panic.
pub struct Rng {
    words: [u64; 4],
    tape: Option<Box<Tape>>,
}

impl Rng {
    /// A generator from a seed.
    pub fn new(seed: u64) -> Rng {
        let mut state = seed;
        let words = [(); 4].map(|()| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = state;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ (word >> 31)
        });
        Rng { words, tape: None }
    }

    /// The generator that `generator_words` told. For the harness: a game may not name it.
    pub fn of_generator_words(words: [u64; 4]) -> Rng {
        Rng { words, tape: None }
    }

    /// What all further numbers follow from. For the harness: a game may not name it.
    pub fn generator_words(&self) -> [u64; 4] {
        self.words
    }

    /// One that draws the same. A game that had one could find out that it is compared.
    pub(super) fn copy(&self) -> Rng {
        Rng { words: self.words, tape: self.tape.clone() }
    }

    /// This one without numbers of the reference.
    pub(super) fn free(&self) -> Rng {
        Rng::of_generator_words(self.words)
    }

    /// This generator, which draws what the reference drew: numbers by method.
    pub(super) fn following(&self, drawn: &Fields) -> Rng {
        Rng { words: self.words, tape: Some(Box::new(Tape::new(drawn))) }
    }

    /// One of many generators that have nothing to do with each other.
    pub fn stream(seed: u64, number: u64) -> Rng {
        Rng::new(Rng::new(seed).bits() ^ Rng::new(!number).bits())
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.words;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.words = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number from 0 up to, but not including, 1.
    #[inline]
    #[track_caller]
    pub fn uniform(&mut self) -> f64 {
        if let Some(tape) = &mut self.tape {
            return tape.float(&["random", "uniform"], 0.0, 1.0);
        }
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from `low` up to `high`.
    #[inline]
    #[track_caller]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        if let Some(tape) = &mut self.tape {
            return tape.float(&["uniform"], low, high);
        }
        low + (high - low) * self.uniform()
    }

    /// A whole number from `low` to `high - 1`, all equally likely.
    #[inline]
    #[track_caller]
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        assert!(low < high, "no whole number from {low} below {high}");
        if let Some(tape) = &mut self.tape {
            return tape.int(&["integers", "choice"], |drawn| (low..high).contains(&drawn));
        }
        let range = high.wrapping_sub(low) as u64;
        loop {
            let wide = u128::from(self.bits()) * u128::from(range);
            // Of the numbers that share a result, the first few would make some results likelier.
            let first = wide as u64;
            if first >= range || first >= range.wrapping_neg() % range {
                return low.wrapping_add((wide >> 64) as i64);
            }
        }
    }

    /// True with this probability.
    #[inline]
    #[track_caller]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// A number of the standard normal law, by Box and Muller.
    #[track_caller]
    pub fn normal(&mut self) -> f64 {
        if let Some(tape) = &mut self.tape {
            return tape.float(&["standard_normal", "normal"], f64::NEG_INFINITY, f64::INFINITY);
        }
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A number of the normal law with this mean and standard deviation.
    #[track_caller]
    pub fn gauss(&mut self, mean: f64, deviation: f64) -> f64 {
        match &mut self.tape {
            Some(tape) => tape.float(&["normal"], f64::NEG_INFINITY, f64::INFINITY),
            None => mean + deviation * self.normal(),
        }
    }

    /// One of these numbers, all equally likely.
    #[track_caller]
    pub fn choice(&mut self, numbers: &[i64]) -> i64 {
        match &mut self.tape {
            Some(tape) => tape.int(&["choice"], |drawn| numbers.contains(&drawn)),
            None => numbers[self.integer(0, numbers.len() as i64) as usize],
        }
    }

    /// A place in a list of weights, whose sum is 1: each is as likely as its weight says.
    #[track_caller]
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        if let Some(tape) = &mut self.tape {
            let is_likely = |drawn: i64| weights.get(drawn as usize).is_some_and(|w| *w > 0.0);
            return tape.int(&["choice"], is_likely) as usize;
        }
        let mut left = self.uniform();
        let below = |weight: &f64| {
            left -= weight;
            left < 0.0
        };
        weights.iter().position(below).unwrap_or(weights.len() - 1)
    }

    /// The numbers from 0 to `count - 1` in random order.
    #[track_caller]
    pub fn permutation(&mut self, count: usize) -> Vec<i64> {
        if let Some(tape) = &mut self.tape {
            let numbers = 0..count as i64;
            let next = |_| tape.int(&["permutation"], |drawn| numbers.contains(&drawn));
            return (0..count).map(next).collect();
        }
        let mut order: Vec<i64> = (0..count as i64).collect();
        self.shuffle(&mut order);
        order
    }

    /// Put a list in random order. Use `permutation` in a step: this cannot draw as the reference.
    #[track_caller]
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        assert!(self.tape.is_none(), "`shuffle` cannot draw as the reference; use `permutation`");
        for last in (1..list.len()).rev() {
            list.swap(last, self.integer(0, last as i64 + 1) as usize);
        }
    }
}
