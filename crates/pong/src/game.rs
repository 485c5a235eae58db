//! One game, in the order of the reference. Every expression is rounded as C rounds it.

use crate::serves::Serves;

/// Width of the table.
pub const WIDTH: f32 = 500.0;
/// Height of the table.
pub const HEIGHT: f32 = 640.0;
/// Height of a paddle.
pub const PADDLE: f32 = 70.0;
/// Half of it.
pub const HALF_PADDLE: f32 = PADDLE / 2.0;
/// Side of the ball.
pub const BALL: f32 = 32.0;
/// What a paddle moves in a sub-frame at most.
pub const PADDLE_SPEED: f32 = 8.0;
/// A paddle's lower end is never lower: half of it may leave the table.
pub const LOWEST: f32 = -HALF_PADDLE;
/// A paddle's lower end is never higher.
pub const HIGHEST: f32 = HEIGHT - HALF_PADDLE;
/// Horizontal speed of the ball, always.
pub const SPEED_X: f32 = 10.0;
/// Vertical speed of the ball, at most.
pub const SPEED_Y: f32 = 13.0;
/// What a moving paddle adds to it.
pub const SPIN: f32 = 3.0;
/// Points that win a game.
pub const POINTS: i32 = 21;
/// Reward of a ball returned.
pub const RETURNED: f32 = 0.1;
/// A vertical speed up to this is replaced by `SPIN`. The reference compares a float with the
/// *double* 0.01, which lies above the float 0.01: so "less than" there is "at most" here.
pub const FLAT: f32 = 0.01;

/// Numbers that an observation has.
pub const OBS: usize = 8;

/// One game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Game {
    /// Lower end of the scripted paddle, on the left.
    pub paddle_yl: f32,
    /// Lower end of the player's paddle, on the right.
    pub paddle_yr: f32,
    /// Left side of the ball.
    pub ball_x: f32,
    /// Lower side of the ball.
    pub ball_y: f32,
    /// Its speed.
    pub ball_vx: f32,
    /// Its speed.
    pub ball_vy: f32,
    /// Points of the scripted paddle.
    pub score_l: i32,
    /// Points of the player.
    pub score_r: i32,
    /// Steps since the last point (not since the game began: a quirk).
    pub tick: i32,
    /// The coming serves.
    pub serves: Serves,
}

/// What a step brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Of the player. Assigned, not summed, over the sub-frames.
    pub reward: f32,
    /// Somebody has won; the next game has begun already.
    pub terminated: bool,
}

impl Game {
    /// The ball to its place, paddles to the middle, the ball to the right.
    pub fn serve(&mut self) {
        self.paddle_yl = HEIGHT / 2.0 - PADDLE / 2.0;
        self.paddle_yr = HEIGHT / 2.0 - PADDLE / 2.0;
        self.ball_x = WIDTH / 5.0;
        self.ball_y = HEIGHT / 2.0 - BALL / 2.0;
        self.ball_vx = SPEED_X;
        // Down or straight, never up: a quirk.
        self.ball_vy = if self.serves.draw() { 0.0 } else { -1.0 };
        self.tick = 0;
    }

    /// The first serve of a game.
    pub fn begin(&mut self) {
        self.serve();
        self.score_l = 0;
        self.score_r = 0;
    }

    /// What the player would be shown of the present.
    pub fn seen(&self) -> [f32; OBS] {
        [
            (self.paddle_yl - LOWEST) / (HIGHEST - LOWEST),
            (self.paddle_yr - LOWEST) / (HIGHEST - LOWEST),
            self.ball_x / WIDTH,
            self.ball_y / HEIGHT,
            (self.ball_vx + SPEED_X) / (2.0 * SPEED_X),
            (self.ball_vy + SPEED_Y) / (2.0 * SPEED_Y),
            // Whole numbers are divided: 0 throughout a game. A quirk.
            (self.score_l / POINTS) as f32,
            (self.score_r / POINTS) as f32,
        ]
    }

    /// A step of `frames` sub-frames. `shown` is the last observation and becomes the next one;
    /// after a point that does not end the game it stays what it was: a quirk.
    pub fn step(&mut self, direction: f32, frames: u32, shown: &mut [f32; OBS]) -> Outcome {
        self.tick = self.tick.wrapping_add(1);
        let mut outcome = Outcome::default();
        for _ in 0..frames {
            self.move_all(direction);
            let (left, right) = (self.ball_x < 0.0, self.ball_x + BALL > WIDTH);
            if left {
                if !self.touches(self.paddle_yl) {
                    self.score_r = self.score_r.wrapping_add(1);
                    return self.point(1.0, self.score_r == POINTS, shown);
                }
                self.ball_vx = -self.ball_vx;
            }
            if right {
                if !self.touches(self.paddle_yr) {
                    self.score_l = self.score_l.wrapping_add(1);
                    return self.point(-1.0, self.score_l == POINTS, shown);
                }
                self.bounce(direction);
                outcome.reward = RETURNED;
            }
            *shown = self.seen();
        }
        outcome
    }

    fn move_all(&mut self, direction: f32) {
        self.paddle_yr += PADDLE_SPEED * direction;
        let lag = self.ball_y - (self.paddle_yl + HALF_PADDLE);
        self.paddle_yl += clamp(lag, -PADDLE_SPEED, PADDLE_SPEED);
        self.paddle_yr = clamp(self.paddle_yr, LOWEST, HIGHEST);
        self.paddle_yl = clamp(self.paddle_yl, LOWEST, HIGHEST);
        self.ball_x += self.ball_vx;
        self.ball_y += self.ball_vy;
        // The ball turns but may stay outside for a while: a quirk.
        if self.ball_y < 0.0 || self.ball_y + BALL > HEIGHT {
            self.ball_vy = -self.ball_vy;
        }
    }

    fn touches(&self, paddle: f32) -> bool {
        self.ball_y + BALL > paddle && self.ball_y < paddle + PADDLE
    }

    /// Off the player's paddle.
    fn bounce(&mut self, direction: f32) {
        self.ball_vx = -self.ball_vx;
        let spun = clamp(self.ball_vy + SPIN * direction, -SPEED_Y, SPEED_Y);
        self.ball_vy = if spun.abs() <= FLAT { SPIN } else { spun };
        // Only on this side is the ball put back onto the table: a quirk.
        self.ball_x = clamp(self.ball_x, 0.0, WIDTH - BALL);
        self.ball_y = clamp(self.ball_y, 0.0, HEIGHT - BALL);
    }

    /// The rest of the step is left out; so is the observation, unless a game begins.
    fn point(&mut self, reward: f32, won: bool, shown: &mut [f32; OBS]) -> Outcome {
        if won {
            self.begin();
            *shown = self.seen();
        } else {
            self.serve();
        }
        Outcome { reward, terminated: won }
    }
}

/// As C's `fminf(fmaxf(value, low), high)` for numbers, and a pair of instructions.
#[inline(always)]
pub fn clamp(value: f32, low: f32, high: f32) -> f32 {
    let raised = if value > low { value } else { low };
    if raised < high { raised } else { high }
}
