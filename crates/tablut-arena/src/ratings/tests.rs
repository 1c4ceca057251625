//! Ratings of simulated players whose strength is known.

use super::{PairingResult, RatingError, chances, normal_below, rate};
use crate::elo::LOGIT_PER_ELO;
use crate::score::Wdl;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Every player against every other, `games` with each side, from the model itself.
fn tournament(truth: &[f64], advantage: f64, log_draw: f64, games: u32, rng: &mut ChaCha8Rng) -> Vec<PairingResult> {
    let mut table = Vec::new();
    for attackers in 0..truth.len() {
        for defenders in (0..truth.len()).filter(|&d| d != attackers) {
            let x = (truth[attackers] - truth[defenders] + advantage) * LOGIT_PER_ELO;
            let p = chances(x, log_draw).p;
            let mut results = Wdl::default();
            for _ in 0..games {
                let at = rng.random::<f64>();
                if at < p[0] {
                    results.wins += 1;
                } else if at < p[0] + p[1] {
                    results.draws += 1;
                } else {
                    results.losses += 1;
                }
            }
            table.push(PairingResult { attackers, defenders, results });
        }
    }
    table
}

#[test]
fn intervals_hold_the_truth_in_95_of_100_tournaments() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let truth = [0.0, 120.0, 500.0];
    let advantage = 80.0;
    let runs = 1000;
    let mut held = [0_u32; 3];
    for _ in 0..runs {
        let table = tournament(&truth, advantage, -1.0, 40, &mut rng);
        let ratings = rate(3, 0, 0.0, &table).unwrap();
        for k in 1..3 {
            held[k] += u32::from(ratings.players[k].low <= truth[k] && truth[k] <= ratings.players[k].high);
        }
        let side = ratings.attackers_advantage;
        held[0] += u32::from(side.low <= advantage && advantage <= side.high);
    }
    println!("{held:?}");
    for count in held {
        assert!((930..=970).contains(&count), "intervals held in {held:?} of {runs}");
    }
}

#[test]
fn two_players_without_draws_give_elo_s_own_difference() {
    let even = Wdl { wins: 3_000_000, draws: 0, losses: 1_000_000 };
    let mirrored = Wdl { wins: 1_000_000, draws: 0, losses: 3_000_000 };
    let table = [
        PairingResult { attackers: 1, defenders: 0, results: even },
        PairingResult { attackers: 0, defenders: 1, results: mirrored },
    ];
    let ratings = rate(2, 0, 100.0, &table).unwrap();
    assert!((ratings.players[1].elo - 290.85).abs() < 0.1, "{:?}", ratings.players[1]);
    assert!(ratings.attackers_advantage.elo.abs() < 0.1);
    assert_eq!(ratings.players[0].elo, 100.0);
    assert!(ratings.draw_rate < 1e-3);
    assert!(ratings.superiority[1][0] > 0.999);
}

#[test]
fn an_undefeated_player_has_a_finite_rating_and_a_wide_interval() {
    let won = Wdl { wins: 10, draws: 0, losses: 0 };
    let lost = Wdl { wins: 0, draws: 0, losses: 10 };
    let table = [
        PairingResult { attackers: 1, defenders: 0, results: won },
        PairingResult { attackers: 0, defenders: 1, results: lost },
    ];
    let rating = rate(2, 0, 0.0, &table).unwrap().players[1];
    assert!(rating.elo.is_finite() && rating.low > 100.0 && rating.high > rating.elo + 500.0, "{rating:?}");
}

#[test]
fn faults_are_named() {
    let one = PairingResult { attackers: 0, defenders: 5, results: Wdl { wins: 1, draws: 0, losses: 0 } };
    assert_eq!(rate(2, 0, 0.0, &[one]).unwrap_err(), RatingError::UnknownPlayer { index: 5, n_players: 2 });
    assert_eq!(rate(2, 0, 0.0, &[]).unwrap_err(), RatingError::NoGames);
}

#[test]
fn normal_distribution_at_known_points() {
    assert!((normal_below(0.0) - 0.5).abs() < 1e-6);
    assert!((normal_below(1.959_964) - 0.975).abs() < 1e-6);
    assert!((normal_below(-1.0) - 0.158_655_3).abs() < 1e-6);
}
