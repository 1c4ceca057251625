//! Ratings of simulated players of known strength.

use super::{Anchor, Pairing, RatingError, Ratings, rate};
use crate::pairs::PairTable;
use crate::simulated::SimulatedMatch;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

const ZERO: Anchor = Anchor { player: 0, elo: 0.0 };

/// A tournament in which each player plays a match against each other player. `result` returns the pairs of a match.
fn tournament(
    truth: &[f64],
    common: SimulatedMatch,
    mut result: impl FnMut(&SimulatedMatch) -> PairTable,
) -> Vec<Pairing> {
    let mut pairings = Vec::new();
    for first in 0..truth.len() {
        for second in first + 1..truth.len() {
            let played = SimulatedMatch { strength: truth[first] - truth[second], ..common };
            pairings.push(Pairing { first, second, pairs: result(&played) });
        }
    }
    pairings
}

/// How often, in 1,000 tournaments, the intervals of the second and third player and of the side advantage contain the
/// result of an infinitely long tournament.
fn coverage(truth: &[f64; 3], common: SimulatedMatch, n_pairs: u32) -> [u32; 3] {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let endless = rate(3, &[ZERO], &tournament(truth, common, |m| m.expected(10_000_000))).unwrap();
    let three = |r: &Ratings| [r.players[1], r.players[2], r.attackers_advantage];
    let targets = three(&endless);
    let mut held = [0; 3];
    for _ in 0..1000 {
        let table = tournament(truth, common, |m| m.play(n_pairs, &mut rng));
        for ((count, rating), target) in held.iter_mut().zip(three(&rate(3, &[ZERO], &table).unwrap())).zip(&targets) {
            *count += u32::from(rating.low <= target.elo && target.elo <= rating.high);
        }
    }
    held
}

#[test]
fn intervals_hold_the_truth_in_95_of_100_tournaments() {
    let even = SimulatedMatch { strength: 0.0, advantage: 80.0, tilt: 0.0, draw_weight: 0.4 };
    // Openings that decide games give the two games of a pair different results.
    let tilted = SimulatedMatch { tilt: 350.0, draw_weight: 0.0, ..even };
    for (common, n_pairs) in [(even, 40), (tilted, 40)] {
        let held = coverage(&[0.0, 120.0, 500.0], common, n_pairs);
        println!("{common:?}, {n_pairs} pairs a match: {held:?}");
        for count in held {
            assert!((930..=970).contains(&count), "{common:?}, {n_pairs} pairs a match: {held:?} of 1000");
        }
    }
}

#[test]
fn an_endless_tournament_gives_the_truth() {
    let common = SimulatedMatch { strength: 0.0, advantage: -60.0, tilt: 0.0, draw_weight: 0.5 };
    let ratings = rate(3, &[ZERO], &tournament(&[0.0, 150.0, -90.0], common, |m| m.expected(10_000_000))).unwrap();
    for (rating, truth) in ratings.players.iter().zip([0.0, 150.0, -90.0]) {
        assert!((rating.elo - truth).abs() < 0.1, "{ratings:?}");
    }
    assert!((ratings.attackers_advantage.elo + 60.0).abs() < 0.1, "{ratings:?}");
    assert!((ratings.draw_rate - 0.2).abs() < 1e-4, "{ratings:?}");
}

#[test]
fn the_likelihood_of_superiority_is_as_often_wrong_as_it_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for tilt in [0.0, 350.0] {
        let common = SimulatedMatch { strength: 0.0, advantage: 80.0, tilt, draw_weight: 0.1 };
        let (mut over_95, mut over_75) = (0, 0);
        for _ in 0..400 {
            let table = tournament(&[0.0, 0.0, 200.0], common, |m| m.play(30, &mut rng));
            let likelihood = rate(3, &[Anchor { player: 2, elo: 0.0 }], &table).unwrap().superiority[0][1];
            over_95 += u32::from(likelihood > 0.95);
            over_75 += u32::from(likelihood > 0.75);
        }
        println!("tilt {tilt}: {over_95} over 95 %, {over_75} over 75 %");
        assert!((7..=33).contains(&over_95) && (74..=126).contains(&over_75), "tilt {tilt}: {over_95}, {over_75}");
    }
}

/// A pairing in which the first player has this many wins and losses with each side.
fn pairing(first: usize, second: usize, wins: u32, losses: u32) -> Pairing {
    let counts = [[losses, 0, 0], [0, 0, 0], [0, 0, wins]];
    Pairing { first, second, pairs: PairTable { counts } }
}

#[test]
fn two_players_without_draws_give_elo_s_own_difference() {
    let ratings = rate(2, &[Anchor { player: 0, elo: 100.0 }], &[pairing(1, 0, 3_000_000, 1_000_000)]).unwrap();
    assert!((ratings.players[1].elo - 290.85).abs() < 0.1, "{:?}", ratings.players[1]);
    assert!(ratings.attackers_advantage.elo.abs() < 0.1);
    assert!((ratings.players[0].elo - 100.0).abs() < 1e-9);
    assert!(ratings.draw_rate < 1e-3);
    assert!(ratings.superiority[1][0] > 0.999 && ratings.superiority[0][1] < 0.001);
}

#[test]
fn an_undefeated_player_has_a_finite_rating_and_a_wide_interval() {
    let ratings = rate(2, &[ZERO], &[pairing(1, 0, 10, 0)]).unwrap();
    let rating = ratings.players[1];
    assert!(rating.elo.is_finite() && rating.low > 100.0 && rating.high > rating.elo + 500.0, "{rating:?}");
    assert!(ratings.superiority[1][0] > 0.999, "{ratings:?}");
}

#[test]
fn drawn_games_alone_are_not_certainty() {
    for n_pairs in [5, 20, 200] {
        let mut pairs = PairTable::default();
        pairs.counts[1][1] = n_pairs;
        let rating = rate(2, &[ZERO], &[Pairing { first: 0, second: 1, pairs }]).unwrap().players[1];
        let (_, _, high) = pairs.pentanomial().estimate().elo();
        assert!(rating.elo.abs() < 1e-6 && (rating.high + rating.low).abs() < 0.01, "{rating:?}");
        assert!(rating.high > high && rating.high < 3.0 * high, "{n_pairs} pairs: {rating:?}, score ±{high}");
    }
}

#[test]
fn a_second_anchor_replaces_what_the_games_say_of_it() {
    // The middle player is 191 above the first and 191 below the last. Both links are equally strong.
    let games = [pairing(1, 0, 30, 10), pairing(2, 1, 30, 10)];
    let free = rate(3, &[ZERO], &games).unwrap();
    let held = rate(3, &[ZERO, Anchor { player: 1, elo: 300.0 }], &games).unwrap();
    assert_eq!((held.players[1].elo, held.players[1].low, held.players[1].high), (300.0, 300.0, 300.0));
    assert!((held.players[2].elo - 490.0).abs() < 3.0, "{held:?}");
    // The last player is known only by its distance from the nearer anchor.
    assert!(held.players[2].high - held.players[2].low < 0.8 * (free.players[2].high - free.players[2].low));
    assert_eq!(held.measured, [(1, free.players[1])]);
    assert_eq!((held.superiority[1][0], held.superiority[0][1]), (1.0, 0.0));
    assert!(free.measured.is_empty());
}

#[test]
fn faults_are_named() {
    let one = [pairing(0, 1, 1, 0)];
    assert_eq!(
        rate(2, &[ZERO], &[pairing(0, 5, 1, 0)]).unwrap_err(),
        RatingError::UnknownPlayer { index: 5, n_players: 2 }
    );
    assert_eq!(
        rate(2, &[Anchor { player: 2, elo: 0.0 }], &one).unwrap_err(),
        RatingError::UnknownPlayer { index: 2, n_players: 2 }
    );
    assert_eq!(rate(2, &[], &one).unwrap_err(), RatingError::NoAnchor);
    assert_eq!(rate(2, &[ZERO, ZERO], &one).unwrap_err(), RatingError::AnchoredTwice { index: 0 });
    let far = Anchor { player: 1, elo: f64::INFINITY };
    assert!(matches!(rate(2, &[ZERO, far], &one), Err(RatingError::AnchorRange { .. })));
    assert_eq!(rate(2, &[ZERO], &[]).unwrap_err(), RatingError::NoGames);
}
