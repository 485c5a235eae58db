//! Answers questions about a game: one JSON object per line, a question and an answer.

use std::io::{BufRead, Write};

use super::action::Move;
use super::functions::{call, names};
use super::json::{object, Json};
use super::profile::profile;
use super::race::{race, Spaces};
use super::{listing, panics};
use super::{Array, Fields, Game, Options, Outcome, Rng};

/// What can be asked beyond spaces, reset, step and load.
const DOES: [&str; 8] =
    ["observe", "starts", "step_table", "run_table", "sample_table", "tape", "race", "profile"];

/// Answer until nobody asks any more. Without options there is no game, only functions.
pub fn serve(options: Option<String>, questions: impl BufRead, mut answers: impl Write) {
    panics::keep_quiet();
    let no_game = || Err("this asks for a game; give its options".to_string());
    let mut game = options
        .map_or_else(no_game, |text| panics::caught(|| listing::open(&Options::parse(&text)?)));
    for question in questions.lines() {
        let answer = panics::caught(|| {
            let question = Json::parse(&question.map_err(|error| error.to_string())?)?;
            match (question.text("op")?, &mut game) {
                ("names", _) => names(question.text("module")?),
                ("call", _) => call(question.text("function")?, question.need("inputs")?),
                (op, Ok(game)) => game.answer(op, &question),
                (_, Err(reason)) => Err(reason.clone()), // to whoever asks, not before
            }
        });
        say(&mut answers, answer);
    }
}

/// The environment, asked in the process that holds it.
pub struct Asked(Box<dyn Answers>);

impl Asked {
    /// With these options, a JSON object.
    pub fn new(options: &str) -> Result<Asked, String> {
        panics::keep_quiet();
        panics::caught(|| listing::open(&Options::parse(options)?)).map(Asked)
    }

    /// The answer to a question, both as a line of the protocol.
    pub fn ask(&mut self, question: &str) -> String {
        let answer = panics::caught(|| {
            let question = Json::parse(question)?;
            self.0.answer(question.text("op")?, &question)
        });
        written(answer)
    }
}

fn written(answer: Result<Json, String>) -> String {
    let answer = answer.unwrap_or_else(|reason| object([("error", Json::Text(reason))]));
    let mut line = String::new();
    answer.write(&mut line);
    line
}

fn say(answers: &mut impl Write, answer: Result<Json, String>) {
    let mut line = written(answer);
    line.push('\n');
    // Nobody to answer is nobody to tell.
    let _ = answers.write_all(line.as_bytes()).and_then(|()| answers.flush());
}

/// A game of whatever type.
pub trait Answers: Send {
    fn answer(&mut self, op: &str, question: &Json) -> Result<Json, String>;
    fn load(&mut self, state: &Fields) -> Result<(), String>;
    fn step(&mut self, action: &Array) -> Result<Fields, String>;
}

/// A game with these options.
pub fn open<G: Game>(options: &Options) -> Result<Box<dyn Answers>, String> {
    let fresh = G::new(options)?;
    options.all_known()?;
    let spaces = Spaces { action: fresh.action_space(), observation: fresh.observation_space() };
    let mut game = fresh.clone();
    game.start(&mut Rng::new(0));
    let template = game.state();
    let view = vec![0.0; spaces.observation.size()];
    Ok(Box::new(Server { game, fresh, template, spaces, view, rng: Rng::new(0) }))
}

struct Server<G> {
    game: G,
    fresh: G,         // never played
    template: Fields, // a state: what a load does not name is taken from it
    spaces: Spaces,
    view: Vec<f64>,
    rng: Rng, // since the last reset; a state that is loaded does not name it
}

impl<G: Game> Answers for Server<G> {
    fn answer(&mut self, op: &str, question: &Json) -> Result<Json, String> {
        match op {
            "spaces" => Ok(self.described()),
            "reset" => {
                let rng = Rng::new(question.count("seed")?);
                self.begin(rng)
            }
            "reset_with" => {
                let rng = self.rng.following(&Fields::from_json(question.need("tape")?)?);
                self.begin(rng)
            }
            "step" | "step_with" => {
                let action = Array::from_json(question.need("action")?)?;
                // A tape is for one step, also if that panics.
                self.rng = match op {
                    "step" => self.rng.free(),
                    _ => self.rng.following(&Fields::from_json(question.need("tape")?)?),
                };
                let outcome = self.play(&action)?;
                Ok(object([
                    ("obs", self.shown()),
                    ("reward", Json::Float(outcome.reward)),
                    ("terminated", Json::Bool(outcome.terminated)),
                    ("truncated", Json::Bool(outcome.truncated)),
                    ("state", self.game.state().to_json()),
                ]))
            }
            "load" => {
                self.load(&Fields::from_json(question.need("state")?)?)?;
                Ok(object([]))
            }
            "observe" => Ok(object([("obs", self.shown())])),
            "starts" => self.starts(question.count("seed")?, question.count("count")?),
            "step_table" => self.step_table(question),
            "run_table" => self.run_table(question),
            "sample_table" => self.sample_table(question),
            "race" => {
                let (lanes, steps) = (question.count("lanes")?, question.count("steps")?);
                let (lanes, steps) = (lanes as usize, steps as usize);
                let last = race(&self.fresh, &self.spaces, lanes, steps, question.count("seed")?)?;
                Ok(last.to_json())
            }
            "profile" => {
                let text = profile(&self.fresh, &self.spaces, question.count("lanes")? as usize)?;
                Ok(object([("text", Json::Text(text))]))
            }
            _ => Err(format!("nobody knows the question {op:?}")),
        }
    }

    fn load(&mut self, state: &Fields) -> Result<(), String> {
        self.rng = self.rng.free();
        self.game = self.fresh.clone();
        self.game.load(&self.template.replaced_by(state)?);
        Ok(())
    }

    fn step(&mut self, action: &Array) -> Result<Fields, String> {
        let outcome = self.play(action)?;
        Ok(self
            .seen()
            .with("reward", outcome.reward)
            .with("terminated", outcome.terminated)
            .with("truncated", outcome.truncated)
            .and(self.game.state().under("state.")))
    }
}

impl<G: Game> Server<G> {
    fn described(&self) -> Json {
        let does = DOES.map(|op| Json::Text(op.to_string()));
        let limit = self.game.time_limit().map_or(Json::Null, |n| Json::Int(i64::from(n)));
        object([
            ("action", self.spaces.action.to_json()),
            ("observation", self.spaces.observation.to_json()),
            ("loads", Json::Bool(true)),
            ("time_limit", limit),
            ("does", Json::List(does.into())),
        ])
    }

    /// Start an episode, and tell it.
    fn begin(&mut self, rng: Rng) -> Result<Json, String> {
        self.rng = rng;
        let mut rng = self.rng.copy();
        self.start(&mut rng)?;
        self.rng = rng.free();
        Ok(object([("obs", self.shown()), ("state", self.game.state().to_json())]))
    }

    /// A start must not depend on what was played before: a fresh game shows what it should be,
    /// and is the one that is played, so that nothing outlives an episode.
    fn start(&mut self, rng: &mut Rng) -> Result<(), String> {
        let mut fresh = self.fresh.clone();
        fresh.start(&mut rng.copy());
        self.game.start(rng);
        let begun = std::mem::replace(&mut self.game, fresh);
        match begun.state().differs_in(&self.game.state()) {
            Some(name) => Err(format!("`start` does not set {name:?} whatever was before")),
            None => Ok(()),
        }
    }

    fn play(&mut self, action: &Array) -> Result<Outcome, String> {
        let chosen: Move = self.spaces.action.action(action)?;
        let (before, rng) = (self.game.state(), self.rng.copy());
        let outcome = self.game.random_step(chosen.action(), &mut self.rng);
        self.check_state_decides(&before, &chosen, rng, &outcome)?;
        // A step that terminates is not also called truncated.
        let truncated = outcome.truncated && !outcome.terminated;
        Ok(Outcome { truncated, ..outcome })
    }

    /// A game that was never played must do the same from the same state: what the state does not
    /// name, such as a count of steps or calls, decides nothing.
    fn check_state_decides(
        &mut self,
        before: &Fields,
        chosen: &Move,
        mut rng: Rng,
        outcome: &Outcome,
    ) -> Result<(), String> {
        let mut fresh = self.fresh.clone();
        fresh.load(before);
        let again = fresh.random_step(chosen.action(), &mut rng);
        let mut view = vec![f64::NAN; self.view.len()];
        fresh.observe(&mut view);
        self.look();
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let differs = if let Some(name) = self.game.state().differs_in(&fresh.state()) {
            name.to_string()
        } else if outcome.reward.to_bits() != again.reward.to_bits() {
            "reward".to_string()
        } else if (outcome.terminated, outcome.truncated) != (again.terminated, again.truncated) {
            "the end".to_string()
        } else if bits(&self.view) != bits(&view) {
            "obs".to_string()
        } else {
            return Ok(());
        };
        Err(format!("something that `state` does not name decides {differs:?} of a step"))
    }

    /// Look at the game. What it does not write is not a number.
    fn look(&mut self) {
        self.view.fill(f64::NAN);
        self.game.observe(&mut self.view);
    }

    /// The observation as arrays.
    fn seen(&mut self) -> Fields {
        self.look();
        self.spaces.observation.arrays("obs", &self.view)
    }

    /// The observation as an answer has it.
    fn shown(&mut self) -> Json {
        self.look();
        self.spaces.observation.shown(&self.view)
    }

    fn starts(&mut self, seed: u64, count: u64) -> Result<Json, String> {
        let mut rows = Vec::new();
        for number in 0..count {
            self.start(&mut Rng::stream(seed, number))?;
            let row = self.seen();
            rows.push(row.and(self.game.state().under("state.")));
        }
        Ok(Fields::table(rows)?.to_json())
    }

    fn step_table(&mut self, question: &Json) -> Result<Json, String> {
        let states = Fields::from_json(question.need("states")?)?;
        let actions = Array::from_json(question.need("actions")?)?;
        let mut rows = Vec::new();
        for row in 0..states.rows()? {
            self.load(&states.row(row))?;
            rows.push(self.step(&actions.row(row))?);
        }
        Ok(Fields::table(rows)?.to_json())
    }

    /// One step from the same state again and again, with chances of its own.
    fn sample_table(&mut self, question: &Json) -> Result<Json, String> {
        let state = Fields::from_json(question.need("state")?)?;
        let action = Array::from_json(question.need("action")?)?;
        let seed = question.count("seed")?;
        let mut rows = Vec::new();
        for number in 0..question.count("count")? {
            self.load(&state)?;
            self.rng = Rng::stream(seed, number);
            rows.push(self.step(&action)?);
        }
        Ok(Fields::table(rows)?.to_json())
    }

    /// Whole episodes. What follows an end is ignored, so that the last step is said again.
    fn run_table(&mut self, question: &Json) -> Result<Json, String> {
        let starts = Fields::from_json(question.need("starts")?)?;
        let actions = Array::from_json(question.need("actions")?)?;
        let (count, length) = match actions.shape[..] {
            [count, length, ..] => (count, length),
            _ => return Err("actions are lists of lists".to_string()),
        };
        let mut rows: Vec<Fields> = Vec::new();
        for episode in 0..count {
            self.load(&starts.row(episode))?;
            let actions = actions.row(episode);
            let mut over = false;
            for time in 0..length {
                let record = match rows.last() {
                    Some(last) if over => last.clone(),
                    _ => self.step(&actions.row(time))?,
                };
                over = record.flag("terminated") || record.flag("truncated");
                rows.push(record);
            }
        }
        Ok(Fields::table(rows)?.folded(count, length).to_json())
    }
}
