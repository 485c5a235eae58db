//! The harness's tests: golden pairs that are shown, and what once differed from the reference.

// tests
