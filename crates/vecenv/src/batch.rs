//! What an environment has to say about itself, at the level of a chunk of lanes.

use crate::fields::Visit;
use crate::scalar::Scalar;

/// What is fixed for the life of an environment: sizes, settings, spaces.
pub trait Rules: Clone + Send + Sync + 'static {
    /// Element type of observations.
    type Obs: Scalar;
    /// Element type of actions.
    type Action: Scalar;
    /// Element type of rewards.
    type Reward: Scalar;

    /// Name, version and every setting that changes behaviour, as a person would read it.
    /// A snapshot is restored only where this text is the same.
    fn identity(&self) -> String;

    /// Shape of one lane's observation.
    fn obs_shape(&self) -> Vec<usize>;

    /// Shape of one lane's action; empty for a single number.
    fn action_shape(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Whether one lane's action may be played.
    fn allows(&self, action: &[Self::Action]) -> bool;

    /// Ends the sentence "an action is ...": `0 (left), 1 (stay) or 2 (right)`.
    fn allowed(&self) -> String;

    /// How many players take part. Each has a reward; observations and actions of several have
    /// the players as their first axis.
    fn players(&self) -> usize {
        1
    }

    /// How many actions a player chooses from, where the game forbids some of them at times; 0
    /// where every action is always legal.
    fn choices(&self) -> usize {
        0
    }

    /// An action as an error shows it.
    fn shown(&self, action: &[Self::Action]) -> String {
        match action {
            [single] => format!("{single:?}"),
            several => format!("{several:?}"),
        }
    }

    /// About how many bytes a lane takes, where many lanes may be more than a machine has.
    fn lane_bytes(&self) -> usize {
        0
    }
}

/// Observation element of a batch.
pub type Obs<B> = <<B as Batch>::Rules as Rules>::Obs;
/// Action element of a batch.
pub type Action<B> = <<B as Batch>::Rules as Rules>::Action;

/// Reward element of a batch.
pub type Reward<B> = <<B as Batch>::Rules as Rules>::Reward;

/// Where a step writes: slices of the caller's buffers, one row or number per lane.
pub struct StepOut<'a, O, R = f32> {
    /// `[lanes * obs_len]`, row by row.
    pub obs: &'a mut [O],
    /// `[lanes * players]`
    pub reward: &'a mut [R],
    /// `[lanes]`, the game is over.
    pub terminated: &'a mut [bool],
    /// `[lanes]`, a time limit cut the episode.
    pub truncated: &'a mut [bool],
}

impl<O, R> StepOut<'_, O, R> {
    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        self.terminated.len()
    }

    /// Observation of one lane.
    pub fn obs_row(&mut self, lane: usize) -> &mut [O] {
        let len = self.obs.len() / self.lanes();
        &mut self.obs[lane * len..][..len]
    }
}

/// A chunk of lanes with a memory layout of its own: one task of the thread pool.
///
/// Lanes are independent and are counted from 0 within the chunk. A game that works on one
/// lane at a time implements [`Env`](crate::Env) instead. Slices always have the right
/// lengths and actions are always allowed ones: [`VecEnv`](crate::VecEnv) has checked them.
pub trait Batch: Send + Sized {
    /// Settings, and the element types.
    type Rules: Rules;

    /// Chunks hold a multiple of this many lanes (the last may hold fewer): a SIMD width,
    /// or as many lanes as repay the cost of a task (some microseconds).
    const GRAIN: usize = 1;

    /// Whether [`begun`](Batch::begun) is worth asking.
    const MAY_NOT_BEGIN: bool = false;

    /// Room for `lanes` lanes. Every lane is reset or loaded before it is stepped.
    fn new(rules: &Self::Rules, lanes: usize) -> Self;

    /// A first episode: everything that follows in this lane depends on `seed` and actions only.
    fn reset(&mut self, lane: usize, seed: u64);

    /// The next episode, drawn from the generator in the lane's state.
    fn restart(&mut self, lane: usize);

    /// One step of every lane, without reset, also from states in which the game is over.
    fn step_raw(
        &mut self,
        actions: &[Action<Self>],
        out: &mut StepOut<'_, Obs<Self>, Reward<Self>>,
    );

    /// Writes the observation of a lane's present state.
    fn observe(&self, lane: usize, obs: &mut [Obs<Self>]);

    /// Marks the actions that are legal in a lane's present state: `[players * choices]`.
    fn legal(&self, _lane: usize, legal: &mut [bool]) {
        legal.fill(true);
    }

    /// Lists the lane's fields: the whole state. Which fields, and their shapes, may depend
    /// on the rules but not on the lane. Mutable, because the same list loads a state.
    fn fields(&mut self, lane: usize, visit: &mut Visit<'_>);

    /// Says why a loaded state cannot be played, so that no step has to expect it.
    fn check(&self, _lane: usize) -> Result<(), String> {
        Ok(())
    }

    /// Says why the lane's last episode did not begin; its state is then of no use.
    fn begun(&self, _lane: usize) -> Result<(), String> {
        Ok(())
    }

    /// [`step_raw`](Batch::step_raw), then a restart in the same step where an episode ended.
    /// `final_obs` gets the last observation of those lanes; its other rows are left alone.
    fn step(
        &mut self,
        actions: &[Action<Self>],
        out: &mut StepOut<'_, Obs<Self>, Reward<Self>>,
        final_obs: &mut [Obs<Self>],
    ) {
        self.step_raw(actions, out);
        let len = final_obs.len() / out.lanes();
        for lane in 0..out.lanes() {
            if out.terminated[lane] || out.truncated[lane] {
                final_obs[lane * len..][..len].copy_from_slice(out.obs_row(lane));
                self.restart(lane);
                self.observe(lane, out.obs_row(lane));
            }
        }
    }
}
