//! `PokemonBattles`: many battles at once, a decision of both sides at a time.

mod lane;

use self::lane::{COLUMNS, Lane, TEAM, Teams, team_of};
use ::pokemon::columns::{ABILITY_FLAGS, columns};
use ::pokemon::fields::{FIELDS, width};
use ::pokemon::view::{SIZE, View};
use ::pokemon::{ACTIONS, Battle, Set, data, fired, played, supported};
use numpy::{PyArray1, PyReadwriteArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::{Mutex, MutexGuard};
use vecenv::{Error, Header, MAX_LANES, MAX_THREADS, Pool, SplitMix64, seal};
use vecenv_python::batch::{each, locked, pool, within};
use vecenv_python::buffers::{Argument, Buffers};

/// Battles that a thread takes on at a time.
const SHARE: usize = 32;
/// Of a snapshot of the bare battles.
const IDENTITY: &str = "pokemon battles";
const NO_NOTE: &[u8] = &[];

/// Many battles.
#[pyclass(frozen, module = "envwright._native")]
pub struct PokemonBattles {
    count: usize,
    threads: usize,
    batch: Mutex<Batch>,
}

struct Batch {
    lanes: Vec<Lane>,
    teams: Teams,
    pool: Pool,
}

/// What a lane writes in a step.
struct Row<'a> {
    lane: &'a mut Lane,
    actions: [i32; 2],
    masks: &'a mut [bool],
    rewards: &'a mut [f32],
    ended: &'a mut bool,
    obs: Option<&'a mut [f32]>,
    final_obs: Option<&'a mut [f32]>,
}

/// Does `work` on shares of tasks: one alone is over too soon to be worth handing out.
fn in_shares<T: Send>(
    pool: &mut Pool,
    tasks: Vec<T>,
    work: impl Fn(&mut T) + Send + Sync,
) -> PyResult<()> {
    let mut shares: Vec<Vec<T>> = Vec::with_capacity(tasks.len() / SHARE + 1);
    for task in tasks {
        match shares.last_mut() {
            Some(share) if share.len() < SHARE => share.push(task),
            _ => shares.push(vec![task]),
        }
    }
    let bug = "a battle stopped on a bug; restore a snapshot or reset";
    each(pool, shares, bug, |share| share.iter_mut().for_each(&work))
}

fn view_named(name: &str) -> PyResult<View> {
    View::named(name).ok_or_else(|| {
        PyValueError::new_err(format!("there is no view '{name}'; choose own or public"))
    })
}

/// A part of the array for each battle, where there is an array.
fn parts<'a>(
    array: &'a mut Option<PyReadwriteArrayDyn<'_, f32>>,
    count: usize,
) -> PyResult<Vec<Option<&'a mut [f32]>>> {
    let Some(array) = array else { return Ok((0..count).map(|_| None).collect()) };
    let rows = array.as_slice_mut()?;
    let width = rows.len() / count;
    Ok(rows.chunks_exact_mut(width).map(Some).collect())
}

impl PokemonBattles {
    fn batch(&self) -> PyResult<MutexGuard<'_, Batch>> {
        locked(&self.batch, "these battles are")
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

    /// Views of the first player or of both, as the array's shape says.
    fn views<'py>(
        &self,
        buffers: &mut Buffers,
        name: &'static str,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<PyReadwriteArrayDyn<'py, f32>> {
        let given = value.cast::<PyUntypedArray>().ok().and_then(|a| a.shape().get(1).copied());
        let players = if given == Some(1) { 1 } else { 2 };
        buffers.writable::<f32>(self.shaped(name, value, &[players, SIZE]))
    }

    fn header(&self, identity: &str, note_size: usize) -> Header {
        let (identity, fields, lanes) = (identity.into(), String::new(), self.count);
        Header { identity, fields, lanes, lane_size: Lane::size(), note_size }
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
        let lanes = vec![Lane::default(); count];
        let batch = Batch { lanes, teams: Teams::default(), pool: pool(threads)? };
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

    /// The tables as named columns of numbers, and the names of flags by bit.
    #[staticmethod]
    fn tables(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let named = PyDict::new(py);
        for (name, numbers) in columns(&data::TABLES) {
            named.set_item(name, PyArray1::from_vec(py, numbers))?;
        }
        named.set_item("move_flags", data::flag::NAMES)?;
        named.set_item("ability_flags", ABILITY_FLAGS)?;
        Ok(named)
    }

    #[staticmethod]
    fn supported() -> Vec<&'static str> {
        supported()
    }

    #[staticmethod]
    fn played(kind: &str) -> PyResult<Vec<&'static str>> {
        played(kind).ok_or_else(|| {
            PyValueError::new_err(format!(
                "there is no kind '{kind}'; choose moves, abilities or items"
            ))
        })
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

    /// Begins all battles, or those that `which` marks. What is not played is refused, unless
    /// `unsupported` sets are to be compared all the same.
    #[pyo3(signature = (seeds, sets, which = None, unsupported = false))]
    fn reset(
        &self,
        seeds: &Bound<'_, PyAny>,
        sets: &Bound<'_, PyAny>,
        which: Option<&Bound<'_, PyAny>>,
        unsupported: bool,
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
            let refuse = |error| PyValueError::new_err(format!("battle {index}: {error}"));
            let battle = Battle::new(seed, [&first, &second]).map_err(refuse)?;
            if !unsupported {
                first.iter().chain(&second).try_for_each(Set::supported).map_err(refuse)?;
            }
            fresh.push((index, battle));
        }
        for (index, battle) in fresh {
            batch.lanes[index].begin(battle);
        }
        Ok(())
    }

    /// Teams that battles are between, and the seed of the draws. Fixed: the first against the
    /// second, always.
    #[pyo3(signature = (sets, seed, fixed = false))]
    fn load_teams(&self, sets: &Bound<'_, PyAny>, seed: u64, fixed: bool) -> PyResult<()> {
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
                .and_then(|_| team.iter().try_for_each(Set::supported))
                .map_err(|error| PyValueError::new_err(format!("team {index}: {error}")))?;
        }
        if fixed && list.len() < 2 {
            return Err(PyValueError::new_err("a battle is between two teams; pass both"));
        }
        batch.teams = Teams { list, fixed };
        for (index, lane) in batch.lanes.iter_mut().enumerate() {
            lane.random = SplitMix64::new(seed.wrapping_add((index as u64) << 32));
        }
        Ok(())
    }

    /// Begins all battles anew; with seeds, every lane's draws follow from its own.
    #[pyo3(signature = (seeds = None))]
    fn restart(&self, py: Python<'_>, seeds: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Batch { lanes, teams, pool } = &mut *self.batch()?;
        if teams.list.is_empty() {
            return Err(PyRuntimeError::new_err("there are no teams yet; call load_teams first"));
        }
        if let Some(seeds) = seeds {
            let seeds = Buffers::default().readable::<u64>(self.shaped("seeds", seeds, &[]))?;
            for (lane, &seed) in lanes.iter_mut().zip(seeds.as_slice()?) {
                lane.random = SplitMix64::new(seed);
            }
        }
        let teams = &*teams;
        let tasks: Vec<&mut Lane> = lanes.iter_mut().collect();
        py.detach(|| in_shares(pool, tasks, |lane| lane.restart(teams)))
    }

    /// What both sides may do, into bool[count, 2, 14].
    fn masks(&self, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = self.batch()?;
        let mut out = Buffers::default().writable_flags(self.shaped("out", out, &[2, ACTIONS]))?;
        let rows = out.as_slice_mut()?.chunks_exact_mut(2 * ACTIONS);
        batch.lanes.iter().zip(rows).for_each(|(lane, row)| lane.write_masks(row));
        Ok(())
    }

    /// What the players see, into float32[count, 2, SIZE]; [count, 1, SIZE]: the first alone.
    #[pyo3(signature = (out, view = "own"))]
    fn observe(&self, out: &Bound<'_, PyAny>, view: &str) -> PyResult<()> {
        let view = view_named(view)?;
        let Batch { lanes, pool, .. } = &mut *self.batch()?;
        let mut array = Some(self.views(&mut Buffers::default(), "out", out)?);
        let tasks = lanes.iter().zip(parts(&mut array, self.count)?).collect();
        out.py().detach(|| {
            in_shares(pool, tasks, |(lane, row)| {
                row.iter_mut().for_each(|row| lane.write_views(view, row));
            })
        })
    }

    /// Both sides' choices; with `again`, a battle that ends is followed by another, whose masks
    /// and views are written, and `final_obs` takes the views of the end.
    #[pyo3(signature = (
        actions, masks, rewards, ended, again = false, obs = None, final_obs = None, view = "own"
    ))]
    #[allow(clippy::too_many_arguments)] // Python's have names
    fn step(
        &self,
        actions: &Bound<'_, PyAny>,
        masks: &Bound<'_, PyAny>,
        rewards: &Bound<'_, PyAny>,
        ended: &Bound<'_, PyAny>,
        again: bool,
        obs: Option<&Bound<'_, PyAny>>,
        final_obs: Option<&Bound<'_, PyAny>>,
        view: &str,
    ) -> PyResult<()> {
        let view = view_named(view)?;
        let Batch { lanes, teams, pool } = &mut *self.batch()?;
        let py = actions.py();
        let mut buffers = Buffers::default();
        let actions = buffers.readable::<i32>(self.shaped("actions", actions, &[2]))?;
        let mut masks = buffers.writable_flags(self.shaped("masks", masks, &[2, ACTIONS]))?;
        let mut rewards = buffers.writable::<f32>(self.shaped("rewards", rewards, &[2]))?;
        let mut ended = buffers.writable_flags(self.shaped("ended", ended, &[]))?;
        let mut obs = obs.map(|value| self.views(&mut buffers, "obs", value)).transpose()?;
        let mut final_obs =
            final_obs.map(|value| self.views(&mut buffers, "final_obs", value)).transpose()?;
        if again && teams.list.is_empty() {
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
            .zip(parts(&mut obs, self.count)?)
            .zip(parts(&mut final_obs, self.count)?)
            .map(|((((((lane, pair), masks), rewards), ended), obs), final_obs)| {
                let actions = [pair[0], pair[1]];
                Row { lane, actions, masks, rewards, ended, obs, final_obs }
            })
            .collect();
        py.detach(|| {
            in_shares(pool, rows, |row| {
                row.rewards.copy_from_slice(&row.lane.step(row.actions));
                *row.ended = row.lane.battle.ended;
                if *row.ended && again {
                    row.final_obs.iter_mut().for_each(|out| row.lane.write_views(view, out));
                    row.lane.restart(teams);
                }
                row.lane.write_masks(row.masks);
                row.obs.iter_mut().for_each(|out| row.lane.write_views(view, out));
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

    /// All battles as bytes, with a note of the caller's.
    #[pyo3(signature = (identity = IDENTITY, note = NO_NOTE))]
    fn snapshot<'py>(
        &self,
        py: Python<'py>,
        identity: &str,
        note: &[u8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        let batch = self.batch()?;
        let mut bytes = self.header(identity, note.len()).open();
        batch.lanes.iter().for_each(|lane| lane.save(&mut bytes));
        bytes.extend(note);
        Ok(PyBytes::new(py, &seal(bytes)))
    }

    /// Goes on from a snapshot of the same identity; returns its note.
    #[pyo3(signature = (snapshot, identity = IDENTITY, note_size = 0))]
    fn restore<'py>(
        &self,
        py: Python<'py>,
        snapshot: &[u8],
        identity: &str,
        note_size: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let refuse = |error: Error| PyValueError::new_err(error.to_string());
        let mut rest = self.header(identity, note_size).lanes_in(snapshot).map_err(refuse)?;
        // Only by intent can a checksum be right and a battle be none.
        let lanes: Option<Vec<Lane>> = (0..self.count).map(|_| Lane::load(&mut rest)).collect();
        self.batch()?.lanes = lanes.ok_or_else(|| refuse(Error::SnapshotDamaged))?;
        Ok(PyBytes::new(py, rest))
    }

    fn __repr__(&self) -> String {
        format!("<PokemonBattles: {} battles, {} threads>", self.count, self.threads)
    }
}
