//! Tests the sequential test, exactly on all sequences of a few pairs and in simulations to its end.

use super::{SequentialTest, TestBounds, TestVerdict};
use crate::simulated::{SimulatedMatch, pick};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

#[test]
fn bad_bounds_are_refused_by_name() {
    for (text, part) in [
        ("20,0", "elo1 (0) must be above elo0 (20)"),
        ("0,inf", "elo1 is inf, expected a number from -2000 to 2000"),
        ("nan,5", "elo0 is NaN, expected a number"),
        ("0,20,0.7,0.05", "alpha is 0.7, expected a chance"),
        ("0;20", "\"0;20\""),
    ] {
        let error = text.parse::<TestBounds>().unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// The chances of 0 to 4 half points between players whose mean score is the one of `elo`.
fn pair_chances(elo: f64, tilt: f64, draw_weight: f64) -> [f64; 5] {
    SimulatedMatch { strength: 0.0, advantage: 0.0, tilt, draw_weight }.with_score_of(elo).half_point_chances()
}

/// The capitals' mean over all sequences of `n_pairs` pairs.
fn mean_capitals(test: &SequentialTest, chances: &[f64; 5], n_pairs: u32) -> [f64; 2] {
    if n_pairs == 0 {
        return [test.state.stronger.exp(), test.state.not_stronger.exp()];
    }
    let mut means = [0.0; 2];
    for (half_points, chance) in chances.iter().enumerate() {
        let mut next = test.clone();
        next.record(half_points);
        let capitals = mean_capitals(&next, chances, n_pairs - 1);
        for (mean, capital) in means.iter_mut().zip(capitals) {
            *mean += chance * capital;
        }
    }
    means
}

#[test]
fn no_capital_grows_on_average_under_the_hypothesis_that_it_bets_against() {
    // Bounds that six pairs cannot reach, so that every sequence runs to its end.
    let bounds = TestBounds { elo0: 0.0, elo1: 60.0, alpha: 1e-9, beta: 1e-9 };
    for (tilt, draw) in [(0.0, 0.0), (300.0, 1.0), (800.0, 0.0)] {
        let under_null = mean_capitals(&SequentialTest::new(bounds), &pair_chances(0.0, tilt, draw), 6);
        let under_alternative = mean_capitals(&SequentialTest::new(bounds), &pair_chances(60.0, tilt, draw), 6);
        assert!((under_null[0] - 1.0).abs() < 1e-9, "{under_null:?}");
        assert!((under_alternative[1] - 1.0).abs() < 1e-9, "{under_alternative:?}");
        assert!(under_alternative[0] > 1.0 && under_null[1] > 1.0, "each grows where it should");
    }
}

/// Draws pairs until the test stops, at most 20,000.
fn simulate(bounds: TestBounds, chances: &[f64; 5], rng: &mut ChaCha8Rng) -> (TestVerdict, u32) {
    let mut test = SequentialTest::new(bounds);
    for n in 1..=20_000 {
        test.record(pick(chances, rng));
        if test.state().verdict != TestVerdict::Undecided {
            return (test.state().verdict, n);
        }
    }
    (TestVerdict::Undecided, 20_000)
}

#[test]
fn error_rates_keep_the_stated_bounds() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let runs: u32 = 8000;
    // The last number is the largest mean number of pairs that the test may need. The likelihood-ratio test needs five
    // sixths of it.
    for (bounds, tilt, draw, most_pairs) in [
        ("0,80", 0.0, 0.0, 68.0),
        ("0,80", 300.0, 0.0, 40.0),
        ("-100,0", 0.0, 2.0, 26.0),
        ("200,300", 300.0, 0.0, 62.0),
    ] {
        let bounds: TestBounds = bounds.parse().unwrap();
        for (elo, wrong) in [(bounds.elo0, TestVerdict::Stronger), (bounds.elo1, TestVerdict::NotStronger)] {
            let chances = pair_chances(elo, tilt, draw);
            let (mut errors, mut pairs) = (0, 0);
            for _ in 0..runs {
                let (verdict, n) = simulate(bounds, &chances, &mut rng);
                errors += u32::from(verdict == wrong);
                pairs += n;
            }
            let (rate, mean_pairs) = (f64::from(errors) / f64::from(runs), f64::from(pairs) / f64::from(runs));
            println!("{bounds:?}, tilt {tilt}, draws {draw}, truth {elo}: {rate}, {mean_pairs} pairs");
            assert!(rate > 0.005 && rate <= 0.05, "{bounds:?}, tilt {tilt}, draws {draw}, truth {elo}: {rate}");
            assert!(mean_pairs <= most_pairs, "{bounds:?}, tilt {tilt}, draws {draw}, truth {elo}: {mean_pairs}");
        }
    }
}

#[test]
fn a_verdict_stands() {
    let mut test = SequentialTest::new("0,100".parse().unwrap());
    for _ in 0..40 {
        test.record(4);
    }
    let settled = test.state();
    assert_eq!(settled.verdict, TestVerdict::Stronger);
    assert!(settled.stronger >= settled.stronger_at);
    for _ in 0..400 {
        test.record(0);
    }
    assert_eq!(test.state(), settled);
}
