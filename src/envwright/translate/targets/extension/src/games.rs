//! Hosts a game of the harness in the batch runtime.
//!
//! Observations are rows of bytes, packed part by part in each part's own dtype: Python sees them
//! as arrays of that dtype, without a copy. Actions are numbers, whatever the space.

use crate::harness::{Action, Array, Data, Dtype, Fields, Game, Options, Rng, Space};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use vecenv::{Batch, Rules, StepOut, Visit};

/// The generator's words, beside the game's own fields.
const RNG: &str = "rng";
/// Whether the next step begins an episode, beside them in batches that restart a step later.
const WAITS: &str = "waits";

/// What is fixed for the life of a batch.
#[derive(Clone)]
pub struct GameRules<G> {
    identity: String,
    fresh: Arc<Mutex<G>>, // never played
    action: Space,
    row: Vec<(Kind, usize)>, // the parts of an observation, and how many elements each has
    players: usize,
    choices: usize,
    later: bool,   // an ended game restarts with the next step, not in the same one
    state: Fields, // of a game that has begun
    names: Vec<&'static str>,
}

impl<G: Game> GameRules<G> {
    /// The rules of a game with options, a JSON object. If `later`, an ended game is restarted by
    /// the next step, whose action it ignores.
    pub fn new(name: &str, options: &str, later: bool) -> Result<Self, String> {
        let given = Options::parse(options)?;
        let fresh = G::new(&given)?;
        given.all_known()?;
        let mut game = fresh.clone();
        game.start(&mut Rng::new(0));
        let state = game.state();
        if let Some(taken) = [RNG, WAITS].into_iter().find(|name| state.get(name).is_some()) {
            return Err(format!(
                "the state has a field {taken:?}, which the batch adds; rename it"
            ));
        }
        let names = state.iter().map(|(name, _)| interned(name)).collect();
        let mut row = Vec::new();
        parts(&fresh.observation_space(), &mut row);
        let given = if options == "{}" { String::new() } else { format!(", {options}") };
        let mode = if later { ", restarts in the next step" } else { "" };
        Ok(Self {
            identity: format!("{name}{given}{mode}"),
            later,
            action: fresh.action_space(),
            row,
            players: fresh.players(),
            choices: fresh.choices(),
            fresh: Arc::new(Mutex::new(fresh)),
            state,
            names,
        })
    }

    fn fresh(&self) -> G {
        self.fresh.lock().unwrap_or_else(|broken| broken.into_inner()).clone()
    }

    /// Elements of one observation.
    fn elements(&self) -> usize {
        self.row.iter().map(|(_, count)| count).sum()
    }

    /// Numbers of one player's action.
    fn numbers(&self) -> usize {
        self.action.size()
    }

    /// Whether one player's action may be played.
    fn is_allowed(&self, action: &[f64]) -> bool {
        let whole = |x: f64, from: i64, count: i64| {
            x.fract() == 0.0 && x >= from as f64 && x < (from + count) as f64
        };
        match &self.action {
            Space::Discrete { n, start } => whole(action[0], *start, *n),
            Space::MultiDiscrete(bounds) => {
                action.iter().zip(bounds).all(|(x, bound)| whole(*x, 0, *bound))
            }
            Space::MultiBinary(_) => action.iter().all(|x| whole(*x, 0, 2)),
            _ => action.iter().all(|x| !x.is_nan()),
        }
    }

    /// Writes what a player sees, through `view`, into a row of bytes.
    fn see(&self, game: &G, view: &mut [f64], bytes: &mut [u8]) {
        let size = bytes.len() / self.players;
        for (player, mut bytes) in bytes.chunks_exact_mut(size).enumerate() {
            game.observe_as(player, view);
            let mut view = &*view;
            for (kind, count) in &self.row {
                let (elements, later) = view.split_at(*count);
                let (part, rest) = bytes.split_at_mut(count * kind.size());
                kind.write(elements, part);
                (view, bytes) = (later, rest);
            }
        }
    }
}

impl<G: Game> Rules for GameRules<G> {
    type Obs = u8;
    type Action = f64;
    type Reward = f64;

    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn obs_shape(&self) -> Vec<usize> {
        let bytes = self.row.iter().map(|(kind, count)| kind.size() * count).sum();
        self.by_player(vec![bytes])
    }

    fn action_shape(&self) -> Vec<usize> {
        match self.action {
            Space::Discrete { .. } => self.by_player(vec![]),
            _ => self.by_player(vec![self.numbers()]),
        }
    }

    fn players(&self) -> usize {
        self.players
    }

    fn choices(&self) -> usize {
        self.choices
    }

    fn allows(&self, action: &[f64]) -> bool {
        action.chunks_exact(self.numbers()).all(|one| self.is_allowed(one))
    }

    fn shown(&self, action: &[f64]) -> String {
        match (&self.action, action) {
            (Space::Box { .. }, _) => format!("{action:?}"),
            (_, [single]) => single.to_string(),
            _ => format!("[{}]", action.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")),
        }
    }

    fn allowed(&self) -> String {
        match &self.action {
            Space::Discrete { n, start } => {
                format!("a whole number from {start} to {}", start + n - 1)
            }
            Space::MultiDiscrete(bounds) => format!("whole numbers below {bounds:?}"),
            Space::MultiBinary(count) => format!("{count} numbers, each 0 or 1"),
            _ => format!("{} numbers, not NaN", self.numbers()),
        }
    }
}

impl<G: Game> GameRules<G> {
    fn by_player(&self, shape: Vec<usize>) -> Vec<usize> {
        match self.players {
            1 => shape,
            several => [vec![several], shape].concat(),
        }
    }
}

/// A chunk of games. Each episode begins with a copy of a game that was never played.
pub struct Games<G> {
    rules: GameRules<G>,
    fresh: G,
    games: Vec<G>,
    rngs: Vec<Rng>,
    waits: Vec<bool>,  // until the next step restarts it
    numbers: Vec<i64>, // of the actions of the lane that is stepped
    view: Vec<f64>,
    rewards: Vec<f64>,
}

impl<G: Game> Batch for Games<G> {
    type Rules = GameRules<G>;
    const GRAIN: usize = 16;

    fn new(rules: &GameRules<G>, lanes: usize) -> Self {
        let fresh = rules.fresh();
        Self {
            games: vec![fresh.clone(); lanes],
            fresh,
            rngs: (0..lanes).map(|_| Rng::new(0)).collect(),
            waits: vec![false; lanes],
            numbers: vec![0; rules.players * rules.numbers()],
            view: vec![0.0; rules.elements()],
            rewards: vec![0.0; rules.players],
            rules: rules.clone(),
        }
    }

    fn reset(&mut self, lane: usize, seed: u64) {
        self.rngs[lane] = Rng::new(seed);
        self.restart(lane);
    }

    fn restart(&mut self, lane: usize) {
        self.games[lane].clone_from(&self.fresh);
        self.games[lane].start(&mut self.rngs[lane]);
        self.waits[lane] = false;
    }

    fn step_raw(&mut self, actions: &[f64], out: &mut StepOut<'_, u8, f64>) {
        let each = actions.chunks_exact(self.rules.players * self.rules.numbers());
        each.enumerate().for_each(|(lane, sent)| self.play(lane, sent, out));
    }

    fn step(&mut self, actions: &[f64], out: &mut StepOut<'_, u8, f64>, final_obs: &mut [u8]) {
        let row = final_obs.len() / out.lanes();
        let each = actions.chunks_exact(self.rules.players * self.rules.numbers());
        for (lane, sent) in each.enumerate() {
            if self.waits[lane] {
                self.restart(lane);
                self.observe(lane, out.obs_row(lane));
                let players = self.rules.players;
                out.reward[lane * players..][..players].fill(0.0);
                (out.terminated[lane], out.truncated[lane]) = (false, false);
                continue;
            }
            self.play(lane, sent, out);
            if out.terminated[lane] || out.truncated[lane] {
                final_obs[lane * row..][..row].copy_from_slice(out.obs_row(lane));
                if self.rules.later {
                    self.waits[lane] = true;
                } else {
                    self.restart(lane);
                    self.observe(lane, out.obs_row(lane));
                }
            }
        }
    }

    fn observe(&self, lane: usize, obs: &mut [u8]) {
        self.rules.see(&self.games[lane], &mut vec![0.0; self.view.len()], obs);
    }

    fn legal(&self, lane: usize, legal: &mut [bool]) {
        for (player, legal) in legal.chunks_exact_mut(self.rules.choices).enumerate() {
            legal.fill(true);
            self.games[lane].legal(player, legal);
        }
    }

    fn fields(&mut self, lane: usize, visit: &mut Visit<'_>) {
        let state = match visit.saves() {
            true => self.games[lane].state(),
            false => self.rules.state.clone(),
        };
        let mut named = Fields::new();
        let kept = self.rules.state.iter().zip(&self.rules.names);
        for ((_, array), ((_, first), name)) in state.iter().zip(kept) {
            let Array { shape, mut data } = array.clone();
            assert!(
                shape == first.shape
                    && std::mem::discriminant(&data) == std::mem::discriminant(&first.data),
                "the shape or kind of {name:?} changes; a batch needs fixed ones"
            );
            match &mut data {
                Data::Flags(values) => visit.array(name, &shape, values),
                Data::Ints(values) => visit.array(name, &shape, values),
                Data::Floats(values) => visit.array(name, &shape, values),
                Data::Singles(values) => visit.array(name, &shape, values),
            }
            named = named.with(*name, Array { shape, data });
        }
        let mut words = self.rngs[lane].generator_words();
        visit.array(RNG, &[words.len()], &mut words);
        if self.rules.later {
            visit.scalar(WAITS, &mut self.waits[lane]);
        }
        if visit.loads() {
            self.games[lane].clone_from(&self.fresh);
            self.games[lane].load(&named);
            self.rngs[lane] = Rng::of_generator_words(words);
        }
    }

    fn check(&self, lane: usize) -> Result<(), String> {
        match self.rngs[lane].generator_words()[3] % 2 {
            1 => Ok(()),
            _ => Err(format!("the fourth word of a generator ({RNG}) is odd")),
        }
    }
}

impl<G: Game> Games<G> {
    /// One step of one lane, by the bare rules.
    fn play(&mut self, lane: usize, sent: &[f64], out: &mut StepOut<'_, u8, f64>) {
        let Self { rules, games, rngs, numbers, view, rewards, .. } = self;
        let (game, rng) = (&mut games[lane], &mut rngs[lane]);
        for (number, sent) in numbers.iter_mut().zip(sent) {
            *number = *sent as i64;
        }
        let outcome = if rules.players == 1 {
            let outcome = game.random_step(action(&rules.action, sent, numbers), rng);
            rewards[0] = outcome.reward;
            outcome
        } else {
            let each = sent.chunks_exact(rules.numbers());
            let each = each.zip(numbers.chunks_exact(rules.numbers()));
            let each = each.map(|(sent, numbers)| action(&rules.action, sent, numbers));
            game.step_together(&each.collect::<Vec<_>>(), rewards, rng)
        };
        out.reward[lane * rules.players..][..rules.players].copy_from_slice(rewards);
        out.terminated[lane] = outcome.terminated;
        // A step that terminates is not also called truncated.
        out.truncated[lane] = outcome.truncated && !outcome.terminated;
        rules.see(game, view, out.obs_row(lane));
    }
}

/// One player's action, as the game takes it.
fn action<'a>(space: &Space, sent: &'a [f64], numbers: &'a [i64]) -> Action<'a> {
    match space {
        Space::Discrete { .. } => Action::Discrete(numbers[0]),
        Space::Box { .. } => Action::Continuous(sent),
        _ => Action::Several(numbers),
    }
}

/// How elements are kept in a row of bytes.
#[derive(Clone, Copy)]
enum Kind {
    Box(Dtype),
    Number,
    Bit,
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Kind::Bit | Kind::Box(Dtype::U8) => 1,
            Kind::Box(Dtype::F32 | Dtype::I32) => 4,
            Kind::Number | Kind::Box(Dtype::F64 | Dtype::I64) => 8,
        }
    }

    /// Rounds elements to this kind, as the judged program did.
    fn write(self, elements: &[f64], bytes: &mut [u8]) {
        fn each<const N: usize>(from: &[f64], to: &mut [u8], bytes: impl Fn(f64) -> [u8; N]) {
            for (x, place) in from.iter().zip(to.as_chunks_mut::<N>().0) {
                *place = bytes(*x);
            }
        }
        match self {
            Kind::Box(Dtype::F32) => each(elements, bytes, |x| (x as f32).to_ne_bytes()),
            Kind::Box(Dtype::F64) => each(elements, bytes, f64::to_ne_bytes),
            Kind::Box(Dtype::U8) => each(elements, bytes, |x| (x as i64 as u8).to_ne_bytes()),
            Kind::Box(Dtype::I32) => each(elements, bytes, |x| (x as i64 as i32).to_ne_bytes()),
            Kind::Number | Kind::Box(Dtype::I64) => {
                each(elements, bytes, |x| (x as i64).to_ne_bytes());
            }
            Kind::Bit => each(elements, bytes, |x| (x as i64 as i8).to_ne_bytes()),
        }
    }
}

/// The parts of an observation in the order in which they are written.
fn parts(space: &Space, row: &mut Vec<(Kind, usize)>) {
    match space {
        Space::Box { dtype, .. } => row.push((Kind::Box(*dtype), space.size())),
        Space::Discrete { .. } | Space::MultiDiscrete(_) => row.push((Kind::Number, space.size())),
        Space::MultiBinary(count) => row.push((Kind::Bit, *count)),
        Space::Dict(named) => named.iter().for_each(|(_, inner)| parts(inner, row)),
    }
}

/// The same text for as long as the process lives: the runtime keeps names that way.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(|broken| broken.into_inner());
    match names.get(name) {
        Some(known) => known,
        None => {
            let kept: &'static str = Box::leak(name.to_string().into_boxed_str());
            names.insert(kept);
            kept
        }
    }
}
