//! `VecEnv`: checks what the caller passes, splits it into chunks, and runs the chunks.

use crate::batch::{Action, Batch, Obs, Reward, Rules, StepOut};
use crate::error::Error;
use crate::fields::{Field, Visit};
use crate::memory::check_memory;
use crate::pool::Pool;
use crate::snapshot::{Header, seal};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most lanes of one environment.
pub const MAX_LANES: usize = 1 << 24;
/// Most threads of one environment.
pub const MAX_THREADS: usize = 1024;
/// Chunks per thread, so that a thread which is done early can take over another's work.
const CHUNKS_PER_THREAD: usize = 8;

/// One field of all lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name, element type, shape per lane.
    pub field: Field,
    /// Little-endian elements, lane by lane.
    pub bytes: Vec<u8>,
}

/// Many lanes of one environment, stepped together into buffers owned by the caller.
///
/// ```
/// use vecenv::{counter::{Counter, CounterRules}, Lanes, StepOut, VecEnv};
///
/// let rules = CounterRules::new(5, 100).unwrap();
/// let mut env = VecEnv::<Lanes<Counter>>::new(rules, 3, 1)?;
/// let (mut obs, mut final_obs) = ([0.0; 6], [0.0; 6]);
/// let (mut reward, mut terminated, mut truncated) = ([0.0; 3], [false; 3], [false; 3]);
/// env.reset(&[7, 8, 9], &mut obs)?;
/// let out = StepOut {
///     obs: &mut obs, reward: &mut reward, terminated: &mut terminated, truncated: &mut truncated,
/// };
/// env.step(&[0, 1, 2], out, &mut final_obs)?;
/// # Ok::<(), vecenv::Error>(())
/// ```
pub struct VecEnv<B: Batch> {
    rules: B::Rules,
    chunks: Vec<B>,
    chunk_len: usize,
    lanes: usize,
    obs_len: usize,
    action_len: usize,
    players: usize,
    header: Header,
    fields: Vec<Field>,
    pool: Pool,
    ready: bool,
}

impl<B: Batch> VecEnv<B> {
    /// `lanes` lanes on `threads` threads; one thread is the calling one.
    pub fn new(rules: B::Rules, lanes: usize, threads: usize) -> Result<Self, Error> {
        if !(1..=MAX_LANES).contains(&lanes) {
            return Err(Error::LaneCount(lanes));
        }
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(Error::ThreadCount(threads));
        }
        check_memory(lanes, rules.lane_bytes())?;
        let obs_len: usize = rules.obs_shape().iter().product();
        let action_len: usize = rules.action_shape().iter().product();
        assert!(obs_len > 0 && action_len > 0, "observations and actions have elements");
        let pool = Pool::new(threads)?;
        let chunk_len = chunk_len::<B>(lanes, threads);
        let chunks = new_chunks::<B>(&rules, lanes, chunk_len);
        let mut fields = Vec::new();
        B::new(&rules, 1).fields(0, &mut Visit::describe(&mut fields));
        Ok(Self {
            chunks,
            chunk_len,
            lanes,
            obs_len,
            action_len,
            players: rules.players(),
            header: Header::new(rules.identity(), &fields, lanes),
            rules,
            fields,
            pool,
            ready: false,
        })
    }

    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Settings of the environment.
    pub fn rules(&self) -> &B::Rules {
        &self.rules
    }

    /// What the state of a lane consists of.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Starts every lane from its seed and writes the first observations.
    pub fn reset(&mut self, seeds: &[u64], obs: &mut [Obs<B>]) -> Result<(), Error> {
        self.pool.check_process()?;
        check_len("seeds", seeds.len(), self.lanes)?;
        check_len("obs", obs.len(), self.lanes * self.obs_len)?;
        let obs_len = self.obs_len;
        let tasks = (self.chunks.iter_mut())
            .zip(seeds.chunks(self.chunk_len))
            .zip(obs.chunks_mut(self.chunk_len * obs_len))
            .collect();
        guard(&mut self.ready, || {
            self.pool.run(tasks, |((chunk, seeds), obs)| {
                for (lane, obs) in obs.chunks_exact_mut(obs_len).enumerate() {
                    chunk.reset(lane, seeds[lane]);
                    chunk.observe(lane, obs);
                }
            });
        })?;
        self.check_begun()
    }

    /// Starts the next episode of every lane, drawn from the generator in its state, and writes
    /// the first observations.
    pub fn restart(&mut self, obs: &mut [Obs<B>]) -> Result<(), Error> {
        self.check_ready()?;
        self.pool.check_process()?;
        check_len("obs", obs.len(), self.lanes * self.obs_len)?;
        let obs_len = self.obs_len;
        let rows = obs.chunks_mut(self.chunk_len * obs_len);
        let tasks = self.chunks.iter_mut().zip(rows).collect();
        guard(&mut self.ready, || {
            self.pool.run(tasks, |(chunk, obs)| {
                for (lane, obs) in obs.chunks_exact_mut(obs_len).enumerate() {
                    chunk.restart(lane);
                    chunk.observe(lane, obs);
                }
            });
        })?;
        self.check_begun()
    }

    /// Steps every lane; one whose episode ends starts its next in the same step, and its
    /// last observation goes to its row of `final_obs`. Other rows of that are left alone.
    pub fn step(
        &mut self,
        actions: &[Action<B>],
        out: StepOut<'_, Obs<B>, Reward<B>>,
        final_obs: &mut [Obs<B>],
    ) -> Result<(), Error> {
        self.check_step(actions, &out)?;
        check_len("final_obs", final_obs.len(), self.lanes * self.obs_len)?;
        let tasks = split(out, self.chunk_len, self.obs_len, self.players)
            .zip(actions.chunks(self.chunk_len * self.action_len))
            .zip(final_obs.chunks_mut(self.chunk_len * self.obs_len))
            .zip(&mut self.chunks)
            .collect();
        guard(&mut self.ready, || {
            self.pool.run(tasks, |(((out, actions), final_obs), chunk)| {
                chunk.step(actions, out, final_obs);
            });
        })?;
        self.check_begun()
    }

    /// Steps every lane by the bare rules: nothing is reset, not even where the game is over.
    pub fn step_raw(
        &mut self,
        actions: &[Action<B>],
        out: StepOut<'_, Obs<B>, Reward<B>>,
    ) -> Result<(), Error> {
        self.check_step(actions, &out)?;
        let tasks = split(out, self.chunk_len, self.obs_len, self.players)
            .zip(actions.chunks(self.chunk_len * self.action_len))
            .zip(&mut self.chunks)
            .collect();
        guard(&mut self.ready, || {
            self.pool.run(tasks, |((out, actions), chunk)| chunk.step_raw(actions, out));
        })
    }

    /// Writes the observations of the present states, for instance after a load.
    pub fn observe(&self, obs: &mut [Obs<B>]) -> Result<(), Error> {
        self.check_ready()?;
        check_len("obs", obs.len(), self.lanes * self.obs_len)?;
        for (lane, row) in obs.chunks_exact_mut(self.obs_len).enumerate() {
            self.chunks[lane / self.chunk_len].observe(lane % self.chunk_len, row);
        }
        Ok(())
    }

    /// Marks the actions that are legal in the present states: `[lanes * players * choices]`.
    pub fn legal(&self, legal: &mut [bool]) -> Result<(), Error> {
        self.check_ready()?;
        let len = self.players * self.rules.choices();
        check_len("legal", legal.len(), self.lanes * len)?;
        for (lane, row) in legal.chunks_exact_mut(len.max(1)).enumerate() {
            self.chunks[lane / self.chunk_len].legal(lane % self.chunk_len, row);
        }
        Ok(())
    }

    /// The state of all lanes, field by field.
    pub fn state(&mut self) -> Result<Vec<Column>, Error> {
        self.check_ready()?;
        let mut columns: Vec<Column> = (self.fields.iter().cloned())
            .map(|field| Column { bytes: Vec::with_capacity(field.size() * self.lanes), field })
            .collect();
        let mut packed = Vec::with_capacity(self.header.lane_size);
        for lane in 0..self.lanes {
            packed.clear();
            self.pack(lane, &mut packed);
            let mut rest = packed.as_slice();
            for column in &mut columns {
                let (here, after) = rest.split_at(column.field.size());
                column.bytes.extend_from_slice(here);
                rest = after;
            }
        }
        Ok(columns)
    }

    /// Puts one lane into a state: its fields as little-endian bytes, in the order of
    /// [`fields`](VecEnv::fields).
    pub fn load(&mut self, lane: usize, packed: &[u8]) -> Result<(), Error> {
        self.check_ready()?;
        check_len("state", packed.len(), self.header.lane_size)?;
        if lane >= self.lanes {
            return Err(Error::Lane { lane: lane as i64, last: self.lanes - 1 });
        }
        let mut before = Vec::with_capacity(packed.len());
        self.pack(lane, &mut before);
        let (chunk, within) = (&mut self.chunks[lane / self.chunk_len], lane % self.chunk_len);
        guard(&mut self.ready, || {
            chunk.fields(within, &mut Visit::load(packed));
            let playable = chunk.check(within);
            if playable.is_err() {
                chunk.fields(within, &mut Visit::load(&before));
            }
            playable
        })?
        .map_err(|why| Error::State { lane, why })
    }

    /// The whole batch as bytes: another one of the same rules and size continues from there.
    pub fn snapshot(&mut self) -> Result<Vec<u8>, Error> {
        self.check_ready()?;
        let mut bytes = self.header.open();
        bytes.reserve(self.lanes * self.header.lane_size + 8);
        (0..self.lanes).for_each(|lane| self.pack(lane, &mut bytes));
        Ok(seal(bytes))
    }

    /// Puts every lane into a state: as in [`load`](VecEnv::load), one lane after the other.
    /// Nothing is loaded if any of them cannot be played.
    pub fn load_all(&mut self, packed: &[u8]) -> Result<(), Error> {
        check_len("state", packed.len(), self.lanes * self.header.lane_size)?;
        self.chunks = caught(|| self.unpacked(packed))??;
        self.ready = true;
        Ok(())
    }

    /// Returns to a snapshot, taken with any number of threads.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let packed = self.header.lanes_in(snapshot)?;
        self.chunks = caught(|| self.unpacked(packed))??;
        self.ready = true;
        Ok(())
    }

    /// Chunks in the states that are packed lane after lane.
    fn unpacked(&self, packed: &[u8]) -> Result<Vec<B>, Error> {
        let size = self.header.lane_size;
        let mut chunks = new_chunks::<B>(&self.rules, self.lanes, self.chunk_len);
        for lane in 0..self.lanes {
            let (chunk, within) = (&mut chunks[lane / self.chunk_len], lane % self.chunk_len);
            chunk.fields(within, &mut Visit::load(&packed[lane * size..][..size]));
            chunk.check(within).map_err(|why| Error::State { lane, why })?;
        }
        Ok(chunks)
    }

    fn pack(&mut self, lane: usize, packed: &mut Vec<u8>) {
        self.chunks[lane / self.chunk_len].fields(lane % self.chunk_len, &mut Visit::save(packed));
    }

    /// After a lane may have begun an episode: where one did not, nothing can be played.
    fn check_begun(&mut self) -> Result<(), Error> {
        for lane in 0..if B::MAY_NOT_BEGIN { self.lanes } else { 0 } {
            if let Err(why) = self.chunks[lane / self.chunk_len].begun(lane % self.chunk_len) {
                self.ready = false;
                return Err(Error::Begin { lane, why });
            }
        }
        Ok(())
    }

    fn check_ready(&self) -> Result<(), Error> {
        if self.ready { Ok(()) } else { Err(Error::NotReset) }
    }

    fn check_step(
        &self,
        actions: &[Action<B>],
        out: &StepOut<'_, Obs<B>, Reward<B>>,
    ) -> Result<(), Error> {
        self.check_ready()?;
        self.pool.check_process()?;
        check_len("actions", actions.len(), self.lanes * self.action_len)?;
        check_len("obs", out.obs.len(), self.lanes * self.obs_len)?;
        check_len("reward", out.reward.len(), self.lanes * self.players)?;
        check_len("terminated", out.terminated.len(), self.lanes)?;
        check_len("truncated", out.truncated.len(), self.lanes)?;
        let rules = &self.rules;
        // One number per lane is what most games have, and a loop without a way out is fast.
        let fine = |action| rules.allows(std::slice::from_ref(action));
        if self.action_len == 1 && actions.iter().fold(true, |all, action| all & fine(action)) {
            return Ok(());
        }
        let mut each = actions.chunks_exact(self.action_len);
        match each.position(|action| !rules.allows(action)) {
            None => Ok(()),
            Some(lane) => Err(Error::Action {
                lane,
                action: self.rules.shown(&actions[lane * self.action_len..][..self.action_len]),
                allowed: self.rules.allowed(),
            }),
        }
    }
}

fn chunk_len<B: Batch>(lanes: usize, threads: usize) -> usize {
    let chunks = if threads == 1 { 1 } else { threads * CHUNKS_PER_THREAD };
    lanes.div_ceil(chunks).next_multiple_of(B::GRAIN).min(lanes)
}

fn new_chunks<B: Batch>(rules: &B::Rules, lanes: usize, chunk_len: usize) -> Vec<B> {
    (0..lanes).step_by(chunk_len).map(|first| B::new(rules, chunk_len.min(lanes - first))).collect()
}

/// The output buffers of each chunk.
fn split<'a, O, R>(
    out: StepOut<'a, O, R>,
    chunk_len: usize,
    obs_len: usize,
    players: usize,
) -> impl Iterator<Item = StepOut<'a, O, R>> {
    (out.obs.chunks_mut(chunk_len * obs_len))
        .zip(out.reward.chunks_mut(chunk_len * players))
        .zip(out.terminated.chunks_mut(chunk_len))
        .zip(out.truncated.chunks_mut(chunk_len))
        .map(|(((obs, reward), terminated), truncated)| StepOut {
            obs,
            reward,
            terminated,
            truncated,
        })
}

/// Runs code of the environment that changes its state; after a panic that counts as lost.
fn guard<T>(ready: &mut bool, run: impl FnOnce() -> T) -> Result<T, Error> {
    *ready = false;
    let result = caught(run)?;
    *ready = true;
    Ok(result)
}

/// Runs code of the environment; a panic in it becomes an error.
fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let message = (panic.downcast_ref::<&str>().copied())
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Error::Panicked(message.unwrap_or("no message").to_owned())
    })
}

fn check_len(buffer: &'static str, actual: usize, expected: usize) -> Result<(), Error> {
    if actual == expected { Ok(()) } else { Err(Error::Length { buffer, expected, actual }) }
}
