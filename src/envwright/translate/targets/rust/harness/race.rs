//! A long run of many games, as training would do it. Somebody else holds the clock.
//!
//! What comes back is the last step of the run, with the states it started from, so that a run
//! that computed something else is found out.

use std::hint::black_box;
use std::num::NonZero;
use std::thread;

use super::action::Move;
use super::{panics, Fields, Game, Rng, Space};

/// Steps after which the episode that is watched begins anew, so that it can be played again.
const LONGEST: usize = 2000;

pub struct Spaces {
    pub action: Space,
    pub observation: Space,
}

/// The last of `steps` steps of random actions, for every lane, with restarts.
///
/// `before.…` and `action` are what it was given; `reward`, `terminated`, `truncated`,
/// `final_obs` and `after.…` what it gave. After an end, `after.…` is a fresh start.
pub fn race<G: Game>(
    fresh: &G,
    spaces: &Spaces,
    lanes: usize,
    steps: usize,
    seed: u64,
) -> Result<Fields, String> {
    if lanes == 0 || steps == 0 {
        return Err("a race has at least one lane and one step".to_string());
    }
    let watched = if seed % 2 == 0 { 0 } else { lanes - 1 }; // both are compared by the judge
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(lanes);
    let share = lanes.div_ceil(threads);
    let groups = (0..lanes).step_by(share).map(|first| {
        let numbers = first..(first + share).min(lanes);
        Group::new(fresh, spaces, numbers, seed, watched)
    });
    let groups = groups.collect::<Result<Vec<_>, _>>()?;
    let rows = thread::scope(|scope| {
        let running: Vec<_> =
            groups.into_iter().map(|group| scope.spawn(move || group.run(steps))).collect();
        let join = |thread: thread::ScopedJoinHandle<_>| thread.join();
        running.into_iter().map(join).collect::<Result<Vec<_>, _>>()
    });
    let rows = rows.map_err(|_| panics::last_words())?;
    let (mut before, mut step, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for (from, played, to) in rows.into_iter().flatten() {
        before.push(from);
        step.push(played);
        after.push(to);
    }
    let (before, after) = (Fields::table(before)?, Fields::table(after)?);
    Ok(before.under("before.").and(Fields::table(step)?).and(after.under("after.")))
}

/// The last step of a lane: the state before it, what it gave, the state after it.
type Last = (Fields, Fields, Fields);

/// Lanes that one thread steps.
pub struct Group<'a, G> {
    spaces: &'a Spaces,
    fresh: G,
    games: Vec<G>,
    rngs: Vec<Rng>, // for starts and actions
    dice: Vec<Rng>, // for steps
    moves: Vec<Move>,
    views: Vec<f64>, // the observations of all lanes
    size: usize,     // of one observation
    diary: Option<Diary>,
}

/// The episode of one lane from its start, so that it can be played again.
///
/// The game itself is not asked: one that computes only while somebody looks would notice.
struct Diary {
    lane: usize,
    rng: Rng, // as it was before the start
    dice: Rng,
    moves: Vec<Move>,
}

impl<'a, G: Game> Group<'a, G> {
    pub fn new(
        fresh: &G,
        spaces: &'a Spaces,
        numbers: std::ops::Range<usize>,
        seed: u64,
        watched: usize,
    ) -> Result<Self, String> {
        let size = spaces.observation.size();
        let diary = numbers.contains(&watched).then(|| Diary {
            lane: watched - numbers.start,
            rng: Rng::new(0),
            dice: Rng::new(0),
            moves: Vec::new(),
        });
        let mut group = Group {
            spaces,
            fresh: fresh.clone(),
            games: vec![fresh.clone(); numbers.len()],
            rngs: numbers.clone().map(|lane| Rng::stream(seed, lane as u64)).collect(),
            dice: numbers.clone().map(|lane| Rng::stream(!seed, lane as u64)).collect(),
            moves: vec![spaces.action.any_action()?; numbers.len()],
            views: vec![0.0; numbers.len() * size],
            size,
            diary,
        };
        (0..numbers.len()).for_each(|lane| group.start(lane));
        Ok(group)
    }

    fn run(mut self, steps: usize) -> Vec<Last> {
        for _ in 1..steps {
            self.pass();
        }
        (0..self.lanes()).map(|lane| self.last(lane)).collect()
    }

    pub fn lanes(&self) -> usize {
        self.games.len()
    }

    /// One step of every lane.
    pub fn pass(&mut self) {
        for lane in 0..self.lanes() {
            if self.step(lane).over() || self.is_long(lane) {
                self.start(lane);
            }
        }
        black_box(&self.views);
    }

    /// A copy of every game, thrown away.
    pub fn copied(&self) {
        self.games.iter().for_each(|game| drop(black_box(game.clone())));
    }

    #[inline]
    fn step(&mut self, lane: usize) -> super::Outcome {
        self.draw(lane);
        if let Some(diary) = self.diary.as_mut().filter(|diary| diary.lane == lane) {
            diary.moves.push(self.moves[lane].clone());
        }
        let outcome = self.play(lane);
        self.observe(lane);
        outcome
    }

    /// Choose the action of a lane.
    #[inline]
    pub fn draw(&mut self, lane: usize) {
        self.spaces.action.draw(&mut self.rngs[lane], &mut self.moves[lane]);
    }

    /// The bare step of a lane.
    #[inline]
    pub fn play(&mut self, lane: usize) -> super::Outcome {
        let action = self.moves[lane].action();
        black_box(self.games[lane].random_step(action, &mut self.dice[lane]))
    }

    #[inline]
    pub fn observe(&mut self, lane: usize) {
        self.games[lane].observe(&mut self.views[lane * self.size..][..self.size]);
    }

    pub fn start(&mut self, lane: usize) {
        if let Some(diary) = self.diary.as_mut().filter(|diary| diary.lane == lane) {
            diary.rng = self.rngs[lane].copy();
            diary.dice = self.dice[lane].copy();
            diary.moves.clear();
        }
        self.games[lane].clone_from(&self.fresh); // nothing outlives an episode
        self.games[lane].start(&mut self.rngs[lane]);
        self.observe(lane);
    }

    #[inline]
    fn is_long(&self, lane: usize) -> bool {
        let long = |diary: &Diary| diary.lane == lane && diary.moves.len() >= LONGEST;
        self.diary.as_ref().is_some_and(long)
    }

    /// The last step of a lane, with all that can be seen of it.
    fn last(&mut self, lane: usize) -> Last {
        let before = match self.diary.as_ref().filter(|diary| diary.lane == lane) {
            Some(diary) => self.played_again(diary),
            None => self.games[lane].state(),
        };
        let outcome = self.step(lane);
        let seen = &self.views[lane * self.size..][..self.size];
        let played = Fields::new()
            .with("action", self.spaces.action.array(&self.moves[lane].elements()))
            .with("reward", outcome.reward)
            .with("terminated", outcome.terminated)
            .with("truncated", outcome.truncated && !outcome.terminated)
            .and(self.spaces.observation.arrays("final_obs", seen));
        if outcome.over() {
            self.start(lane);
        }
        (before, played, self.games[lane].state())
    }

    /// Where the watched episode arrives when it is played as the levels do, a look at each step.
    fn played_again(&self, diary: &Diary) -> Fields {
        let mut game = self.fresh.clone();
        game.start(&mut diary.rng.copy());
        let mut state = game.state();
        let mut dice = diary.dice.copy();
        for chosen in &diary.moves {
            game.random_step(chosen.action(), &mut dice);
            state = game.state();
        }
        state
    }
}
