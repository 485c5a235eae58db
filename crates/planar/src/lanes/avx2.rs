//! Registers of 256 bits, with fused multiply-add.

use super::{Job, Lanes, Mask};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Sub};

/// Runs a job; only where the processor has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub fn run<T, V: Lanes<Element = T>, J: Job<T>>(job: J) -> J::Output {
    job.run::<V>()
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn apart<R>(run: impl FnOnce() -> R) -> R {
    run()
}

register! {
    /// Eight float32.
    F32x8(__m256) of f32, 8, Mask8(__m256);
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_fmadd_ps _mm256_fnmadd_ps _mm256_min_ps
    _mm256_max_ps _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps;
    abs(x) { _mm256_andnot_ps(_mm256_set1_ps(-0.0), x) }
    reciprocal(x) { Self(_mm256_div_ps(Self::one().0, x.0)) }
    less _mm256_cmp_ps::<_CMP_LT_OQ>;
    or(mask, no, yes) { _mm256_blendv_ps(no, yes, mask) }
    turned(count, sine, cosine) {
        let count = _mm256_castps_si256(count);
        let two = _mm256_set1_epi32(2);
        let next = _mm256_add_epi32(count, _mm256_set1_epi32(1));
        // The lowest bit as the highest, by which blends choose.
        let odd = _mm256_castsi256_ps(_mm256_slli_epi32::<31>(count));
        let down = _mm256_slli_epi32::<30>(_mm256_and_si256(count, two));
        let left = _mm256_slli_epi32::<30>(_mm256_and_si256(next, two));
        (
            _mm256_xor_ps(_mm256_blendv_ps(sine, cosine, odd), _mm256_castsi256_ps(down)),
            _mm256_xor_ps(_mm256_blendv_ps(cosine, sine, odd), _mm256_castsi256_ps(left)),
        )
    }
}

register! {
    /// Four float64.
    F64x4(__m256d) of f64, 4, Mask4(__m256d);
    _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_fmadd_pd _mm256_fnmadd_pd _mm256_min_pd
    _mm256_max_pd _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd;
    abs(x) { _mm256_andnot_pd(_mm256_set1_pd(-0.0), x) }
    reciprocal(x) { Self(_mm256_div_pd(Self::one().0, x.0)) }
    less _mm256_cmp_pd::<_CMP_LT_OQ>;
    or(mask, no, yes) { _mm256_blendv_pd(no, yes, mask) }
    turned(count, sine, cosine) {
        let count = _mm256_castpd_si256(count);
        let two = _mm256_set1_epi64x(2);
        let next = _mm256_add_epi64(count, _mm256_set1_epi64x(1));
        // The lowest bit as the highest, by which blends choose.
        let odd = _mm256_castsi256_pd(_mm256_slli_epi64::<63>(count));
        let down = _mm256_slli_epi64::<62>(_mm256_and_si256(count, two));
        let left = _mm256_slli_epi64::<62>(_mm256_and_si256(next, two));
        (
            _mm256_xor_pd(_mm256_blendv_pd(sine, cosine, odd), _mm256_castsi256_pd(down)),
            _mm256_xor_pd(_mm256_blendv_pd(cosine, sine, odd), _mm256_castsi256_pd(left)),
        )
    }
}

macro_rules! mask {
    ($mask:ident($bits:ty): $and:ident $or:ident $xor:ident $movemask:ident $zero:ident $cast:ident) => {
        /// All bits of a lane are set where it holds.
        #[derive(Clone, Copy, Debug)]
        pub struct $mask($bits);

        impl BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $and(self.0, other.0) })
            }
        }

        impl BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $or(self.0, other.0) })
            }
        }

        impl BitXor for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $xor(self.0, other.0) })
            }
        }

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $xor(self.0, $cast(_mm256_set1_epi32(-1))) })
            }
        }

        impl Mask for $mask {
            #[inline(always)]
            fn never() -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $zero() })
            }

            #[inline(always)]
            fn any(self) -> bool {
                // SAFETY: only jobs that `run` runs make values of this type.
                unsafe { $movemask(self.0) != 0 }
            }
        }
    };
}

mask!(Mask8(__m256): _mm256_and_ps _mm256_or_ps _mm256_xor_ps _mm256_movemask_ps _mm256_setzero_ps
    _mm256_castsi256_ps);
mask!(Mask4(__m256d): _mm256_and_pd _mm256_or_pd _mm256_xor_pd _mm256_movemask_pd _mm256_setzero_pd
    _mm256_castsi256_pd);
