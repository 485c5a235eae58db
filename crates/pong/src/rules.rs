//! Settings of a game, and the two kinds of actions.

use crate::game::OBS;
use std::fmt::Debug;
use vecenv::{Rules, Scalar};

/// What a player sends, and which way the paddle goes then.
pub trait Action: Scalar + Debug {
    /// Ends the sentence "an action is …".
    const ALLOWED: &'static str;
    /// Shape of one game's action.
    const SHAPE: &'static [usize];
    /// Name of the kind.
    const KIND: &'static str;
    /// Whether it may be played.
    fn is_allowed(self) -> bool;
    /// From -1 to 1: how far the paddle goes, as a share of its speed; up is positive.
    fn direction(self) -> f32;
}

impl Action for i32 {
    const ALLOWED: &'static str = "0 (stay), 1 (up) or 2 (down)";
    const SHAPE: &'static [usize] = &[];
    const KIND: &'static str = "discrete";

    fn is_allowed(self) -> bool {
        (0..=2).contains(&self)
    }

    #[inline(always)]
    fn direction(self) -> f32 {
        // 0, 1, 2 to 0, 1, -1, without a branch.
        ((self & 1) - (self >> 1)) as f32
    }
}

impl Action for f32 {
    const ALLOWED: &'static str = "a number (what lies beyond -1 and 1 counts as these)";
    const SHAPE: &'static [usize] = &[1];
    const KIND: &'static str = "continuous";

    fn is_allowed(self) -> bool {
        !self.is_nan()
    }

    #[inline(always)]
    fn direction(self) -> f32 {
        // PufferLib's Python class clips, its C code does not.
        crate::game::clamp(self, -1.0, 1.0)
    }
}

/// Settings of Pong with actions of type `A`.
#[derive(Clone, Debug)]
pub struct PongRules<A> {
    pub(crate) frame_skip: u32,
    kind: std::marker::PhantomData<A>,
}

/// Stay, up, down.
pub type DiscretePong = PongRules<i32>;
/// Any direction from -1 to 1.
pub type ContinuousPong = PongRules<f32>;

impl<A: Action> PongRules<A> {
    /// `frame_skip` sub-frames to a step.
    pub fn new(frame_skip: i64) -> Result<Self, String> {
        match u32::try_from(frame_skip) {
            Ok(frame_skip @ 1..=1_000) => Ok(Self { frame_skip, kind: std::marker::PhantomData }),
            _ => Err(format!("frame_skip is {frame_skip}; choose one from 1 to 1000")),
        }
    }
}

impl<A: Action> Rules for PongRules<A> {
    type Obs = f32;
    type Action = A;
    type Reward = f32;

    fn identity(&self) -> String {
        format!("pong v1, {}, frame skip {}", A::KIND, self.frame_skip)
    }

    fn obs_shape(&self) -> Vec<usize> {
        vec![OBS]
    }

    fn action_shape(&self) -> Vec<usize> {
        A::SHAPE.to_vec()
    }

    fn allows(&self, action: &[A]) -> bool {
        action[0].is_allowed()
    }

    fn allowed(&self) -> String {
        A::ALLOWED.into()
    }
}
