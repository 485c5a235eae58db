//! The rules of one game, its quirks by name.

use pong::Action;
use pong::game::{Game, OBS, Outcome};
use pong::serves::Serves;

/// A rally in the middle of the table, the ball level and far from everything.
fn quiet() -> Game {
    Game {
        paddle_yl: 285.0,
        paddle_yr: 285.0,
        ball_x: 250.0,
        ball_y: 304.0,
        ball_vx: 10.0,
        ball_vy: 0.0,
        serves: Serves(0b10),
        ..Game::default()
    }
}

fn step(game: &mut Game, direction: f32) -> (Outcome, [f32; OBS]) {
    let mut shown = [0.5; OBS];
    let outcome = game.step(direction, 1, &mut shown);
    (outcome, shown)
}

#[test]
fn a_serve_goes_down_or_straight() {
    let mut game = quiet();
    game.serve();
    assert_eq!((game.ball_x, game.ball_y, game.ball_vx, game.ball_vy), (100.0, 304.0, 10.0, -1.0));
    assert_eq!((game.paddle_yl, game.paddle_yr), (285.0, 285.0));
    game.serve();
    assert_eq!(game.ball_vy, 0.0);
}

#[test]
fn directions() {
    assert_eq!([0, 1, 2].map(i32::direction), [0.0, 1.0, -1.0]);
    assert_eq!([0.25, 3.0, -7.0].map(f32::direction), [0.25, 1.0, -1.0]);
    assert!(!f32::NAN.is_allowed() && f32::INFINITY.is_allowed());
    assert!(![-1, 3, i32::MAX, i32::MIN].into_iter().any(i32::is_allowed));
}

#[test]
fn paddles_leave_the_table_by_half() {
    let mut game = Game { paddle_yr: 600.0, ..quiet() };
    step(&mut game, 1.0);
    assert_eq!(game.paddle_yr, 605.0);
    let mut game = Game { paddle_yr: -30.0, ..quiet() };
    step(&mut game, -1.0);
    assert_eq!(game.paddle_yr, -35.0);
}

#[test]
fn the_left_paddle_follows_where_the_ball_was() {
    let mut game = Game { ball_y: 323.0, ball_vy: 5.0, ..quiet() };
    step(&mut game, 0.0);
    assert_eq!(game.paddle_yl, 288.0); // 323 - 320, not 328 - 320
    let mut game = Game { ball_y: 500.0, ..quiet() };
    step(&mut game, 0.0);
    assert_eq!(game.paddle_yl, 293.0);
}

#[test]
fn walls_turn_the_ball_and_leave_it_outside() {
    let mut game = Game { ball_y: 3.0, ball_vy: -4.0, ..quiet() };
    step(&mut game, 0.0);
    assert_eq!((game.ball_y, game.ball_vy), (-1.0, 4.0));
    let mut game = Game { ball_y: 605.0, ball_vy: 3.0, ..quiet() };
    step(&mut game, 0.0);
    assert_eq!((game.ball_y, game.ball_vy), (608.0, 3.0)); // touching is not outside
}

#[test]
fn a_ball_returned_is_spun_and_put_back() {
    let mut game = Game { ball_x: 465.0, ball_vy: 1.0, ..quiet() };
    let (outcome, _) = step(&mut game, 1.0);
    assert_eq!(outcome, Outcome { reward: 0.1, terminated: false });
    assert_eq!((game.ball_x, game.ball_vx, game.ball_vy), (468.0, -10.0, 4.0));
    let mut game = Game { ball_x: 465.0, ball_vy: 12.0, ..quiet() };
    step(&mut game, 1.0);
    assert_eq!(game.ball_vy, 13.0);
}

#[test]
fn a_level_ball_is_lifted_at_the_double_threshold() {
    for (vy, after) in [(0.0, 3.0), (0.01, 3.0), (-0.01, 3.0), (0.010_000_001, 0.010_000_001)] {
        let mut game = Game { ball_x: 465.0, ball_vy: vy, ..quiet() };
        step(&mut game, 0.0);
        assert_eq!(game.ball_vy, after, "from {vy}");
    }
}

#[test]
fn touching_corners_is_missing() {
    for (ball_y, hit) in [(253.0, false), (253.5, true), (354.5, true), (355.0, false)] {
        let mut game = Game { ball_x: 465.0, ball_y, ..quiet() };
        let (outcome, _) = step(&mut game, 0.0);
        assert_eq!(outcome.reward, if hit { 0.1 } else { -1.0 }, "at {ball_y}");
    }
}

#[test]
fn a_point_leaves_the_old_observation() {
    let mut game = Game { ball_x: 5.0, ball_vx: -10.0, paddle_yl: 500.0, tick: 9, ..quiet() };
    let (outcome, shown) = step(&mut game, 0.0);
    assert_eq!(outcome, Outcome { reward: 1.0, terminated: false });
    assert_eq!(shown, [0.5; OBS]);
    assert_eq!((game.score_r, game.tick, game.ball_x), (1, 0, 100.0));
}

#[test]
fn a_point_ends_the_step() {
    // The ball passes in the second of eight sub-frames: six are left out.
    let mut game = Game { ball_x: 455.0, ball_y: 500.0, ..quiet() };
    let mut shown = [0.5; OBS];
    let outcome = game.step(0.0, 8, &mut shown);
    assert_eq!(outcome.reward, -1.0);
    assert_eq!((game.score_l, game.ball_x), (1, 100.0));
    assert_eq!(shown[2], 465.0 / 500.0); // of the sub-frame before
}

#[test]
fn the_twenty_first_point_begins_the_next_game() {
    let mut game = Game { ball_x: 465.0, ball_y: 500.0, score_l: 20, score_r: 7, ..quiet() };
    let (outcome, shown) = step(&mut game, 0.0);
    assert_eq!(outcome, Outcome { reward: -1.0, terminated: true });
    assert_eq!((game.score_l, game.score_r), (0, 0));
    assert_eq!(shown, game.seen());
    assert_eq!(shown[2], 0.2);
}

#[test]
fn scores_are_not_seen() {
    let game = Game { score_l: 20, score_r: 20, ..quiet() };
    assert_eq!(game.seen()[6..], [0.0, 0.0]);
    let beyond = Game { score_l: 21, score_r: 45, ..quiet() };
    assert_eq!(beyond.seen()[6..], [1.0, 2.0]);
}

#[test]
fn the_register_gives_its_own_bits_and_never_dies() {
    let mut serves = Serves(0x9E37_79B9_7F4A_7C15);
    let bits = serves.0;
    for place in 0..64 {
        assert_eq!(serves.draw(), bits >> place & 1 == 1);
    }
    assert_ne!(Serves::new(0), Serves::new(1));
    let mut serves = Serves::new(1);
    let ones = (0..100_000).filter(|_| serves.draw()).count();
    assert!((49_500..50_500).contains(&ones), "{ones}");
    assert_ne!(serves.0, 0);
}

#[test]
fn the_one_seed_that_is_mixed_to_zero_serves_too() {
    let seed = 0_u64.wrapping_sub(0x9E37_79B9_7F4A_7C15);
    assert_eq!(vecenv::SplitMix64::new(seed).next_u64(), 0);
    assert_eq!(Serves::new(seed), Serves(1));
}
