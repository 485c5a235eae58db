//! Chance in Pong is one bit per serve.

use vecenv::SplitMix64;

/// The coming serves, lowest bit first.
///
/// A maximal shift register (x^64 + x^63 + x^61 + x^60 + 1): its own bits are what it will give
/// next, so that a game can be told to follow the serves of another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serves(pub u64);

impl Serves {
    /// The register of a seed.
    pub fn new(seed: u64) -> Self {
        // A register of zeros would stay so.
        Self(SplitMix64::new(seed).next_u64().max(1))
    }

    /// Takes the next bit.
    pub fn draw(&mut self) -> bool {
        let Self(bits) = *self;
        let fed_back = (bits ^ bits >> 1 ^ bits >> 3 ^ bits >> 4) & 1;
        self.0 = bits >> 1 | fed_back << 63;
        bits & 1 == 1
    }
}
