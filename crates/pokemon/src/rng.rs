//! The generator of the simulator: a 64-bit linear congruential one, of which 32 bits are used.

/// State of the generator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rng(pub u64);

impl Rng {
    /// From the four 16-bit words of a seed, high first.
    pub fn new(words: [u16; 4]) -> Self {
        Self(words.iter().fold(0, |all, word| all << 16 | u64::from(*word)))
    }

    /// The four words of the state.
    pub fn words(self) -> [u16; 4] {
        [48, 32, 16, 0].map(|shift| (self.0 >> shift) as u16)
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5D58_8B65_6C07_8965).wrapping_add(0x26_9EC3);
        self.0 >> 32
    }

    /// A number from 0 to `n - 1`.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        ((self.next() * u64::from(n)) >> 32) as u32
    }

    /// A number from `from` to `to - 1`.
    #[inline]
    pub fn range(&mut self, from: u32, to: u32) -> u32 {
        from + self.below(to - from)
    }

    /// Whether something with probability `p / q` happens.
    #[inline]
    pub fn chance(&mut self, p: u32, q: u32) -> bool {
        self.below(q) < p
    }

    /// Shuffles a part of a list, as ties are resolved.
    #[inline]
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for start in 0..list.len().saturating_sub(1) {
            let other = self.range(start as u32, list.len() as u32) as usize;
            list.swap(start, other);
        }
    }
}
