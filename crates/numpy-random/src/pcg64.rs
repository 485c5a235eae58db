//! `np.random.PCG64`: a 128-bit linear congruential generator, of which 64 permuted bits are seen.

use super::{Bits, SeedSequence};

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// The generator behind `np.random.default_rng` and Gymnasium's `np_random`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pcg64 {
    state: u128,
    increment: u128, // odd
    half: u32,       // of the last 64 bits of which a half was drawn
    is_kept: bool,   // whether that is drawn next
}

impl Pcg64 {
    /// `np.random.PCG64(seed)`
    pub fn new(seed: u64) -> Self {
        let [high, low, inc_high, inc_low] = SeedSequence::new(seed).state();
        let increment = wide(inc_high, inc_low) << 1 | 1;
        let mut pcg = Self { state: 0, increment, half: 0, is_kept: false };
        pcg.advance();
        pcg.state = pcg.state.wrapping_add(wide(high, low));
        pcg.advance();
        pcg
    }

    /// All that further numbers follow from, as NumPy's `state` names it: `state` and `inc` of two
    /// words each, `has_uint32`, `uinteger`.
    pub fn words(&self) -> [u64; 6] {
        let [high, low] = narrow(self.state);
        let [inc_high, inc_low] = narrow(self.increment);
        [high, low, inc_high, inc_low, u64::from(self.is_kept), u64::from(self.half)]
    }

    /// The generator with these `words`, whose fourth is odd.
    pub fn of_words([high, low, inc_high, inc_low, kept, half]: [u64; 6]) -> Self {
        let (state, increment) = (wide(high, low), wide(inc_high, inc_low));
        Self { state, increment, half: half as u32, is_kept: kept != 0 }
    }

    #[inline]
    fn advance(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }
}

impl Bits for Pcg64 {
    #[inline]
    fn next_u32(&mut self) -> u32 {
        self.is_kept = !self.is_kept;
        if self.is_kept {
            let both = self.next_u64();
            self.half = (both >> 32) as u32;
            both as u32
        } else {
            self.half
        }
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
