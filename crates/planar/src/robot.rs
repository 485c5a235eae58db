//! A robot as `envwright.zoo.planar.model` writes it down: its fields have the same names there.

use serde::Deserialize;

/// x, z.
pub type Place = [f64; 2];

/// How a constraint gives way: MuJoCo's `solref` and `solimp`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[allow(missing_docs)]
pub struct Softness {
    pub time_constant: f64,
    pub damping_ratio: f64,
    pub least: f64,
    pub most: f64,
    pub width: f64,
    pub midpoint: f64,
    pub power: f64,
}

/// The range of a hinge.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Limit {
    pub low: f64,
    pub high: f64,
    pub margin: f64,
    pub softness: Softness,
}

/// A rigid body and the hinge that it hangs on.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Link {
    pub name: String,
    pub parent: i64,
    pub hinge: Place,
    pub sign: f64,
    pub centre: Place,
    pub mass: f64,
    pub inertia: f64,
    pub armature: f64,
    pub damping: f64,
    pub stiffness: f64,
    pub rest: f64,
    pub reference: f64,
    pub inverse_weight: f64,
    pub limit: Option<Limit>,
}

/// One end of a capsule: a ball that may touch the ground.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[allow(missing_docs)]
pub struct Tip {
    pub link: usize,
    pub place: Place,
    pub radius: f64,
    pub friction: f64,
    pub margin: f64,
    pub inverse_weight: f64,
    pub softness: Softness,
}

/// Turns a hinge by `gear` times the control, which is cut to a range.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Motor {
    pub link: usize,
    pub gear: f64,
    pub low: f64,
    pub high: f64,
}

/// A robot and the world that it is in.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Robot {
    pub name: String,
    pub timestep: f64,
    pub integrator: String,
    pub gravity: f64,
    pub mean_inertia: f64,
    pub start: Place,
    pub reference: Place,
    pub links: Vec<Link>,
    pub tips: Vec<Tip>,
    pub motors: Vec<Motor>,
}

/// Most links of a robot: more is only a matter of a number here.
pub const MOST_LINKS: usize = 8;
/// Most tips of a robot.
pub const MOST_TIPS: usize = 16;
/// Most coordinates: two of the trunk, and one for each link.
pub const MOST_COORDINATES: usize = 2 + MOST_LINKS;

impl Robot {
    /// Reads what `Robot.to_json()` wrote, or says why that is nothing to run.
    pub fn from_json(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("the robot is missing; pass what Robot.to_json() returns".into());
        }
        let robot: Self = serde_json::from_str(text)
            .map_err(|e| format!("the robot cannot be read ({e}); pass what to_json() returns"))?;
        robot.check().map_err(|why| format!("robot '{}' cannot be run: {why}", robot.name))?;
        Ok(robot)
    }

    /// Coordinates: the trunk's x and z, and an angle for each link.
    pub fn size(&self) -> usize {
        2 + self.links.len()
    }

    fn check(&self) -> Result<(), String> {
        let (links, tips) = (self.links.len(), self.tips.len());
        if !(1..=MOST_LINKS).contains(&links) {
            return Err(format!("it has {links} links; choose from 1 to {MOST_LINKS}"));
        }
        if tips > MOST_TIPS {
            return Err(format!("it has {tips} tips; choose at most {MOST_TIPS}"));
        }
        if self.integrator != "euler" {
            return Err(format!("its integrator is '{}'; only 'euler' is known", self.integrator));
        }
        if !(self.timestep > 0.0 && self.timestep.is_finite()) {
            return Err(format!("its timestep is {}; choose one above 0", self.timestep));
        }
        for (i, link) in self.links.iter().enumerate() {
            let (before, parent) = (i as i64 - 1, link.parent);
            if parent != before && (i == 0 || parent != 0) {
                return Err(format!(
                    "link {i} hangs on link {parent}; only chains on the trunk are known, listed \
                     from there outwards"
                ));
            }
            if link.sign.abs() != 1.0 {
                return Err(format!("link {i} has sign {}; choose 1 or -1", link.sign));
            }
            if link.mass <= 0.0 {
                return Err(format!("link {i} has mass {}; choose one above 0", link.mass));
            }
        }
        let trunk = &self.links[0];
        let held = [trunk.armature, trunk.damping, trunk.stiffness];
        if held != [0.0; 3] || trunk.limit.is_some() || self.motors.iter().any(|m| m.link == 0) {
            return Err("its trunk is held or driven; it has to move freely".into());
        }
        let named = self.tips.iter().map(|tip| tip.link).chain(self.motors.iter().map(|m| m.link));
        if let Some(link) = named.max().filter(|&link| link >= links) {
            return Err(format!("a tip or motor is on link {link} of {links}"));
        }
        for (i, motor) in self.motors.iter().enumerate() {
            if self.motors[..i].iter().any(|other| other.link == motor.link) {
                return Err(format!("link {} has two motors", motor.link));
            }
        }
        if let Some(tip) = self.tips.iter().find(|tip| tip.friction <= 0.0) {
            return Err(format!("a tip has friction {}; choose some above 0", tip.friction));
        }
        let limits = self.links.iter().filter_map(|link| link.limit.as_ref());
        let softness = self.tips.iter().map(|t| &t.softness).chain(limits.map(|l| &l.softness));
        match softness.map(|s| s.power).find(|&power| power != 2.0) {
            Some(power) => Err(format!("a constraint has power {power}; only 2 is known")),
            None => Ok(()),
        }
    }
}
