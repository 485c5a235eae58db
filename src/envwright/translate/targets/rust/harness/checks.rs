//! What the harness's tests are made of; they run wherever `cargo test` is run.

use super::functions::Golden;
use super::json::Json;
use super::{listing, Array, Data, Fields, Options};

/// How closely a field must agree: its name, an absolute distance, representable numbers.
pub type Closeness<'a> = (&'a str, f64, u64);

/// Every recorded call of the reference, through the function that was written.
pub fn golden_agrees(file: &str, function: Golden, outputs: &[Closeness]) {
    let data = read(file);
    let (inputs, expected) = (table(&data, "inputs"), table(&data, "outputs"));
    for row in 0..inputs.rows().expect("a table") {
        let given = inputs.row(row);
        let got = function(&given);
        compare(&format!("row {row} of {file}"), &expected.row(row), &got, outputs, &given);
    }
}

/// What once differed, step by step against the reference's recorded answers.
pub fn regression_agrees(file: &str, fields: &[Closeness]) {
    let data = read(file);
    let options = Options::from_json(member(&data, "options").clone()).expect("options");
    let mut game = listing::open(&options).unwrap_or_else(|reason| panic!("{reason}"));
    let start = table(&data, "start");
    game.load(&start).unwrap_or_else(|reason| panic!("{reason}"));
    let actions = items(member(member(&data, "divergence"), "actions"));
    let steps = actions.iter().zip(items(member(&data, "expected")));
    for (step, (action, expected)) in steps.enumerate() {
        let action = Array::from_json(action).expect("an action");
        let got = game.step(&action).unwrap_or_else(|reason| panic!("{reason}"));
        let state = table(expected, "state").under("state.");
        let Json::Object(members) = expected else { panic!("a step is an object") };
        let outside = members.iter().filter(|(name, _)| name != "state").cloned().collect();
        let wanted = Fields::from_json(&Json::Object(outside)).expect("fields").and(state);
        compare(&format!("step {step} of {file}"), &wanted, &got, fields, &start);
    }
}

/// Panic with the first field that differs.
fn compare(place: &str, wanted: &Fields, got: &Fields, fields: &[Closeness], given: &Fields) {
    for (name, distance, ulps) in fields {
        let Some(expected) = wanted.get(name) else { continue };
        let Some(ours) = got.get(name) else { panic!("{place}: {name:?} is missing") };
        assert!(
            agrees(expected, ours, *distance, *ulps),
            "{place}: {name}: the reference gives {:?}, yours gives {:?}\n  from {}",
            expected.data,
            ours.data,
            told(given),
        );
    }
}

fn agrees(a: &Array, b: &Array, distance: f64, ulps: u64) -> bool {
    let singles = [a, b].iter().any(|array| matches!(array.data, Data::Singles(_)));
    let mut pairs = a.to_floats().into_iter().zip(b.to_floats());
    let near = |(a, b): (f64, f64)| {
        a == b
            || a.is_nan() && b.is_nan()
            || a.is_finite() && b.is_finite() && (a - b).abs() <= distance
            || ulps > 0 && a.is_finite() && b.is_finite() && between(a, b, singles) <= ulps
    };
    a.shape == b.shape && pairs.all(near)
}

/// How many representable numbers lie between two.
fn between(a: f64, b: f64, singles: bool) -> u64 {
    let place = |x: f64| {
        let size = match singles {
            true => i64::from((x.abs() as f32).to_bits()),
            false => x.abs().to_bits() as i64,
        };
        size * if x < 0.0 { -1 } else { 1 }
    };
    place(a).abs_diff(place(b))
}

fn told(given: &Fields) -> String {
    let shown = given.iter().map(|(name, array)| format!("{name} = {:?}", array.data));
    shown.collect::<Vec<_>>().join(", ")
}

fn read(file: &str) -> Json {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    Json::parse(&text).unwrap_or_else(|reason| panic!("{file}: {reason}"))
}

fn member<'a>(data: &'a Json, name: &str) -> &'a Json {
    data.get(name).unwrap_or_else(|| panic!("{name:?} is missing"))
}

fn table(data: &Json, name: &str) -> Fields {
    Fields::from_json(member(data, name)).unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

fn items(list: &Json) -> &[Json] {
    match list {
        Json::List(items) => items,
        other => panic!("{other:?} is no list"),
    }
}
