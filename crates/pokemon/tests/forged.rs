//! Forged battles: none, or one that can be looked at.

#[path = "../../vecenv/tests/common/forged.rs"]
mod forged;

use pokemon::Battle;
use pokemon::trace::starts;
use pokemon::view::Known;
use proptest::prelude::*;

const BATTLES: &str = include_str!("traces/battles.txt");

#[test]
fn forged_bytes_are_no_battle_or_one_with_choices() {
    let battle = starts(BATTLES)[0];
    let (mut written, mut seen) = (Vec::new(), Vec::new());
    battle.save(&mut written);
    Known::of(&battle).save(&mut seen);
    let result = forged::runner(256).run(&forged::forgeries(), |forgery| {
        let (bytes, known) = (forgery.of(&written), forgery.of(&seen));
        if let Some(loaded) = Battle::load(&mut &bytes[..]) {
            let masks = [loaded.mask(0), loaded.mask(1)];
            prop_assert!(masks.iter().all(|mask| mask >> pokemon::ACTIONS == 0), "{masks:?}");
        }
        let _ = Known::load(&mut &known[..]);
        Ok(())
    });
    result.unwrap();
}
