//! Spaces: what actions and observations look like.

use super::action::Move;
use super::json::{object, Json};
use super::{Array, Data, Fields, Rng};

/// The dtype of a box, as the reference's space names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dtype {
    F32,
    F64,
    U8,
    I32,
    I64,
}

/// A space in Gymnasium's sense.
#[derive(Clone, Debug, PartialEq)]
pub enum Space {
    /// The whole numbers from `start` to `start + n - 1`.
    Discrete { n: i64, start: i64 },
    /// A vector of whole numbers; each is below its bound.
    MultiDiscrete(Vec<i64>),
    /// A vector of zeros and ones.
    MultiBinary(usize),
    /// Arrays between two bounds, which are given row by row and may be infinite.
    Box { low: Vec<f64>, high: Vec<f64>, shape: Vec<usize>, dtype: Dtype },
    /// Observations with names; their elements follow each other.
    Dict(Vec<(&'static str, Space)>),
}

impl Space {
    /// The numbers from 0 to `n - 1`.
    pub fn discrete(n: i64) -> Space {
        Space::Discrete { n, start: 0 }
    }

    /// A vector with a bound for each element.
    #[track_caller]
    pub fn bounds(low: &[f64], high: &[f64], dtype: Dtype) -> Space {
        assert_eq!(low.len(), high.len(), "as many lower bounds as upper ones");
        let (low, high) = (low.to_vec(), high.to_vec());
        let shape = vec![low.len()];
        Space::Box { low, high, shape, dtype }
    }

    /// An array of any shape with the same bounds everywhere.
    pub fn uniform(low: f64, high: f64, shape: &[usize], dtype: Dtype) -> Space {
        let size = shape.iter().product();
        let (low, high, shape) = (vec![low; size], vec![high; size], shape.to_vec());
        Space::Box { low, high, shape, dtype }
    }

    /// How many elements an observation or action has.
    pub fn size(&self) -> usize {
        match self {
            Space::Discrete { .. } => 1,
            Space::MultiDiscrete(bounds) => bounds.len(),
            Space::MultiBinary(count) => *count,
            Space::Box { shape, .. } => shape.iter().product(),
            Space::Dict(parts) => parts.iter().map(|(_, space)| space.size()).sum(),
        }
    }

    /// Elements of the space as an array in its shape and dtype.
    pub(super) fn array(&self, elements: &[f64]) -> Array {
        let whole = || Data::Ints(elements.iter().map(|x| *x as i64).collect());
        let (shape, data) = match self {
            Space::Discrete { .. } => (vec![], whole()),
            Space::MultiDiscrete(bounds) => (vec![bounds.len()], whole()),
            Space::MultiBinary(count) => (vec![*count], whole()),
            Space::Dict(_) => unreachable!("its parts are arrays"),
            Space::Box { shape, dtype, .. } => {
                let data = match dtype {
                    Dtype::F32 => Data::Singles(elements.iter().map(|x| *x as f32).collect()),
                    Dtype::F64 => Data::Floats(elements.to_vec()),
                    Dtype::U8 | Dtype::I32 | Dtype::I64 => whole(),
                };
                (shape.clone(), data)
            }
        };
        Array::new(shape, data)
    }

    /// An observation as arrays: `obs`, or `obs.NAME` for each part.
    pub(super) fn arrays(&self, name: &str, elements: &[f64]) -> Fields {
        let Space::Dict(parts) = self else {
            return Fields::new().with(name.to_string(), self.array(elements));
        };
        let (mut fields, mut rest) = (Fields::new(), elements);
        for (part, space) in parts {
            let (here, after) = rest.split_at(space.size());
            fields = fields.and(space.arrays(&format!("{name}.{part}"), here));
            rest = after;
        }
        fields
    }

    /// An observation as an answer has it.
    pub(super) fn shown(&self, elements: &[f64]) -> Json {
        let Space::Dict(parts) = self else {
            return self.array(elements).to_json();
        };
        let mut rest = elements;
        let part = |(name, space): &(&str, Space)| {
            let (here, after) = rest.split_at(space.size());
            rest = after;
            (name.to_string(), space.shown(here))
        };
        Json::Object(parts.iter().map(part).collect())
    }

    /// The action that somebody sent.
    pub(super) fn action(&self, sent: &Array) -> Result<Move, String> {
        let size = self.size();
        if sent.len() != size {
            return Err(format!("an action has {size} elements, not {}", sent.len()));
        }
        Ok(match self {
            Space::Discrete { .. } => Move::Discrete(sent.to_ints()?[0]),
            Space::MultiDiscrete(_) | Space::MultiBinary(_) => Move::Several(sent.to_ints()?),
            Space::Box { .. } => Move::Continuous(sent.to_floats()),
            Space::Dict(_) => return Err("an action is an array, not a dict".to_string()),
        })
    }

    /// A place for actions that are drawn at random, if that can be done.
    pub(super) fn any_action(&self) -> Result<Move, String> {
        match self {
            Space::Discrete { start, .. } => Ok(Move::Discrete(*start)),
            Space::MultiDiscrete(bounds) => Ok(Move::Several(vec![0; bounds.len()])),
            Space::MultiBinary(count) => Ok(Move::Several(vec![0; *count])),
            Space::Dict(_) => Err("an action is an array, not a dict".to_string()),
            Space::Box { low, high, .. } if low.iter().chain(high).all(|x| x.is_finite()) => {
                Ok(Move::Continuous(low.clone()))
            }
            Space::Box { .. } => Err("no random actions from a box without bounds".to_string()),
        }
    }

    /// Draw an action into its place.
    pub(super) fn draw(&self, rng: &mut Rng, into: &mut Move) {
        match (self, into) {
            (Space::Discrete { n, start }, Move::Discrete(number)) => {
                *number = rng.integer(*start, start + n);
            }
            (Space::MultiDiscrete(bounds), Move::Several(numbers)) => {
                for (number, bound) in numbers.iter_mut().zip(bounds) {
                    *number = rng.integer(0, *bound);
                }
            }
            (Space::MultiBinary(_), Move::Several(numbers)) => {
                numbers.iter_mut().for_each(|number| *number = rng.integer(0, 2));
            }
            (Space::Box { low, high, dtype, .. }, Move::Continuous(elements)) => {
                for ((x, low), high) in elements.iter_mut().zip(low).zip(high) {
                    *x = match dtype {
                        Dtype::F64 => rng.between(*low, *high),
                        // What the reference is given later, it must be able to hold.
                        Dtype::F32 => f64::from(rng.between(*low, *high) as f32),
                        Dtype::U8 | Dtype::I32 | Dtype::I64 => {
                            rng.integer(*low as i64, *high as i64 + 1) as f64
                        }
                    };
                }
            }
            _ => unreachable!("`any_action` made the place"),
        }
    }

    /// As the protocol describes it.
    pub(super) fn to_json(&self) -> Json {
        match self {
            Space::Discrete { n, start } => {
                object([("n", Json::Int(*n)), ("start", Json::Int(*start))])
            }
            Space::MultiDiscrete(bounds) => {
                let bounds = bounds.iter().map(|n| Json::Int(*n)).collect();
                object([("nvec", Json::List(bounds))])
            }
            Space::MultiBinary(count) => {
                object([("binary", Json::List(vec![Json::Int(*count as i64)]))])
            }
            Space::Dict(parts) => {
                let part = |(name, space): &(&str, Space)| (name.to_string(), space.to_json());
                object([("parts", Json::Object(parts.iter().map(part).collect()))])
            }
            Space::Box { low, high, shape, dtype } => {
                let dtype = match dtype {
                    Dtype::F32 => "<f4",
                    Dtype::F64 => "<f8",
                    Dtype::U8 => "|u1",
                    Dtype::I32 => "<i4",
                    Dtype::I64 => "<i8",
                };
                let side =
                    |x: &[f64]| Array::new(shape.clone(), Data::Floats(x.to_vec())).to_json();
                let dtype = Json::Text(dtype.to_string());
                object([("low", side(low)), ("high", side(high)), ("dtype", dtype)])
            }
        }
    }
}
