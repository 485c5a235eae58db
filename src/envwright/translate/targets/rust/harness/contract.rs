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
    /// starts is compared with the reference's, not its random numbers; a game that draws them in
    /// the same order plays the reference's episodes from the same seeds.
    fn start(&mut self, rng: &mut Rng);

    /// One step, without random numbers. It must also answer after the end of an episode, as the
    /// reference does.
    fn step(&mut self, action: Action) -> Outcome;

    /// One step with random numbers, for games that draw them in their steps; `step` is then never
    /// called. What the reference draws, this draws: as often, in the same order, with the methods
    /// of `Rng` that are named like the reference's.
    #[inline]
    fn random_step(&mut self, action: Action, rng: &mut Rng) -> Outcome {
        let _ = rng;
        self.step(action)
    }

    /// Write the observation, row by row; every element. The harness rounds it to the dtype of
    /// `observation_space`.
    fn observe(&self, out: &mut [f64]);

    /// The whole state: nothing that decides what happens next may be missing.
    fn state(&self) -> Fields;

    /// Continue from a state: it has all the fields that `state` gives.
    fn load(&mut self, state: &Fields);

    // --- several players, illegal actions ----------------------------------------------------

    /// How many players there are. All choose at once; `step_together` ignores who has to wait.
    fn players(&self) -> usize {
        1
    }

    /// One step of several players: an action of each in, a reward of each out. The reward of the
    /// outcome is not used.
    fn step_together(&mut self, actions: &[Action], rewards: &mut [f64], rng: &mut Rng) -> Outcome {
        let outcome = self.random_step(actions[0], rng);
        rewards.fill(outcome.reward);
        outcome
    }

    /// What a player sees, as `observe`.
    #[inline]
    fn observe_as(&self, player: usize, out: &mut [f64]) {
        let _ = player;
        self.observe(out);
    }

    /// How many actions `legal` is asked about; 0 where every action is always legal.
    fn choices(&self) -> usize {
        0
    }

    /// Mark a player's illegal actions with `false`; all are `true` before.
    fn legal(&self, player: usize, legal: &mut [bool]) {
        let _ = (player, legal);
    }
}
