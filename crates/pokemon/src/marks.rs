//! What is so or not of a Pokemon, as bits of one word.

use crate::state::Mon;

macro_rules! marks {
    ($($bit:literal $name:ident $set:ident,)*) => {
        #[allow(missing_docs)]
        impl Mon {
            $(
                #[inline]
                pub fn $name(&self) -> bool {
                    self.marks >> $bit & 1 == 1
                }

                #[inline]
                pub fn $set(&mut self, is: bool) {
                    self.marks = self.marks & !(1 << $bit) | u32::from(is) << $bit;
                }
            )*
        }
    };
}

// `status_by_foe`: a foe caused the status; `tera_withheld`: for as long as it is transformed.
marks! {
    0 status_by_foe set_status_by_foe,
    1 can_tera set_can_tera,
    2 tera_withheld set_tera_withheld,
    3 is_active set_is_active,
    4 is_started set_is_started,
    5 fainted set_fainted,
    6 faint_queued set_faint_queued,
    7 transformed set_transformed,
    8 being_called_back set_being_called_back,
    9 newly_switched set_newly_switched,
    10 used_item_this_turn set_used_item_this_turn,
    11 stats_raised set_stats_raised,
    12 stats_lowered set_stats_lowered,
    13 forme_regression set_forme_regression,
    14 ate_berry set_ate_berry,
    15 sword_boost set_sword_boost,
    16 shield_boost set_shield_boost,
    17 bond_triggered set_bond_triggered,
    18 force_switch set_force_switch,
    19 skip_before_switch_out set_skip_before_switch_out,
    20 trapped set_trapped,
    21 illusion set_illusion,
    22 attacked set_attacked,
    23 ability_ending set_ability_ending,
    24 item_started set_item_started,
}
