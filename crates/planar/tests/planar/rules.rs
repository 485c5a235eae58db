//! Rewards, MuJoCo's quirks by name, and what is refused.

use crate::common::{CHEETAH, State, step_from, step_robot};
use planar::{CheetahRules, Settings};
use vecenv::Rules;

const NAN: f32 = f32::NAN;
const INFINITY: f32 = f32::INFINITY;

fn settings(frame_skip: i64) -> Settings {
    Settings { frame_skip, ..Settings::default() }
}

fn somewhere() -> State {
    State { position: [0.01; 9], velocity: [0.1; 9], acceleration: [0.0; 9] }
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + a.abs()))
}

#[test]
fn a_robot_in_the_air_falls() {
    let (after, _) = step_from(&State::still(), [0.0; 6], settings(1));
    let mut right = [0.0; 9];
    right[1] = -0.01 * 9.81;
    assert!(near(&after.velocity, &right), "{:?}", after.velocity);
    right[1] = -9.81;
    assert!(near(&after.acceleration, &right));
}

#[test]
fn rewards_are_speed_less_the_cost_of_actions_before_they_are_cut() {
    let action = [2.0, -0.5, 0.0, 1.0, 0.0, -3.0];
    let (after, reward) = step_from(&somewhere(), action, Settings::default());
    let speed = (after.position[0] - 0.01) / 0.05;
    assert!((f64::from(reward) - (speed - 0.1 * 14.25)).abs() < 1e-6);
    let cut = [1.0, -0.5, 0.0, 1.0, 0.0, -1.0];
    let (same, _) = step_from(&somewhere(), cut, Settings::default());
    assert_eq!(after, same);
    let double = Settings { forward_reward_weight: 2.0, ctrl_cost_weight: 0.0, ..settings(5) };
    let (_, reward) = step_from(&somewhere(), action, double);
    assert!((f64::from(reward) - 2.0 * speed).abs() < 1e-6);
}

/// The cheetah, with a hinge that turns the other way.
fn mirrored(link: usize) -> String {
    let mut robot: serde_json::Value = serde_json::from_str(CHEETAH).unwrap();
    let minus = |number: &serde_json::Value| (-number.as_f64().unwrap()).into();
    let hinge = &mut robot["links"][link];
    hinge["sign"] = minus(&hinge["sign"]);
    hinge["rest"] = minus(&hinge["rest"]);
    let (low, high) = (minus(&hinge["limit"]["high"]), minus(&hinge["limit"]["low"]));
    (hinge["limit"]["low"], hinge["limit"]["high"]) = (low, high);
    robot["motors"][link - 1]["gear"] = minus(&robot["motors"][link - 1]["gear"]);
    robot.to_string()
}

#[test]
fn hinges_may_turn_the_other_way() {
    let link = 3;
    let mut state = somewhere();
    state.position = [0.0, -0.1, 0.3, 0.6, -0.9, 0.5, 0.2, -0.4, 0.55];
    state.velocity = [1.0, -2.0, 3.0, 4.0, -5.0, 6.0, -7.0, 8.0, 9.0];
    let flip = |state: &State| {
        let mut state = state.clone();
        for part in [&mut state.position, &mut state.velocity, &mut state.acceleration] {
            part[2 + link] = -part[2 + link];
        }
        state
    };
    let action = [0.1, -0.2, 0.3, 0.4, -0.5, 0.6];
    let (right, _) = step_from(&state, action, settings(5));
    let (after, _) = step_robot(&mirrored(link), &flip(&state), action, settings(5));
    assert_eq!(flip(&after), right);
}

#[test]
fn a_control_that_is_no_number_stops_all_motors() {
    let (rest, _) = step_from(&somewhere(), [0.0; 6], settings(5));
    let (after, reward) = step_from(&somewhere(), [1.0, 0.5, 0.0, NAN, 0.0, 1.0], settings(5));
    assert_eq!(after, rest);
    assert!(reward.is_nan());
}

#[test]
fn infinite_controls_are_cut_like_others() {
    let (right, _) = step_from(&somewhere(), [1.0, -1.0, 1.0, 0.0, 0.0, 0.0], settings(5));
    let (after, reward) =
        step_from(&somewhere(), [INFINITY, -INFINITY, 1e11, 0.0, 0.0, 0.0], settings(5));
    assert_eq!(after, right);
    assert_eq!(reward, -INFINITY);
}

/// A reset of MuJoCo's, and then substeps without controls.
fn assert_restarted(state: &State, frame_skip: i64, substeps_since: i64) {
    let (after, reward) = step_from(state, [0.7; 6], settings(frame_skip));
    let (right, _) = step_from(&State::still(), [0.0; 6], settings(substeps_since));
    assert!(near(&after.position, &right.position), "{:?}", after.position);
    assert!(near(&after.velocity, &right.velocity), "{:?}", after.velocity);
    assert!(near(&after.acceleration, &right.acceleration));
    let moved = (right.position[0] - state.position[0]) / (0.01 * frame_skip as f64);
    let (reward, right) = (f64::from(reward), moved - 0.1 * 6.0 * 0.49);
    assert!(reward == right || (reward - right).abs() < 1e-5 * right.abs() || right.is_nan());
}

#[test]
fn positions_and_velocities_out_of_range_restart_a_robot_before_it_moves() {
    for wrong in [f64::NAN, 1.1e10, -1.1e10, f64::INFINITY] {
        for i in [0, 1, 2, 5, 8] {
            for part in [0, 1] {
                let mut state = somewhere();
                [&mut state.position, &mut state.velocity][part][i] = wrong;
                assert_restarted(&state, 1, 1);
                assert_restarted(&state, 5, 5);
            }
        }
    }
}

#[test]
fn accelerations_out_of_range_restart_a_robot_within_the_substep() {
    let mut state = somewhere();
    state.velocity[4] = 1e8;
    assert_restarted(&state, 1, 1);
    assert_restarted(&state, 5, 5);
}

#[test]
fn a_robot_at_the_edge_of_the_range_goes_on() {
    let mut state = somewhere();
    state.position[1] = 1e10;
    let (after, _) = step_from(&state, [0.0; 6], settings(1));
    assert!(after.position[1] > 9e9, "mjMAXVAL itself is no explosion");
}

#[test]
fn a_wrong_guess_is_no_explosion() {
    let (right, _) = step_from(&somewhere(), [0.5; 6], settings(1));
    for guess in [1e12, f64::NAN, -1e300] {
        let state = State { acceleration: [guess; 9], ..somewhere() };
        let (after, _) = step_from(&state, [0.5; 6], settings(1));
        assert!(near(&after.velocity, &right.velocity));
    }
}

fn refusal(json: &str, settings: Settings) -> String {
    CheetahRules::<f32>::new(json, settings).expect_err("to be refused")
}

#[test]
fn settings_that_make_no_sense_are_refused_with_a_way_out() {
    let d = Settings::default;
    for (settings, says) in [
        (Settings { frame_skip: 0, ..d() }, "frame_skip is 0; choose one from 1 to 1000"),
        (Settings { frame_skip: -3, ..d() }, "frame_skip is -3; choose one from 1 to 1000"),
        (Settings { max_steps: 0, ..d() }, "max_steps is 0; choose one from 1 to 2147483647"),
        (Settings { max_steps: 1 << 40, ..d() }, "max_steps is 1099511627776; choose one"),
        (Settings { reset_noise_scale: -0.1, ..d() }, "reset_noise_scale is -0.1; choose 0 or"),
        (Settings { reset_noise_scale: f64::NAN, ..d() }, "reset_noise_scale is NaN; choose a"),
        (Settings { ctrl_cost_weight: f64::INFINITY, ..d() }, "ctrl_cost_weight is inf; choose"),
        (Settings { forward_reward_weight: f64::NAN, ..d() }, "forward_reward_weight is NaN;"),
    ] {
        let refusal = refusal(CHEETAH, settings);
        assert!(refusal.starts_with(says), "{refusal}");
    }
}

#[test]
fn robots_that_cannot_be_run_are_refused_with_a_reason() {
    let changed = |from: &str, to: &str| {
        let json = CHEETAH.replacen(from, to, 1);
        assert_ne!(json, CHEETAH, "{from} is there");
        refusal(&json, Settings::default())
    };
    for (refusal, says) in [
        (refusal("", Settings::default()), "the robot is missing; pass what Robot.to_json()"),
        (refusal("{}", Settings::default()), "the robot cannot be read (missing field `name`"),
        (changed("\"euler\"", "\"rk4\""), "its integrator is 'rk4'; only 'euler' is known"),
        (changed("\"parent\": 4", "\"parent\": 2"), "link 5 hangs on link 2; only chains"),
        (changed("\"parent\": -1", "\"parent\": 0"), "link 0 hangs on link 0; only chains"),
        (changed("\"sign\": 1.0", "\"sign\": 0.5"), "link 0 has sign 0.5; choose 1 or -1"),
        (changed("\"power\": 2.0", "\"power\": 3.0"), "a constraint has power 3; only 2"),
        (changed("\"friction\": 0.4", "\"friction\": 0.0"), "a tip has friction 0; choose"),
        (changed("\"timestep\": 0.01", "\"timestep\": -1"), "its timestep is -1; choose one"),
        (changed("\"stiffness\": 0.0", "\"stiffness\": 9.0"), "its trunk is held or driven"),
    ] {
        assert!(refusal.contains(says), "{refusal}");
    }
}

#[test]
fn identities_tell_settings_and_robots_apart() {
    let identity =
        |json: &str, settings| CheetahRules::<f32>::new(json, settings).unwrap().identity();
    let usual = identity(CHEETAH, Settings::default());
    let heavier = CHEETAH.replacen("\"mass\": ", "\"mass\": 1", 1);
    assert_ne!(usual, identity(&heavier, Settings::default()));
    assert_ne!(usual, identity(CHEETAH, settings(4)));
    let double = CheetahRules::<f64>::new(CHEETAH, Settings::default()).unwrap();
    assert_ne!(usual, double.identity());
}
