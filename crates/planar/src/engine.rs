//! A step in time.

use crate::dynamics::bodies;
use crate::kinematics::{Joints, twists};
use crate::lanes::{Element, Lanes, Mask};
use crate::model::Model;
use crate::robot::{MOST_COORDINATES, MOST_LINKS};
use crate::solver::Problem;

/// Squares that add up to less than this are of no number that might have exploded.
const CALM: f64 = 1e10;

/// All that a step starts from. Angles of hinges are positive where z turns towards x.
#[derive(Clone, Copy, Debug)]
pub struct Motion<V> {
    /// Of all coordinates.
    pub position: Joints<V>,
    /// Of all coordinates.
    pub velocity: Joints<V>,
    /// Of the substep before: where the solver starts to search.
    pub acceleration: Joints<V>,
    /// How far x has come.
    pub travelled: V,
}

impl<V: Lanes> Motion<V> {
    /// At rest where all coordinates are 0.
    #[inline(always)]
    pub fn zero() -> Self {
        let zeros = [V::zero(); MOST_COORDINATES];
        Self { position: zeros, velocity: zeros, acceleration: zeros, travelled: V::zero() }
    }

    /// As after a reset of MuJoCo's, in some lanes.
    #[inline(always)]
    fn reset(&mut self, model: &Model<V::Element>, lanes: V::Mask) {
        let [x, z] = model.origin.map(V::splat);
        self.position[0] = x.or(lanes, self.position[0]);
        self.position[1] = z.or(lanes, self.position[1]);
        for (i, link) in model.links.iter().enumerate() {
            let reference = V::splat(link.reference);
            self.position[2 + i] = reference.or(lanes, self.position[2 + i]);
        }
        for i in 0..model.size() {
            self.velocity[i] = V::zero().or(lanes, self.velocity[i]);
            self.acceleration[i] = V::zero().or(lanes, self.acceleration[i]);
        }
    }
}

/// Goes through `substeps` with the same forces of the motors.
#[inline(always)]
pub fn advance<V: Lanes>(
    model: &Model<V::Element>,
    problem: &mut Problem<V>,
    motion: &mut Motion<V>,
    motors: &[V; MOST_LINKS],
    substeps: u32,
) {
    let before = *motion;
    let mut size = squares(model, &motion.position) + squares(model, &motion.velocity);
    for _ in 0..substeps {
        forward(model, problem, motion, motors);
        size = size + squares(model, &motion.acceleration);
        integrate(model, problem, motion);
        size = size + squares(model, &motion.velocity);
    }
    // Sums that are no numbers are not small either.
    if (!size.less(V::of(CALM))).any() {
        V::apart(|| {
            *motion = before;
            advance_with_care(model, problem, motion, motors, substeps);
        });
    }
}

/// The same for lanes that may explode: MuJoCo looks at positions and velocities before each
/// substep and at accelerations within, and starts again from its first state, without controls.
#[inline(always)]
fn advance_with_care<V: Lanes>(
    model: &Model<V::Element>,
    problem: &mut Problem<V>,
    motion: &mut Motion<V>,
    motors: &[V; MOST_LINKS],
    substeps: u32,
) {
    let (mut motors, start) = (*motors, motion.position[0]);
    for _ in 0..substeps {
        let bad = exploded(model, &motion.position) | exploded(model, &motion.velocity);
        restart(model, motion, &mut motors, start, bad);
        let guess = motion.acceleration;
        forward(model, problem, motion, &motors);
        let bad = exploded(model, &motion.acceleration);
        if bad.any() {
            // From the same guess, so that other lanes come to the same answer once more.
            motion.acceleration = guess;
            restart(model, motion, &mut motors, start, bad);
            forward(model, problem, motion, &motors);
        }
        integrate(model, problem, motion);
    }
}

#[inline(always)]
fn restart<V: Lanes>(
    model: &Model<V::Element>,
    motion: &mut Motion<V>,
    motors: &mut [V; MOST_LINKS],
    start: V,
    lanes: V::Mask,
) {
    motion.reset(model, lanes);
    motion.travelled = (motion.position[0] - start).or(lanes, motion.travelled);
    for force in motors {
        *force = V::zero().or(lanes, *force);
    }
}

/// Accelerations of a state.
#[inline(always)]
pub fn forward<V: Lanes>(
    model: &Model<V::Element>,
    problem: &mut Problem<V>,
    motion: &mut Motion<V>,
    motors: &[V; MOST_LINKS],
) {
    let Motion { position, velocity, acceleration, .. } = motion;
    problem.pose.set(model, position);
    twists(model, &problem.pose, velocity, &mut problem.moving);
    let Problem { pose, moving, inertias, wrenches, .. } = problem;
    bodies(model, pose, moving, inertias, wrenches);
    for (i, link) in model.links.iter().enumerate() {
        problem.forces[i] = motors[i]
            .minus(V::splat(link.stiffness), position[2 + i] - V::splat(link.rest))
            .minus(V::splat(link.damping), velocity[2 + i]);
    }
    problem.rows.set(model, &problem.pose, &problem.moving, position, velocity);
    problem.solve(model, acceleration);
    acceleration[..model.size()].copy_from_slice(&problem.sweep.answer[..model.size()]);
}

/// Semi-implicit Euler: velocities first, then positions; damping of hinges is implicit.
#[inline(always)]
fn integrate<V: Lanes>(
    model: &Model<V::Element>,
    problem: &mut Problem<V>,
    motion: &mut Motion<V>,
) {
    problem.solve_damped(model);
    let dt = V::splat(model.timestep);
    for i in 0..model.size() {
        motion.velocity[i] = motion.velocity[i].plus(dt, problem.sweep.answer[i]);
        motion.position[i] = motion.position[i].plus(dt, motion.velocity[i]);
    }
    motion.travelled = motion.travelled.plus(dt, motion.velocity[0]);
}

#[inline(always)]
fn squares<V: Lanes>(model: &Model<V::Element>, x: &Joints<V>) -> V {
    x[..model.size()].iter().fold(V::zero(), |sum, &x| sum.plus(x, x))
}

/// MuJoCo's test is `> largest`, and it is as true of what is no number.
#[inline(always)]
fn exploded<V: Lanes>(model: &Model<V::Element>, x: &Joints<V>) -> V::Mask {
    let beyond = V::splat(V::Element::BEYOND_LARGEST);
    x[..model.size()].iter().fold(V::Mask::never(), |bad, &x| bad | !x.abs().less(beyond))
}
