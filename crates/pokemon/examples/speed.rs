//! How many decisions a second one thread plays, with random choices: `speed recording [count]`.

use pokemon::Battle;
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("a recording to take teams from");
    let count: usize = args.next().and_then(|n| n.parse().ok()).unwrap_or(256);
    let text = std::fs::read_to_string(path).expect("the recording can be read");
    let starts = pokemon::trace::starts(&text);
    let mut lanes: Vec<Battle> = (0..count).map(|i| starts[i % starts.len()]).collect();
    let mut state = 1u64;
    let mut random = |n: u32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as u32) % n
    };
    println!("{} bytes a battle", size_of::<Battle>());
    let (mut decisions, mut ended) = (0u64, 0u64);
    let begun = Instant::now();
    while begun.elapsed().as_secs_f64() < 3.0 {
        for (i, lane) in lanes.iter_mut().enumerate() {
            let actions = [0, 1].map(|side| {
                let mask = lane.mask(side);
                let chosen = random(mask.count_ones());
                (0..14).filter(|a| mask >> a & 1 == 1).nth(chosen as usize).unwrap_or(13)
            });
            lane.step(actions).expect("legal choices");
            decisions += 1;
            if lane.ended {
                *lane = starts[(i + ended as usize) % starts.len()];
                ended += 1;
            }
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("{:.0} decisions/s, {ended} battles ended", decisions as f64 / seconds);
}
