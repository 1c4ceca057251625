//! The result of a match: scores, sides, endings, lengths.

use crate::match_game::half_points;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tablut_games::GameRecord;
use tablut_ratings::{PairTable, Pentanomial, ScoreEstimate, SequentialTest, TestBounds, TestState, Wdl};
use tablut_rules::{Reason, Results, Rules, Side};

#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SideResult {
    /// The first player's points: wins, draws and losses. An unfinished game is half a point, like a draw.
    pub results: Wdl,
    pub score: Option<ScoreEstimate>,
}

impl SideResult {
    fn of(results: Wdl) -> Self {
        Self { results, score: (results.games() > 0).then(|| results.estimate()) }
    }
}

/// An Elo difference with its 95 % interval. Infinite values (at a score of 0 or 1) are null in JSON.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EloDifference {
    pub low: Option<f64>,
    pub mean: Option<f64>,
    pub high: Option<f64>,
}

impl From<ScoreEstimate> for EloDifference {
    fn from(score: ScoreEstimate) -> Self {
        let finite = |elo: f64| elo.is_finite().then_some(elo);
        let (low, mean, high) = score.elo();
        Self { low: finite(low), mean: finite(mean), high: finite(high) }
    }
}

/// The result of a match from the first player's view. `--json` prints it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchReport {
    pub rules: String,
    /// The players' names. All scores are those of the first player.
    pub players: [String; 2],
    /// Seed of openings and players.
    pub seed: u64,
    /// Random plies at the start of each game.
    pub opening_plies: u32,
    /// The ply limit of the match, if it has one.
    pub max_plies: Option<u32>,
    /// Whether all games were played or a sequential test stopped the match. Otherwise the match was stopped and can be
    /// continued.
    pub complete: bool,
    pub games: u32,
    /// All games. The interval is based on the pairs.
    pub total: SideResult,
    /// The games in which the first player played the attackers.
    pub as_attackers: SideResult,
    /// The games in which the first player played the defenders.
    pub as_defenders: SideResult,
    /// Pairs by the first player's half points.
    pub pentanomial: Pentanomial,
    /// Pairs by the first player's half points as attackers (rows) and as defenders (columns).
    pub pairs: PairTable,
    /// The Elo difference between the first player and the second.
    pub elo: EloDifference,
    /// Games by their ending. The keys are the names of the reasons.
    pub endings: BTreeMap<String, Results>,
    /// Games that were stopped at the ply limit of the match. Each player scores half a point.
    pub unfinished: usize,
    /// Games that each player lost by forfeit: by a crash, by exceeding its time, or by an illegal move. They count as
    /// losses.
    pub forfeits: [u32; 2],
    /// Why these games were lost, in the order of the games.
    pub forfeit_reasons: Vec<Forfeit>,
    /// Mean number of plies per game, including the opening.
    pub mean_plies: f64,
    #[serde(rename = "sprt")]
    pub sequential_test: Option<TestReport>,
}

impl MatchReport {
    /// The scores and the Elo difference that follow from pairs of games. Everything else is empty.
    pub fn of_pairs(pairs: PairTable) -> Self {
        let [as_attackers, as_defenders] = [pairs.as_attackers(), pairs.as_defenders()];
        let games = 2 * pairs.pairs();
        let score = pairs.pentanomial().estimate();
        Self {
            games,
            total: SideResult { results: as_attackers + as_defenders, score: (games > 0).then_some(score) },
            as_attackers: SideResult::of(as_attackers),
            as_defenders: SideResult::of(as_defenders),
            pentanomial: pairs.pentanomial(),
            pairs,
            elo: score.into(),
            ..Self::default()
        }
    }

    pub fn opponent(&self) -> &str {
        &self.players[1]
    }
}

/// A game that a player lost by forfeit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forfeit {
    /// The number of the game, from 1.
    pub game: u64,
    /// The player's place in [`MatchReport::players`].
    pub player: usize,
    /// What the player did.
    pub reason: String,
}

/// A sequential test's bounds and its final state.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestReport {
    #[serde(flatten)]
    pub bounds: TestBounds,
    #[serde(flatten)]
    pub state: TestState,
}

#[derive(Clone, Debug, Default)]
pub struct Tally {
    pairs: PairTable,
    endings: BTreeMap<String, Results>,
    forfeits: Vec<Forfeit>,
    plies: u64,
    test: Option<SequentialTest>,
}

impl Tally {
    /// A tally that also passes its pairs to a sequential test, in the order in which they are counted.
    pub fn with_test(bounds: Option<TestBounds>) -> Self {
        Self { test: bounds.map(SequentialTest::new), ..Self::default() }
    }

    /// Counts a pair under `rules`. In `first` the first player played the attackers, in `second` the defenders.
    pub fn record_pair(&mut self, rules: &Rules, first: &GameRecord, second: &GameRecord) {
        let points = [half_points(first, Side::Attackers), half_points(second, Side::Defenders)];
        self.pairs.record(points[0], points[1]);
        if let Some(test) = &mut self.test {
            test.record(points[0] as usize + points[1] as usize);
        }
        for (place, game) in [first, second].into_iter().enumerate() {
            if let Some(winner) = game.outcome.winner
                && game.outcome.reason == Reason::Forfeit
            {
                let player = (place + winner.opponent().index()) % 2;
                let reason = game.forfeit.clone().unwrap_or_default();
                self.forfeits.push(Forfeit { game: game.index + 1, player, reason });
            }
            self.plies += game.plies.len() as u64;
            *self.endings.entry(game.outcome.reason.to_string()).or_default() += game.results(rules);
        }
    }

    /// The pairs counted so far, by half points on each side.
    pub fn pairs(&self) -> PairTable {
        self.pairs
    }

    /// The games counted so far.
    pub fn results(&self) -> Results {
        self.endings.values().copied().sum()
    }

    /// The state of the sequential test, if there is one.
    pub fn test(&self) -> Option<TestState> {
        self.test.as_ref().map(SequentialTest::state)
    }

    /// Everything that follows from the counts. The fields before [`MatchReport::games`] are the caller's.
    pub fn report(&self) -> MatchReport {
        let sequential_test = self.test.as_ref().map(|test| TestReport { bounds: test.bounds(), state: test.state() });
        let scores = MatchReport::of_pairs(self.pairs);
        MatchReport {
            endings: self.endings.clone(),
            unfinished: self.results().unfinished,
            forfeits: [0, 1]
                .map(|player| self.forfeits.iter().filter(|forfeit| forfeit.player == player).count() as u32),
            forfeit_reasons: self.forfeits.clone(),
            mean_plies: self.plies as f64 / f64::from(scores.games.max(1)),
            sequential_test,
            ..scores
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Forfeit, Tally};
    use std::sync::Arc;
    use tablut_games::{GameRecord, PlyRecord};
    use tablut_rules::{Game, Outcome, Reason, Results, Rules, Side};

    fn game(winner: Option<Side>, reason: Reason) -> GameRecord {
        let start = Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers);
        let plies = vec![PlyRecord { mv: "d1-d2".parse().unwrap(), search: None }; 10];
        GameRecord { plies, ..GameRecord::new(0, &start, 200, Outcome { winner, reason }) }
    }

    fn rules() -> Rules {
        Rules::named("kvasir").unwrap()
    }

    #[test]
    fn a_pair_counts_for_the_first_player_on_both_sides() {
        let mut tally = Tally::default();
        let escape = game(Some(Side::Defenders), Reason::KingEscaped);
        tally.record_pair(&rules(), &escape, &escape);
        tally.record_pair(&rules(), &game(None, Reason::PlyLimit), &escape);
        let report = tally.report();
        assert_eq!((report.games, report.unfinished), (4, 1));
        assert_eq!((report.as_attackers.results.losses, report.as_attackers.results.draws), (1, 1));
        assert_eq!(report.as_defenders.results.wins, 2);
        assert_eq!(report.pentanomial.counts, [0, 0, 1, 1, 0]);
        assert_eq!(report.total.score.unwrap().mean, 0.625);
        assert_eq!(report.mean_plies, 10.0);
        assert_eq!(report.endings["king-escaped"], Results { defenders: 3, ..Results::default() });
        assert_eq!(report.endings["ply-limit"], Results { unfinished: 1, ..Results::default() });
    }

    #[test]
    fn forfeits_are_losses_of_the_player_that_forfeits() {
        let mut tally = Tally::default();
        let late = || Some("at ply 11 the attackers' player sent no move within 3.0 s".to_owned());
        let forfeit = GameRecord { forfeit: late(), index: 6, ..game(Some(Side::Defenders), Reason::Forfeit) };
        // The first player plays the attackers in the first game, and the second player in the second.
        tally.record_pair(&rules(), &forfeit, &forfeit);
        tally.record_pair(&rules(), &forfeit, &game(None, Reason::Repetition));
        let report = tally.report();
        assert_eq!(report.forfeits, [2, 1]);
        assert_eq!(report.forfeit_reasons[0], Forfeit { game: 7, player: 0, reason: late().unwrap() });
        assert_eq!(report.forfeit_reasons.iter().map(|forfeit| forfeit.player).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!((report.as_attackers.results.losses, report.as_defenders.results.wins), (2, 1));
        assert_eq!(report.endings["forfeit"].defenders, 3);
    }

    #[test]
    fn a_match_without_games_or_losses_has_no_score_or_no_elo() {
        let empty = Tally::default().report();
        assert_eq!((empty.games, empty.total.score), (0, None));
        let mut tally = Tally::default();
        let capture = game(Some(Side::Attackers), Reason::KingCaptured);
        tally.record_pair(&rules(), &capture, &game(Some(Side::Defenders), Reason::KingEscaped));
        let won = tally.report();
        assert_eq!((won.elo.mean, won.elo.high), (None, None));
        assert!(won.elo.low.is_some_and(f64::is_finite));
    }
}
