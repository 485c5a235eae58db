//! Robots that move in a plane, with MuJoCo's physics.
//!
//! | module | what it holds |
//! |---|---|
//! | [`lanes`] | a number of many environments: one vector register |
//! | [`trig`] | sine and cosine of such |
//! | [`robot`] | what a robot is: links, tips that may touch the ground, motors |
//! | [`model`] | its constants, as the calculations want them |
//! | [`kinematics`] | where everything is, and how it moves |
//! | [`dynamics`] | forces of gravity, springs and motion; accelerations out of forces |
//! | [`constraints`] | joint limits and contacts with the ground: soft, one-sided springs |
//! | [`solver`] | the accelerations that all of these agree on, by Newton's method |
//! | [`search`] | the same, for the few cases in which that needs help |
//! | [`engine`] | a step in time |
//! | [`cheetah`] | the rules of HalfCheetah |
//! | [`batch`] | all of it behind `vecenv` |
//!
//! `envwright.zoo.planar` has the same modules in JAX, and derives them there.
#![deny(unsafe_code)]

pub mod batch;
pub mod cheetah;
pub mod constraints;
pub mod dynamics;
pub mod engine;
pub mod kinematics;
pub mod lanes;
pub mod model;
pub mod robot;
pub mod search;
pub mod solver;
pub mod trig;

pub use batch::HalfCheetah;
pub use cheetah::{CheetahRules, Settings};
pub use lanes::Registers;
