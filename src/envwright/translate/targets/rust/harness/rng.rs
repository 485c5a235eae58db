//! A small seeded generator: xoshiro256++, whose seed splitmix64 spreads.

/// Random numbers. The same seed gives the same ones; they are not the reference's.
#[derive(Clone, Debug)]
pub struct Rng {
    words: [u64; 4],
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
        Rng { words }
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
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from `low` up to `high`.
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// A whole number from `low` to `high - 1`, all equally likely.
    #[inline]
    #[track_caller]
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        assert!(low < high, "no whole number from {low} below {high}");
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
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// A number of the standard normal law, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Put a list in random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.integer(0, last as i64 + 1) as usize);
        }
    }
}
