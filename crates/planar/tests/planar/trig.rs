//! Sine and cosine, lane by lane against the standard library.

use crate::common::noise;
use planar::Registers;
use planar::lanes::{Element, Job, Lanes};
use vecenv::SplitMix64;

struct SinCos<'a, T>(&'a [T]);

impl<T: Element> Job<T> for SinCos<'_, T> {
    type Output = Vec<(f64, f64)>;

    #[inline(always)]
    fn run<V: Lanes<Element = T>>(self) -> Self::Output {
        let mut found = Vec::new();
        for angles in self.0.chunks_exact(V::WIDTH) {
            let (mut sines, mut cosines) = (angles.to_vec(), angles.to_vec());
            let (sine, cosine) = V::load(angles).sin_cos();
            sine.store(&mut sines);
            cosine.store(&mut cosines);
            let both = sines.into_iter().zip(cosines);
            found.extend(both.map(|(sine, cosine)| (sine.to_f64(), cosine.to_f64())));
        }
        found
    }
}

/// Small and large angles, and those next to multiples of a quarter turn.
fn angles<T: Element>() -> Vec<T> {
    let mut random = SplitMix64::new(3);
    let mut angles: Vec<f64> = (0..4096)
        .flat_map(|i| {
            [0.01, 3.0, 100.0, 8000.0].map(|size| size * noise(&mut random) + 0.0 * i as f64)
        })
        .collect();
    angles.extend((-2048..2048).map(|i| f64::from(i) * std::f64::consts::FRAC_PI_2));
    angles.extend([0.0, -0.0, 8191.9, 1e-30].into_iter().cycle().take(16));
    angles.into_iter().map(T::from_f64).collect()
}

fn errors<T: Element>(registers: Registers, epsilon: f64) {
    let angles = angles::<T>();
    for (angle, (sine, cosine)) in angles.iter().zip(T::with(registers, SinCos(&angles))) {
        let (right_sine, right_cosine) = angle.to_f64().sin_cos();
        for (found, right) in [(sine, right_sine), (cosine, right_cosine)] {
            let ulps = (found - right).abs() / (epsilon * right.abs().max(1e-30));
            assert!(ulps <= 2.0, "{registers:?}: {ulps} ulps at {angle:?}: {found}, not {right}");
        }
    }
}

#[test]
fn float32_is_right_to_two_units_of_the_last_place() {
    for registers in Registers::ALL.into_iter().filter(|kind| kind.present()) {
        errors::<f32>(registers, f64::from(f32::EPSILON));
    }
}

#[test]
fn float64_is_right_to_two_units_of_the_last_place() {
    for registers in Registers::ALL.into_iter().filter(|kind| kind.present()) {
        errors::<f64>(registers, f64::EPSILON);
    }
}

#[test]
fn huge_angles_are_the_standard_library_s() {
    let angles: Vec<f32> = [1e5f32, -3e8, 1e20, 9000.0].into_iter().cycle().take(16).collect();
    for registers in Registers::ALL.into_iter().filter(|kind| kind.present()) {
        for (angle, (sine, cosine)) in angles.iter().zip(f32::with(registers, SinCos(&angles))) {
            assert_eq!((sine as f32, cosine as f32), angle.sin_cos());
        }
    }
}

#[test]
fn what_is_no_number_stays_so() {
    let angles = [f32::NAN; 16];
    for registers in Registers::ALL.into_iter().filter(|kind| kind.present()) {
        let found = f32::with(registers, SinCos(&angles));
        assert!(found.iter().all(|(sine, cosine)| sine.is_nan() && cosine.is_nan()));
    }
}
