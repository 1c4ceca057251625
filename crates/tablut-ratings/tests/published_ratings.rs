//! Compares ratings with those of Ordo and `BayesElo` on the same games. `experiments/ratings` documents how their
//! ratings were computed.

use tablut_ratings::{Anchor, PairTable, Pairing, Ratings, Wdl, rate};

/// Converts to Ordo's scale, on which a score of 76 % is 202 points. Before 2012 a factor of e in the odds was 173
/// points. Our scale has 400 points for a factor of ten.
fn ordo_points(elo: f64) -> f64 {
    elo * std::f64::consts::LN_10 / 400.0 * 202.0 / f64::ln(0.76 / 0.24)
}

fn ordo_points_of_2012(elo: f64) -> f64 {
    elo * std::f64::consts::LN_10 / 400.0 * 173.0
}

/// Pairs with these results by side. A rating does not depend on how they are paired.
fn pairs_of(as_attackers: Wdl, as_defenders: Wdl) -> PairTable {
    let mut rows = [as_attackers.losses, as_attackers.draws, as_attackers.wins];
    let mut columns = [as_defenders.losses, as_defenders.draws, as_defenders.wins];
    let mut table = PairTable::default();
    for (row, left) in rows.iter_mut().enumerate() {
        for (column, room) in columns.iter_mut().enumerate() {
            let n = (*left).min(*room);
            table.counts[row][column] += n;
            *left -= n;
            *room -= n;
        }
    }
    assert_eq!((rows, columns), ([0; 3], [0; 3]), "as many games with either side");
    table
}

/// Every draw counts as half a win and half a loss, so every game counts twice.
fn without_draws(Wdl { wins, draws, losses }: Wdl) -> Wdl {
    Wdl { wins: 2 * wins + draws, draws: 0, losses: 2 * losses + draws }
}

fn wdl(wins: u32, draws: u32, losses: u32) -> Wdl {
    Wdl { wins, draws, losses }
}

fn rated(pairings: &[Pairing]) -> Ratings {
    rate(3, &[Anchor { player: 0, elo: 0.0 }], pairings).unwrap()
}

#[test]
fn ordo_s_published_ratings_of_three_engines() {
    // Laskos, "EloStat, Bayeselo and Ordo", talkchess, 24 June 2012: Strelka, Houdini, Komodo. Scores of 75, 75 and 90
    // % in 90 games, and the same results four times. Ordo gave 190.1, 0.0 and -190.1 in both cases.
    for times in [1, 4] {
        let pairing = |first, second, result: Wdl| {
            let result = without_draws(wdl(times * result.wins, times * result.draws, times * result.losses));
            Pairing { first, second, pairs: pairs_of(result, result) }
        };
        let games = [pairing(1, 0, wdl(18, 9, 3)), pairing(0, 2, wdl(18, 9, 3)), pairing(1, 2, wdl(24, 6, 0))];
        let ratings = rated(&games);
        for (rating, published) in ratings.players.iter().zip([0.0, 190.1, -190.1]) {
            let ours = ordo_points_of_2012(rating.elo);
            assert!((ours - published).abs() < 0.1, "{ours} for {published}, {times} times");
        }
    }
}

/// 300 games of alphabeta:1, alphabeta:2 and alphabeta:3 under the imperial rules, with 60 draws and a strong side
/// advantage.
fn imperial(change: fn(Wdl) -> Wdl) -> [Pairing; 3] {
    let pairing = |first, second, as_attackers, as_defenders| Pairing {
        first,
        second,
        pairs: pairs_of(change(as_attackers), change(as_defenders)),
    };
    [
        pairing(0, 1, wdl(0, 18, 32), wdl(17, 7, 26)),
        pairing(0, 2, wdl(1, 2, 47), wdl(6, 6, 38)),
        pairing(1, 2, wdl(3, 7, 40), wdl(24, 16, 10)),
    ]
}

#[test]
fn ordo_s_maximum_likelihood_with_draws_and_side_advantage() {
    // ordo 1.2.6 -M -W -D has the same model without our weak priors. Our prior adds two decided games to the 300.
    let ratings = rated(&imperial(|result| result));
    let points = |elo: f64| ordo_points(elo);
    assert!((points(ratings.players[1].elo) - 218.13).abs() < 0.25, "{ratings:?}");
    assert!((points(ratings.players[2].elo) - 354.52).abs() < 0.25, "{ratings:?}");
    assert!((points(ratings.attackers_advantage.elo) + 156.90).abs() < 0.25, "{ratings:?}");
    assert!((100.0 * ratings.draw_rate - 26.60).abs() < 0.4, "{ratings:?}");
}

#[test]
fn ordo_and_bayeselo_with_draws_as_half_points() {
    let ratings = rated(&imperial(without_draws));
    // ordo 1.2.6 -W, which counts a draw as half a point.
    let ordo = [ratings.players[1].elo, ratings.players[2].elo, ratings.attackers_advantage.elo].map(ordo_points);
    for (ours, theirs) in ordo.iter().zip([221.42, 355.24, -158.51]) {
        assert!((ours - theirs).abs() < 0.25, "{ours} for {theirs}");
    }
    // bayeselo without prior and draws (`prior 0`, `drawelo 0.001`, `mm 1 0`): 162, 29 and -191, in whole points.
    for (player, theirs) in [(1, 29.0 + 191.0), (2, 162.0 + 191.0)] {
        assert!((ratings.players[player].elo - theirs).abs() < 1.0, "{ratings:?}");
    }
    assert!((ratings.attackers_advantage.elo + 157.133).abs() < 0.25, "{ratings:?}");
}
