//! Where everything is, and how it moves.
//!
//! All places are seen from the trunk's hinge, which keeps numbers small however far the robot
//! has run. Motions are twists there: the angular velocity of a link, and the velocity of that
//! point of it which is at the trunk's hinge just now. So the twist of a link is the sum of what
//! the hinges between it and the world contribute, and no frame is ever changed.

use crate::lanes::Lanes;
use crate::model::Model;
use crate::robot::{MOST_COORDINATES, MOST_LINKS};

/// One number of each coordinate: x and z of the trunk, then an angle for each link. Positions,
/// velocities, accelerations and forces are of this kind.
pub type Joints<V> = [V; MOST_COORDINATES];

/// A place or a direction in the plane.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Point<V> {
    pub x: V,
    pub z: V,
}

/// A motion: an angular part about y, and a linear part at the trunk's hinge. Or a force.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Twist<V> {
    pub turn: V,
    pub x: V,
    pub z: V,
}

impl<V: Lanes> Point<V> {
    /// The trunk's hinge.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { x: V::zero(), z: V::zero() }
    }
}

impl<V: Lanes> Twist<V> {
    /// No motion.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { turn: V::zero(), x: V::zero(), z: V::zero() }
    }

    /// The velocity of a point that moves along.
    #[inline(always)]
    pub fn at(self, point: Point<V>) -> Point<V> {
        Point { x: self.x.plus(self.turn, point.z), z: self.z.minus(self.turn, point.x) }
    }

    /// Both at once.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { turn: self.turn + other.turn, x: self.x + other.x, z: self.z + other.z }
    }

    /// The same, while a hinge turns as well.
    #[inline(always)]
    pub fn and_turn(self, speed: V, hinge: Point<V>) -> Self {
        Self {
            turn: self.turn + speed,
            x: self.x.minus(speed, hinge.z),
            z: self.z.plus(speed, hinge.x),
        }
    }
}

/// Where the parts of a robot are, seen from the trunk's hinge.
#[derive(Clone, Debug)]
pub struct Pose<V> {
    /// Of the trunk's hinge above the ground.
    pub height: V,
    /// Of each link: the angle about y.
    pub angles: [V; MOST_LINKS],
    /// Of each link: cosine and sine of its angle.
    pub turns: [Point<V>; MOST_LINKS],
    /// Of each link: what it hangs on.
    pub hinges: [Point<V>; MOST_LINKS],
}

impl<V: Lanes> Pose<V> {
    /// Of no robot in particular.
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            height: V::zero(),
            angles: [V::zero(); MOST_LINKS],
            turns: [Point::zero(); MOST_LINKS],
            hinges: [Point::zero(); MOST_LINKS],
        }
    }

    /// Moves everything to where coordinates say.
    #[inline(always)]
    pub fn set(&mut self, model: &Model<V::Element>, position: &Joints<V>) {
        self.height = V::splat(model.ground) + position[1];
        for (i, link) in model.links.iter().enumerate() {
            let mut angle = position[2 + i] - V::splat(link.reference);
            if i > 0 {
                angle = self.angles[link.parent] + angle;
                self.hinges[i] = self.place(link.parent, link.hinge);
            }
            let (sine, cosine) = angle.sin_cos();
            self.angles[i] = angle;
            self.turns[i] = Point { x: cosine, z: sine };
        }
    }

    /// A place on a link, from the link's hinge.
    #[inline(always)]
    pub fn lever(&self, link: usize, [x, z]: [V::Element; 2]) -> Point<V> {
        let (turn, x, z) = (self.turns[link], V::splat(x), V::splat(z));
        Point { x: (turn.x * x).plus(turn.z, z), z: (turn.x * z).minus(turn.z, x) }
    }

    /// A place on a link.
    #[inline(always)]
    pub fn place(&self, link: usize, place: [V::Element; 2]) -> Point<V> {
        let (hinge, lever) = (self.hinges[link], self.lever(link, place));
        Point { x: hinge.x + lever.x, z: hinge.z + lever.z }
    }
}

impl<V: Lanes> Default for Pose<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Of all links, out of the speeds of all coordinates.
#[inline(always)]
pub fn twists<V: Lanes>(
    model: &Model<V::Element>,
    pose: &Pose<V>,
    speeds: &Joints<V>,
    twists: &mut [Twist<V>; MOST_LINKS],
) {
    twists[0] = Twist { turn: speeds[2], x: speeds[0], z: speeds[1] };
    for (i, link) in model.links.iter().enumerate().skip(1) {
        twists[i] = twists[link.parent].and_turn(speeds[2 + i], pose.hinges[i]);
    }
}
