//! Actions, as a game takes them and as the server holds them.

/// One action, of the kind that `Game::action_space` names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action<'a> {
    Discrete(i64),
    Several(&'a [i64]),
    Continuous(&'a [f64]),
}

impl<'a> Action<'a> {
    /// The number of an action of `Space::Discrete`.
    #[track_caller]
    pub fn discrete(self) -> i64 {
        match self {
            Action::Discrete(number) => number,
            other => panic!("{other:?} is no action of a discrete space"),
        }
    }

    /// The numbers of an action of `Space::MultiDiscrete`.
    #[track_caller]
    pub fn several(self) -> &'a [i64] {
        match self {
            Action::Several(numbers) => numbers,
            other => panic!("{other:?} is no action of a multi-discrete space"),
        }
    }

    /// The elements of an action of `Space::Box`, row by row.
    #[track_caller]
    pub fn continuous(self) -> &'a [f64] {
        match self {
            Action::Continuous(elements) => elements,
            other => panic!("{other:?} is no action of a box"),
        }
    }
}

/// An action with memory of its own, which is used again for the next.
#[derive(Clone, Debug)]
pub(super) enum Move {
    Discrete(i64),
    Several(Vec<i64>),
    Continuous(Vec<f64>),
}

impl Move {
    pub fn action(&self) -> Action<'_> {
        match self {
            Move::Discrete(number) => Action::Discrete(*number),
            Move::Several(numbers) => Action::Several(numbers),
            Move::Continuous(elements) => Action::Continuous(elements),
        }
    }

    /// Its elements as numbers, for `Space::array`.
    pub fn elements(&self) -> Vec<f64> {
        match self {
            Move::Discrete(number) => vec![*number as f64],
            Move::Several(numbers) => numbers.iter().map(|n| *n as f64).collect(),
            Move::Continuous(elements) => elements.clone(),
        }
    }
}
