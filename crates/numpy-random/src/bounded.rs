//! Whole numbers from a range, all equally likely: NumPy's two ways.

use super::Bits;

/// A number from 0 to `most` by Lemire's multiplication, as `Generator.integers` draws it.
#[inline]
pub fn bounded(bits: &mut impl Bits, most: u64) -> u64 {
    if most == 0 {
        0
    } else if most < u64::from(u32::MAX) {
        u64::from(bounded_u32(bits, most as u32))
    } else if most == u64::from(u32::MAX) {
        u64::from(bits.next_u32())
    } else if most == u64::MAX {
        bits.next_u64()
    } else {
        bounded_u64(bits, most)
    }
}

fn bounded_u32(bits: &mut impl Bits, most: u32) -> u32 {
    let count = most + 1;
    let mut product = u64::from(bits.next_u32()) * u64::from(count);
    if (product as u32) < count {
        // Of the numbers that share a result, the first few would make some results likelier.
        let uneven = (u32::MAX - most) % count;
        while (product as u32) < uneven {
            product = u64::from(bits.next_u32()) * u64::from(count);
        }
    }
    (product >> 32) as u32
}

fn bounded_u64(bits: &mut impl Bits, most: u64) -> u64 {
    let count = most + 1;
    let mut product = u128::from(bits.next_u64()) * u128::from(count);
    if (product as u64) < count {
        let uneven = (u64::MAX - most) % count;
        while (product as u64) < uneven {
            product = u128::from(bits.next_u64()) * u128::from(count);
        }
    }
    (product >> 64) as u64
}

/// A number from 0 to `most`: as many bits as it has, again and again until they are not above it.
///
/// `shuffle` and all of `RandomState` draw this way.
#[inline]
pub fn masked(bits: &mut impl Bits, most: u64) -> u64 {
    if most == 0 {
        return 0;
    }
    let mask = u64::MAX >> most.leading_zeros();
    loop {
        let drawn = match u32::try_from(most) {
            Ok(_) => u64::from(bits.next_u32()),
            Err(_) => bits.next_u64(),
        } & mask;
        if drawn <= most {
            return drawn;
        }
    }
}

/// Shuffle a list as `shuffle` and `permutation` do.
pub fn shuffle<T>(bits: &mut impl Bits, list: &mut [T]) {
    for last in (1..list.len()).rev() {
        list.swap(last, masked(bits, last as u64) as usize);
    }
}
