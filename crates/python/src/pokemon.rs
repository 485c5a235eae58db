//! `PokemonBattles`: many battles at once, a decision of both sides at a time.

use crate::buffers::{Argument, Buffers};
use ::pokemon::fields::{FIELDS, width};
use ::pokemon::{ACTIONS, Battle, Set, data, fired, supported};
use numpy::{PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, TryLockError};
use vecenv::{MAX_LANES, MAX_THREADS, Pool, SplitMix64};

/// Numbers of a Pokemon as it is brought: species, ability, item, four moves, level, gender,
/// nature, tera type, and what individual values and effort add to six stats.
const COLUMNS: usize = 17;
const TEAM: usize = 6;
/// Battles that a thread takes on at a time.
const SHARE: usize = 32;
const MAGIC: &[u8; 8] = b"PKMNBTL1";

/// Many battles.
#[pyclass(frozen, module = "envwright._native")]
pub struct PokemonBattles {
    count: usize,
    threads: usize,
    batch: Mutex<Batch>,
}

struct Batch {
    lanes: Vec<Lane>,
    teams: Vec<Vec<Set>>,
    pool: Pool,
}

#[derive(Clone, Copy, Default)]
struct Lane {
    battle: Battle,
    random: SplitMix64,
}

/// What a lane writes in a step.
struct Row<'a> {
    lane: &'a mut Lane,
    actions: &'a [i32],
    masks: &'a mut [bool],
    rewards: &'a mut [f32],
    ended: &'a mut bool,
}

impl Lane {
    /// A new battle between two teams of the pool.
    fn restart(&mut self, teams: &[Vec<Set>]) {
        let [first, second] =
            [(); 2].map(|()| &teams[self.random.below(teams.len() as u64) as usize]);
        let seed = self.random.next_u64();
        let words = [48, 32, 16, 0].map(|shift| (seed >> shift) as u16);
        // Teams of the pool were played once when they came in.
        if let Ok(fresh) = Battle::new(words, [first, second]) {
            self.battle = fresh;
        }
    }

    fn legal(&self) -> [u16; 2] {
        [self.battle.mask(0), self.battle.mask(1)]
    }
}

fn write_masks(battle: &Battle, out: &mut [bool]) {
    for (side, row) in out.chunks_exact_mut(ACTIONS).enumerate() {
        let mask = battle.mask(side);
        row.iter_mut().enumerate().for_each(|(action, flag)| *flag = mask >> action & 1 == 1);
    }
}

impl Batch {
    /// Does `work` on shares of tasks. A panic is a bug here, and becomes an exception there.
    fn each<T: Send>(
        pool: &mut Pool,
        tasks: Vec<T>,
        work: impl Fn(&mut T) + Send + Sync,
    ) -> PyResult<()> {
        pool.check_process().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let mut shares: Vec<Vec<T>> = Vec::new();
        for task in tasks {
            match shares.last_mut() {
                Some(share) if share.len() < SHARE => share.push(task),
                _ => shares.push(vec![task]),
            }
        }
        let run = || pool.run(shares, |share| share.iter_mut().for_each(&work));
        catch_unwind(AssertUnwindSafe(run)).map_err(|_| {
            PyRuntimeError::new_err("a battle stopped on a bug; restore a snapshot or reset")
        })
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

fn team_of(rows: &[i16]) -> Vec<Set> {
    rows.chunks_exact(COLUMNS).filter_map(set_of).collect()
}

fn within(name: &str, value: i64, most: usize) -> PyResult<usize> {
    match usize::try_from(value) {
        Ok(value) if (1..=most).contains(&value) => Ok(value),
        _ => Err(PyValueError::new_err(format!("{name} is {value}; choose from 1 to {most}"))),
    }
}

impl PokemonBattles {
    fn batch(&self) -> PyResult<MutexGuard<'_, Batch>> {
        match self.batch.try_lock() {
            Ok(batch) => Ok(batch),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "these battles are in use by another thread; give each thread its own",
            )),
        }
    }

    fn shaped<'a, 'py>(
        &self,
        name: &'static str,
        value: &'a Bound<'py, PyAny>,
        rest: &[usize],
    ) -> Argument<'a, 'py> {
        let shape = std::iter::once(self.count).chain(rest.iter().copied()).collect();
        Argument { name, value, shape }
    }

    /// Refuses what some side may not do, before anything is played.
    fn check(lanes: &[Lane], actions: &[i32]) -> PyResult<()> {
        if lanes.iter().any(|lane| lane.battle.sides[0].size == 0) {
            return Err(PyRuntimeError::new_err("there are no battles yet; call reset first"));
        }
        for (index, (lane, pair)) in lanes.iter().zip(actions.chunks_exact(2)).enumerate() {
            for (side, (&action, mask)) in pair.iter().zip(lane.legal()).enumerate() {
                let legal = usize::try_from(action)
                    .is_ok_and(|action| action < ACTIONS && mask >> action & 1 == 1);
                if !legal {
                    let open: Vec<usize> = (0..ACTIONS).filter(|a| mask >> a & 1 == 1).collect();
                    return Err(PyValueError::new_err(format!(
                        "player {} of battle {index} may not choose {action}; choose one of {open:?}",
                        side + 1
                    )));
                }
            }
        }
        Ok(())
    }
}

#[pymethods]
impl PokemonBattles {
    #[new]
    #[pyo3(signature = (count, threads = 1))]
    fn new(count: i64, threads: i64) -> PyResult<Self> {
        let count = within("count", count, MAX_LANES)?;
        let threads = within("threads", threads, MAX_THREADS)?;
        let pool =
            Pool::new(threads).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let batch = Batch { lanes: vec![Lane::default(); count], teams: Vec::new(), pool };
        Ok(Self { count, threads, batch: Mutex::new(batch) })
    }

    #[getter]
    fn count(&self) -> usize {
        self.count
    }

    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    #[staticmethod]
    fn names(list: &str) -> PyResult<Vec<&'static str>> {
        data::names(list).ok_or_else(|| {
            PyValueError::new_err(format!(
                "there is no list '{list}'; choose species, moves, abilities, items, conditions, natures or types"
            ))
        })
    }

    #[staticmethod]
    fn supported() -> Vec<&'static str> {
        supported()
    }

    #[staticmethod]
    fn count_fired(on: bool) {
        fired::count(on);
    }

    #[staticmethod]
    fn fired(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let named = PyDict::new(py);
        for (prefix, list, counts) in ["a:", "i:", "m:"]
            .into_iter()
            .zip(["abilities", "items", "moves"])
            .zip(fired::counts())
            .map(|((prefix, list), counts)| (prefix, list, counts))
        {
            for (name, count) in data::names(list).unwrap_or_default().iter().zip(&counts[1..]) {
                if *count > 0 {
                    named.set_item(format!("{prefix}{name}"), count)?;
                }
            }
        }
        Ok(named)
    }

    /// Begins all battles, or those that `which` marks.
    #[pyo3(signature = (seeds, sets, which = None))]
    fn reset(
        &self,
        seeds: &Bound<'_, PyAny>,
        sets: &Bound<'_, PyAny>,
        which: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let batch = &mut *self.batch()?;
        let mut buffers = Buffers::default();
        let seeds = buffers.readable::<u16>(self.shaped("seeds", seeds, &[4]))?;
        let sets = self.shaped("sets", sets, &[2, TEAM, COLUMNS]);
        let sets = buffers.readable::<i16>(sets)?;
        let which = which
            .map(|value| buffers.readable::<bool>(self.shaped("which", value, &[])))
            .transpose()?;
        let (seeds, sets) = (seeds.as_slice()?, sets.as_slice()?);
        let which = which.as_ref().map(|array| array.as_slice()).transpose()?;
        let mut fresh = Vec::with_capacity(self.count);
        for index in 0..self.count {
            if which.is_some_and(|which| !which[index]) {
                continue;
            }
            let words = &seeds[4 * index..4 * index + 4];
            let size = TEAM * COLUMNS;
            let rows = &sets[2 * size * index..2 * size * (index + 1)];
            let (first, second) = (team_of(&rows[..size]), team_of(&rows[size..]));
            let seed = [words[0], words[1], words[2], words[3]];
            let battle = Battle::new(seed, [&first, &second])
                .map_err(|error| PyValueError::new_err(format!("battle {index}: {error}")))?;
            fresh.push((index, battle));
        }
        for (index, battle) in fresh {
            batch.lanes[index].battle = battle;
        }
        Ok(())
    }

    /// Teams that ended battles go on with, and the seed of the draws.
    fn load_teams(&self, sets: &Bound<'_, PyAny>, seed: u64) -> PyResult<()> {
        let batch = &mut *self.batch()?;
        let teams = match sets.cast::<PyUntypedArray>() {
            Ok(array) if array.ndim() == 3 && !array.is_empty() => array.shape()[0],
            _ => {
                return Err(PyValueError::new_err(
                    "sets is no list of teams; pass a NumPy array of int16 with shape (teams, 6, 17)",
                ));
            }
        };
        let argument = Argument { name: "sets", value: sets, shape: vec![teams, TEAM, COLUMNS] };
        let sets = Buffers::default().readable::<i16>(argument)?;
        let list: Vec<Vec<Set>> =
            sets.as_slice()?.chunks_exact(TEAM * COLUMNS).map(team_of).collect();
        for (index, team) in list.iter().enumerate() {
            Battle::new([0; 4], [team, team])
                .map_err(|error| PyValueError::new_err(format!("team {index}: {error}")))?;
        }
        batch.teams = list;
        for (index, lane) in batch.lanes.iter_mut().enumerate() {
            lane.random = SplitMix64::new(seed.wrapping_add((index as u64) << 32));
        }
        Ok(())
    }

    /// Begins all battles with teams of the pool.
    fn restart(&self, py: Python<'_>) -> PyResult<()> {
        let Batch { lanes, teams, pool } = &mut *self.batch()?;
        if teams.is_empty() {
            return Err(PyRuntimeError::new_err("there are no teams yet; call load_teams first"));
        }
        let teams = &*teams;
        let tasks: Vec<&mut Lane> = lanes.iter_mut().collect();
        py.detach(|| Batch::each(pool, tasks, |lane| lane.restart(teams)))
    }

    /// What both sides may do, into bool[count, 2, 14].
    fn masks(&self, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = self.batch()?;
        let mut out = Buffers::default().writable_flags(self.shaped("out", out, &[2, ACTIONS]))?;
        let rows = out.as_slice_mut()?.chunks_exact_mut(2 * ACTIONS);
        batch.lanes.iter().zip(rows).for_each(|(lane, row)| write_masks(&lane.battle, row));
        Ok(())
    }

    /// Both sides' choices; with `again`, a battle that ends is followed by another of the pool.
    #[pyo3(signature = (actions, masks, rewards, ended, again = false))]
    fn step(
        &self,
        actions: &Bound<'_, PyAny>,
        masks: &Bound<'_, PyAny>,
        rewards: &Bound<'_, PyAny>,
        ended: &Bound<'_, PyAny>,
        again: bool,
    ) -> PyResult<()> {
        let Batch { lanes, teams, pool } = &mut *self.batch()?;
        let py = actions.py();
        let mut buffers = Buffers::default();
        let actions = buffers.readable::<i32>(self.shaped("actions", actions, &[2]))?;
        let mut masks = buffers.writable_flags(self.shaped("masks", masks, &[2, ACTIONS]))?;
        let mut rewards = buffers.writable::<f32>(self.shaped("rewards", rewards, &[2]))?;
        let mut ended = buffers.writable_flags(self.shaped("ended", ended, &[]))?;
        if again && teams.is_empty() {
            return Err(PyRuntimeError::new_err("there are no teams yet; call load_teams first"));
        }
        Self::check(lanes, actions.as_slice()?)?;
        let teams = &*teams;
        let rows: Vec<Row<'_>> = lanes
            .iter_mut()
            .zip(actions.as_slice()?.chunks_exact(2))
            .zip(masks.as_slice_mut()?.chunks_exact_mut(2 * ACTIONS))
            .zip(rewards.as_slice_mut()?.chunks_exact_mut(2))
            .zip(ended.as_slice_mut()?)
            .map(|((((lane, actions), masks), rewards), ended)| Row {
                lane,
                actions,
                masks,
                rewards,
                ended,
            })
            .collect();
        py.detach(|| {
            Batch::each(pool, rows, |row| {
                let battle = &mut row.lane.battle;
                let over = battle.ended;
                // The choices were checked before.
                let _ = battle.step([row.actions[0], row.actions[1]]);
                let won = if over { 0 } else { battle.winner };
                row.rewards.copy_from_slice(match won {
                    1 => &[1.0, -1.0],
                    2 => &[-1.0, 1.0],
                    _ => &[0.0, 0.0],
                });
                *row.ended = battle.ended;
                if again && battle.ended {
                    row.lane.restart(teams);
                }
                write_masks(&row.lane.battle, row.masks);
            })
        })
    }

    /// Choices at random among the legal ones, into int32[count, 2].
    fn sample(&self, out: &Bound<'_, PyAny>, seed: u64) -> PyResult<()> {
        let batch = self.batch()?;
        let mut out = Buffers::default().writable::<i32>(self.shaped("out", out, &[2]))?;
        let mut random = SplitMix64::new(seed);
        for (lane, pair) in batch.lanes.iter().zip(out.as_slice_mut()?.chunks_exact_mut(2)) {
            for (action, mask) in pair.iter_mut().zip(lane.legal()) {
                let mut left = random.below(u64::from(mask.count_ones().max(1)));
                let mut rest = mask;
                while left > 0 {
                    rest &= rest - 1;
                    left -= 1;
                }
                *action = rest.trailing_zeros() as i32;
            }
        }
        Ok(())
    }

    /// Field name to its shape within one battle.
    #[staticmethod]
    fn fields(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let named = PyDict::new(py);
        for (name, shape) in FIELDS {
            named.set_item(name, PyTuple::new(py, shape)?)?;
        }
        Ok(named)
    }

    /// The state of all battles as numbers: int32[count * width], battle after battle.
    fn numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let batch = self.batch()?;
        let mut all = Vec::with_capacity(self.count * width());
        batch.lanes.iter().for_each(|lane| lane.battle.numbers(&mut all));
        let array = PyArray1::from_vec(py, all);
        debug_assert_eq!(array.len(), self.count * width());
        Ok(array)
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let batch = self.batch()?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.count as u64).to_le_bytes());
        for lane in &batch.lanes {
            bytes.extend(lane.random.state.to_le_bytes());
            lane.battle.save(&mut bytes);
        }
        Ok(PyBytes::new(py, &bytes))
    }

    fn restore(&self, snapshot: &[u8]) -> PyResult<()> {
        let refuse = |why: &str| PyValueError::new_err(why.to_string());
        let no_snapshot = "these bytes are no snapshot of battles; pass what snapshot() returned";
        let rest = snapshot.strip_prefix(MAGIC).ok_or_else(|| refuse(no_snapshot))?;
        let (count, mut rest) = rest.split_first_chunk().ok_or_else(|| refuse(no_snapshot))?;
        if u64::from_le_bytes(*count) != self.count as u64 {
            return Err(PyValueError::new_err(format!(
                "the snapshot holds {} battles and there are {} here; make as many",
                u64::from_le_bytes(*count),
                self.count
            )));
        }
        let damaged = "the snapshot is damaged or cut short; take it anew";
        let mut lanes = Vec::with_capacity(self.count);
        for _ in 0..self.count {
            let (state, after) = rest.split_first_chunk().ok_or_else(|| refuse(damaged))?;
            rest = after;
            let battle = Battle::load(&mut rest).ok_or_else(|| refuse(damaged))?;
            lanes.push(Lane { battle, random: SplitMix64::new(u64::from_le_bytes(*state)) });
        }
        if !rest.is_empty() {
            return Err(refuse(damaged));
        }
        self.batch()?.lanes = lanes;
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<PokemonBattles: {} battles, {} threads>", self.count, self.threads)
    }
}
