//! Joint limits and contacts with the ground: soft, one-sided springs.
//!
//! A constraint asks for an acceleration (a target) with a strength (`weight`), and only ever
//! pushes. A contact has a pyramid for a friction cone. MuJoCo gives it four edges: the normal
//! with friction forwards, backwards, left and right. Nothing moves sideways in a plane, so that
//! the last two are both the normal alone: three rows, one of which counts twice.
//!
//! Only what touches in some lane of a block is listed. Tips of one link share an entry as long as
//! no lane touches the ground with two of them: the entry is about another tip in another lane.

use crate::kinematics::{Point, Pose, Twist};
use crate::lanes::{Lanes, Mask};
use crate::model::{Group, Limit, Model, Spring};
use crate::robot::{MOST_LINKS, MOST_TIPS};

/// The end of a hinge's range that is nearer.
#[derive(Clone, Copy, Debug)]
pub struct LimitRow<V: Lanes> {
    /// Whose hinge it is.
    pub link: usize,
    /// Where the range is left.
    pub touch: V::Mask,
    /// 1 at the low end, -1 at the high one.
    pub sign: V,
    /// How strongly.
    pub weight: V,
    /// Which acceleration is asked for.
    pub target: V,
    /// Where it pushes, as the solver assumes.
    pub pushes: V::Mask,
    /// Where it pushes at the solver's last point.
    pub pushes_now: V::Mask,
    /// Acceleration less target, at the solver's last point.
    pub value: V,
}

/// A tip and the ground.
#[derive(Clone, Copy, Debug)]
pub struct Contact<V: Lanes> {
    /// That the tip is on.
    pub link: usize,
    /// Where the ground is touched.
    pub touch: V::Mask,
    /// Of the contact.
    pub place: Point<V>,
    /// Below 0 where tip and ground overlap.
    pub distance: V,
    /// Against the ground.
    pub friction: V,
    /// How strongly each edge pushes.
    pub weight: V,
    /// Which acceleration the normal asks for.
    pub normal: V,
    /// What friction adds to it forwards, and takes away backwards.
    pub slide: V,
    /// Where its edges push, as the solver assumes: forwards, backwards, normal.
    pub pushes: [V::Mask; 3],
    /// Where they push at the solver's last point.
    pub pushes_now: [V::Mask; 3],
    /// Normal and sliding acceleration less target, at the solver's last point.
    pub value: [V; 2],
}

impl<V: Lanes> LimitRow<V> {
    #[inline(always)]
    fn blank() -> Self {
        let (zero, never) = (V::zero(), V::Mask::never());
        Self {
            link: 0,
            touch: never,
            sign: zero,
            weight: zero,
            target: zero,
            pushes: never,
            pushes_now: never,
            value: zero,
        }
    }
}

impl<V: Lanes> Contact<V> {
    #[inline(always)]
    fn blank() -> Self {
        let (zero, never) = (V::zero(), V::Mask::never());
        Self {
            link: 0,
            touch: never,
            place: Point::zero(),
            distance: zero,
            friction: zero,
            weight: zero,
            normal: zero,
            slide: zero,
            pushes: [never; 3],
            pushes_now: [never; 3],
            value: [zero; 2],
        }
    }

    /// Violations of the edges (forwards, backwards, normal) out of those of normal and sliding.
    #[inline(always)]
    pub fn edges(&self, [normal, slide]: [V; 2]) -> [V; 3] {
        [normal + slide, normal - slide, normal]
    }
}

/// All that may push in some lane.
#[derive(Clone, Debug)]
pub struct Rows<V: Lanes> {
    limits: [LimitRow<V>; MOST_LINKS],
    limit_count: usize,
    contacts: [Contact<V>; MOST_TIPS],
    contact_count: usize,
    /// Links that have a contact.
    pub touched: [bool; MOST_LINKS],
}

impl<V: Lanes> Rows<V> {
    /// Nothing.
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            limits: [LimitRow::blank(); MOST_LINKS],
            limit_count: 0,
            contacts: [Contact::blank(); MOST_TIPS],
            contact_count: 0,
            touched: [false; MOST_LINKS],
        }
    }

    /// Hinges at the end of their range.
    #[inline(always)]
    pub fn limits(&mut self) -> &mut [LimitRow<V>] {
        &mut self.limits[..self.limit_count]
    }

    /// Tips that touch the ground.
    #[inline(always)]
    pub fn contacts(&mut self) -> &mut [Contact<V>] {
        &mut self.contacts[..self.contact_count]
    }

    /// Lists what touches in a state.
    #[inline(always)]
    pub fn set(
        &mut self,
        model: &Model<V::Element>,
        pose: &Pose<V>,
        moving: &[Twist<V>; MOST_LINKS],
        position: &[V],
        velocity: &[V],
    ) {
        self.limit_count = 0;
        for (i, link) in model.links.iter().enumerate() {
            if let Some(limit) = &link.limit {
                self.add_limit(i, limit, position[2 + i], velocity[2 + i]);
            }
        }
        self.contact_count = 0;
        self.touched = [false; MOST_LINKS];
        for group in &model.groups {
            let first = self.contact_count;
            self.add_tips(group, pose);
            for contact in &mut self.contacts[first..self.contact_count] {
                self.touched[group.link] = true;
                press(contact, group, moving[group.link]);
            }
        }
    }

    #[inline(always)]
    fn add_limit(&mut self, link: usize, limit: &Limit<V::Element>, position: V, velocity: V) {
        let (low, high) = (position - V::splat(limit.low), V::splat(limit.high) - position);
        let inside = low.min(high) - V::splat(limit.margin);
        let touch = inside.less(V::zero());
        if !touch.any() {
            return;
        }
        let sign = V::one().or(low.less(high), -V::one());
        let (weight, target) = spring(&limit.spring, inside, sign * velocity);
        let row = &mut self.limits[self.limit_count];
        (row.link, row.touch, row.sign) = (link, touch, sign);
        (row.weight, row.target) = (weight, target);
        self.limit_count += 1;
    }

    /// Finds an entry for each tip that touches, in each lane the first that is free there.
    #[inline(always)]
    fn add_tips(&mut self, group: &Group<V::Element>, pose: &Pose<V>) {
        let first = self.contact_count;
        let (hinge, turn) = (pose.hinges[group.link], pose.turns[group.link]);
        let above = pose.height - V::splat(group.radius) + hinge.z;
        for &place in &group.places {
            let [px, pz] = place.map(V::splat);
            let distance = above.plus(turn.x, pz).minus(turn.z, px);
            let mut homeless = distance.less(V::splat(group.margin));
            if !homeless.any() {
                continue;
            }
            let x = hinge.x.plus(turn.x, px).plus(turn.z, pz);
            let mut at = first;
            while homeless.any() {
                if at == self.contact_count {
                    self.contacts[at].touch = V::Mask::never();
                    self.contacts[at].place.x = V::zero();
                    self.contacts[at].distance = V::zero();
                    self.contact_count += 1;
                }
                let contact = &mut self.contacts[at];
                let here = homeless & !contact.touch;
                contact.touch = contact.touch | here;
                contact.place.x = x.or(here, contact.place.x);
                contact.distance = distance.or(here, contact.distance);
                homeless = homeless & !here;
                at += 1;
            }
        }
        // MuJoCo puts a contact half-way between the two surfaces.
        for contact in &mut self.contacts[first..self.contact_count] {
            contact.place.z = V::of(0.5) * contact.distance - pose.height;
        }
    }
}

impl<V: Lanes> Default for Rows<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Fills in what a contact asks for.
#[inline(always)]
fn press<V: Lanes>(contact: &mut Contact<V>, group: &Group<V::Element>, moving: Twist<V>) {
    let speed = moving.at(contact.place);
    let inside = contact.distance - V::splat(group.margin);
    contact.link = group.link;
    contact.friction = V::splat(group.friction);
    (contact.weight, contact.normal) = spring(&group.spring, inside, speed.z);
    contact.slide = V::zero().minus(V::splat(group.spring.damping) * contact.friction, speed.x);
}

/// Weight and target acceleration of a constraint that is violated by `-inside`.
#[inline(always)]
fn spring<V: Lanes>(spring: &Spring<V::Element>, inside: V, speed: V) -> (V, V) {
    let impedance = impedance(spring, inside);
    let target = V::zero()
        .minus(V::splat(spring.damping), speed)
        .minus(V::splat(spring.stiffness), impedance * inside);
    let resistance = (V::one() - impedance) * V::splat(spring.inverse_weight);
    (impedance * resistance.reciprocal(), target)
}

/// Grows from `least` on along an S.
#[inline(always)]
fn impedance<V: Lanes>(spring: &Spring<V::Element>, inside: V) -> V {
    let x = (inside.abs() * V::splat(spring.steepness)).min(V::one());
    let left = V::one() - x;
    let early = V::splat(spring.early) * (x * x);
    let late = V::one().minus(V::splat(spring.late), left * left);
    let share = late.or(V::splat(spring.middle).less(x), early);
    V::splat(spring.least).plus(share, V::splat(spring.growth))
}
