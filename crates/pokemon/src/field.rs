//! Weather, terrain, rooms, and conditions of sides.

use crate::boosts::Boosts;
use crate::event::Answer;
use crate::ids::{ability, cond, event, item};
use crate::mon::boost;
use crate::state::{Battle, Effect, Ident, P, SideCondition, side_of};

impl Battle {
    /// Sets the weather.
    pub fn set_weather(&mut self, id: u8, source: P, effect: Effect) -> Answer {
        if self.field.weather == id {
            return Answer::No;
        }
        let rock = match id {
            cond::RAINDANCE => item::DAMPROCK,
            cond::SUNNYDAY => item::HEATROCK,
            cond::SANDSTORM => item::SMOOTHROCK,
            _ => item::ICYROCK,
        };
        let long = self.has_item(source, rock);
        self.field.weather = id;
        self.field.weather_turns = if long { 8 } else { 5 };
        self.each_event(event::WEATHERCHANGE, effect);
        Answer::Yes
    }

    /// Ends the weather.
    pub fn clear_weather(&mut self) {
        if self.field.weather != 0 {
            self.field.weather = 0;
            self.field.weather_turns = 0;
            self.each_event(event::WEATHERCHANGE, Effect::NONE);
        }
    }

    /// Sets the terrain.
    pub fn set_terrain(&mut self, id: u8, source: P, effect: Effect) -> Answer {
        if self.field.terrain == id {
            return Answer::No;
        }
        let long = self.has_item(source, item::TERRAINEXTENDER);
        self.field.terrain = id;
        self.field.terrain_turns = if long { 8 } else { 5 };
        self.each_event(event::TERRAINCHANGE, effect);
        Answer::Yes
    }

    /// Ends the terrain; false where there was none.
    pub fn clear_terrain(&mut self) -> bool {
        if self.field.terrain == 0 {
            return false;
        }
        self.field.terrain = 0;
        self.field.terrain_turns = 0;
        self.each_event(event::TERRAINCHANGE, Effect::NONE);
        true
    }

    /// Twists the dimensions, or sets them right again.
    pub fn add_trick_room(&mut self) -> Answer {
        self.field.trick_room = if self.field.trick_room > 0 { 0 } else { 5 };
        Answer::Yes
    }

    /// Lays a condition on a side.
    pub fn add_side_condition(&mut self, side: usize, id: u8, source: P) -> Answer {
        if let Some(condition) = self.sides[side].conditions.get_mut(id) {
            let most = match id {
                cond::SPIKES => 3,
                cond::TOXICSPIKES => 2,
                _ => 0,
            };
            if condition.layers >= most {
                return Answer::No;
            }
            condition.layers += 1;
            return Answer::Yes;
        }
        let screen = matches!(id, cond::REFLECT | cond::LIGHTSCREEN | cond::AURORAVEIL);
        let duration = if screen && self.has_item(source, item::LIGHTCLAY) {
            8
        } else {
            self.t.conditions[id as usize].duration
        };
        let layers = u8::from(matches!(id, cond::SPIKES | cond::TOXICSPIKES));
        let order = self.next_order();
        let source = self.mons[source].ident;
        let condition = SideCondition { id, duration, layers, source, data: 0, order };
        self.sides[side].conditions.push(condition);
        let p = 6 * side;
        if id == cond::TAILWIND && self.has_ability(p, ability::WINDRIDER) && self.mons[p].hp > 0 {
            let effect = Effect::ability(ability::WINDRIDER);
            self.boost(Boosts::one(boost::ATK, 1), p, Some(p), effect);
        }
        Answer::Yes
    }

    /// Takes a condition off a side; false where there was none.
    pub fn remove_side_condition(&mut self, side: usize, id: u8) -> bool {
        self.sides[side].conditions.delete(id).is_some()
    }

    /// Lays a condition on the slot of a side's active Pokemon.
    pub fn add_slot_condition(&mut self, side: usize, id: u8, source: P, data: i16) -> Answer {
        if self.sides[side].slot.has(id) {
            return Answer::No;
        }
        let order = self.next_order();
        let source: Ident = self.mons[source].ident;
        let duration = self.t.conditions[id as usize].duration;
        let condition = SideCondition { id, duration, layers: 0, source, data, order };
        self.sides[side].slot.push(condition);
        Answer::Yes
    }

    /// Turns as Future Sight and Wish count them.
    pub fn overflowed_turn(&self) -> i32 {
        (i32::from(self.turn) - 1).rem_euclid(256)
    }

    /// The side conditions that Court Change swaps.
    pub fn swap_sides(&mut self) -> Answer {
        let any = self.sides.iter().any(|side| side.conditions.len > 0);
        let (first, second) = self.sides.split_at_mut(1);
        std::mem::swap(&mut first[0].conditions, &mut second[0].conditions);
        Answer::of(any)
    }

    /// Takes layers and rocks off a side; true where there were some.
    pub fn clear_hazards(&mut self, side: usize) -> bool {
        let hazards = [cond::SPIKES, cond::TOXICSPIKES, cond::STEALTHROCK, cond::STICKYWEB];
        let mut any = false;
        for id in hazards {
            any |= self.remove_side_condition(side, id);
        }
        any
    }

    /// Takes screens off a side.
    pub fn clear_screens(&mut self, p: P) {
        for id in [cond::REFLECT, cond::LIGHTSCREEN, cond::AURORAVEIL] {
            self.remove_side_condition(side_of(p), id);
        }
    }
}
