//! Many games at once, as long as nobody scores: loops without branches over plain arrays, which
//! the compiler turns into vector instructions.

#![allow(clippy::needless_range_loop)] // every loop goes over several arrays at once

use crate::game::{
    BALL, FLAT, HALF_PADDLE, HEIGHT, HIGHEST, LOWEST, OBS, PADDLE, PADDLE_SPEED, RETURNED, SPEED_X,
    SPEED_Y, SPIN, WIDTH, clamp,
};

/// Games in a block: enough to hide latencies, few enough for the nearest cache.
pub const LANES: usize = 64;

/// One number of each game.
pub type Lane<T = f32> = [T; LANES];

/// Where everything is in a block of games.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // as in Game
pub struct Block {
    pub paddle_yl: Lane,
    pub paddle_yr: Lane,
    pub ball_x: Lane,
    pub ball_y: Lane,
    pub ball_vx: Lane,
    pub ball_vy: Lane,
}

impl Default for Block {
    fn default() -> Self {
        let zeros = [0.0; LANES];
        Self {
            paddle_yl: zeros,
            paddle_yr: zeros,
            ball_x: zeros,
            ball_y: zeros,
            ball_vx: zeros,
            ball_vy: zeros,
        }
    }
}

/// Where a step of a block is written.
pub struct Step<'a> {
    /// Where everything is after it.
    pub after: &'a mut Block,
    /// What is seen then.
    pub seen: &'a mut [[f32; OBS]; LANES],
    /// Of the player.
    pub reward: &'a mut Lane,
    /// Set to 1 where somebody scored: nothing else of that game is right then.
    pub scored: &'a mut Lane<u32>,
}

impl Step<'_> {
    /// A step of `frames` sub-frames (at least one) from `before`; `direction` is what the players
    /// do with their paddles, from -1 to 1.
    pub fn run(&mut self, before: &Block, direction: &Lane, frames: u32) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions, as was just asked.
            #[allow(unsafe_code)]
            return unsafe { self.run_avx2(before, direction, frames) };
        }
        self.run_any(before, direction, frames);
    }

    /// The same code, compiled for wider registers. No fused multiply-add: C's build has none.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn run_avx2(&mut self, before: &Block, direction: &Lane, frames: u32) {
        self.run_any(before, direction, frames);
    }

    #[inline(always)]
    fn run_any(&mut self, before: &Block, direction: &Lane, frames: u32) {
        *self.reward = [0.0; LANES];
        for i in 0..LANES {
            let moved = frame(before, i, direction[i]);
            moved.put(i, self.after, self.reward, self.scored);
        }
        for _ in 1..frames {
            for i in 0..LANES {
                let moved = frame(self.after, i, direction[i]);
                moved.put(i, self.after, self.reward, self.scored);
            }
        }
        see(self.after, self.seen);
    }
}

/// One game after a sub-frame.
struct Moved {
    paddle_yl: f32,
    paddle_yr: f32,
    ball_x: f32,
    ball_y: f32,
    ball_vx: f32,
    ball_vy: f32,
    returned: bool,
    missed: bool,
}

impl Moved {
    #[inline(always)]
    fn put(&self, i: usize, block: &mut Block, reward: &mut Lane, scored: &mut Lane<u32>) {
        block.paddle_yl[i] = self.paddle_yl;
        block.paddle_yr[i] = self.paddle_yr;
        block.ball_x[i] = self.ball_x;
        block.ball_y[i] = self.ball_y;
        block.ball_vx[i] = self.ball_vx;
        block.ball_vy[i] = self.ball_vy;
        reward[i] = if self.returned { RETURNED } else { reward[i] };
        scored[i] |= u32::from(self.missed);
    }
}

/// A sub-frame of `Game::step`, with choices instead of branches.
#[inline(always)]
fn frame(b: &Block, i: usize, direction: f32) -> Moved {
    let paddle_yr = clamp(b.paddle_yr[i] + PADDLE_SPEED * direction, LOWEST, HIGHEST);
    let lag = b.ball_y[i] - (b.paddle_yl[i] + HALF_PADDLE);
    let follow = clamp(lag, -PADDLE_SPEED, PADDLE_SPEED);
    let paddle_yl = clamp(b.paddle_yl[i] + follow, LOWEST, HIGHEST);
    let (x, y) = (b.ball_x[i] + b.ball_vx[i], b.ball_y[i] + b.ball_vy[i]);
    let top = y + BALL;
    let outside = (y < 0.0) | (top > HEIGHT);
    let vy = if outside { -b.ball_vy[i] } else { b.ball_vy[i] };
    let (left, right) = (x < 0.0, x + BALL > WIDTH);
    let touches_left = (top > paddle_yl) & (y < paddle_yl + PADDLE);
    let touches_right = (top > paddle_yr) & (y < paddle_yr + PADDLE);
    let spun = clamp(vy + SPIN * direction, -SPEED_Y, SPEED_Y);
    let spun = if spun.abs() <= FLAT { SPIN } else { spun };
    Moved {
        paddle_yl,
        paddle_yr,
        ball_x: if right { clamp(x, 0.0, WIDTH - BALL) } else { x },
        ball_y: if right { clamp(y, 0.0, HEIGHT - BALL) } else { y },
        ball_vx: if left | right { -b.ball_vx[i] } else { b.ball_vx[i] },
        ball_vy: if right { spun } else { vy },
        returned: right,
        missed: (left & !touches_left) | (right & !touches_right),
    }
}

/// `Game::seen`, for games of which nobody has won 21 points.
#[inline(always)]
fn see(b: &Block, seen: &mut [[f32; OBS]; LANES]) {
    for i in 0..LANES {
        seen[i] = [
            (b.paddle_yl[i] - LOWEST) / (HIGHEST - LOWEST),
            (b.paddle_yr[i] - LOWEST) / (HIGHEST - LOWEST),
            b.ball_x[i] / WIDTH,
            b.ball_y[i] / HEIGHT,
            (b.ball_vx[i] + SPEED_X) / (2.0 * SPEED_X),
            (b.ball_vy[i] + SPEED_Y) / (2.0 * SPEED_Y),
            0.0,
            0.0,
        ];
    }
}
