//! Random numbers that the reference drew, to be drawn again.

use super::{Data, Fields};

/// The numbers by the method that drew them; each method's in their order.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    methods: Vec<Drawn>,
}

#[derive(Clone, Debug)]
struct Drawn {
    name: String,
    numbers: Data,
    next: usize,
}

impl Tape {
    pub fn new(drawn: &Fields) -> Tape {
        let methods = drawn.iter().map(|(name, array)| Drawn {
            name: name.to_string(),
            numbers: array.data.clone(),
            next: 0,
        });
        Tape { methods: methods.collect() }
    }

    /// The next number that one of these methods drew, which lies from `low` to `high`.
    #[track_caller]
    pub fn float(&mut self, methods: &[&str], low: f64, high: f64) -> f64 {
        let (numbers, place) = self.next(methods);
        let drawn = match numbers {
            Data::Floats(all) => all[place],
            Data::Singles(all) => f64::from(all[place]),
            Data::Ints(all) => all[place] as f64,
            Data::Flags(all) => f64::from(u8::from(all[place])),
        };
        let is_between = low.min(high) <= drawn && drawn <= low.max(high);
        assert!(is_between, "the reference draws {drawn} here, not a number from {low} to {high}");
        drawn
    }

    /// The next whole number that one of these methods drew, which must be a possible one.
    #[track_caller]
    pub fn int(&mut self, methods: &[&str], is_possible: impl Fn(i64) -> bool) -> i64 {
        let (numbers, place) = self.next(methods);
        let drawn = match numbers {
            Data::Ints(all) => all[place],
            Data::Flags(all) => i64::from(all[place]),
            Data::Floats(all) => all[place] as i64,
            Data::Singles(all) => all[place] as i64,
        };
        assert!(is_possible(drawn), "the reference draws {drawn} here, which this cannot give");
        drawn
    }

    /// The next whole numbers that a method drew.
    #[track_caller]
    pub fn ints(
        &mut self,
        method: &str,
        count: usize,
        is_possible: impl Fn(i64) -> bool,
    ) -> Vec<i64> {
        let mut drawn = Vec::with_capacity(count);
        for _ in 0..count {
            drawn.push(self.int(&[method], &is_possible)); // a closure would not track the caller
        }
        drawn
    }

    #[track_caller]
    fn next(&mut self, methods: &[&str]) -> (&Data, usize) {
        let is_next = |drawn: &Drawn| {
            methods.contains(&drawn.name.as_str()) && drawn.next < drawn.numbers.len()
        };
        match self.methods.iter().position(is_next) {
            Some(found) => {
                let drawn = &mut self.methods[found];
                drawn.next += 1;
                (&drawn.numbers, drawn.next - 1)
            }
            None => panic!("the reference draws no (further) `{}` here: {self}", methods[0]),
        }
    }
}

impl std::fmt::Display for Tape {
    fn fmt(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
        if self.methods.is_empty() {
            return write!(to, "it draws nothing");
        }
        let told = |drawn: &Drawn| format!("{} x `{}`", drawn.numbers.len(), drawn.name);
        write!(to, "it draws {}", self.methods.iter().map(told).collect::<Vec<_>>().join(", "))
    }
}
