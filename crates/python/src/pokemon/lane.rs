//! One battle of a batch, what each side has shown of itself, and where its next one comes from.

use ::pokemon::view::{Known, SIZE, View};
use ::pokemon::{ACTIONS, Battle, Set};
use vecenv::SplitMix64;

/// Numbers of a Pokemon as it is brought: species, ability, item, four moves, level, gender,
/// nature, tera type, and what individual values and effort add to six stats.
pub const COLUMNS: usize = 17;
pub const TEAM: usize = 6;

#[derive(Clone, Copy, Default)]
pub struct Lane {
    pub battle: Battle,
    pub known: Known,
    pub random: SplitMix64,
}

/// The teams that battles are between: two of a pool at random, or the first and the second.
#[derive(Default)]
pub struct Teams {
    pub list: Vec<Vec<Set>>,
    pub fixed: bool,
}

impl Lane {
    /// Goes on with a battle at its first request.
    pub fn begin(&mut self, battle: Battle) {
        self.battle = battle;
        self.known = Known::of(&self.battle);
    }

    /// Appends the lane as bytes.
    pub fn save(&self, out: &mut Vec<u8>) {
        out.extend(self.random.state.to_le_bytes());
        self.known.save(out);
        self.battle.save(out);
    }

    /// Reads a lane from the front of bytes that [`Lane::save`] wrote.
    pub fn load(input: &mut &[u8]) -> Option<Self> {
        let (state, rest) = input.split_first_chunk()?;
        *input = rest;
        let random = SplitMix64::new(u64::from_le_bytes(*state));
        Some(Self { random, known: Known::load(input)?, battle: Battle::load(input)? })
    }

    /// Bytes of any lane.
    pub fn size() -> usize {
        let mut bytes = Vec::new();
        Self::default().save(&mut bytes);
        bytes.len()
    }

    /// A new battle.
    pub fn restart(&mut self, teams: &Teams) {
        let [first, second] = [0, 1].map(|side| {
            let drawn = self.random.below(teams.list.len() as u64) as usize;
            &teams.list[if teams.fixed { side } else { drawn }]
        });
        let seed = self.random.next_u64();
        let words = [48, 32, 16, 0].map(|shift| (seed >> shift) as u16);
        // These teams were played once when they came in.
        if let Ok(fresh) = Battle::new(words, [first, second]) {
            self.begin(fresh);
        }
    }

    /// Both sides' choices, which were checked before; what each is paid.
    pub fn step(&mut self, actions: [i32; 2]) -> [f32; 2] {
        let over = self.battle.ended;
        let _ = self.battle.step(actions);
        self.known.look(&self.battle);
        match if over { 0 } else { self.battle.winner } {
            1 => [1.0, -1.0],
            2 => [-1.0, 1.0],
            _ => [0.0, 0.0],
        }
    }

    /// What each side may do, a bit per action.
    pub fn legal(&self) -> [u16; 2] {
        [self.battle.mask(0), self.battle.mask(1)]
    }

    /// What each side may do, as flags.
    pub fn write_masks(&self, out: &mut [bool]) {
        for (row, mask) in out.chunks_exact_mut(ACTIONS).zip(self.legal()) {
            row.iter_mut().enumerate().for_each(|(action, flag)| *flag = mask >> action & 1 == 1);
        }
    }

    /// What the first player sees, and the second if there is room.
    pub fn write_views(&self, view: View, out: &mut [f32]) {
        for (player, row) in out.chunks_exact_mut(SIZE).enumerate() {
            self.battle.view(&self.known, player, view, row);
        }
    }
}

fn set_of(row: &[i16]) -> Option<Set> {
    if row[0] == 0 {
        return None;
    }
    let byte = |at: usize| u8::try_from(row[at]).unwrap_or(u8::MAX);
    let word = |at: usize| u16::try_from(row[at]).unwrap_or(u16::MAX);
    let mut set = Set {
        species: word(0),
        ability: word(1),
        item: word(2),
        moves: [word(3), word(4), word(5), word(6)],
        level: byte(7),
        gender: byte(8),
        nature: byte(9),
        tera: byte(10),
        ..Set::default()
    };
    for stat in 0..6 {
        let growth = byte(11 + stat);
        set.ivs[stat] = growth.min(31);
        set.evs[stat] = (growth - set.ivs[stat]).min(63) * 4;
    }
    Some(set)
}

/// A team of rows of [`COLUMNS`]; those without a species are empty places.
pub fn team_of(rows: &[i16]) -> Vec<Set> {
    rows.chunks_exact(COLUMNS).filter_map(set_of).collect()
}
