//! Named values: a state, what a function is given and gives, and tables of many of these.

use std::borrow::Cow;

use super::json::Json;
use super::Array;

/// Mostly written in the code, so that a state has no texts of its own.
type Name = Cow<'static, str>;

/// Values by name, in order. In a table, every array has one more axis in front: the rows.
///
///     Fields::new().with("level", self.level).with("heat", self.heat).with("board", self.board)
///     let level = fields.int("level");
#[derive(Clone, Debug, Default)]
pub struct Fields {
    members: Vec<(Name, Array)>,
}

impl Fields {
    /// No values yet.
    pub fn new() -> Fields {
        Fields::default()
    }

    /// One more value: a flag, a number, or a list or array of arrays of these.
    pub fn with(mut self, name: impl Into<Name>, value: impl Into<Array>) -> Fields {
        self.members.push((name.into(), value.into()));
        self
    }

    /// A true or false.
    #[track_caller]
    pub fn flag(&self, name: &str) -> bool {
        single(name, self.flags(name))
    }

    /// A whole number.
    #[track_caller]
    pub fn int(&self, name: &str) -> i64 {
        single(name, self.ints(name))
    }

    /// A number.
    #[track_caller]
    pub fn float(&self, name: &str) -> f64 {
        single(name, self.floats(name))
    }

    /// All elements of an array of flags, row by row.
    #[track_caller]
    pub fn flags(&self, name: &str) -> Vec<bool> {
        self.ints(name).into_iter().map(|n| n != 0).collect()
    }

    /// All elements of an array of whole numbers, row by row.
    #[track_caller]
    pub fn ints(&self, name: &str) -> Vec<i64> {
        match self.array(name).to_ints() {
            Ok(numbers) => numbers,
            Err(reason) => panic!("field {name:?}: {reason}"),
        }
    }

    /// All elements of an array of numbers, row by row.
    #[track_caller]
    pub fn floats(&self, name: &str) -> Vec<f64> {
        self.array(name).to_floats()
    }

    /// A value with its shape.
    #[track_caller]
    pub fn array(&self, name: &str) -> &Array {
        match self.get(name) {
            Some(array) => array,
            None => {
                let there: Vec<_> = self.members.iter().map(|(name, _)| name).collect();
                panic!("there is no field {name:?}; there are {there:?}")
            }
        }
    }

    pub fn get(&self, name: &str) -> Option<&Array> {
        self.members.iter().find(|(key, _)| key == name).map(|(_, array)| array)
    }

    /// Names and values in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.members.iter().map(|(name, array)| (name.as_ref(), array))
    }

    // --- for the harness ---------------------------------------------------------------------

    /// All of these, with longer names.
    pub(super) fn under(self, prefix: &str) -> Fields {
        let named = |(name, array)| (format!("{prefix}{name}").into(), array);
        Fields { members: self.members.into_iter().map(named).collect() }
    }

    pub(super) fn and(mut self, others: Fields) -> Fields {
        self.members.extend(others.members);
        self
    }

    /// These, replaced by what is offered, each in its own kind of numbers.
    pub(super) fn replaced_by(&self, offered: &Fields) -> Result<Fields, String> {
        let mut replaced = self.clone();
        for (name, array) in offered.iter() {
            let place = replaced.members.iter_mut().find(|(key, _)| key == name);
            let (_, held) = place.ok_or_else(|| format!("the state has no field {name:?}"))?;
            *held = array.like(held).map_err(|reason| format!("field {name:?}: {reason}"))?;
        }
        Ok(replaced)
    }

    /// The first field in which two states are not the same, bit by bit.
    pub(super) fn differs_in(&self, other: &Fields) -> Option<&str> {
        let same = |name, array: &Array| other.get(name).is_some_and(|b| array.same(b));
        self.iter().find(|(name, array)| !same(name, array)).map(|(name, _)| name)
    }

    /// Records of the same fields and shapes, side by side.
    pub(super) fn table(rows: Vec<Fields>) -> Result<Fields, String> {
        let count = rows.len();
        let mut rows = rows.into_iter();
        let Some(mut table) = rows.next() else {
            return Ok(Fields::new());
        };
        for row in rows {
            if row.members.len() != table.members.len() {
                return Err("two rows have not the same fields".to_string());
            }
            for ((name, column), (other, array)) in table.members.iter_mut().zip(row.members) {
                if *name != other {
                    return Err(format!("one row has {name:?} where another has {other:?}"));
                }
                if column.shape != array.shape || !column.data.append(array.data) {
                    return Err(format!("two rows have other shapes or kinds of {name:?}"));
                }
            }
        }
        for (_, column) in &mut table.members {
            column.shape.insert(0, count);
        }
        Ok(table)
    }

    /// A table of `outer * inner` rows as one of rows of rows.
    pub(super) fn folded(mut self, outer: usize, inner: usize) -> Fields {
        for (_, column) in &mut self.members {
            column.shape.splice(..1, [outer, inner]);
        }
        self
    }

    /// How many rows a table has.
    pub(super) fn rows(&self) -> Result<usize, String> {
        let mut counts = self.members.iter().map(|(_, array)| array.shape.first().copied());
        let first = counts.next().flatten().ok_or("a table has at least one list")?;
        match counts.all(|count| count == Some(first)) {
            true => Ok(first),
            false => Err("the lists of a table are not equally long".to_string()),
        }
    }

    /// One row of a table.
    pub(super) fn row(&self, index: usize) -> Fields {
        let row = |(name, array): &(Name, Array)| (name.clone(), array.row(index));
        Fields { members: self.members.iter().map(row).collect() }
    }

    pub(super) fn from_json(value: &Json) -> Result<Fields, String> {
        let Json::Object(members) = value else {
            return Err(format!("fields are an object, not {value:?}"));
        };
        let mut fields = Fields::new();
        for (name, value) in members {
            let array = Array::from_json(value).map_err(|reason| format!("{name:?}: {reason}"))?;
            fields = fields.with(name.clone(), array);
        }
        Ok(fields)
    }

    pub(super) fn to_json(&self) -> Json {
        Json::Object(self.iter().map(|(name, array)| (name.to_string(), array.to_json())).collect())
    }
}

#[track_caller]
fn single<T: Copy>(name: &str, elements: Vec<T>) -> T {
    match elements[..] {
        [element] => element,
        _ => panic!("field {name:?} has {} elements, not one", elements.len()),
    }
}
