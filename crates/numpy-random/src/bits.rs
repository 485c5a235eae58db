//! Where distributions get their random bits.

/// A source of random bits, as NumPy's bit generators are.
pub trait Bits {
    /// 32 random bits.
    fn next_u32(&mut self) -> u32;

    /// 64 random bits.
    fn next_u64(&mut self) -> u64;

    /// A number from 0 up to, but not including, 1, of 53 random bits.
    fn next_f64(&mut self) -> f64;
}
