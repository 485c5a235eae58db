//! A generator small enough to live in the state of every lane.

/// SplitMix64 (Steele, Lea, Flood 2014): eight bytes of state, every seed is good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitMix64 {
    /// The whole state: list it as a field.
    pub state: u64,
}

impl SplitMix64 {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..n`, by the high half of a product (bias below n / 2^64).
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_of_seed_1234567_is_the_published_one() {
        let mut random = SplitMix64::new(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        let published = [6457827717110365317, 3203168211198807973, 9817491932198370423];
        assert_eq!(drawn, published);
    }

    #[test]
    fn below_reaches_every_value_and_no_other() {
        let mut random = SplitMix64::new(0);
        let mut seen = [0; 5];
        (0..1000).for_each(|_| seen[random.below(5) as usize] += 1);
        assert!(seen.iter().all(|&count| count > 150), "{seen:?}");
    }
}
