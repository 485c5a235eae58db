//! Forces of gravity, springs and motion; and the accelerations that forces cause.
//!
//! The mass matrix is never written down: a robot is a tree, so that its linear equations are
//! solved link by link, from the tips to the trunk and back (the articulated body algorithm). A
//! constraint that pulls on a link is an addition to its inertia, and a damped hinge an addition
//! to its armature: both are solved by the same sweep. Forces on links stay wrenches until the
//! sweep takes them up; only what acts in a hinge is a force of that hinge.

use crate::kinematics::{Joints, Point, Pose, Twist};
use crate::lanes::Lanes;
use crate::model::{Legs, Model};
use crate::robot::{MOST_COORDINATES, MOST_LINKS};

/// A symmetric matrix over twists.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Inertia<V> {
    pub tt: V,
    pub tx: V,
    pub tz: V,
    pub xx: V,
    pub xz: V,
    pub zz: V,
}

impl<V: Lanes> Inertia<V> {
    /// Of nothing.
    #[inline(always)]
    pub fn zero() -> Self {
        let zero = V::zero();
        Self { tt: zero, tx: zero, tz: zero, xx: zero, xz: zero, zz: zero }
    }

    /// Both together.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self {
            tt: self.tt + other.tt,
            tx: self.tx + other.tx,
            tz: self.tz + other.tz,
            xx: self.xx + other.xx,
            xz: self.xz + other.xz,
            zz: self.zz + other.zz,
        }
    }

    /// The wrench that causes an acceleration.
    #[inline(always)]
    pub fn times(self, v: Twist<V>) -> Twist<V> {
        Twist {
            turn: (self.tt * v.turn).plus(self.tx, v.x).plus(self.tz, v.z),
            x: (self.tx * v.turn).plus(self.xx, v.x).plus(self.xz, v.z),
            z: (self.tz * v.turn).plus(self.xz, v.x).plus(self.zz, v.z),
        }
    }
}

/// What a link is made of and what pushes it: about the trunk's hinge.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Load<V> {
    pub inertia: Inertia<V>,
    /// That something else has to withstand, so that pushes count as negative.
    pub wrench: Twist<V>,
}

impl<V: Lanes> Load<V> {
    /// Nothing.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { inertia: Inertia::zero(), wrench: Twist::zero() }
    }

    /// Both together.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { inertia: self.inertia.and(other.inertia), wrench: self.wrench.and(other.wrench) }
    }
}

/// What all links are made of and what pushes them; some of it is shared between problems.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Loads<'a, V> {
    pub inertias: [&'a Inertia<V>; MOST_LINKS],
    pub wrenches: [&'a Twist<V>; MOST_LINKS],
}

impl<V: Lanes> Loads<'_, V> {
    #[inline(always)]
    fn of(&self, link: usize) -> Load<V> {
        Load { inertia: *self.inertias[link], wrench: *self.wrenches[link] }
    }
}

/// Inertias, and what gravity and motion ask for.
#[inline(always)]
pub fn bodies<V: Lanes>(
    model: &Model<V::Element>,
    pose: &Pose<V>,
    moving: &[Twist<V>; MOST_LINKS],
    inertias: &mut [Inertia<V>; MOST_LINKS],
    wrenches: &mut [Twist<V>; MOST_LINKS],
) {
    // The acceleration of each hinge if all coordinates kept their speed, and gravity's.
    let mut rising = [Point::<V>::zero(); MOST_LINKS];
    rising[0].z = V::splat(model.gravity);
    for (i, link) in model.links.iter().enumerate() {
        let hinge = pose.hinges[i];
        if i > 0 {
            let (up, above) = (rising[link.parent], pose.hinges[link.parent]);
            let squared = moving[link.parent].turn * moving[link.parent].turn;
            rising[i] = Point {
                x: up.x.minus(squared, hinge.x - above.x),
                z: up.z.minus(squared, hinge.z - above.z),
            };
        }
        let squared = moving[i].turn * moving[i].turn;
        let (mass, lever) = (V::splat(link.mass), pose.lever(i, link.centre));
        let centre = Point { x: hinge.x + lever.x, z: hinge.z + lever.z };
        let (tx, tz) = (mass * centre.z, V::zero().minus(mass, centre.x));
        let tt = V::splat(link.inertia).plus(tx, centre.z).minus(tz, centre.x);
        let x = rising[i].x.minus(squared, lever.x);
        let z = rising[i].z.minus(squared, lever.z);
        inertias[i] = Inertia { tt, tx, tz, xx: mass, xz: V::zero(), zz: mass };
        wrenches[i] = Twist { turn: (tx * x).plus(tz, z), x: mass * x, z: mass * z };
    }
}

/// A tree's equations and their solution.
#[derive(Clone, Debug)]
pub struct Sweep<V> {
    /// Accelerations of all coordinates.
    pub answer: Joints<V>,
    /// Of all links, with these accelerations.
    pub twists: [Twist<V>; MOST_LINKS],
    /// Of each hinge: how much it turns for a motion of its parent.
    gives: [Twist<V>; MOST_LINKS],
    /// Of each hinge: how it turns if its parent does not move.
    rests: [V; MOST_LINKS],
}

impl<V: Lanes> Sweep<V> {
    /// Of no robot in particular.
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            answer: [V::zero(); MOST_COORDINATES],
            twists: [Twist::zero(); MOST_LINKS],
            gives: [Twist::zero(); MOST_LINKS],
            rests: [V::zero(); MOST_LINKS],
        }
    }

    /// Solves for a tree of loads, whose hinges have inertias and forces of their own.
    #[inline(always)]
    pub fn run(
        &mut self,
        model: &Model<V::Element>,
        pose: &Pose<V>,
        loads: &Loads<'_, V>,
        armatures: &[V; MOST_LINKS],
        forces: &[V; MOST_LINKS],
    ) {
        let trunk = self.inwards(model, pose, loads, armatures, forces);
        self.outwards(model, pose, trunk);
    }

    /// From the tips to the trunk: what each link does to its parent. Returns the trunk's load.
    #[inline(always)]
    fn inwards(
        &mut self,
        model: &Model<V::Element>,
        pose: &Pose<V>,
        loads: &Loads<'_, V>,
        armatures: &[V; MOST_LINKS],
        forces: &[V; MOST_LINKS],
    ) -> Load<V> {
        let mut trunk = loads.of(0);
        for legs in &model.legs {
            match legs {
                Legs::One(leg) => {
                    let mut total = loads.of(leg.end - 1);
                    for i in (leg.start + 1..leg.end).rev() {
                        total = self.hang(pose, i, total, armatures[i], forces[i], loads.of(i - 1));
                    }
                    let i = leg.start;
                    trunk = self.hang(pose, i, total, armatures[i], forces[i], trunk);
                }
                Legs::Two(one, other) => {
                    let (mut a, mut b) = (loads.of(one.end - 1), loads.of(other.end - 1));
                    for k in (1..one.len()).rev() {
                        let (i, j) = (one.start + k, other.start + k);
                        a = self.hang(pose, i, a, armatures[i], forces[i], loads.of(i - 1));
                        b = self.hang(pose, j, b, armatures[j], forces[j], loads.of(j - 1));
                    }
                    let (i, j) = (one.start, other.start);
                    trunk = self.hang(pose, i, a, armatures[i], forces[i], trunk);
                    trunk = self.hang(pose, j, b, armatures[j], forces[j], trunk);
                }
            }
        }
        trunk
    }

    /// Hangs a link, with all that hangs on it, on its parent, and returns the parent's load.
    #[inline(always)]
    fn hang(
        &mut self,
        pose: &Pose<V>,
        i: usize,
        total: Load<V>,
        armature: V,
        force: V,
        parent: Load<V>,
    ) -> Load<V> {
        let (hinge, Load { inertia: m, wrench: p }) = (pose.hinges[i], total);
        // The hinge's own twist is (1, -z, x).
        let u = Twist {
            turn: m.tt.minus(m.tx, hinge.z).plus(m.tz, hinge.x),
            x: m.tx.minus(m.xx, hinge.z).plus(m.xz, hinge.x),
            z: m.tz.minus(m.xz, hinge.z).plus(m.zz, hinge.x),
        };
        let own = armature.minus(hinge.z, u.x) + u.turn.plus(hinge.x, u.z);
        let inverse = own.reciprocal();
        let give = Twist { turn: u.turn * inverse, x: u.x * inverse, z: u.z * inverse };
        let left = (force - p.turn).plus(hinge.z, p.x).minus(hinge.x, p.z);
        self.gives[i] = give;
        self.rests[i] = left * inverse;
        let Load { inertia: both, wrench: felt } = parent.and(total);
        Load {
            inertia: Inertia {
                tt: both.tt.minus(give.turn, u.turn),
                tx: both.tx.minus(give.turn, u.x),
                tz: both.tz.minus(give.turn, u.z),
                xx: both.xx.minus(give.x, u.x),
                xz: both.xz.minus(give.x, u.z),
                zz: both.zz.minus(give.z, u.z),
            },
            wrench: Twist {
                turn: felt.turn.plus(give.turn, left),
                x: felt.x.plus(give.x, left),
                z: felt.z.plus(give.z, left),
            },
        }
    }

    /// From the trunk to the tips: how each link moves.
    #[inline(always)]
    fn outwards(&mut self, model: &Model<V::Element>, pose: &Pose<V>, trunk: Load<V>) {
        let trunk = free(trunk);
        self.twists[0] = trunk;
        (self.answer[0], self.answer[1], self.answer[2]) = (trunk.x, trunk.z, trunk.turn);
        for legs in &model.legs {
            match legs {
                Legs::One(leg) => {
                    let mut up = trunk;
                    for i in leg.clone() {
                        up = self.swing(pose, i, up);
                    }
                }
                Legs::Two(one, other) => {
                    let (mut a, mut b) = (trunk, trunk);
                    for k in 0..one.len() {
                        a = self.swing(pose, one.start + k, a);
                        b = self.swing(pose, other.start + k, b);
                    }
                }
            }
        }
    }

    /// How a link moves if its parent moves like this.
    #[inline(always)]
    fn swing(&mut self, pose: &Pose<V>, i: usize, up: Twist<V>) -> Twist<V> {
        let give = self.gives[i];
        let a = self.rests[i].minus(give.turn, up.turn) - (give.x * up.x).plus(give.z, up.z);
        self.twists[i] = up.and_turn(a, pose.hinges[i]);
        self.answer[2 + i] = a;
        self.twists[i]
    }
}

impl<V: Lanes> Default for Sweep<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// The motion of a body on which nothing but its own load acts: x first, then z, then the angle.
/// (Cramer's rule has fewer divisions to wait for, but in float32 errors of contacts grow by half.)
#[inline(always)]
fn free<V: Lanes>(Load { inertia: m, wrench }: Load<V>) -> Twist<V> {
    let ix = m.xx.reciprocal();
    let (lz, lt) = (m.xz * ix, m.tx * ix);
    let iz = m.zz.minus(lz, m.xz).reciprocal();
    let tz = m.tz.minus(lt, m.xz);
    let kt = tz * iz;
    let it = m.tt.minus(lt, m.tx).minus(kt, tz).reciprocal();
    let (z, t) = (lz * wrench.x - wrench.z, lt * wrench.x - wrench.turn);
    let turn = t.minus(kt, z) * it;
    let z = (z * iz).minus(kt, turn);
    Twist { turn, x: (-wrench.x * ix).minus(lz, z).minus(lt, turn), z }
}
