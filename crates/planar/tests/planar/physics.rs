//! The parts of the physics, one by one, in float64.

use crate::common::{SIZE, noise, robot};
use planar::engine::{Motion, forward};
use planar::kinematics::{Joints, Pose};
use planar::lanes::{Element, Job, Lanes};
use planar::model::Model;
use planar::robot::{MOST_LINKS, Robot};
use planar::solver::Problem;
use vecenv::SplitMix64;

/// The first lane.
fn first<V: Lanes<Element = f64>>(number: V) -> f64 {
    let mut numbers = [0.0; 16];
    number.store(&mut numbers);
    numbers[0]
}

fn joints<V: Lanes<Element = f64>>(numbers: &[f64]) -> Joints<V> {
    let mut joints = [V::zero(); _];
    for (joint, &number) in joints.iter_mut().zip(numbers) {
        *joint = V::splat(number);
    }
    joints
}

/// Where the tips of the feet are.
struct Tips<'a>(&'a Robot, [f64; SIZE]);

impl Job<f64> for Tips<'_> {
    type Output = Vec<[f64; 2]>;

    #[inline(always)]
    fn run<V: Lanes<Element = f64>>(self) -> Self::Output {
        let model = Model::<f64>::new(self.0);
        let mut pose = Pose::<V>::new();
        pose.set(&model, &joints(&self.1));
        let tips = self.0.tips.iter().map(|tip| pose.place(tip.link, tip.place));
        tips.map(|point| [first(point.x), first(point.z) + first(pose.height)]).collect()
    }
}

#[test]
fn a_robot_that_is_not_turned_is_the_sum_of_its_places() {
    let robot = robot();
    let mut position = [0.0; SIZE];
    position[1] = 0.25;
    let found = f64::with_best(Tips(&robot, position));
    for (tip, found) in robot.tips.iter().zip(found) {
        let mut right = tip.place;
        let mut link = &robot.links[tip.link];
        right[1] += robot.start[1] + 0.25;
        loop {
            right = [right[0] + link.hinge[0], right[1] + link.hinge[1]];
            let Ok(parent) = usize::try_from(link.parent) else { break };
            link = &robot.links[parent];
        }
        assert!((found[0] - right[0]).abs() < 1e-15 && (found[1] - right[1]).abs() < 1e-15);
    }
}

#[test]
fn a_quarter_turn_of_the_trunk_turns_all_that_is_ahead_downwards() {
    let robot = robot();
    let flat = f64::with_best(Tips(&robot, [0.0; SIZE]));
    let mut position = [0.0; SIZE];
    position[2] = std::f64::consts::FRAC_PI_2;
    let turned = f64::with_best(Tips(&robot, position));
    for ([x, z], [turned_x, turned_z]) in flat.into_iter().zip(turned) {
        let height = robot.start[1];
        assert!((turned_x - (z - height)).abs() < 1e-14, "z turns towards x");
        assert!((turned_z - (height - x)).abs() < 1e-14, "x turns towards the ground");
    }
}

/// Solves a state; then asks which accelerations the constraints' forces cause.
struct Consistent<'a> {
    robot: &'a Robot,
    position: [f64; SIZE],
    velocity: [f64; SIZE],
    guess: [f64; SIZE],
    whole_steps: usize,
}

impl Job<f64> for Consistent<'_> {
    type Output = [[f64; SIZE]; 2];

    #[inline(always)]
    fn run<V: Lanes<Element = f64>>(self) -> Self::Output {
        let model = Model::<f64>::new(self.robot);
        let mut problem = Problem::<V>::new();
        let mut motion = Motion {
            position: joints(&self.position),
            velocity: joints(&self.velocity),
            acceleration: joints(&self.guess),
            travelled: V::zero(),
        };
        let motors = [V::splat(3.0); MOST_LINKS];
        forward(&model, &mut problem, &mut motion, &motors);
        problem.solve_within(&model, &joints(&self.guess), self.whole_steps);
        let read = |joints: &Joints<V>| std::array::from_fn(|i| first(joints[i]));
        let solved = read(&problem.sweep.answer);
        problem.solve_damped(&model);
        [solved, read(&problem.sweep.answer)]
    }
}

/// In and about the ground, beyond limits and within.
fn hard_states(count: usize) -> impl Iterator<Item = [[f64; SIZE]; 3]> {
    let mut random = SplitMix64::new(11);
    (0..count).map(move |_| {
        let mut drawn = |size: f64| std::array::from_fn(|_| size * noise(&mut random));
        let (mut position, velocity, guess) = (drawn(1.2), drawn(8.0), drawn(300.0));
        position[1] = 0.2 * position[1] - 0.45;
        [position, velocity, guess]
    })
}

/// The cost's gradient is the mass matrix times the difference between the accelerations and what
/// all forces cause, the constraints' included. Without damping, the damped system is that.
fn distance_from_minimum(whole_steps: usize) -> f64 {
    let mut robot = robot();
    robot.links.iter_mut().for_each(|link| link.damping = 0.0);
    let mut worst: f64 = 0.0;
    for [position, velocity, guess] in hard_states(500) {
        let robot = &robot;
        let problem = Consistent { robot, position, velocity, guess, whole_steps };
        let [solved, caused] = f64::with_best(problem);
        let size = solved.iter().fold(1.0f64, |size, a| size.max(a.abs()));
        for (a, b) in solved.into_iter().zip(caused) {
            worst = worst.max((a - b).abs() / size);
        }
    }
    worst
}

#[test]
fn the_solution_is_where_the_gradient_is_zero() {
    let worst = distance_from_minimum(planar::solver::WHOLE_STEPS);
    assert!(worst < 1e-11, "{worst}");
}

#[test]
fn searching_along_each_step_arrives_as_well() {
    for whole_steps in [0, 1] {
        let worst = distance_from_minimum(whole_steps);
        assert!(worst < 1e-11, "after {whole_steps} whole steps: {worst}");
    }
}

#[test]
fn the_guess_does_not_matter() {
    let robot = robot();
    for [position, velocity, guess] in hard_states(100) {
        let solve = |guess| {
            let robot = &robot;
            let whole_steps = planar::solver::WHOLE_STEPS;
            f64::with_best(Consistent { robot, position, velocity, guess, whole_steps })[0]
        };
        for (a, b) in solve(guess).into_iter().zip(solve([0.0; SIZE])) {
            assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()), "{a} and {b}");
        }
    }
}
