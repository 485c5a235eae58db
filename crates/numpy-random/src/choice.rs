//! Choosing from a list: with weights, and without replacement.

use super::Bits;
use super::bounded::bounded;
use std::collections::BTreeSet;

/// Sums of weights up to each, as shares of them all.
pub fn cumulative(weights: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let mut sums: Vec<f64> = Vec::with_capacity(weights.len());
    for (place, weight) in weights.iter().enumerate() {
        sum = if place == 0 { *weight } else { sum + weight };
        sums.push(sum);
    }
    sums.iter_mut().for_each(|part| *part /= sum);
    sums
}

/// A place, as likely as its weight says.
pub fn weighted(bits: &mut impl Bits, weights: &[f64]) -> usize {
    let share = bits.next_f64();
    place_of(&cumulative(weights), share)
}

fn place_of(sums: &[f64], share: f64) -> usize {
    sums.partition_point(|sum| *sum <= share)
}

/// `count` different places among `all`, in random order: Floyd's algorithm, or for a large part
/// of many the end of a shuffled list.
pub fn sample(bits: &mut impl Bits, all: usize, count: usize) -> Vec<usize> {
    if all > 10_000 && count > all / 50 {
        let mut places: Vec<usize> = (0..all).collect();
        shuffle_from(bits, &mut places, (all - count).max(1));
        return places.split_off(all - count);
    }
    let mut taken = BTreeSet::new();
    let mut places = Vec::with_capacity(count);
    for last in all - count..all {
        let drawn = bounded(bits, last as u64) as usize;
        let place = if taken.insert(drawn) { drawn } else { last };
        taken.insert(place);
        places.push(place);
    }
    shuffle_from(bits, &mut places, 1);
    places
}

/// Shuffle the places from `first` on, by Lemire's numbers.
fn shuffle_from(bits: &mut impl Bits, places: &mut [usize], first: usize) {
    for last in (first..places.len()).rev() {
        places.swap(last, bounded(bits, last as u64) as usize);
    }
}

/// `count` different places, each as likely as its weight says among those that are left.
///
/// # Panics
/// If fewer weights are above zero.
pub fn weighted_sample(bits: &mut impl Bits, weights: &[f64], count: usize) -> Vec<usize> {
    let likely = weights.iter().filter(|weight| **weight > 0.0).count();
    assert!(count <= likely, "{count} of {likely} places with a weight");
    let mut weights = weights.to_vec();
    let mut places: Vec<usize> = Vec::with_capacity(count);
    while places.len() < count {
        let shares: Vec<f64> = (places.len()..count).map(|_| bits.next_f64()).collect();
        places.iter().for_each(|place| weights[*place] = 0.0);
        let sums = cumulative(&weights);
        for share in shares {
            let place = place_of(&sums, share);
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}
