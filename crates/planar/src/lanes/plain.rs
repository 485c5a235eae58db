//! Plain arrays, for processors without wide registers.

use super::{Element, Lanes, Mask};
use std::array;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Sub};

/// Numbers side by side.
#[derive(Clone, Copy, Debug)]
pub struct Plain<T, const W: usize>([T; W]);

/// Truths side by side.
#[derive(Clone, Copy, Debug)]
pub struct Truths<const W: usize>([bool; W]);

impl<T: Copy, const W: usize> Plain<T, W> {
    #[inline(always)]
    fn zip<U, R>(self, other: Plain<U, W>, f: impl Fn(T, U) -> R) -> Plain<R, W>
    where
        U: Copy,
    {
        Plain(array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $sign:tt) => {
        impl<T: Element, const W: usize> $trait for Plain<T, W> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, |a, b| a $sign b)
            }
        }
    };
}

operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);

impl<T: Element, const W: usize> Neg for Plain<T, W> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Plain(self.0.map(|a| -a))
    }
}

impl<T: Element, const W: usize> Lanes for Plain<T, W> {
    type Element = T;
    type Mask = Truths<W>;
    const WIDTH: usize = W;

    #[inline(always)]
    fn splat(number: T) -> Self {
        Plain([number; W])
    }

    #[inline(always)]
    fn load(from: &[T]) -> Self {
        Plain(array::from_fn(|i| from[i]))
    }

    #[inline(always)]
    fn store(self, to: &mut [T]) {
        to[..W].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn plus(self, a: Self, b: Self) -> Self {
        self + a * b
    }

    #[inline(always)]
    fn minus(self, a: Self, b: Self) -> Self {
        self - a * b
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.max(-self)
    }

    #[inline(always)]
    fn reciprocal(self) -> Self {
        Self::one().zip(self, |a, b| a / b)
    }

    #[inline(always)]
    fn less(self, than: Self) -> Truths<W> {
        Truths(array::from_fn(|i| self.0[i] < than.0[i]))
    }

    #[inline(always)]
    fn or(self, mask: Truths<W>, other: Self) -> Self {
        Plain(array::from_fn(|i| if mask.0[i] { self.0[i] } else { other.0[i] }))
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let both = self.0.map(T::std_sin_cos);
        (Plain(both.map(|(sine, _)| sine)), Plain(both.map(|(_, cosine)| cosine)))
    }

    #[inline(never)]
    fn apart<R>(run: impl FnOnce() -> R) -> R {
        run()
    }
}

macro_rules! truths {
    ($trait:ident, $method:ident, $sign:tt) => {
        impl<const W: usize> $trait for Truths<W> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Truths(array::from_fn(|i| self.0[i] $sign other.0[i]))
            }
        }
    };
}

truths!(BitAnd, bitand, &);
truths!(BitOr, bitor, |);
truths!(BitXor, bitxor, ^);

impl<const W: usize> Not for Truths<W> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Truths(self.0.map(|a| !a))
    }
}

impl<const W: usize> Mask for Truths<W> {
    #[inline(always)]
    fn never() -> Self {
        Truths([false; W])
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(false, |any, &one| any | one)
    }
}
