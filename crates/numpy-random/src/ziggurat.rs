//! The standard normal and exponential laws by the ziggurat of Marsaglia and Tsang.
//!
//! A density is covered by 256 layers of the same area. A point in a layer is mostly below the
//! density at first sight; else it is compared with the density, or lies in the tail.

use super::Bits;
use super::ziggurat_tables::{FE, FI, KE, KI, WE, WI};

const NORMAL_TAIL: f64 = 3.654_152_885_361_009; // where it begins
const NORMAL_TAIL_INVERSE: f64 = 0.273_661_237_329_758_3;
const EXPONENTIAL_TAIL: f64 = 7.697_117_470_131_05;

/// A number of the standard normal law.
#[inline]
pub fn standard_normal(bits: &mut impl Bits) -> f64 {
    loop {
        let drawn = bits.next_u64();
        let layer = (drawn & 0xff) as usize;
        let magnitude = (drawn >> 9) & 0x000f_ffff_ffff_ffff;
        let x = magnitude as f64 * f64::from_bits(WI[layer]);
        let x = if drawn & 0x100 == 0 { x } else { -x };
        if magnitude < KI[layer] {
            return x;
        }
        if layer == 0 {
            return normal_tail(bits, magnitude & 0x100 != 0);
        }
        if height(&FI, layer, bits.next_f64()) < (-0.5 * x * x).exp() {
            return x;
        }
    }
}

fn normal_tail(bits: &mut impl Bits, is_negative: bool) -> f64 {
    loop {
        let beyond = -NORMAL_TAIL_INVERSE * (-bits.next_f64()).ln_1p();
        let height = -(-bits.next_f64()).ln_1p();
        if height + height > beyond * beyond {
            let x = NORMAL_TAIL + beyond;
            return if is_negative { -x } else { x };
        }
    }
}

/// A number of the exponential law with mean 1.
#[inline]
pub fn standard_exponential(bits: &mut impl Bits) -> f64 {
    loop {
        let drawn = bits.next_u64() >> 3;
        let layer = (drawn & 0xff) as usize;
        let magnitude = drawn >> 8;
        let x = magnitude as f64 * f64::from_bits(WE[layer]);
        if magnitude < KE[layer] {
            return x;
        }
        if layer == 0 {
            return EXPONENTIAL_TAIL - (-bits.next_f64()).ln_1p();
        }
        if height(&FE, layer, bits.next_f64()) < (-x).exp() {
            return x;
        }
    }
}

/// A height within a layer, from its top to its bottom.
fn height(heights: &[u64; 256], layer: usize, share: f64) -> f64 {
    let [above, below] = [layer - 1, layer].map(|at| f64::from_bits(heights[at]));
    (above - below) * share + below
}
