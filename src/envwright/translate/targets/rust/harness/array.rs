//! Arrays of flags and numbers, and how they travel.

use super::base64::base64;
use super::json::{object, Json};

const SMALL: usize = 16; // elements that are written as a list

/// The elements of an array, row by row.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    Flags(Vec<bool>),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    /// A state in single precision is one, so that whoever loads it knows how it is rounded.
    Singles(Vec<f32>),
}

/// An array; a single number has the shape `[]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    pub data: Data,
}

impl Array {
    /// Elements in a shape.
    #[track_caller]
    pub fn new(shape: Vec<usize>, data: Data) -> Array {
        let size: usize = shape.iter().product();
        assert_eq!(size, data.len(), "the shape {shape:?} does not fit the number of elements");
        Array { shape, data }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements as floats.
    pub fn to_floats(&self) -> Vec<f64> {
        match &self.data {
            Data::Flags(flags) => flags.iter().map(|x| f64::from(u8::from(*x))).collect(),
            Data::Ints(numbers) => numbers.iter().map(|x| *x as f64).collect(),
            Data::Floats(numbers) => numbers.clone(),
            Data::Singles(numbers) => numbers.iter().map(|x| f64::from(*x)).collect(),
        }
    }

    /// The elements as whole numbers, if they are such.
    pub fn to_ints(&self) -> Result<Vec<i64>, String> {
        match &self.data {
            Data::Flags(flags) => Ok(flags.iter().map(|x| i64::from(*x)).collect()),
            Data::Ints(numbers) => Ok(numbers.clone()),
            _ => self.to_floats().into_iter().map(whole).collect(),
        }
    }

    /// The same elements in the kind of another.
    pub(super) fn like(&self, other: &Array) -> Result<Array, String> {
        let data = match other.data {
            Data::Flags(_) => Data::Flags(self.to_ints()?.iter().map(|x| *x != 0).collect()),
            Data::Ints(_) => Data::Ints(self.to_ints()?),
            Data::Floats(_) => Data::Floats(self.to_floats()),
            Data::Singles(_) => Data::Singles(self.to_floats().iter().map(|x| *x as f32).collect()),
        };
        Ok(Array { shape: self.shape.clone(), data })
    }

    pub(super) fn same(&self, other: &Array) -> bool {
        let bits = |array: &Array| array.to_floats().into_iter().map(f64::to_bits).collect();
        let (ours, theirs): (Vec<u64>, Vec<u64>) = (bits(self), bits(other));
        self.shape == other.shape && ours == theirs
    }

    /// A part along the first axis.
    pub(super) fn row(&self, index: usize) -> Array {
        let shape = self.shape[1..].to_vec();
        let size: usize = shape.iter().product();
        let part = index * size..(index + 1) * size;
        let data = match &self.data {
            Data::Flags(all) => Data::Flags(all[part].to_vec()),
            Data::Ints(all) => Data::Ints(all[part].to_vec()),
            Data::Floats(all) => Data::Floats(all[part].to_vec()),
            Data::Singles(all) => Data::Singles(all[part].to_vec()),
        };
        Array { shape, data }
    }

    /// A number or nested lists of numbers, all of one kind; one float makes all of them floats.
    pub(super) fn from_json(value: &Json) -> Result<Array, String> {
        let mut shape = Vec::new();
        let mut inside = Some(value);
        while let Some(Json::List(items)) = inside {
            shape.push(items.len());
            inside = items.first();
        }
        let mut leaves = Vec::new();
        collect(value, &shape, &mut leaves)?;
        let data = if !leaves.is_empty() && leaves.iter().all(|x| matches!(x, Json::Bool(_))) {
            Data::Flags(leaves.iter().map(|x| matches!(x, Json::Bool(true))).collect())
        } else if leaves.iter().any(|x| !matches!(x, Json::Int(_) | Json::Bool(_))) {
            Data::Floats(leaves.iter().map(|x| number(x)).collect::<Result<_, _>>()?)
        } else {
            let int = |x: &&Json| match x {
                Json::Int(n) => *n,
                other => i64::from(matches!(other, Json::Bool(true))),
            };
            Data::Ints(leaves.iter().map(int).collect())
        };
        Ok(Array { shape, data })
    }

    /// A number or nested lists. What is large goes as bytes, which is quicker, and so does single
    /// precision, which JSON does not know.
    pub(super) fn to_json(&self) -> Json {
        let (dtype, bytes): (_, Vec<u8>) = match &self.data {
            Data::Singles(all) => ("<f4", all.iter().flat_map(|x| x.to_le_bytes()).collect()),
            _ if self.len() <= SMALL => return nested(&self.shape, &mut |i| self.data.json(i)),
            Data::Floats(all) => ("<f8", all.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Data::Ints(all) => ("<i8", all.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Data::Flags(all) => ("|b1", all.iter().map(|x| u8::from(*x)).collect()),
        };
        let shape = self.shape.iter().map(|n| Json::Int(*n as i64)).collect();
        object([
            ("bytes", Json::Text(base64(&bytes))),
            ("dtype", Json::Text(dtype.to_string())),
            ("shape", Json::List(shape)),
        ])
    }
}

impl Data {
    pub(super) fn len(&self) -> usize {
        match self {
            Data::Flags(all) => all.len(),
            Data::Ints(all) => all.len(),
            Data::Floats(all) => all.len(),
            Data::Singles(all) => all.len(),
        }
    }

    fn json(&self, index: usize) -> Json {
        match self {
            Data::Flags(all) => Json::Bool(all[index]),
            Data::Ints(all) => Json::Int(all[index]),
            Data::Floats(all) => Json::Float(all[index]),
            Data::Singles(all) => Json::Float(f64::from(all[index])),
        }
    }

    /// Whether it could be done: both are of one kind.
    pub(super) fn append(&mut self, other: Data) -> bool {
        match (self, other) {
            (Data::Flags(all), Data::Flags(more)) => all.extend(more),
            (Data::Ints(all), Data::Ints(more)) => all.extend(more),
            (Data::Floats(all), Data::Floats(more)) => all.extend(more),
            (Data::Singles(all), Data::Singles(more)) => all.extend(more),
            _ => return false,
        }
        true
    }
}

fn whole(number: f64) -> Result<i64, String> {
    match number as i64 {
        near if near as f64 == number => Ok(near),
        _ => Err(format!("{number:?} is no whole number")),
    }
}

/// A number; what JSON cannot say may be spelt as a text.
fn number(value: &Json) -> Result<f64, String> {
    match value {
        Json::Float(number) => Ok(*number),
        Json::Int(number) => Ok(*number as f64),
        Json::Text(word) if word == "NaN" => Ok(f64::NAN),
        Json::Text(word) if word == "Infinity" => Ok(f64::INFINITY),
        Json::Text(word) if word == "-Infinity" => Ok(f64::NEG_INFINITY),
        other => Err(format!("{other:?} is no number")),
    }
}

/// The leaves of nested lists, which must have a shape.
fn collect<'a>(value: &'a Json, shape: &[usize], into: &mut Vec<&'a Json>) -> Result<(), String> {
    match (value, shape) {
        (Json::List(items), [count, inside @ ..]) if items.len() == *count => {
            items.iter().try_for_each(|item| collect(item, inside, into))
        }
        (Json::List(_), _) | (_, [_, ..]) => Err("a list with parts of unequal size".to_string()),
        (leaf, []) => {
            into.push(leaf);
            Ok(())
        }
    }
}

/// Nested lists of a shape, whose leaves are asked for in order.
fn nested(shape: &[usize], leaf: &mut impl FnMut(usize) -> Json) -> Json {
    fn part(shape: &[usize], next: &mut usize, leaf: &mut impl FnMut(usize) -> Json) -> Json {
        match shape {
            [] => {
                *next += 1;
                leaf(*next - 1)
            }
            [count, inside @ ..] => {
                Json::List((0..*count).map(|_| part(inside, next, leaf)).collect())
            }
        }
    }
    part(shape, &mut 0, leaf)
}

// --- what can be a value -----------------------------------------------------------------------

/// Something that arrays are made of.
pub trait Element: Copy {
    fn data(elements: Vec<Self>) -> Data;
}

macro_rules! elements {
    ($kind:ident, $wide:ty: $($narrow:ty),*) => {$(
        impl Element for $narrow {
            fn data(elements: Vec<Self>) -> Data {
                Data::$kind(elements.into_iter().map(|x| x as $wide).collect())
            }
        }
    )*};
}
elements!(Flags, bool: bool);
elements!(Ints, i64: i8, i16, i32, i64, u8, u16, u32, usize);
elements!(Floats, f64: f64);
elements!(Singles, f32: f32);

impl<T: Element> From<T> for Array {
    fn from(element: T) -> Array {
        Array::new(vec![], T::data(vec![element]))
    }
}

impl<T: Element> From<&[T]> for Array {
    fn from(elements: &[T]) -> Array {
        Array::new(vec![elements.len()], T::data(elements.to_vec()))
    }
}

impl<T: Element> From<Vec<T>> for Array {
    fn from(elements: Vec<T>) -> Array {
        Array::new(vec![elements.len()], T::data(elements))
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Array {
    fn from(elements: [T; N]) -> Array {
        Array::new(vec![N], T::data(elements.to_vec()))
    }
}

impl<T: Element, const N: usize, const M: usize> From<[[T; M]; N]> for Array {
    fn from(rows: [[T; M]; N]) -> Array {
        Array::new(vec![N, M], T::data(rows.concat()))
    }
}
