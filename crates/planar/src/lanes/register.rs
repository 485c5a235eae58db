//! What AVX2 and AVX-512 have in common: a type around a register, made of intrinsics.

/// Makes a type of lanes out of a register. Each operation is an intrinsic or, where the two
/// instruction sets differ, a block over the registers: no closure, because nobody promises that those
/// become part of the function that knows about the processor. The module has a `run` and an `apart`.
macro_rules! register {
    (
        $(#[$doc:meta])*
        $name:ident($inner:ty) of $element:ty, $width:literal, $mask:ident($bits:ty);
        $add:ident $sub:ident $mul:ident $fmadd:ident $fnmadd:ident $min:ident $max:ident
        $set:ident $load:ident $store:ident;
        abs($x:ident) $abs:block
        reciprocal($y:ident) $reciprocal:block
        less $less:expr;
        or($mask_bits:ident, $no:ident, $yes:ident) $or:block
        turned($count:ident, $sine:ident, $cosine:ident) $turned:block
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name($inner);

        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $add(self.0, other.0) })
            }
        }

        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $sub(self.0, other.0) })
            }
        }

        impl Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $mul(self.0, other.0) })
            }
        }

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self::zero() - self
            }
        }

        impl Lanes for $name {
            type Element = $element;
            type Mask = $mask;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn splat(number: $element) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $set(number) })
            }

            #[inline(always)]
            fn load(from: &[$element]) -> Self {
                let from = &from[..$width];
                // SAFETY: the slice is long enough; and as above.
                Self(unsafe { $load(from.as_ptr()) })
            }

            #[inline(always)]
            fn store(self, to: &mut [$element]) {
                let to = &mut to[..$width];
                // SAFETY: the slice is long enough; and as above.
                unsafe { $store(to.as_mut_ptr(), self.0) }
            }

            #[inline(always)]
            fn plus(self, a: Self, b: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $fmadd(a.0, b.0, self.0) })
            }

            #[inline(always)]
            fn minus(self, a: Self, b: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $fnmadd(a.0, b.0, self.0) })
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $min(self.0, other.0) })
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe { $max(self.0, other.0) })
            }

            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe {
                    let $x = self.0;
                    $abs
                })
            }

            #[inline(always)]
            fn reciprocal(self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                unsafe {
                    let $y = self;
                    $reciprocal
                }
            }

            #[inline(always)]
            fn less(self, than: Self) -> $mask {
                // SAFETY: only jobs that `run` runs make values of this type.
                $mask(unsafe { $less(self.0, than.0) })
            }

            #[inline(always)]
            fn or(self, mask: $mask, other: Self) -> Self {
                // SAFETY: only jobs that `run` runs make values of this type.
                Self(unsafe {
                    let ($mask_bits, $no, $yes) = (mask.0, other.0, self.0);
                    $or
                })
            }

            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                crate::trig::sin_cos(self)
            }

            #[inline(always)]
            fn apart<R>(run: impl FnOnce() -> R) -> R {
                // SAFETY: only jobs that `run` runs call this.
                unsafe { apart(run) }
            }
        }

        impl crate::trig::Quadrants for $name {
            #[inline(always)]
            fn turned(count: Self, sine: Self, cosine: Self) -> (Self, Self) {
                // SAFETY: only jobs that `run` runs make values of this type.
                let (sine, cosine) = unsafe {
                    let ($count, $sine, $cosine) = (count.0, sine.0, cosine.0);
                    $turned
                };
                (Self(sine), Self(cosine))
            }
        }
    };
}
