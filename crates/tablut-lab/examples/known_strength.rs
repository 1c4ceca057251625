//! Tests ratings and sequential tests on simulated players of known strength. It measures how often the intervals
//! contain the truth and how often the tests are wrong. It prints the tables of `experiments/ratings`.
//!
//! ```text
//! cargo run --release -p tablut-lab --example known_strength -- TOURNAMENTS TESTS
//! ```

/// The simulated players of the rating tests. That file uses `crate::elo` and `crate::pairs`, which are imported here.
#[path = "../../tablut-ratings/tests/support/simulated.rs"]
mod simulated;

use elo::expected_score;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use simulated::{SimulatedMatch, pick};
use tablut_ratings::sequential_test::bet::likeliest_with_mean;
use tablut_ratings::{
    Anchor, PairTable, Pairing, Pentanomial, Ratings, SequentialTest, TestBounds, TestVerdict, elo, pairs, rate,
};

const ZERO: Anchor = Anchor { player: 0, elo: 0.0 };

fn main() {
    let counts: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let &[n_tournaments, n_tests] = counts.as_slice() else {
        eprintln!("expected TOURNAMENTS TESTS, for example 1000 20000");
        std::process::exit(2);
    };
    coverage_table(n_tournaments);
    error_table(n_tests);
}

/// A round-robin tournament.
struct Tournament {
    truth: &'static [f64],
    common: SimulatedMatch,
    n_pairs: u32,
}

impl Tournament {
    fn pairings(&self, mut result: impl FnMut(&SimulatedMatch) -> PairTable) -> Vec<Pairing> {
        let n = self.truth.len();
        let pairs = (0..n).flat_map(|first| (first + 1..n).map(move |second| (first, second)));
        pairs
            .map(|(first, second)| {
                let strength = self.truth[first] - self.truth[second];
                let pairs = result(&SimulatedMatch { strength, ..self.common });
                Pairing { first, second, pairs }
            })
            .collect()
    }

    fn rate(&self, pairings: &[Pairing]) -> Ratings {
        rate(self.truth.len(), &[ZERO], pairings).expect("games were played and the anchor is one of the players")
    }
}

/// How often the 95 % intervals of all players and of the side advantage contain the result of an infinitely long
/// tournament.
fn coverage_table(n_tournaments: usize) {
    println!(
        "| players | pairs a match | attackers | openings | draws | held: players | held: side | wrong at LOS 95 % |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let plain = SimulatedMatch { strength: 0.0, advantage: 0.0, tilt: 0.0, draw_weight: 0.0 };
    let sided = SimulatedMatch { advantage: -120.0, draw_weight: 0.4, ..plain };
    for (truth, common) in [
        (&[0.0, 0.0, 0.0][..], plain),
        (&[0.0, 120.0, 500.0], SimulatedMatch { advantage: 80.0, draw_weight: 0.4, ..plain }),
        (&[0.0, 120.0, 500.0], SimulatedMatch { advantage: 80.0, tilt: 350.0, ..plain }),
        (&[0.0, 100.0, 200.0, 300.0, 400.0, 500.0], sided),
        (&[0.0, 100.0, 200.0, 300.0, 400.0, 500.0], SimulatedMatch { tilt: 250.0, ..sided }),
        (&[0.0, 50.0, 50.0], SimulatedMatch { draw_weight: 4.0, ..plain }),
    ] {
        for n_pairs in [20, 100] {
            let tournament = Tournament { truth, common, n_pairs };
            let [players, side, superior] = coverage(&tournament, n_tournaments);
            println!(
                "| {truth:?} | {n_pairs} | {:+} | ±{} | {:.0} % | {players:.1} % | {side:.1} % | {superior:.1} % |",
                common.advantage,
                common.tilt,
                100.0 * common.draw_weight / (common.draw_weight + 2.0),
            );
        }
    }
}

/// Three percentages: of the players' intervals that contain the truth, of the side advantage's intervals that do, and
/// of the tournaments in which the weaker of the last two players has a likelihood of superiority of 95 % or more. If
/// the two are equal, the second to last counts as the weaker one.
fn coverage(tournament: &Tournament, n_tournaments: usize) -> [f64; 3] {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let truth = tournament.rate(&tournament.pairings(|played| played.expected(100_000_000)));
    let n_players = tournament.truth.len();
    let (mut players, mut side, mut superior) = (0, 0, 0);
    for _ in 0..n_tournaments {
        let pairings = tournament.pairings(|played| played.play(tournament.n_pairs, &mut rng));
        let ratings = tournament.rate(&pairings);
        let held = |k: &usize| {
            let rating = ratings.players[*k];
            rating.low <= truth.players[*k].elo && truth.players[*k].elo <= rating.high
        };
        players += (1..n_players).filter(held).count();
        let advantage = ratings.attackers_advantage;
        let true_advantage = truth.attackers_advantage.elo;
        side += usize::from(advantage.low <= true_advantage && true_advantage <= advantage.high);
        superior += usize::from(ratings.superiority[n_players - 2][n_players - 1] >= 0.95);
    }
    let percent = |count: usize, of: usize| 100.0 * count as f64 / of as f64;
    [percent(players, n_tournaments * (n_players - 1)), percent(side, n_tournaments), percent(superior, n_tournaments)]
}

/// Error rates and lengths of the sequential test and of the generalised likelihood-ratio test.
fn error_table(n_tests: usize) {
    println!("\n| bounds, Elo | openings | draws | truth, Elo | wrong | pairs | wrong, GSPRT | pairs, GSPRT |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for bounds in ["0,20", "0,80", "0,200", "-100,0", "200,300"] {
        let bounds: TestBounds = bounds.parse().expect("these are bounds");
        for (tilt, draw_weight) in [(0.0, 0.0), (300.0, 0.0), (800.0, 0.0), (0.0, 2.0)] {
            let common = SimulatedMatch { strength: 0.0, advantage: 0.0, tilt, draw_weight };
            for (elo, wrong) in [(bounds.elo0, TestVerdict::Stronger), (bounds.elo1, TestVerdict::NotStronger)] {
                let chances = common.with_score_of(elo).half_point_chances();
                let [ours, usual] = errors(bounds, &chances, wrong, n_tests);
                println!(
                    "| {}, {} | ±{tilt} | {:.0} % | {elo} | {:.2} % | {:.0} | {:.2} % | {:.0} |",
                    bounds.elo0,
                    bounds.elo1,
                    100.0 * draw_weight / (draw_weight + 2.0),
                    ours.0,
                    ours.1,
                    usual.0,
                    usual.1
                );
            }
        }
    }
}

/// The percentage of wrong verdicts and the mean number of pairs, for our test and then for the GSPRT.
fn errors(bounds: TestBounds, chances: &[f64; 5], wrong: TestVerdict, n_tests: usize) -> [(f64, f64); 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (mut errors, mut pairs) = ([0_usize; 2], [0_usize; 2]);
    for _ in 0..n_tests {
        let (mut test, mut counts) = (SequentialTest::new(bounds), Pentanomial::default());
        let mut verdicts = [TestVerdict::Undecided; 2];
        while verdicts.contains(&TestVerdict::Undecided) && counts.pairs() < 100_000 {
            let half_points = pick(chances, &mut rng);
            counts.counts[half_points] += 1;
            test.record(half_points);
            for (n, verdict) in
                verdicts.iter_mut().enumerate().filter(|(_, verdict)| **verdict == TestVerdict::Undecided)
            {
                pairs[n] += 1;
                *verdict = if n == 0 { test.state().verdict } else { gsprt(bounds, &counts) };
            }
        }
        for (count, verdict) in errors.iter_mut().zip(verdicts) {
            *count += usize::from(verdict == wrong);
        }
    }
    let rate = |n: usize| (100.0 * errors[n] as f64 / n_tests as f64, pairs[n] as f64 / n_tests as f64);
    [rate(0), rate(1)]
}

/// The pentanomial GSPRT with Wald's bounds in its usual form: it adds a thousandth to every count.
fn gsprt(bounds: TestBounds, pairs: &Pentanomial) -> TestVerdict {
    let counts = pairs.counts.map(|n| f64::from(n) + 0.001);
    let [p0, p1] = [bounds.elo0, bounds.elo1].map(|elo| likeliest_with_mean(&counts, expected_score(elo)));
    let ratio: f64 = (0..5).map(|k| counts[k] * (p1[k] / p0[k]).ln()).sum();
    if ratio >= ((1.0 - bounds.beta) / bounds.alpha).ln() {
        TestVerdict::Stronger
    } else if ratio <= (bounds.beta / (1.0 - bounds.alpha)).ln() {
        TestVerdict::NotStronger
    } else {
        TestVerdict::Undecided
    }
}
