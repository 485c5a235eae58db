//! Random numbers: NumPy's own, or those that the reference drew.

use super::numpy_random::Generator;
use super::tape::Tape;
use super::Fields;

const FINITE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
const POSITIVE: (f64, f64) = (0.0, f64::INFINITY);

/// Random numbers, bit for bit those of NumPy's `Generator`: a game that draws as its reference
/// does, in the same order, plays the same episodes from the same seeds of `reset`.
///
/// | the reference calls | a game calls |
/// |---|---|
/// | `random()` | `uniform()` |
/// | `random() < p` | `chance(p)` |
/// | `uniform(low, high)` | `between(low, high)` |
/// | `integers(low, high)` | `integer(low, high)` |
/// | `standard_normal()` | `normal()` |
/// | `normal(mean, deviation)` | `gauss(mean, deviation)` |
/// | `lognormal(mean, deviation)` | `lognormal(mean, deviation)` |
/// | `exponential(scale)` | `exponential(scale)` |
/// | `gamma(shape, scale)` | `gamma(shape, scale)` |
/// | `beta(a, b)` | `beta(a, b)` |
/// | `triangular(left, mode, right)` | `triangular(left, mode, right)` |
/// | `dirichlet(alpha)` | `dirichlet(&alpha)` |
/// | `poisson(mean)` | `poisson(mean)` |
/// | `binomial(n, p)` | `binomial(n, p)` |
/// | `geometric(p)` | `geometric(p)` |
/// | `multinomial(n, shares)` | `multinomial(n, &shares)` |
/// | `choice([2, 3, 5])` | `choice(&[2, 3, 5])` |
/// | `choice(n, p=weights)` | `weighted(&weights)` |
/// | `choice(n, count, replace=False)` | `sample(n, count)` |
/// | `choice(n, count, replace=False, p=weights)` | `weighted_sample(&weights, count)` |
/// | `permutation(n)` | `permutation(n)` |
///
/// A reference that owns a `np.random.RandomState` or a `random.Random` has its like in
/// `harness::NumpyRandomState` and `harness::PythonRandom`: a field of the game, named in its state.
///
/// With `size=n`, the reference draws n numbers, one after the other; integers of 8 and 16 bits and
/// numbers of float32 are drawn in another way there. A game cannot tell whether it is compared: a
/// number that the reference did not draw, or not from this range, is a panic.
pub struct Rng {
    numbers: Generator,
    tape: Option<Box<Tape>>,
}

impl Rng {
    /// A generator from a seed: that of `reset(seed=seed)`.
    pub fn new(seed: u64) -> Rng {
        Rng { numbers: Generator::new(seed), tape: None }
    }

    /// The generator that `generator_words` told. For the harness: a game may not name it.
    pub fn of_generator_words(words: [u64; 6]) -> Rng {
        Rng { numbers: Generator::of_words(words), tape: None }
    }

    /// What all further numbers follow from. For the harness: a game may not name it.
    pub fn generator_words(&self) -> [u64; 6] {
        self.numbers.words()
    }

    /// One that draws the same. A game that had one could find out that it is compared.
    pub(super) fn copy(&self) -> Rng {
        Rng { numbers: self.numbers.clone(), tape: self.tape.clone() }
    }

    /// This one without numbers of the reference.
    pub(super) fn free(&self) -> Rng {
        Rng { numbers: self.numbers.clone(), tape: None }
    }

    /// This generator, which draws what the reference drew: numbers by method.
    pub(super) fn following(&self, drawn: &Fields) -> Rng {
        Rng { numbers: self.numbers.clone(), tape: Some(Box::new(Tape::new(drawn))) }
    }

    /// One of many generators that have nothing to do with each other.
    pub fn stream(seed: u64, number: u64) -> Rng {
        Rng::new(Rng::new(seed).bits() ^ Rng::new(!number).bits())
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.numbers.bits()
    }

    /// A number from 0 up to, but not including, 1.
    #[inline]
    #[track_caller]
    pub fn uniform(&mut self) -> f64 {
        match &mut self.tape {
            Some(tape) => tape.float(&["random", "uniform"], 0.0, 1.0),
            None => self.numbers.random(),
        }
    }

    /// A number from `low` up to `high`.
    #[inline]
    #[track_caller]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        match &mut self.tape {
            Some(tape) => tape.float(&["uniform"], low, high),
            None => self.numbers.uniform(low, high),
        }
    }

    /// A whole number from `low` to `high - 1`, all equally likely.
    #[inline]
    #[track_caller]
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        assert!(low < high, "no whole number from {low} below {high}");
        match &mut self.tape {
            Some(tape) => tape.int(&["integers", "choice"], |drawn| (low..high).contains(&drawn)),
            None => self.numbers.integers(low, high),
        }
    }

    /// True with this probability.
    #[inline]
    #[track_caller]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// A number of the standard normal law.
    #[inline]
    #[track_caller]
    pub fn normal(&mut self) -> f64 {
        match &mut self.tape {
            Some(tape) => tape.float(&["standard_normal", "normal"], FINITE.0, FINITE.1),
            None => self.numbers.normal(0.0, 1.0),
        }
    }

    /// A number of the normal law with this mean and standard deviation.
    #[inline]
    #[track_caller]
    pub fn gauss(&mut self, mean: f64, deviation: f64) -> f64 {
        self.real("normal", FINITE, |numbers| numbers.normal(mean, deviation))
    }

    /// A number whose logarithm is of the normal law with this mean and standard deviation.
    #[track_caller]
    pub fn lognormal(&mut self, mean: f64, deviation: f64) -> f64 {
        self.real("lognormal", POSITIVE, |numbers| numbers.lognormal(mean, deviation))
    }

    /// A number of the exponential law with this mean.
    #[track_caller]
    pub fn exponential(&mut self, scale: f64) -> f64 {
        self.real("exponential", POSITIVE, |numbers| numbers.exponential(scale))
    }

    /// A number of the gamma law.
    #[track_caller]
    pub fn gamma(&mut self, shape: f64, scale: f64) -> f64 {
        self.real("gamma", POSITIVE, |numbers| numbers.gamma(shape, scale))
    }

    /// A number of the beta law.
    #[track_caller]
    pub fn beta(&mut self, a: f64, b: f64) -> f64 {
        self.real("beta", (0.0, 1.0), |numbers| numbers.beta(a, b))
    }

    /// A number of the triangular law.
    #[track_caller]
    pub fn triangular(&mut self, left: f64, mode: f64, right: f64) -> f64 {
        self.real("triangular", (left, right), |numbers| numbers.triangular(left, mode, right))
    }

    /// Shares of the whole, of the Dirichlet law. One parameter must be at least 0.1.
    #[track_caller]
    pub fn dirichlet(&mut self, alpha: &[f64]) -> Vec<f64> {
        let Some(tape) = &mut self.tape else { return self.numbers.dirichlet(alpha) };
        let mut shares = Vec::with_capacity(alpha.len());
        for _ in alpha {
            shares.push(tape.float(&["dirichlet"], 0.0, 1.0));
        }
        shares
    }

    /// A number of the Poisson law.
    #[track_caller]
    pub fn poisson(&mut self, mean: f64) -> i64 {
        self.whole("poisson", |drawn| drawn >= 0, |numbers| numbers.poisson(mean))
    }

    /// How many of `n` attempts succeed.
    #[track_caller]
    pub fn binomial(&mut self, n: i64, p: f64) -> i64 {
        self.whole("binomial", |drawn| (0..=n).contains(&drawn), |numbers| numbers.binomial(n, p))
    }

    /// The number of the first success, from 1 on.
    #[track_caller]
    pub fn geometric(&mut self, p: f64) -> i64 {
        self.whole("geometric", |drawn| drawn > 0, |numbers| numbers.geometric(p))
    }

    /// How many of `n` fall to each of these shares.
    #[track_caller]
    pub fn multinomial(&mut self, n: i64, shares: &[f64]) -> Vec<i64> {
        match &mut self.tape {
            Some(tape) => tape.ints("multinomial", shares.len(), |drawn| (0..=n).contains(&drawn)),
            None => self.numbers.multinomial(n, shares),
        }
    }

    /// One of these numbers, all equally likely.
    #[track_caller]
    pub fn choice(&mut self, numbers: &[i64]) -> i64 {
        match &mut self.tape {
            Some(tape) => tape.int(&["choice"], |drawn| numbers.contains(&drawn)),
            None => numbers[self.numbers.integers(0, numbers.len() as i64) as usize],
        }
    }

    /// A place in a list of weights, whose sum is 1: each is as likely as its weight says.
    #[track_caller]
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let is_likely = |drawn: i64| weights.get(drawn as usize).is_some_and(|w| *w > 0.0);
        match &mut self.tape {
            Some(tape) => tape.int(&["choice"], is_likely) as usize,
            None => self.numbers.weighted(weights),
        }
    }

    /// `count` different numbers from 0 to `all - 1`, in random order.
    #[track_caller]
    pub fn sample(&mut self, all: usize, count: usize) -> Vec<i64> {
        assert!(count <= all, "no {count} different numbers below {all}");
        match &mut self.tape {
            Some(tape) => tape.ints("choice", count, |drawn| (0..all as i64).contains(&drawn)),
            None => self.numbers.sample(all, count).into_iter().map(|n| n as i64).collect(),
        }
    }

    /// `count` different places in a list of weights, drawn one after the other.
    #[track_caller]
    pub fn weighted_sample(&mut self, weights: &[f64], count: usize) -> Vec<i64> {
        let is_likely = |drawn: i64| weights.get(drawn as usize).is_some_and(|w| *w > 0.0);
        match &mut self.tape {
            Some(tape) => tape.ints("choice", count, is_likely),
            None => {
                let places = self.numbers.weighted_sample(weights, count);
                places.into_iter().map(|place| place as i64).collect()
            }
        }
    }

    /// The numbers from 0 to `count - 1` in random order.
    #[track_caller]
    pub fn permutation(&mut self, count: usize) -> Vec<i64> {
        if let Some(tape) = &mut self.tape {
            return tape.ints("permutation", count, |drawn| (0..count as i64).contains(&drawn));
        }
        let mut order: Vec<i64> = (0..count as i64).collect();
        self.numbers.shuffle(&mut order);
        order
    }

    /// Put a list in random order. Use `permutation` in a step, which draws the same: this cannot
    /// follow the reference.
    #[track_caller]
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        assert!(self.tape.is_none(), "`shuffle` cannot draw as the reference; use `permutation`");
        self.numbers.shuffle(list);
    }

    /// A number of a method that is named like the reference's.
    #[inline]
    #[track_caller]
    fn real(
        &mut self,
        method: &str,
        (low, high): (f64, f64),
        draw: impl FnOnce(&mut Generator) -> f64,
    ) -> f64 {
        match &mut self.tape {
            Some(tape) => tape.float(&[method], low, high),
            None => draw(&mut self.numbers),
        }
    }

    /// A whole number of a method that is named like the reference's.
    #[inline]
    #[track_caller]
    fn whole(
        &mut self,
        method: &str,
        is_possible: impl Fn(i64) -> bool,
        draw: impl FnOnce(&mut Generator) -> i64,
    ) -> i64 {
        match &mut self.tape {
            Some(tape) => tape.int(&[method], is_possible),
            None => draw(&mut self.numbers),
        }
    }
}
