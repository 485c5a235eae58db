//! A number of many environments at once: one vector register, and what can be done with it.
//!
//! Physics is written once, over [`Lanes`]. It is compiled for each kind of register that this
//! crate knows ([`plain`] arrays for any processor, AVX2, AVX-512), and [`Element::with_best`] picks
//! one when it runs. Registers are named by intrinsics and not left to the optimiser: that finds
//! vectors in loops, but not in straight code of a thousand operations.

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod register;

// Private: their values may only be made where the processor has their instructions.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512;
mod plain;

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// One number of each of [`Lanes::WIDTH`] environments.
pub trait Lanes:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// What it is made of.
    type Element: Element;
    /// One truth of each environment.
    type Mask: Mask;
    /// How many environments.
    const WIDTH: usize;

    /// The same number everywhere.
    fn splat(number: Self::Element) -> Self;
    /// The first numbers of a slice, which has enough.
    fn load(from: &[Self::Element]) -> Self;
    /// Writes to the beginning of a slice, which is long enough.
    fn store(self, to: &mut [Self::Element]);
    /// `self + a * b`, rounded once if that is one instruction.
    fn plus(self, a: Self, b: Self) -> Self;
    /// `self - a * b`, rounded once if that is one instruction.
    fn minus(self, a: Self, b: Self) -> Self;
    /// The smaller one; `other` where `self` is no number.
    fn min(self, other: Self) -> Self;
    /// The larger one; `other` where `self` is no number.
    fn max(self, other: Self) -> Self;
    /// Without sign.
    fn abs(self) -> Self;
    /// 1 / self, within two units of the last place.
    fn reciprocal(self) -> Self;
    /// Where it is less; false where either is no number.
    fn less(self, than: Self) -> Self::Mask;
    /// `self` where `mask` holds, `other` elsewhere.
    fn or(self, mask: Self::Mask, other: Self) -> Self;
    /// Sine and cosine, within two units of the last place.
    fn sin_cos(self) -> (Self, Self);
    /// Calls a function that is seldom needed, compiled apart so that it costs nothing otherwise.
    fn apart<R>(run: impl FnOnce() -> R) -> R;

    /// 0 everywhere.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Element::from_f64(0.0))
    }

    /// 1 everywhere.
    #[inline(always)]
    fn one() -> Self {
        Self::splat(Self::Element::from_f64(1.0))
    }

    /// A constant, everywhere.
    #[inline(always)]
    fn of(number: f64) -> Self {
        Self::splat(Self::Element::from_f64(number))
    }

    /// `self` where `mask` holds, 0 elsewhere.
    #[inline(always)]
    fn only(self, mask: Self::Mask) -> Self {
        self.or(mask, Self::zero())
    }

    /// Where it is a number, be it infinite.
    #[inline(always)]
    fn is_number(self) -> Self::Mask {
        self.less(Self::of(f64::INFINITY)) | Self::zero().less(self)
    }

    /// Each number by itself, by a function of one number.
    #[inline(always)]
    fn one_by_one(self, f: impl Fn(Self::Element) -> Self::Element) -> Self {
        let mut numbers = [Self::Element::from_f64(0.0); MOST_LANES];
        self.store(&mut numbers);
        for number in &mut numbers[..Self::WIDTH] {
            *number = f(*number);
        }
        Self::load(&numbers)
    }
}

/// The widest registers hold as many numbers; every width divides it.
pub const MOST_LANES: usize = 16;

/// One truth of each environment.
pub trait Mask:
    Copy
    + Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// False everywhere.
    fn never() -> Self;
    /// Whether it holds anywhere.
    fn any(self) -> bool;
}

/// Float32 to run, float64 to verify.
pub trait Element:
    vecenv::Scalar
    + PartialOrd
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Name of the type.
    const NAME: &'static str;
    /// Relative error of accelerations that a solution may have.
    const TOLERANCE: f64;
    /// The least number that MuJoCo takes for an explosion: the next above its mjMAXVAL.
    const BEYOND_LARGEST: Self;

    /// The nearest number.
    fn from_f64(number: f64) -> Self;
    /// Without loss.
    fn to_f64(self) -> f64;
    /// Sine and cosine by the standard library.
    fn std_sin_cos(self) -> (Self, Self);
    /// Runs a job on the widest registers that the processor has.
    fn with_best<J: Job<Self>>(job: J) -> J::Output {
        Self::with(Registers::best(), job)
    }
    /// Runs a job on registers of a kind.
    fn with<J: Job<Self>>(registers: Registers, job: J) -> J::Output;
}

/// Something to be done on vectors of any width.
pub trait Job<T> {
    /// What comes of it.
    type Output;
    /// Does it. Must be `#[inline(always)]`, as all that it calls on vectors, to be compiled for
    /// the right processor.
    fn run<V: Lanes<Element = T>>(self) -> Self::Output;
}

/// Kinds of vector registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Registers {
    Plain,
    Avx2,
    Avx512,
}

impl Registers {
    /// All kinds, the widest last.
    pub const ALL: [Registers; 3] = [Registers::Plain, Registers::Avx2, Registers::Avx512];

    /// Whether this processor has them.
    pub fn present(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Registers::Plain => true,
            Registers::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Registers::Avx512 => is_x86_feature_detected!("avx512f"),
        };
        #[cfg(not(target_arch = "x86_64"))]
        return self == Registers::Plain;
    }

    /// The widest of this processor.
    pub fn best() -> Self {
        let mut present = Self::ALL.into_iter().filter(|kind| kind.present());
        present.next_back().expect("plain ones are always there")
    }
}

macro_rules! element {
    ($type:ty, $name:literal, $width:literal, $tolerance:literal, $avx2:ident, $avx512:ident) => {
        impl Element for $type {
            const NAME: &'static str = $name;
            const TOLERANCE: f64 = $tolerance;
            const BEYOND_LARGEST: Self = (1e10 as $type).next_up();

            #[inline(always)]
            fn from_f64(number: f64) -> Self {
                number as $type
            }

            fn to_f64(self) -> f64 {
                self.into()
            }

            #[inline(always)]
            fn std_sin_cos(self) -> (Self, Self) {
                self.sin_cos()
            }

            fn with<J: Job<Self>>(registers: Registers, job: J) -> J::Output {
                assert!(registers.present(), "this processor has no {registers:?} registers");
                match registers {
                    Registers::Plain => job.run::<plain::Plain<$type, $width>>(),
                    // SAFETY: the processor has these instructions, as was just asked.
                    #[cfg(target_arch = "x86_64")]
                    #[allow(unsafe_code)]
                    Registers::Avx2 => unsafe { avx2::run::<$type, avx2::$avx2, J>(job) },
                    // SAFETY: the processor has these instructions, as was just asked.
                    #[cfg(target_arch = "x86_64")]
                    #[allow(unsafe_code)]
                    Registers::Avx512 => unsafe { avx512::run::<$type, avx512::$avx512, J>(job) },
                    #[cfg(not(target_arch = "x86_64"))]
                    _ => unreachable!("only plain registers are present"),
                }
            }
        }
    };
}

element!(f32, "float32", 16, 2e-6, F32x8, F32x16);
element!(f64, "float64", 8, 1e-14, F64x4, F64x8);
