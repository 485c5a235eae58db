//! A robot's constants, as the calculations want them.
//!
//! Hinges may turn either way about y. Here all turn the same way: coordinates of those that do
//! not are taken with the other sign on their way in and out ([`Link::sign`]), and so are ranges
//! and springs, once, here.

use crate::lanes::Element;
use crate::robot::{self, Robot, Softness};
use std::ops::Range;

/// Impedances are cut to these: MuJoCo's mjMINIMP and mjMAXIMP.
const IMPEDANCES: (f64, f64) = (0.0001, 0.9999);

/// A constraint's spring: from how far it is violated to how hard it pushes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring<T> {
    /// Target acceleration for each unit of speed.
    pub damping: T,
    /// Target acceleration for each unit of distance and impedance.
    pub stiffness: T,
    /// 1 / the distance over which impedance grows.
    pub steepness: T,
    /// Impedance at a touch.
    pub least: T,
    /// How much it grows.
    pub growth: T,
    /// Where growth turns from faster to slower, as a share of the distance.
    pub middle: T,
    /// Factor of the square below the middle.
    pub early: T,
    /// Factor of the square above the middle.
    pub late: T,
    /// Scale of the weight.
    pub inverse_weight: T,
}

impl<T: Element> Spring<T> {
    fn new(softness: &Softness, inverse_weight: f64) -> Self {
        let cut = |impedance: f64| impedance.clamp(IMPEDANCES.0, IMPEDANCES.1);
        let (least, most) = (cut(softness.least), cut(softness.most));
        let middle = cut(softness.midpoint);
        let period = most * softness.time_constant * softness.damping_ratio;
        Self {
            damping: T::from_f64(2.0 / (most * softness.time_constant)),
            stiffness: T::from_f64(1.0 / (period * period)),
            steepness: T::from_f64(1.0 / softness.width),
            least: T::from_f64(least),
            growth: T::from_f64(most - least),
            middle: T::from_f64(middle),
            early: T::from_f64(1.0 / middle),
            late: T::from_f64(1.0 / (1.0 - middle)),
            inverse_weight: T::from_f64(inverse_weight),
        }
    }
}

/// The range of a hinge.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Limit<T> {
    pub low: T,
    pub high: T,
    pub margin: T,
    pub spring: Spring<T>,
}

/// A rigid body and the hinge that it hangs on.
#[derive(Clone, Debug)]
pub struct Link<T> {
    /// 0 for the trunk, which has none.
    pub parent: usize,
    /// Of its hinge, on the parent.
    pub hinge: [T; 2],
    /// Of mass.
    pub centre: [T; 2],
    /// Of the body.
    pub mass: T,
    /// About the centre.
    pub inertia: T,
    /// Inertia of the hinge itself.
    pub armature: T,
    /// The same, and the damping of a timestep.
    pub damped_armature: T,
    /// Of the hinge.
    pub damping: T,
    /// Of the hinge.
    pub stiffness: T,
    /// Coordinate at which the spring rests.
    pub rest: T,
    /// Coordinate at which the link is not turned.
    pub reference: T,
    /// Of the coordinate outside of the calculations.
    pub sign: T,
    /// The range of the hinge.
    pub limit: Option<Limit<T>>,
}

/// Balls of one link that differ in place only.
#[derive(Clone, Debug)]
pub struct Group<T> {
    /// That they are on.
    pub link: usize,
    /// Of the centres.
    pub places: Vec<[T; 2]>,
    /// Of the balls.
    pub radius: T,
    /// Against the ground.
    pub friction: T,
    /// How far above the ground they touch it.
    pub margin: T,
    /// Of each edge of the friction cone.
    pub spring: Spring<T>,
}

/// Turns a hinge.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Motor<T> {
    pub link: usize,
    pub gear: T,
    pub low: T,
    pub high: T,
}

/// Links from the trunk outwards.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Legs {
    One(Range<usize>),
    Two(Range<usize>, Range<usize>),
}

/// A robot's constants.
#[derive(Clone, Debug)]
pub struct Model<T> {
    /// Of a substep.
    pub timestep: T,
    /// Downwards, as a positive number.
    pub gravity: T,
    /// Of the trunk's hinge at coordinate 0.
    pub ground: T,
    /// Where the trunk is after a reset of MuJoCo's.
    pub origin: [T; 2],
    /// The trunk first.
    pub links: Vec<Link<T>>,
    /// Chains of links that hang on the trunk, in pairs of the same length as far as there are
    /// any: the two of a pair are calculated at once, since neither waits for the other.
    pub legs: Vec<Legs>,
    /// All balls.
    pub groups: Vec<Group<T>>,
    /// In the order of the controls.
    pub motors: Vec<Motor<T>>,
}

impl<T: Element> Model<T> {
    /// Of a robot.
    pub fn new(robot: &Robot) -> Self {
        let sign = |link: usize| robot.links[link].sign;
        Self {
            timestep: T::from_f64(robot.timestep),
            gravity: T::from_f64(robot.gravity),
            ground: T::from_f64(robot.start[1] - robot.reference[1]),
            origin: robot.reference.map(T::from_f64),
            links: (0..robot.links.len()).map(|i| link(robot, i)).collect(),
            legs: legs(robot),
            groups: groups(robot),
            motors: (robot.motors.iter())
                .map(|motor| Motor {
                    link: motor.link,
                    gear: T::from_f64(sign(motor.link) * motor.gear),
                    low: T::from_f64(motor.low),
                    high: T::from_f64(motor.high),
                })
                .collect(),
        }
    }

    /// Number of coordinates.
    pub fn size(&self) -> usize {
        2 + self.links.len()
    }
}

fn legs(robot: &Robot) -> Vec<Legs> {
    let starts = (1..robot.links.len()).filter(|&i| robot.links[i].parent == 0);
    let ends = starts.clone().skip(1).chain([robot.links.len()]);
    let mut single: Vec<Range<usize>> = starts.zip(ends).map(|(start, end)| start..end).collect();
    let mut legs = Vec::new();
    while let Some(one) = single.pop() {
        match single.iter().position(|other| other.len() == one.len()) {
            Some(at) => legs.push(Legs::Two(single.remove(at), one)),
            None => legs.push(Legs::One(one)),
        }
    }
    legs
}

fn link<T: Element>(robot: &Robot, i: usize) -> Link<T> {
    let link = &robot.links[i];
    let to = T::from_f64;
    let limit = link.limit.as_ref().map(|limit| {
        let ends =
            if link.sign > 0.0 { (limit.low, limit.high) } else { (-limit.high, -limit.low) };
        Limit {
            low: to(ends.0),
            high: to(ends.1),
            margin: to(limit.margin),
            spring: Spring::new(&limit.softness, link.inverse_weight),
        }
    });
    Link {
        parent: link.parent.max(0) as usize,
        hinge: link.hinge.map(to),
        centre: link.centre.map(to),
        mass: to(link.mass),
        inertia: to(link.inertia),
        armature: to(link.armature),
        damped_armature: to(link.armature + robot.timestep * link.damping),
        damping: to(link.damping),
        stiffness: to(link.stiffness),
        rest: to(link.sign * link.rest),
        reference: to(link.sign * link.reference),
        sign: to(link.sign),
        limit,
    }
}

fn groups<T: Element>(robot: &Robot) -> Vec<Group<T>> {
    let mut groups: Vec<(&robot::Tip, Group<T>)> = Vec::new();
    for tip in &robot.tips {
        let place = tip.place.map(T::from_f64);
        let alike = |first: &robot::Tip| robot::Tip { place: tip.place, ..first.clone() } == *tip;
        match groups.iter_mut().find(|(first, _)| alike(first)) {
            Some((_, group)) => group.places.push(place),
            None => groups.push((tip, group(tip, place))),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn group<T: Element>(tip: &robot::Tip, place: [T; 2]) -> Group<T> {
    let square = tip.friction * tip.friction;
    // All edges have the weight that MuJoCo gives to the first: 1 / (2 mu^2 R).
    let scale = 2.0 * square * (tip.inverse_weight * (1.0 + square));
    Group {
        link: tip.link,
        places: vec![place],
        radius: T::from_f64(tip.radius),
        friction: T::from_f64(tip.friction),
        margin: T::from_f64(tip.margin),
        spring: Spring::new(&tip.softness, scale),
    }
}
