//! Where the time of a step goes: the parts of a race, each by itself, at several batch sizes.

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use super::race::{Group, Spaces};
use super::Game;

/// How long one batch size is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Nanoseconds of one lane, by part.
#[derive(Default)]
struct Parts {
    draw: f64,
    step: f64,
    observe: f64,
    start: f64, // of one start
    copy: f64,
    whole: f64,   // a step as the race does it: drawn, stepped, looked at, started anew
    episode: f64, // steps to an end, on the mean
}

/// Where the time of a step goes, in words and a table: one thread, for a moment.
pub fn profile<G: Game>(fresh: &G, spaces: &Spaces, lanes: usize) -> Result<String, String> {
    let mut batches = vec![32, 512, lanes.max(1)];
    batches.retain(|batch| *batch <= lanes.max(1));
    batches.dedup();
    let mut text = format!(
        "Nanoseconds of one lane on one thread. A step as it is raced is `whole`; the parts are \
         timed apart, all lanes in turn, so that their sum is not quite the whole. A game takes \
         {} bytes and what it points to; `copy` is a copy of one. Drawing the action is not \
         yours.\n\n\
         | lanes | whole | `step` | `observe` | `start`, each | steps to an end | copy | draw |\n\
         |---|---|---|---|---|---|---|---|",
        size_of::<G>(),
    );
    for batch in batches {
        let mut group = Group::new(fresh, spaces, 0..batch, 0, usize::MAX)?;
        let Parts { draw, step, observe, start, copy, whole, episode } = looked_at(&mut group);
        let shown = |x: f64| if x.is_finite() { format!("{x:.1}") } else { "none".to_string() };
        let (start, episode) = (shown(start), shown(episode));
        write!(
            text,
            "\n| {batch} | {whole:.1} | {step:.1} | {observe:.1} | {start} | {episode} | \
             {copy:.1} | {draw:.1} |"
        )
        .map_err(|error| error.to_string())?;
    }
    Ok(text)
}

fn looked_at<G: Game>(group: &mut Group<G>) -> Parts {
    let lanes = group.lanes();
    let clock = cost_of_a_look();
    let mut spent = [0.0; 4];
    let (mut passes, mut starts) = (0.0, 0.0);
    let mut over = vec![false; lanes];
    let begun = Instant::now();
    while begun.elapsed() < LOOK {
        let mut marks = [Instant::now(); 5];
        (0..lanes).for_each(|lane| group.draw(lane));
        marks[1] = Instant::now();
        over.iter_mut().enumerate().for_each(|(lane, over)| *over = group.play(lane).over());
        marks[2] = Instant::now();
        (0..lanes).for_each(|lane| group.observe(lane));
        black_box(&*group);
        marks[3] = Instant::now();
        let ended = (0..lanes).filter(|lane| over[*lane]);
        ended.for_each(|lane| group.start(lane));
        marks[4] = Instant::now();
        for (spent, mark) in spent.iter_mut().zip(marks.windows(2)) {
            *spent += ((mark[1] - mark[0]).as_secs_f64() - clock).max(0.0) * 1e9;
        }
        passes += 1.0;
        starts += over.iter().filter(|over| **over).count() as f64;
    }
    let steps = passes * lanes as f64;
    let [draw, step, observe, start] = spent;
    Parts {
        draw: draw / steps,
        step: step / steps,
        observe: observe / steps,
        start: start / starts,
        copy: each(lanes, || group.copied()),
        whole: each(lanes, || group.pass()),
        episode: steps / starts,
    }
}

/// What it takes to look at the clock, in seconds.
fn cost_of_a_look() -> f64 {
    let begun = Instant::now();
    (0..1000).for_each(|_| {
        black_box(Instant::now());
    });
    begun.elapsed().as_secs_f64() / 1000.0
}

/// Nanoseconds of one lane of something that is done to all.
fn each(lanes: usize, mut done: impl FnMut()) -> f64 {
    let begun = Instant::now();
    let mut passes = 0.0;
    while begun.elapsed() < LOOK / 2 {
        done();
        passes += 1.0;
    }
    begun.elapsed().as_secs_f64() * 1e9 / (passes * lanes as f64)
}
