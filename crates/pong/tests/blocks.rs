//! A batch, whatever its size, plays what single games play.

use pong::block::{Block, LANES, Step};
use pong::game::{Game, OBS};
use pong::serves::Serves;
use pong::{Action, Pong, PongRules};
use vecenv::{Batch, SplitMix64, StepOut, VecEnv};

/// Buffers of a batch.
struct Out {
    obs: Vec<f32>,
    reward: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
    final_obs: Vec<f32>,
}

impl Out {
    fn new(lanes: usize) -> Self {
        Self {
            obs: vec![9.0; lanes * OBS],
            reward: vec![9.0; lanes],
            terminated: vec![true; lanes],
            truncated: vec![true; lanes],
            final_obs: vec![9.0; lanes * OBS],
        }
    }

    /// The buffers hold something else before: a step writes all of them, final rows apart.
    fn step<A: Action>(&mut self, env: &mut VecEnv<Pong<A>>, actions: &[A]) {
        self.obs.fill(9.0);
        self.reward.fill(9.0);
        self.terminated.fill(true);
        self.truncated.fill(true);
        let out = StepOut {
            obs: &mut self.obs,
            reward: &mut self.reward,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
        };
        env.step(actions, out, &mut self.final_obs).unwrap();
    }
}

fn plays_as_single_games<A: Action>(frames: u32, draw: impl Fn(&mut SplitMix64, &Game) -> A) {
    let rules = PongRules::<A>::new(frames.into()).unwrap();
    let mut ended = 0;
    for (lanes, threads) in [(1, 1), (63, 1), (64, 1), (65, 1), (700, 2)] {
        let mut env = VecEnv::<Pong<A>>::new(rules.clone(), lanes, threads).unwrap();
        let mut out = Out::new(lanes);
        let seeds: Vec<u64> = (0..lanes as u64).map(|lane| 31 * lane + 7).collect();
        env.reset(&seeds, &mut out.obs).unwrap();
        let mut random = SplitMix64::new(5);
        let mut games: Vec<(Game, [f32; OBS])> = (seeds.iter())
            .map(|&seed| {
                let mut game = Game { serves: Serves::new(seed), ..Game::default() };
                game.begin();
                (game, game.seen())
            })
            .collect();
        let mut final_obs = out.final_obs.clone();
        for _ in 0..6_000 / frames {
            let actions: Vec<A> = games.iter().map(|(game, _)| draw(&mut random, game)).collect();
            out.step(&mut env, &actions);
            for (lane, (game, shown)) in games.iter_mut().enumerate() {
                let outcome = game.step(actions[lane].direction(), frames, shown);
                assert_eq!(out.obs[lane * OBS..][..OBS], *shown, "lane {lane} of {lanes}");
                assert_eq!(out.reward[lane], outcome.reward);
                assert_eq!(out.terminated[lane], outcome.terminated);
                assert!(!out.truncated[lane]);
                if outcome.terminated {
                    final_obs[lane * OBS..][..OBS].copy_from_slice(shown);
                    ended += 1;
                }
            }
            assert_eq!(out.final_obs, final_obs); // rows of games that go on are left alone
        }
    }
    assert!(ended > 50, "only {ended} games came to their end");
}

/// Follows the ball now and then, so that there are rallies, points won and points lost.
fn follow(random: &mut SplitMix64, game: &Game) -> i32 {
    if random.below(4) != 0 {
        return random.below(3) as i32;
    }
    if game.ball_y + 16.0 > game.paddle_yr + 35.0 { 1 } else { 2 }
}

#[test]
fn discrete_one_frame() {
    plays_as_single_games::<i32>(1, follow);
}

#[test]
fn discrete_eight_frames() {
    plays_as_single_games::<i32>(8, follow);
}

/// Points in consecutive steps occur only with such long ones.
#[test]
fn discrete_forty_frames() {
    plays_as_single_games::<i32>(40, follow);
}

#[test]
fn continuous() {
    let draw = |random: &mut SplitMix64, game: &Game| {
        let noise = random.below(2_001) as f32 / 1_000.0 - 1.0;
        let aim = (game.ball_y - game.paddle_yr) / 40.0;
        if random.below(4) != 0 { 1.5 * noise } else { aim }
    };
    plays_as_single_games::<f32>(1, draw);
    plays_as_single_games::<f32>(8, draw);
}

/// A lane in any state, also one that no game reaches, is loaded, seen and stepped as a game.
#[test]
fn loaded_states() {
    let lanes = 130;
    let mut env = VecEnv::<Pong<i32>>::new(PongRules::new(1).unwrap(), lanes, 1).unwrap();
    let mut out = Out::new(lanes);
    env.reset(&vec![3; lanes], &mut out.obs).unwrap();
    let mut random = SplitMix64::new(11);
    let mut number = |low: i64, high: i64| low + random.below((high - low + 1) as u64) as i64;
    let mut games = Vec::new();
    for lane in 0..lanes {
        let game = Game {
            paddle_yl: number(-60, 660) as f32,
            paddle_yr: number(-60, 660) as f32,
            ball_x: number(-20, 520) as f32,
            ball_y: number(-20, 660) as f32,
            ball_vx: number(-12, 12) as f32,
            ball_vy: number(-15, 15) as f32,
            score_l: number(-1, 23) as i32,
            score_r: number(-1, 23) as i32,
            tick: number(0, 99) as i32,
            serves: Serves(number(1, i64::MAX) as u64),
        };
        let shown: [f32; OBS] = std::array::from_fn(|_| number(0, 100) as f32 / 100.0);
        let mut packed = Vec::new();
        for value in [game.paddle_yl, game.paddle_yr, game.ball_x, game.ball_y] {
            packed.extend(value.to_le_bytes());
        }
        for value in [game.ball_vx, game.ball_vy] {
            packed.extend(value.to_le_bytes());
        }
        for value in [game.score_l, game.score_r, game.tick] {
            packed.extend(value.to_le_bytes());
        }
        shown.iter().for_each(|value| packed.extend(value.to_le_bytes()));
        packed.extend(game.serves.0.to_le_bytes());
        env.load(lane, &packed).unwrap();
        games.push((game, shown));
    }
    env.observe(&mut out.obs).unwrap();
    for (lane, (_, shown)) in games.iter().enumerate() {
        assert_eq!(out.obs[lane * OBS..][..OBS], *shown);
    }
    for _ in 0..5 {
        let actions: Vec<i32> = (0..lanes).map(|lane| lane as i32 % 3).collect();
        out.step(&mut env, &actions);
        for (lane, (game, shown)) in games.iter_mut().enumerate() {
            let outcome = game.step(actions[lane].direction(), 1, shown);
            assert_eq!(out.obs[lane * OBS..][..OBS], *shown, "lane {lane}: {game:?}");
            assert_eq!(out.reward[lane], outcome.reward);
            assert_eq!(out.terminated[lane], outcome.terminated);
        }
    }
}

/// Numbers that no game holds: not a number, infinities, the largest and smallest floats, zeros of
/// both signs, thresholds and what lies beside them. A block must not differ from a game there.
#[test]
fn states_made_of_extreme_numbers() {
    const EXTREME: [f32; 16] = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-45,
        -0.0,
        0.0,
        468.0,
        468.000_03,
        -35.0,
        605.0,
        0.01,
        -13.0,
        10.0,
    ];
    let same = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
    };
    let mut random = SplitMix64::new(8);
    let (lanes, mut points) = (640, 0);
    for frames in [1_u32, 2, 8] {
        let rules = PongRules::<f32>::new(frames.into()).unwrap();
        let mut env = VecEnv::<Pong<f32>>::new(rules, lanes, 1).unwrap();
        let mut out = Out::new(lanes);
        let mut number = |usual: f32| match random.below(3) {
            0 => EXTREME[random.below(16) as usize],
            _ => usual + random.below(64) as f32 / 4.0 - 8.0,
        };
        let mut packed = Vec::new();
        let mut games = Vec::new();
        for lane in 0..lanes {
            let side = if lane % 2 == 0 { 4.0 } else { 460.0 };
            let motion = [285.0, 285.0, side, 304.0, 0.0, 0.0].map(&mut number);
            let [paddle_yl, paddle_yr, ball_x, ball_y, ball_vx, ball_vy] = motion;
            let score = |place: usize| [0, 19, 20, 21, -1, i32::MAX, i32::MIN][lane / place % 7];
            let game = Game {
                paddle_yl,
                paddle_yr,
                ball_x,
                ball_y,
                ball_vx,
                ball_vy,
                score_l: score(1),
                score_r: score(7),
                tick: if lane % 5 == 0 { i32::MAX } else { 3 },
                serves: Serves(lane as u64 + 1),
            };
            let shown = [number(0.5); OBS];
            motion.iter().for_each(|value| packed.extend(value.to_le_bytes()));
            for value in [game.score_l, game.score_r, game.tick] {
                packed.extend(value.to_le_bytes());
            }
            shown.iter().for_each(|value| packed.extend(value.to_le_bytes()));
            packed.extend(game.serves.0.to_le_bytes());
            games.push((game, shown));
        }
        env.load_all(&packed).unwrap();
        for _ in 0..6 {
            let actions: Vec<f32> = (0..lanes)
                .map(|lane| [1.0, -1.0, 0.0, -0.0, 1e-45, f32::INFINITY, -0.3][lane % 7])
                .collect();
            out.step(&mut env, &actions);
            for (lane, (game, shown)) in games.iter_mut().enumerate() {
                let before = *game;
                let outcome = game.step(actions[lane].direction(), frames, shown);
                let row = &out.obs[lane * OBS..][..OBS];
                assert!(same(row, shown), "{row:?} and {shown:?} from {before:?}");
                assert_eq!(out.reward[lane], outcome.reward, "{before:?}");
                assert_eq!(out.terminated[lane], outcome.terminated, "{before:?}");
                points += u32::from(outcome.reward.abs() == 1.0);
            }
        }
        let ticks: Vec<u8> = games.iter().flat_map(|(game, _)| game.tick.to_le_bytes()).collect();
        let state = env.state().unwrap();
        assert_eq!(state.iter().find(|c| c.field.name == "tick").unwrap().bytes, ticks);
    }
    assert!(points > 500, "only {points} points");
}

/// No game comes upon the threshold itself, so that no comparison of games would see it moved.
#[test]
fn a_block_lifts_a_level_ball_at_the_double_threshold() {
    for (vy, lifted) in [(0.0, 3.0), (0.01, 3.0), (-0.01, 3.0), (0.010_000_001, 0.010_000_001)] {
        let before = Block {
            paddle_yl: [285.0; LANES],
            paddle_yr: [285.0; LANES],
            ball_x: [465.0; LANES],
            ball_y: [304.0; LANES],
            ball_vx: [10.0; LANES],
            ball_vy: [vy; LANES],
        };
        let (mut after, mut scored) = (Block::default(), [0; LANES]);
        let (seen, reward) = (&mut [[9.0; OBS]; LANES], &mut [9.0; LANES]);
        let mut step = Step { after: &mut after, seen, reward, scored: &mut scored };
        step.run(&before, &[0.0; LANES], 1);
        assert_eq!(after.ball_vy, [lifted; LANES], "from {vy}");
        assert_eq!(scored, [0; LANES]);
    }
}

#[test]
fn a_snapshot_goes_on() {
    let rules = PongRules::<i32>::new(8).unwrap();
    let mut env = VecEnv::<Pong<i32>>::new(rules.clone(), 70, 1).unwrap();
    let mut out = Out::new(70);
    env.reset(&(0..70).collect::<Vec<_>>(), &mut out.obs).unwrap();
    let actions = vec![1; 70];
    (0..30).for_each(|_| out.step(&mut env, &actions)); // some observations are stale now
    let snapshot = env.snapshot().unwrap();
    let mut other = VecEnv::<Pong<i32>>::new(rules, 70, 2).unwrap();
    other.restore(&snapshot).unwrap();
    let mut again = Out::new(70);
    other.observe(&mut again.obs).unwrap();
    assert_eq!(again.obs, out.obs);
    for _ in 0..200 {
        out.step(&mut env, &actions);
        again.step(&mut other, &actions);
        assert_eq!((&out.obs, &out.reward), (&again.obs, &again.reward));
    }
}

/// What [`Pong::step`] does not need, since a game that is over is followed by the next anyway.
#[test]
fn a_restart_begins_the_next_game_of_its_lane() {
    let lanes = 130;
    let mut batch = Pong::<i32>::new(&PongRules::new(8).unwrap(), lanes);
    (0..lanes).for_each(|lane| batch.reset(lane, lane as u64));
    let mut games: Vec<Game> = (0..lanes as u64)
        .map(|seed| {
            let mut game = Game { serves: Serves::new(seed), ..Game::default() };
            game.begin();
            game
        })
        .collect();
    let mut out = Out::new(lanes);
    let Out { obs, reward, terminated, truncated, .. } = &mut out;
    batch.step_raw(&vec![1; lanes], &mut StepOut { obs, reward, terminated, truncated });
    games.iter_mut().for_each(|game| _ = game.step(1.0, 8, &mut [0.0; OBS]));
    for (lane, game) in games.iter_mut().enumerate().skip(50).take(50) {
        batch.restart(lane);
        game.begin();
    }
    for (lane, game) in games.iter().enumerate() {
        let mut shown = [9.0; OBS];
        batch.observe(lane, &mut shown);
        assert_eq!(shown, game.seen(), "lane {lane}");
    }
}

#[test]
fn a_dead_register_is_refused_in_any_lane() {
    let mut env = VecEnv::<Pong<i32>>::new(PongRules::new(1).unwrap(), 130, 1).unwrap();
    env.reset(&[1; 130], &mut [0.0; 130 * OBS]).unwrap();
    for lane in [0, 1, 70] {
        let error = env.load(lane, &[0; 4 * (6 + 3 + 8 + 2)]).unwrap_err();
        assert!(error.to_string().contains("serves are all 0"), "{error}");
    }
}

#[test]
fn frame_skips_that_make_no_sense_are_refused() {
    assert!([1, 1_000].into_iter().all(|frame_skip| PongRules::<i32>::new(frame_skip).is_ok()));
    for frame_skip in [0, -1, 1_001, i64::MAX] {
        let error = PongRules::<i32>::new(frame_skip).unwrap_err();
        assert!(error.contains("choose one from 1 to 1000"), "{error}");
    }
}
