//! The accelerations that inertia, forces and constraints agree on.
//!
//! They minimise a cost: half the squared distance from free motion, measured by the mass matrix,
//! and for each constraint that is violated half of its weight times the violation squared.
//! Between the places where a constraint begins or ceases to push, the cost is quadratic, and one
//! sweep over the tree finds its minimum (Newton's method). Where the constraints that push there
//! are those that were assumed, this is the minimum of all: the cost is convex and smooth.
//!
//! Whole steps nearly always arrive in two or three sweeps, so no length is searched for at first.
//! They might go round in circles; whatever is left after [`WHOLE_STEPS`] is searched along each
//! step ([`search`](crate::search)), which cannot.

use crate::constraints::{Contact, Rows};
use crate::dynamics::{Inertia, Load, Loads, Sweep};
use crate::kinematics::{Joints, Point, Pose, Twist, twists};
use crate::lanes::{Element, Lanes, Mask};
use crate::model::Model;
use crate::robot::MOST_LINKS;

/// Sweeps without a search.
pub const WHOLE_STEPS: usize = 10;

/// What is to be solved, for a block, and room to do it.
#[derive(Clone, Debug)]
pub struct Problem<V: Lanes> {
    /// Where everything is.
    pub pose: Pose<V>,
    /// How everything moves.
    pub moving: [Twist<V>; MOST_LINKS],
    /// Of all links.
    pub inertias: [Inertia<V>; MOST_LINKS],
    /// Of gravity and motion, on all links.
    pub wrenches: [Twist<V>; MOST_LINKS],
    /// In the hinges, of motors and springs.
    pub forces: [V; MOST_LINKS],
    /// All that may push.
    pub rows: Rows<V>,
    /// The equations, and their last solution.
    pub sweep: Sweep<V>,
    /// Of links that touch something, with what that adds.
    laden_inertias: [Inertia<V>; MOST_LINKS],
    laden_wrenches: [Twist<V>; MOST_LINKS],
    /// Inertias of the hinges, with what limits add.
    armatures: [V; MOST_LINKS],
    /// In the hinges, with what limits add.
    limited: [V; MOST_LINKS],
}

impl<V: Lanes> Problem<V> {
    /// Of no robot in particular.
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            pose: Pose::new(),
            moving: [Twist::zero(); MOST_LINKS],
            inertias: [Inertia::zero(); MOST_LINKS],
            wrenches: [Twist::zero(); MOST_LINKS],
            forces: [V::zero(); MOST_LINKS],
            rows: Rows::new(),
            sweep: Sweep::new(),
            laden_inertias: [Inertia::zero(); MOST_LINKS],
            laden_wrenches: [Twist::zero(); MOST_LINKS],
            armatures: [V::zero(); MOST_LINKS],
            limited: [V::zero(); MOST_LINKS],
        }
    }

    /// Leaves the accelerations in `sweep.answer`, starting from a guess.
    #[inline(always)]
    pub fn solve(&mut self, model: &Model<V::Element>, guess: &Joints<V>) {
        self.solve_within(model, guess, WHOLE_STEPS);
    }

    /// The same, but searches after another number of whole steps.
    #[inline(always)]
    pub fn solve_within(
        &mut self,
        model: &Model<V::Element>,
        guess: &Joints<V>,
        whole_steps: usize,
    ) {
        if !self.rows.contacts().is_empty() {
            twists(model, &self.pose, guess, &mut self.sweep.twists);
        }
        evaluate(&mut self.rows, &self.sweep.twists, guess);
        self.assume(!V::Mask::never());
        for (i, link) in model.links.iter().enumerate() {
            self.armatures[i] = V::splat(link.armature);
            self.limited[i] = self.forces[i];
        }
        let mut settled = V::Mask::never();
        for _ in 0..whole_steps {
            if !self.newton(model).any() {
                return;
            }
            settled = settled | !self.differs_noticeably();
            if !(!settled).any() {
                return;
            }
            self.assume(!settled);
        }
        if whole_steps == 0 {
            self.sweep.answer = *guess;
        }
        V::apart(|| crate::search::solve(self, model, settled));
    }

    /// Solves as if the rows that are assumed to push were springs both ways. Returns where other
    /// rows push at the solution.
    #[inline(always)]
    pub(crate) fn newton(&mut self, model: &Model<V::Element>) -> V::Mask {
        let Self { rows, sweep, armatures, limited, forces, .. } = self;
        for row in rows.limits() {
            let (i, weight) = (row.link, row.weight.only(row.pushes));
            armatures[i] = V::splat(model.links[i].armature) + weight;
            limited[i] = forces[i].plus(row.sign * weight, row.target);
        }
        let mut fresh = rows.touched;
        for contact in rows.contacts() {
            let (i, added) = (contact.link, as_spring(contact));
            let (inertia, wrench) = if fresh[i] {
                (&self.inertias[i], &self.wrenches[i])
            } else {
                (&self.laden_inertias[i], &self.laden_wrenches[i])
            };
            self.laden_inertias[i] = inertia.and(added.inertia);
            self.laden_wrenches[i] = wrench.and(added.wrench);
            fresh[i] = false;
        }
        let loads = Loads {
            inertias: chosen(&rows.touched, &self.laden_inertias, &self.inertias),
            wrenches: chosen(&rows.touched, &self.laden_wrenches, &self.wrenches),
        };
        sweep.run(model, &self.pose, &loads, armatures, limited);
        evaluate(rows, &sweep.twists, &sweep.answer)
    }

    /// From now on the rows that push at the last point are assumed to, in some lanes.
    #[inline(always)]
    pub(crate) fn assume(&mut self, lanes: V::Mask) {
        for row in self.rows.limits() {
            row.pushes = (row.pushes & !lanes) | (row.pushes_now & lanes);
        }
        for contact in self.rows.contacts() {
            for (assumed, now) in contact.pushes.iter_mut().zip(contact.pushes_now) {
                *assumed = (*assumed & !lanes) | (now & lanes);
            }
        }
    }

    /// Where other rows push than were assumed, and more than so little that rounding decides.
    #[inline(always)]
    pub(crate) fn differs_noticeably(&mut self) -> V::Mask {
        let tolerance = V::of(V::Element::TOLERANCE);
        let mut found = V::Mask::never();
        for row in self.rows.limits() {
            let noise = tolerance.plus(tolerance, row.target.abs());
            found = found | ((row.pushes_now ^ row.pushes) & noise.less(row.value.abs()));
        }
        for contact in self.rows.contacts() {
            let targets = contact.normal.abs() + contact.slide.abs();
            let noise = tolerance.plus(tolerance, targets);
            for (i, value) in contact.edges(contact.value).into_iter().enumerate() {
                let differs = contact.pushes_now[i] ^ contact.pushes[i];
                found = found | (differs & noise.less(value.abs()));
            }
        }
        found
    }

    /// Solves again with the constraints' forces as they are, and hinges that are damped.
    #[inline(always)]
    pub fn solve_damped(&mut self, model: &Model<V::Element>) {
        let Self { rows, sweep, armatures, forces, .. } = self;
        for (i, link) in model.links.iter().enumerate() {
            armatures[i] = V::splat(link.damped_armature);
        }
        for row in rows.limits() {
            let push = row.weight.only(row.touch) * row.value.min(V::zero());
            forces[row.link] = forces[row.link].minus(row.sign, push);
        }
        let mut fresh = rows.touched;
        for contact in rows.contacts() {
            let (i, zero) = (contact.link, V::zero());
            let [ahead, behind, upright] = contact.edges(contact.value).map(|edge| edge.min(zero));
            let weight = contact.weight.only(contact.touch);
            let up = weight * (ahead + behind).plus(V::of(2.0), upright);
            let along = weight * contact.friction * (ahead - behind);
            let before = if fresh[i] { &self.wrenches[i] } else { &self.laden_wrenches[i] };
            self.laden_wrenches[i] = before.and(wrench(contact.place, along, up));
            fresh[i] = false;
        }
        let loads = Loads {
            inertias: self.inertias.each_ref(),
            wrenches: chosen(&rows.touched, &self.laden_wrenches, &self.wrenches),
        };
        sweep.run(model, &self.pose, &loads, armatures, forces);
    }
}

impl<V: Lanes> Default for Problem<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// With what touches the links, where something does.
#[inline(always)]
fn chosen<'a, L>(
    touched: &[bool; MOST_LINKS],
    laden: &'a [L; MOST_LINKS],
    bare: &'a [L; MOST_LINKS],
) -> [&'a L; MOST_LINKS] {
    std::array::from_fn(|i| if touched[i] { &laden[i] } else { &bare[i] })
}

/// How far accelerations are from what the rows ask for, and which push then. Returns where these
/// are not those that were assumed.
#[inline(always)]
pub(crate) fn evaluate<V: Lanes>(
    rows: &mut Rows<V>,
    twists: &[Twist<V>; MOST_LINKS],
    x: &Joints<V>,
) -> V::Mask {
    let mut differs = V::Mask::never();
    for row in rows.limits() {
        row.value = (row.sign * x[2 + row.link]) - row.target;
        row.pushes_now = row.value.less(V::zero()) & row.touch;
        differs = differs | (row.pushes_now ^ row.pushes);
    }
    for contact in rows.contacts() {
        let at = twists[contact.link].at(contact.place);
        contact.value = [at.z - contact.normal, (contact.friction * at.x) - contact.slide];
        let edges = contact.edges(contact.value);
        contact.pushes_now = edges.map(|edge| edge.less(V::zero()) & contact.touch);
        for (assumed, now) in contact.pushes.iter().zip(contact.pushes_now) {
            differs = differs | (*assumed ^ now);
        }
    }
    differs
}

#[inline(always)]
fn wrench<V: Lanes>(place: Point<V>, along: V, up: V) -> Twist<V> {
    Twist { turn: (place.z * along).minus(place.x, up), x: along, z: up }
}

/// What a contact adds to inertia and takes of force if the edges that push were springs.
#[inline(always)]
fn as_spring<V: Lanes>(contact: &Contact<V>) -> Load<V> {
    let (mu, Point { x, z }) = (contact.friction, contact.place);
    let [ahead, behind, upright] = contact.pushes.map(|pushes| contact.weight.only(pushes));
    let (both, difference) = (ahead + behind, ahead - behind);
    let nn = both.plus(V::of(2.0), upright);
    let ns = difference * mu;
    let ms = both * mu;
    let ss = ms * mu;
    let (tx, tz) = ((ss * z).minus(ns, x), (ns * z).minus(nn, x));
    let inertia = Inertia { tt: (tx * z).minus(tz, x), tx, tz, xx: ss, xz: ns, zz: nn };
    let up = (nn * contact.normal).plus(difference, contact.slide);
    let along = (ns * contact.normal).plus(ms, contact.slide);
    Load { inertia, wrench: wrench(contact.place, -along, -up) }
}
