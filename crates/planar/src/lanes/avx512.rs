//! Registers of 512 bits.

use super::{Job, Lanes, Mask};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Sub};

/// Runs a job; only where the processor has AVX-512.
#[target_feature(enable = "avx512f")]
pub fn run<T, V: Lanes<Element = T>, J: Job<T>>(job: J) -> J::Output {
    job.run::<V>()
}

#[target_feature(enable = "avx512f")]
#[inline(never)]
fn apart<R>(run: impl FnOnce() -> R) -> R {
    run()
}

register! {
    /// Sixteen float32.
    F32x16(__m512) of f32, 16, Mask16(__mmask16);
    _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_fmadd_ps _mm512_fnmadd_ps _mm512_min_ps
    _mm512_max_ps _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps;
    abs(x) { _mm512_abs_ps(x) }
    reciprocal(x) {
        let guess = Self(_mm512_rcp14_ps(x.0));
        guess.plus(guess, Self::one().minus(x, guess))
    }
    less _mm512_cmp_ps_mask::<_CMP_LT_OQ>;
    or(mask, no, yes) { _mm512_mask_blend_ps(mask, no, yes) }
    turned(count, sine, cosine) {
        let count = _mm512_castps_si512(count);
        let odd = _mm512_test_epi32_mask(count, _mm512_set1_epi32(1));
        let (a, b) = (
            _mm512_castps_si512(_mm512_mask_blend_ps(odd, sine, cosine)),
            _mm512_castps_si512(_mm512_mask_blend_ps(odd, cosine, sine)),
        );
        let two = _mm512_set1_epi32(2);
        let next = _mm512_add_epi32(count, _mm512_set1_epi32(1));
        let down = _mm512_slli_epi32::<30>(_mm512_and_si512(count, two));
        let left = _mm512_slli_epi32::<30>(_mm512_and_si512(next, two));
        (
            _mm512_castsi512_ps(_mm512_xor_si512(a, down)),
            _mm512_castsi512_ps(_mm512_xor_si512(b, left)),
        )
    }
}

register! {
    /// Eight float64.
    F64x8(__m512d) of f64, 8, Mask8(__mmask8);
    _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_fmadd_pd _mm512_fnmadd_pd _mm512_min_pd
    _mm512_max_pd _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd;
    abs(x) { _mm512_abs_pd(x) }
    reciprocal(x) { Self(_mm512_div_pd(Self::one().0, x.0)) }
    less _mm512_cmp_pd_mask::<_CMP_LT_OQ>;
    or(mask, no, yes) { _mm512_mask_blend_pd(mask, no, yes) }
    turned(count, sine, cosine) {
        let count = _mm512_castpd_si512(count);
        let odd = _mm512_test_epi64_mask(count, _mm512_set1_epi64(1));
        let (a, b) = (
            _mm512_castpd_si512(_mm512_mask_blend_pd(odd, sine, cosine)),
            _mm512_castpd_si512(_mm512_mask_blend_pd(odd, cosine, sine)),
        );
        let two = _mm512_set1_epi64(2);
        let next = _mm512_add_epi64(count, _mm512_set1_epi64(1));
        let down = _mm512_slli_epi64::<62>(_mm512_and_si512(count, two));
        let left = _mm512_slli_epi64::<62>(_mm512_and_si512(next, two));
        (
            _mm512_castsi512_pd(_mm512_xor_si512(a, down)),
            _mm512_castsi512_pd(_mm512_xor_si512(b, left)),
        )
    }
}

macro_rules! mask {
    ($mask:ident($bits:ty)) => {
        /// A bit for each lane.
        #[derive(Clone, Copy, Debug)]
        pub struct $mask($bits);

        impl BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl BitXor for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                Self(self.0 ^ other.0)
            }
        }

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl Mask for $mask {
            #[inline(always)]
            fn never() -> Self {
                Self(0)
            }

            #[inline(always)]
            fn any(self) -> bool {
                self.0 != 0
            }
        }
    };
}

mask!(Mask16(__mmask16));
mask!(Mask8(__mmask8));
