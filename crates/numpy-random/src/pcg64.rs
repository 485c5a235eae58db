//! `np.random.PCG64`: a 128-bit linear congruential generator, of which 64 permuted bits are seen.

use super::{Bits, SeedSequence};

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// The generator behind `np.random.default_rng` and Gymnasium's `np_random`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pcg64 {
    state: u128,
    increment: u128,   // odd
    half: Option<u32>, // of a number of 64 bits, of which the other half was drawn
}

impl Pcg64 {
    /// `np.random.PCG64(seed)`
    pub fn new(seed: u64) -> Self {
        let [high, low, inc_high, inc_low] = SeedSequence::new(seed).state();
        let mut pcg = Self { state: 0, increment: wide(inc_high, inc_low) << 1 | 1, half: None };
        pcg.advance();
        pcg.state = pcg.state.wrapping_add(wide(high, low));
        pcg.advance();
        pcg
    }

    /// All that further numbers follow from: state, increment, and the half that is kept.
    pub fn words(&self) -> [u64; 6] {
        let [high, low] = narrow(self.state);
        let [inc_high, inc_low] = narrow(self.increment);
        let half = u64::from(self.half.unwrap_or(0));
        [high, low, inc_high, inc_low, u64::from(self.half.is_some()), half]
    }

    /// The generator with these `words`, whose fourth is odd.
    pub fn of_words([high, low, inc_high, inc_low, kept, half]: [u64; 6]) -> Self {
        let half = (kept != 0).then_some(half as u32);
        Self { state: wide(high, low), increment: wide(inc_high, inc_low), half }
    }

    #[inline]
    fn advance(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }
}

impl Bits for Pcg64 {
    #[inline]
    fn next_u32(&mut self) -> u32 {
        self.half.take().unwrap_or_else(|| {
            let both = self.next_u64();
            self.half = Some((both >> 32) as u32);
            both as u32
        })
    }

    #[inline]
    fn next_u64(&mut self) -> u64 {
        self.advance();
        let [high, low] = narrow(self.state);
        (high ^ low).rotate_right((high >> 58) as u32)
    }

    #[inline]
    fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn wide(high: u64, low: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

fn narrow(wide: u128) -> [u64; 2] {
    [(wide >> 64) as u64, wide as u64]
}
