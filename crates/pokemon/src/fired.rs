//! How often abilities, items and moves did something: kept only when asked for.

use crate::data::TABLES;
use crate::state::{Effect, EffectKind};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static ON: AtomicBool = AtomicBool::new(false);
static COUNTS: LazyLock<[Vec<AtomicU64>; 3]> = LazyLock::new(|| {
    [TABLES.abilities.len(), TABLES.items.len(), TABLES.moves.len()]
        .map(|count| (0..count).map(|_| AtomicU64::new(0)).collect())
});

/// Begins or ends counting; counts begin at zero.
pub fn count(on: bool) {
    COUNTS.iter().flatten().for_each(|counter| counter.store(0, Relaxed));
    ON.store(on, Relaxed);
}

/// Counts of abilities, items and moves by their number.
pub fn counts() -> [Vec<u64>; 3] {
    [0, 1, 2].map(|kind| COUNTS[kind].iter().map(|counter| counter.load(Relaxed)).collect())
}

/// Notes that an effect did something.
#[inline]
pub fn note(effect: Effect) {
    if !ON.load(Relaxed) {
        return;
    }
    let kind = match effect.kind {
        EffectKind::Ability => 0,
        EffectKind::Item => 1,
        EffectKind::Move => 2,
        _ => return,
    };
    COUNTS[kind][effect.id as usize].fetch_add(1, Relaxed);
}
