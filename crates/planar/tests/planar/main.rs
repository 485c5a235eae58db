//! One program for all tests: what takes long to compile is compiled once.

mod batch;
mod common;
mod forged;
mod physics;
mod rules;
mod trig;
