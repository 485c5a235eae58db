//! The rules of HalfCheetah: settings, rewards, first states.

use crate::lanes::Element;
use crate::model::Model;
use crate::robot::Robot;
use std::f64::consts::TAU;
use std::sync::Arc;
use vecenv::{Rules, SplitMix64};

/// Settings, named as Gymnasium names them.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Settings {
    pub forward_reward_weight: f64,
    pub ctrl_cost_weight: f64,
    pub reset_noise_scale: f64,
    pub exclude_current_positions_from_observation: bool,
    pub frame_skip: i64,
    /// A step after which an episode is cut.
    pub max_steps: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            forward_reward_weight: 1.0,
            ctrl_cost_weight: 0.1,
            reset_noise_scale: 0.1,
            exclude_current_positions_from_observation: true,
            frame_skip: 5,
            max_steps: 1000,
        }
    }
}

/// HalfCheetah with numbers of type `T`.
#[derive(Clone, Debug)]
pub struct CheetahRules<T> {
    pub(crate) model: Arc<Model<T>>,
    pub(crate) settings: Settings,
    pub(crate) substeps: u32,
    pub(crate) max_steps: i32,
    /// Seconds of a step.
    pub(crate) duration: f64,
    robot: u64,
}

impl<T: Element> CheetahRules<T> {
    /// Of a robot, as `Robot.to_json()` writes it.
    pub fn new(robot_json: &str, settings: Settings) -> Result<Self, String> {
        let robot = Robot::from_json(robot_json)?;
        let Settings { frame_skip, max_steps, .. } = settings;
        let weights = [
            ("forward_reward_weight", settings.forward_reward_weight),
            ("ctrl_cost_weight", settings.ctrl_cost_weight),
            ("reset_noise_scale", settings.reset_noise_scale),
        ];
        if let Some((name, weight)) = weights.iter().find(|(_, weight)| !weight.is_finite()) {
            return Err(format!("{name} is {weight}; choose a finite number"));
        }
        if settings.reset_noise_scale < 0.0 {
            let scale = settings.reset_noise_scale;
            return Err(format!("reset_noise_scale is {scale}; choose 0 or more"));
        }
        let substeps = match u32::try_from(frame_skip) {
            Ok(substeps @ 1..=1000) => substeps,
            _ => return Err(format!("frame_skip is {frame_skip}; choose one from 1 to 1000")),
        };
        let max_steps = match i32::try_from(max_steps) {
            Ok(steps) if steps > 0 => steps,
            _ => {
                return Err(format!("max_steps is {max_steps}; choose one from 1 to {}", i32::MAX));
            }
        };
        if robot.motors.is_empty() {
            return Err(format!("robot '{}' has no motors; there is nothing to do", robot.name));
        }
        Ok(Self {
            model: Arc::new(Model::new(&robot)),
            settings,
            substeps,
            max_steps,
            duration: robot.timestep * f64::from(substeps),
            robot: checksum(robot_json),
        })
    }

    /// Coordinates that are not seen.
    pub(crate) fn hidden(&self) -> usize {
        usize::from(self.settings.exclude_current_positions_from_observation)
    }

    /// The first position and velocity of an episode, coordinate by coordinate.
    pub(crate) fn begin(&self, random: &mut SplitMix64) -> (Vec<T>, Vec<T>) {
        let (size, scale) = (self.model.size(), self.settings.reset_noise_scale);
        let noise = (0..size).map(|_| scale * (2.0 * uniform(random) - 1.0)).collect::<Vec<_>>();
        let origin = &self.model;
        let rest = (origin.origin.into_iter())
            .chain(origin.links.iter().map(|link| link.reference * link.sign))
            .map(Element::to_f64);
        let position = rest.zip(noise).map(|(rest, noise)| T::from_f64(rest + noise)).collect();
        let velocity = (0..size.div_ceil(2)).flat_map(|_| normals(random));
        (position, velocity.take(size).map(|normal| T::from_f64(scale * normal)).collect())
    }
}

impl<T: Element> Rules for CheetahRules<T> {
    type Obs = T;
    /// Also where `T` is not: Gymnasium's actions are float32, and so is what they cost.
    type Action = f32;
    type Reward = f32;

    fn identity(&self) -> String {
        let Settings {
            forward_reward_weight,
            ctrl_cost_weight,
            reset_noise_scale,
            exclude_current_positions_from_observation,
            frame_skip,
            max_steps,
        } = &self.settings;
        format!(
            "halfcheetah v1, {}, robot {:016x}, forward_reward_weight {forward_reward_weight}, \
             ctrl_cost_weight {ctrl_cost_weight}, reset_noise_scale {reset_noise_scale}, \
             exclude_current_positions_from_observation \
             {exclude_current_positions_from_observation}, frame_skip {frame_skip}, \
             max_steps {max_steps}",
            T::NAME,
            self.robot
        )
    }

    fn obs_shape(&self) -> Vec<usize> {
        vec![2 * self.model.size() - self.hidden()]
    }

    fn action_shape(&self) -> Vec<usize> {
        vec![self.model.motors.len()]
    }

    /// All: what is no number is a control of 0 to MuJoCo, and a reward that is no number.
    fn allows(&self, _action: &[f32]) -> bool {
        true
    }

    fn allowed(&self) -> String {
        "any numbers".into()
    }
}

/// In [0, 1), in steps of 2^-53.
fn uniform(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Two independent draws of the standard normal distribution, by Box and Muller's method: an angle,
/// and a radius whose square is exponential.
fn normals(random: &mut SplitMix64) -> [f64; 2] {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    let (sine, cosine) = (TAU * uniform(random)).sin_cos();
    [radius * cosine, radius * sine]
}

/// FNV-1a: tells robots apart.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
