//! The numbers that observations, actions and state fields are made of.

/// Element type of an array, named as NumPy names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Dtype {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl Dtype {
    /// NumPy's name: `float32`.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::Bool => "bool",
            Dtype::I8 => "int8",
            Dtype::I16 => "int16",
            Dtype::I32 => "int32",
            Dtype::I64 => "int64",
            Dtype::U8 => "uint8",
            Dtype::U16 => "uint16",
            Dtype::U32 => "uint32",
            Dtype::U64 => "uint64",
            Dtype::F32 => "float32",
            Dtype::F64 => "float64",
        }
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Dtype::Bool | Dtype::I8 | Dtype::U8 => 1,
            Dtype::I16 | Dtype::U16 => 2,
            Dtype::I32 | Dtype::U32 | Dtype::F32 => 4,
            Dtype::I64 | Dtype::U64 | Dtype::F64 => 8,
        }
    }
}

/// A number of fixed size that travels as little-endian bytes.
pub trait Scalar: Copy + Default + Send + Sync + std::fmt::Debug + 'static {
    /// Its element type.
    const DTYPE: Dtype;
    /// Appends its bytes.
    fn put(self, bytes: &mut Vec<u8>);
    /// Reads it from exactly `DTYPE.size()` bytes.
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! scalar {
    ($($type:ty: $dtype:ident),* $(,)?) => {$(
        impl Scalar for $type {
            const DTYPE: Dtype = Dtype::$dtype;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &[u8]) -> Self {
                <$type>::from_le_bytes(bytes.try_into().expect("one element"))
            }
        }
    )*};
}

scalar! { i8: I8, i16: I16, i32: I32, i64: I64, u8: U8, u16: U16, u32: U32, u64: U64, f32: F32, f64: F64 }

impl Scalar for bool {
    const DTYPE: Dtype = Dtype::Bool;
    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }
    fn take(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returns<T: Scalar + PartialEq>(value: T) {
        let mut bytes = Vec::new();
        value.put(&mut bytes);
        assert_eq!(bytes.len(), T::DTYPE.size());
        assert_eq!(T::take(&bytes), value);
    }

    #[test]
    fn every_scalar_returns_from_its_bytes() {
        returns(true);
        returns(-8i8);
        returns(-16_000i16);
        returns(i32::MIN);
        returns(i64::MIN);
        returns(200u8);
        returns(u16::MAX);
        returns(u32::MAX);
        returns(u64::MAX);
        returns(-0.1f32);
        returns(f64::MIN_POSITIVE);
    }
}
