//! The Mersenne Twister, behind `np.random.RandomState` and Python's `random.Random`.

use super::Bits;

const LENGTH: usize = 624;
const DISTANCE: usize = 397;

/// MT19937 of Matsumoto and Nishimura.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mt19937 {
    key: [u32; LENGTH],
    place: usize, // of the next word in the key; LENGTH if all were drawn
}

impl Mt19937 {
    /// From one word.
    pub fn new(seed: u32) -> Self {
        let mut key = [seed; LENGTH];
        for at in 1..LENGTH {
            key[at] = mixed(key[at - 1], 1_812_433_253).wrapping_add(at as u32);
        }
        Self { key, place: LENGTH }
    }

    /// From words of any number, at least one.
    pub fn of_array(words: &[u32]) -> Self {
        let mut mt = Self::new(19_650_218);
        let mut at = 1;
        let mut next = |key: &mut [u32; LENGTH], change: &dyn Fn(u32, u32, u32) -> u32| {
            key[at] = change(key[at], key[at - 1], at as u32);
            at += 1;
            if at == LENGTH {
                key[0] = key[LENGTH - 1];
                at = 1;
            }
        };
        for count in 0..LENGTH.max(words.len()) {
            let number = count % words.len();
            let word = words[number].wrapping_add(number as u32);
            next(&mut mt.key, &|old, before, _| {
                (old ^ mixed(before, 1_664_525)).wrapping_add(word)
            });
        }
        for _ in 1..LENGTH {
            next(&mut mt.key, &|old, before, at| {
                (old ^ mixed(before, 1_566_083_941)).wrapping_sub(at)
            });
        }
        mt.key[0] = 1 << 31;
        mt
    }

    /// All that further numbers follow from: the key and the place in it.
    pub fn words(&self) -> Vec<u32> {
        self.key.iter().copied().chain([self.place as u32]).collect()
    }

    /// The generator with these `words`: 624 and a place from 0 to 624, or there is none.
    pub fn of_words(words: &[u32]) -> Option<Self> {
        let (place, key) = words.split_last()?;
        let place = usize::try_from(*place).ok().filter(|place| *place <= LENGTH)?;
        Some(Self { key: key.try_into().ok()?, place })
    }

    fn twist(&mut self) {
        for at in 0..LENGTH {
            let joined = self.key[at] & 1 << 31 | self.key[(at + 1) % LENGTH] & !(1 << 31);
            let matrix = if joined % 2 == 1 { 0x9908_b0df } else { 0 };
            self.key[at] = self.key[(at + DISTANCE) % LENGTH] ^ joined >> 1 ^ matrix;
        }
        self.place = 0;
    }
}

fn mixed(word: u32, factor: u32) -> u32 {
    (word ^ (word >> 30)).wrapping_mul(factor)
}

impl Bits for Mt19937 {
    #[inline]
    fn next_u32(&mut self) -> u32 {
        if self.place == LENGTH {
            self.twist();
        }
        let mut word = self.key[self.place];
        self.place += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    #[inline]
    fn next_u64(&mut self) -> u64 {
        let high = u64::from(self.next_u32());
        high << 32 | u64::from(self.next_u32())
    }

    #[inline]
    fn next_f64(&mut self) -> f64 {
        let (high, low) = (self.next_u32() >> 5, self.next_u32() >> 6);
        (f64::from(high) * f64::from(1 << 26) + f64::from(low)) / (1u64 << 53) as f64
    }
}
