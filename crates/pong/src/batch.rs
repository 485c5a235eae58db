//! A batch of games: a structure of arrays, block by block.

use crate::block::{Block, LANES, Lane, Step};
use crate::game::{Game, OBS, POINTS};
use crate::rules::{Action, PongRules};
use crate::serves::Serves;
use vecenv::{Batch, StepOut, Visit};

/// Games that are looked through together for one to be stepped alone.
const GROUP: usize = 8;

/// What is kept of a block of games between steps.
#[derive(Clone)]
struct Kept {
    now: Box<Block>,
    before: Box<Block>, // a step earlier, for games that have to be stepped once more
    score_l: Lane<i32>,
    score_r: Lane<i32>,
    tick: Lane<i32>,
    serves: Lane<Serves>,
    /// Whether the player was shown last what is in `shown`, and not what there is to see.
    stale: Lane<bool>,
    shown: Lane<[f32; OBS]>,
    /// 1 for games in states that no game reaches: they are always stepped alone.
    odd: Lane<u32>,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            now: Box::default(),
            before: Box::default(),
            score_l: [0; LANES],
            score_r: [0; LANES],
            tick: [0; LANES],
            serves: [Serves::default(); LANES],
            stale: [false; LANES],
            shown: [[0.0; OBS]; LANES],
            odd: [0; LANES],
        }
    }
}

impl Kept {
    fn game(&self, lane: usize) -> Game {
        self.game_at(&self.now, lane)
    }

    /// A game whose paddles and ball are where `block` has them.
    fn game_at(&self, block: &Block, lane: usize) -> Game {
        Game {
            paddle_yl: block.paddle_yl[lane],
            paddle_yr: block.paddle_yr[lane],
            ball_x: block.ball_x[lane],
            ball_y: block.ball_y[lane],
            ball_vx: block.ball_vx[lane],
            ball_vy: block.ball_vy[lane],
            score_l: self.score_l[lane],
            score_r: self.score_r[lane],
            tick: self.tick[lane],
            serves: self.serves[lane],
        }
    }

    /// Takes over a game, and what its player was shown last.
    fn put(&mut self, lane: usize, game: Game, shown: [f32; OBS]) {
        self.now.paddle_yl[lane] = game.paddle_yl;
        self.now.paddle_yr[lane] = game.paddle_yr;
        self.now.ball_x[lane] = game.ball_x;
        self.now.ball_y[lane] = game.ball_y;
        self.now.ball_vx[lane] = game.ball_vx;
        self.now.ball_vy[lane] = game.ball_vy;
        self.score_l[lane] = game.score_l;
        self.score_r[lane] = game.score_r;
        self.tick[lane] = game.tick;
        self.serves[lane] = game.serves;
        self.stale[lane] = true;
        self.shown[lane] = shown;
        let usual = 0..POINTS;
        self.odd[lane] =
            u32::from(!usual.contains(&game.score_l) || !usual.contains(&game.score_r));
    }

    fn shown(&self, lane: usize) -> [f32; OBS] {
        if self.stale[lane] { self.shown[lane] } else { self.game(lane).seen() }
    }

    /// Steps the games of a block; `actions` and `out` may be shorter than it.
    fn step<A: Action>(&mut self, actions: &[A], frames: u32, out: &mut StepOut<'_, f32>) {
        let lanes = actions.len();
        let mut direction = [0.0; LANES];
        for (direction, action) in direction.iter_mut().zip(actions) {
            *direction = action.direction();
        }
        let mut alone = self.odd;
        std::mem::swap(&mut self.now, &mut self.before);
        let (rows, _) = out.obs.as_chunks_mut::<OBS>();
        if let (Ok(seen), Ok(reward)) = (rows.try_into(), (&mut *out.reward).try_into()) {
            let after = &mut *self.now;
            let mut step = Step { after, seen, reward, scored: &mut alone };
            step.run(&self.before, &direction, frames);
        } else {
            let (mut seen, mut reward) = ([[0.0; OBS]; LANES], [0.0; LANES]);
            let after = &mut *self.now;
            let mut step = Step { after, seen: &mut seen, reward: &mut reward, scored: &mut alone };
            step.run(&self.before, &direction, frames);
            out.obs.copy_from_slice(seen[..lanes].as_flattened());
            out.reward.copy_from_slice(&reward[..lanes]);
        }
        out.terminated.fill(false);
        out.truncated.fill(false);
        for tick in &mut self.tick {
            *tick = tick.wrapping_add(1);
        }
        let stale = std::mem::replace(&mut self.stale, [false; LANES]);
        for (group, flags) in alone.chunks(GROUP).enumerate() {
            if flags.iter().fold(0, |some, flag| some | flag) == 0 {
                continue;
            }
            for lane in (group * GROUP..(group + 1) * GROUP).filter(|&lane| lane < lanes) {
                if alone[lane] != 0 {
                    self.step_alone(lane, stale[lane], direction[lane], frames, out);
                }
            }
        }
    }

    /// Steps one game of a block once more, from where it was, by the rules to read.
    fn step_alone(
        &mut self,
        lane: usize,
        stale: bool,
        direction: f32,
        frames: u32,
        out: &mut StepOut<'_, f32>,
    ) {
        let mut game = self.game_at(&self.before, lane);
        game.tick = game.tick.wrapping_sub(1);
        let mut shown = if stale { self.shown[lane] } else { game.seen() };
        let outcome = game.step(direction, frames, &mut shown);
        self.put(lane, game, shown);
        out.obs_row(lane).copy_from_slice(&shown);
        out.reward[lane] = outcome.reward;
        out.terminated[lane] = outcome.terminated;
    }
}

/// Games of Pong. `A` is `i32` (stay, up, down) or `f32` (any direction).
pub struct Pong<A> {
    rules: PongRules<A>,
    blocks: Vec<Kept>,
}

impl<A: Action> Batch for Pong<A> {
    type Rules = PongRules<A>;
    /// Some microseconds of work.
    const GRAIN: usize = 4 * LANES;

    fn new(rules: &PongRules<A>, lanes: usize) -> Self {
        Self { rules: rules.clone(), blocks: vec![Kept::default(); lanes.div_ceil(LANES)] }
    }

    fn reset(&mut self, lane: usize, seed: u64) {
        let kept = &mut self.blocks[lane / LANES];
        let mut game = Game { serves: Serves::new(seed), ..Game::default() };
        game.begin();
        kept.put(lane % LANES, game, game.seen());
    }

    fn restart(&mut self, lane: usize) {
        let kept = &mut self.blocks[lane / LANES];
        let mut game = kept.game(lane % LANES);
        game.begin();
        kept.put(lane % LANES, game, game.seen());
    }

    fn step_raw(&mut self, actions: &[A], out: &mut StepOut<'_, f32>) {
        let frames = self.rules.frame_skip;
        let parts = (self.blocks.iter_mut())
            .zip(actions.chunks(LANES))
            .zip(out.obs.chunks_mut(LANES * OBS))
            .zip(out.reward.chunks_mut(LANES))
            .zip(out.terminated.chunks_mut(LANES))
            .zip(out.truncated.chunks_mut(LANES));
        for (((((kept, actions), obs), reward), terminated), truncated) in parts {
            let mut part = StepOut { obs, reward, terminated, truncated };
            kept.step(actions, frames, &mut part);
        }
    }

    /// A game that is over has been followed by the next in [`step_raw`](Batch::step_raw)
    /// already, as in the reference; there is no last observation but the first of the next.
    fn step(&mut self, actions: &[A], out: &mut StepOut<'_, f32>, final_obs: &mut [f32]) {
        self.step_raw(actions, out);
        for lane in 0..actions.len() {
            if out.terminated[lane] {
                final_obs[lane * OBS..][..OBS].copy_from_slice(out.obs_row(lane));
            }
        }
    }

    fn observe(&self, lane: usize, obs: &mut [f32]) {
        obs.copy_from_slice(&self.blocks[lane / LANES].shown(lane % LANES));
    }

    fn fields(&mut self, lane: usize, visit: &mut Visit<'_>) {
        let (kept, lane) = (&mut self.blocks[lane / LANES], lane % LANES);
        let (mut game, mut shown) = (kept.game(lane), kept.shown(lane));
        visit.scalar("paddle_yl", &mut game.paddle_yl);
        visit.scalar("paddle_yr", &mut game.paddle_yr);
        visit.scalar("ball_x", &mut game.ball_x);
        visit.scalar("ball_y", &mut game.ball_y);
        visit.scalar("ball_vx", &mut game.ball_vx);
        visit.scalar("ball_vy", &mut game.ball_vy);
        visit.scalar("score_l", &mut game.score_l);
        visit.scalar("score_r", &mut game.score_r);
        visit.scalar("tick", &mut game.tick);
        visit.array("shown", &[OBS], &mut shown);
        let Serves(bits) = game.serves;
        let mut words = [bits as u32, (bits >> 32) as u32];
        visit.array("serves", &[2], &mut words);
        game.serves = Serves(u64::from(words[0]) | u64::from(words[1]) << 32);
        kept.put(lane, game, shown);
    }

    fn check(&self, lane: usize) -> Result<(), String> {
        let Serves(bits) = self.blocks[lane / LANES].serves[lane % LANES];
        if bits == 0 {
            return Err("serves are all 0 and would stay so; set at least one bit".into());
        }
        Ok(())
    }
}
