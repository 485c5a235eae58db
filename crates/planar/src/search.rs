//! Newton's method with a search along each step: for the few lanes where whole steps do not
//! arrive.

use crate::kinematics::{Joints, twists};
use crate::lanes::{Lanes, Mask};
use crate::model::Model;
use crate::robot::{MOST_COORDINATES, MOST_LINKS, MOST_TIPS};
use crate::solver::{Problem, evaluate};

/// Steps with a search.
const STEPS: usize = 40;
/// Trial lengths of a step.
const TRIALS: usize = 12;

/// Weight, and the violation at both ends of a step.
#[derive(Clone, Copy)]
struct Edge<V> {
    weight: V,
    here: V,
    change: V,
}

/// Starts from the last solution. Lanes that are settled keep it.
#[inline(always)]
pub(crate) fn solve<V: Lanes>(
    problem: &mut Problem<V>,
    model: &Model<V::Element>,
    mut settled: V::Mask,
) {
    let mut x = problem.sweep.answer;
    for _ in 0..STEPS {
        let before = values(problem);
        problem.newton(model);
        settled = settled | !problem.differs_noticeably();
        if !(!settled).any() {
            return;
        }
        let target = problem.sweep.answer;
        let mut step = [V::zero(); MOST_COORDINATES];
        for (step, (x, target)) in step.iter_mut().zip(x.iter().zip(target)) {
            *step = target - *x;
        }
        let length = length(problem, model, &step, &before);
        // Where nothing is to be gained any more, the target is as good.
        let length = length.or(V::zero().less(length), V::one());
        for (i, x) in x.iter_mut().enumerate() {
            *x = target[i].or(settled, x.plus(length, step[i]));
        }
        visit(problem, model, &x);
        problem.assume(!settled);
    }
    problem.sweep.answer = x;
}

/// Evaluates the rows at a point.
#[inline(always)]
fn visit<V: Lanes>(problem: &mut Problem<V>, model: &Model<V::Element>, x: &Joints<V>) {
    twists(model, &problem.pose, x, &mut problem.sweep.twists);
    evaluate(&mut problem.rows, &problem.sweep.twists, x);
}

/// The value of each row: limits, then normals and slides.
struct Values<V> {
    limits: [V; MOST_LINKS],
    contacts: [[V; 2]; MOST_TIPS],
}

#[inline(always)]
fn values<V: Lanes>(problem: &mut Problem<V>) -> Values<V> {
    let mut values =
        Values { limits: [V::zero(); MOST_LINKS], contacts: [[V::zero(); 2]; MOST_TIPS] };
    for (value, row) in values.limits.iter_mut().zip(problem.rows.limits()) {
        *value = row.value;
    }
    for (value, contact) in values.contacts.iter_mut().zip(problem.rows.contacts()) {
        *value = contact.value;
    }
    values
}

/// How far to go along a step: to where the slope of the cost is 0, by false position (the
/// Illinois variant), or a bit less far. 0 where the cost does not fall.
#[inline(always)]
fn length<V: Lanes>(
    problem: &mut Problem<V>,
    model: &Model<V::Element>,
    step: &Joints<V>,
    before: &Values<V>,
) -> V {
    let inertial = energy(problem, model, step);
    let (edges, count) = edges(problem, before);
    let edges = &edges[..count];
    let (zero, one) = (V::zero(), V::one());
    let gain = edges.iter().fold(inertial, |gain, edge| {
        gain.plus((edge.weight * edge.change).only(edge.here.less(zero)), edge.change)
    });
    let slope = |length: V| {
        edges.iter().fold((length * inertial) - gain, |slope, edge| {
            let pushed = edge.here.plus(length, edge.change).min(zero) - edge.here.min(zero);
            slope.plus(edge.weight * edge.change, pushed)
        })
    };
    let (mut low, mut high, mut at_low, mut at_high) = (zero, one, -gain, slope(one));
    let whole = !zero.less(at_high);
    for _ in 0..TRIALS {
        let middle = low.minus(at_low * (high - low), (at_high - at_low).reciprocal());
        let value = slope(middle);
        let beyond = zero.less(value);
        low = low.or(beyond, middle);
        at_low = (V::of(0.5) * at_low).or(beyond, value);
        high = middle.or(beyond, high);
        at_high = value.or(beyond, V::of(0.5) * at_high);
    }
    let found = low.or(zero.less(low), V::of(0.5) * high);
    one.or(whole, found).only(zero.less(gain))
}

#[inline(always)]
fn edges<V: Lanes>(
    problem: &mut Problem<V>,
    before: &Values<V>,
) -> ([Edge<V>; MOST_LINKS + 3 * MOST_TIPS], usize) {
    let blank = Edge { weight: V::zero(), here: V::zero(), change: V::zero() };
    let (mut edges, mut count) = ([blank; MOST_LINKS + 3 * MOST_TIPS], 0);
    for (row, &here) in problem.rows.limits().iter().zip(&before.limits) {
        edges[count] = Edge { weight: row.weight.only(row.touch), here, change: row.value - here };
        count += 1;
    }
    for (contact, &here) in problem.rows.contacts().iter().zip(&before.contacts) {
        let (from, to) = (contact.edges(here), contact.edges(contact.value));
        let weight = contact.weight.only(contact.touch);
        for (i, weight) in [weight, weight, V::of(2.0) * weight].into_iter().enumerate() {
            edges[count] = Edge { weight, here: from[i], change: to[i] - from[i] };
            count += 1;
        }
    }
    (edges, count)
}

/// x' M x.
#[inline(always)]
fn energy<V: Lanes>(problem: &mut Problem<V>, model: &Model<V::Element>, x: &Joints<V>) -> V {
    let mut moving = problem.moving;
    twists(model, &problem.pose, x, &mut moving);
    let mut total = V::zero();
    for (i, link) in model.links.iter().enumerate() {
        let v = moving[i];
        let w = problem.inertias[i].times(v);
        total = total.plus(v.turn, w.turn).plus(v.x, w.x).plus(v.z, w.z);
        total = total.plus(V::splat(link.armature) * x[2 + i], x[2 + i]);
    }
    total
}
