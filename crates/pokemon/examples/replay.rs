//! Replays recorded battles from files and shows where they leave the recording.

fn main() {
    let mut failed = 0;
    pokemon::fired::count(true);
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("the recording can be read");
        let report = pokemon::trace::replay(&text);
        for error in report.errors.iter().take(5) {
            println!("error: {error}");
        }
        for divergence in report.divergences.iter().take(3) {
            println!("battle {} step {}", divergence.battle, divergence.step);
            for (theirs, ours) in differing(&divergence.recorded, &divergence.replayed) {
                println!("  theirs {theirs}\n  ours   {ours}");
            }
            println!(
                "  last choices {:?}",
                divergence.choices.iter().rev().take(3).collect::<Vec<_>>()
            );
        }
        let each = report.divergences.iter().map(|d| format!("{}:{}", d.battle, d.step));
        println!(
            "{path}: {} battles, {} steps, {} divergences [{}]",
            report.battles,
            report.steps,
            report.divergences.len(),
            each.take(30).collect::<Vec<_>>().join(" ")
        );
        failed += report.divergences.len() + report.errors.len();
    }
    idle();
    std::process::exit(i32::from(failed > 0));
}

/// The words in which two states differ.
fn differing<'a>(theirs: &'a str, ours: &'a str) -> Vec<(&'a str, &'a str)> {
    theirs.split(' ').zip(ours.split(' ')).filter(|(a, b)| a != b).collect()
}

/// Names the supported atoms that did nothing in all these battles.
fn idle() {
    let counts = pokemon::fired::counts();
    let lists = [("a", "abilities"), ("i", "items"), ("m", "moves")];
    let idle = pokemon::supported().into_iter().filter(|atom| {
        let (kind, id) = atom.split_once(':').unwrap_or_default();
        let Some(at) = lists.iter().position(|(letter, _)| *letter == kind) else { return true };
        let names = pokemon::data::names(lists[at].1).unwrap_or_default();
        names.iter().position(|name| *name == id).is_none_or(|number| counts[at][number + 1] == 0)
    });
    println!("idle: {}", idle.collect::<Vec<_>>().join(" "));
}
