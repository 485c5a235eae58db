//! `np.random.SeedSequence`: one seed becomes as many well-mixed words as a generator needs.

const POOL: usize = 4;
const MULTIPLIER_A: u32 = 0x931e_8875;
const MULTIPLIER_B: u32 = 0x58f3_8ded;
const SHIFT: u32 = 16;

/// The pool of entropy that a seed is mixed into.
#[derive(Clone, Debug)]
pub struct SeedSequence {
    pool: [u32; POOL],
}

impl SeedSequence {
    /// `np.random.SeedSequence(seed)`
    pub fn new(seed: u64) -> Self {
        let words = [seed as u32, (seed >> 32) as u32, 0, 0];
        let mut factor: u32 = 0x43b0_d7e5;
        let mut hashed = |word: u32| {
            let mixed = word ^ factor;
            factor = factor.wrapping_mul(MULTIPLIER_A);
            folded(mixed.wrapping_mul(factor))
        };
        let mut pool = words.map(&mut hashed);
        for from in 0..POOL {
            for to in (0..POOL).filter(|to| *to != from) {
                pool[to] = joined(pool[to], hashed(pool[from]));
            }
        }
        Self { pool }
    }

    /// `generate_state(N, np.uint64)`
    pub fn state<const N: usize>(&self) -> [u64; N] {
        let mut factor: u32 = 0x8b51_f9dd;
        let mut pool = self.pool.iter().cycle();
        let mut next = || {
            let mixed = pool.next().expect("a cycle") ^ factor;
            factor = factor.wrapping_mul(MULTIPLIER_B);
            u64::from(folded(mixed.wrapping_mul(factor)))
        };
        [(); N].map(|()| next() | next() << 32)
    }
}

fn joined(one: u32, other: u32) -> u32 {
    folded(0xca01_f9dd_u32.wrapping_mul(one).wrapping_sub(0x4973_f715_u32.wrapping_mul(other)))
}

fn folded(word: u32) -> u32 {
    word ^ (word >> SHIFT)
}
