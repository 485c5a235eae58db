//! What a game is.

use super::{Action, Fields, Options, Rng, Space};

/// What a step brings, beside the new state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    pub reward: f64,
    /// The rules ended the episode.
    pub terminated: bool,
    /// A limit outside the rules did, such as that of the steps.
    pub truncated: bool,
}

impl Outcome {
    /// Whether the episode is over.
    pub fn over(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// The rules of one environment: a plain struct whose fields are its state.
///
/// Many are stepped at once, in several threads; they share nothing that changes. A panic is told
/// as an error, with its place.
pub trait Game: Clone + Send + 'static {
    /// A game with these options. An error is a sentence for whoever chose them.
    fn new(options: &Options) -> Result<Self, String>;

    /// What `step` takes.
    fn action_space(&self) -> Space;

    /// What `observe` gives; bounds and dtype are compared with the reference's.
    fn observation_space(&self) -> Space;

    /// The number of steps after which `step` says `truncated`, if there is one.
    fn time_limit(&self) -> Option<u32> {
        None
    }

    /// Begin an episode. Every field of the state is set, whatever was before. The law of the
    /// starts is compared with the reference's, not its random numbers.
    fn start(&mut self, rng: &mut Rng);

    /// One step. There are no random numbers in it. It must also answer after the end of an
    /// episode, as the reference does.
    fn step(&mut self, action: Action) -> Outcome;

    /// Write the observation, row by row; every element. The harness rounds it to the dtype of
    /// `observation_space`.
    fn observe(&self, out: &mut [f64]);

    /// The whole state: nothing that decides what happens next may be missing.
    fn state(&self) -> Fields;

    /// Continue from a state: it has all the fields that `state` gives.
    fn load(&mut self, state: &Fields);
}
