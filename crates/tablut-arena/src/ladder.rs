//! A ladder: the ratings of all players in some matches, strongest first, with their anchors.

use crate::tally::MatchReport;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr;
use tablut_players::{PlayerSpec, PlayerSpecError, alphabeta, is_name};
use tablut_ratings::{Anchor, Rating, RatingError, Wdl, pairings_by_name, rate};

/// A player with a given rating: `PLAYER=ELO`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedAnchor {
    /// The player, in the canonical form of reports.
    pub player: String,
    pub elo: f64,
}

#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum AnchorError {
    /// It does not have the form `PLAYER=ELO`.
    #[error("cannot read anchor {text:?}, expected PLAYER=ELO such as random=0")]
    Text { text: String },
    #[error(transparent)]
    Player(#[from] PlayerSpecError),
}

impl FromStr for NamedAnchor {
    type Err = AnchorError;

    /// ```
    /// let anchor: tablut_arena::NamedAnchor = "alphabeta:4=1800".parse()?;
    /// assert_eq!((anchor.player.as_str(), anchor.elo), ("alphabeta:4", 1800.0));
    /// # Ok::<(), tablut_arena::AnchorError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, AnchorError> {
        let unreadable = || AnchorError::Text { text: text.to_owned() };
        let (player, elo) = text.rsplit_once('=').ok_or_else(unreadable)?;
        let elo = elo.trim().parse().ok().filter(|elo: &f64| elo.is_finite()).ok_or_else(unreadable)?;
        let player = player.trim();
        // A name that the user gave to a player is not parsed.
        let player = if is_name(player) { player.to_owned() } else { player.parse::<PlayerSpec>()?.to_string() };
        Ok(Self { player, elo })
    }
}

/// The player whose published rating connects ladders.
pub const SECOND_ANCHOR: &str = "alphabeta:4";

/// Ratings of [`SECOND_ANCHOR`] above `random`, as data. They come from the matches of `experiments/baselines` and are
/// rounded to tens. They are uncertain by hundreds of points, because `greedy` rarely beats `alphabeta:2`. The numbers
/// are a convention that makes ladders comparable.
#[derive(Deserialize)]
struct Published {
    /// The version of the engine that was rated.
    version: u32,
    /// By the rule set's name.
    elo: BTreeMap<String, f64>,
}

/// The published rating of [`SECOND_ANCHOR`] under the rule set with this name, with `random` at 0. `None` for other
/// rule sets, and if the engine's play has changed.
pub fn published_rating(rules: &str) -> Option<f64> {
    let published: Published =
        serde_json::from_str(include_str!("published_ratings.json")).expect("the published ratings are JSON");
    published.elo.get(rules).copied().filter(|_| published.version == alphabeta::VERSION)
}

/// The ratings of the players of some matches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ladder {
    pub players: Vec<LadderPlayer>,
    /// The advantage of playing the attackers, in Elo points.
    pub attackers_advantage: Rating,
    /// The chance of a draw between equal players without the side advantage.
    pub draw_rate: f64,
    /// `superiority[i][j]`: the likelihood that player `i` of `players` is stronger than `j`.
    pub superiority: Vec<Vec<f64>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LadderPlayer {
    pub name: String,
    /// The rating. The interval of a given rating has width zero.
    #[serde(flatten)]
    pub rating: Rating,
    /// Whether the rating was given.
    pub anchor: bool,
    /// For an anchor other than the first: its rating from the games, measured from the first anchor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub measured: Option<Rating>,
    pub as_attackers: Wdl,
    pub as_defenders: Wdl,
}

#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum LadderError {
    #[error("the anchor {player} is not among the players {players}")]
    Absent { player: String, players: String },
    #[error(transparent)]
    Rating(#[from] RatingError),
}

/// Rates all players in `reports`, which must all be under one rule set.
///
/// Without `anchors`, `random` is 0 and [`SECOND_ANCHOR`] has its [`published_rating`], each if it plays. If neither
/// plays, the first player is 0.
pub fn ladder(reports: &[MatchReport], anchors: &[NamedAnchor]) -> Result<Ladder, LadderError> {
    let (names, pairings) = pairings_by_name(reports.iter().map(|report| (&report.players, report.pairs)));
    let place = |name: &str| names.iter().position(|known| *known == name);
    let anchors = if anchors.is_empty() { default_anchors(reports, &names) } else { anchors.to_vec() };
    let anchors: Vec<Anchor> = anchors
        .iter()
        .map(|anchor| match place(&anchor.player) {
            Some(player) => Ok(Anchor { player, elo: anchor.elo }),
            None => Err(LadderError::Absent { player: anchor.player.clone(), players: names.join(", ") }),
        })
        .collect::<Result<_, _>>()?;
    let ratings = rate(names.len(), &anchors, &pairings)?;
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| ratings.players[b].elo.total_cmp(&ratings.players[a].elo));
    let player = |&k: &usize| {
        let [as_attackers, as_defenders] = results_of(names[k], reports);
        LadderPlayer {
            name: names[k].to_owned(),
            rating: ratings.players[k],
            anchor: anchors.iter().any(|anchor| anchor.player == k),
            measured: ratings.measured.iter().find(|(player, _)| *player == k).map(|(_, rating)| *rating),
            as_attackers,
            as_defenders,
        }
    };
    Ok(Ladder {
        players: order.iter().map(player).collect(),
        attackers_advantage: ratings.attackers_advantage,
        draw_rate: ratings.draw_rate,
        superiority: order.iter().map(|&i| order.iter().map(|&j| ratings.superiority[i][j]).collect()).collect(),
    })
}

fn default_anchors(reports: &[MatchReport], names: &[&str]) -> Vec<NamedAnchor> {
    let published = reports.first().and_then(|report| published_rating(&report.rules));
    let known = [("random", Some(0.0)), (SECOND_ANCHOR, published)];
    let mut anchors: Vec<NamedAnchor> = known
        .into_iter()
        .filter(|(player, _)| names.contains(player))
        .filter_map(|(player, elo)| Some(NamedAnchor { player: player.to_owned(), elo: elo? }))
        .collect();
    if anchors.is_empty() {
        anchors.extend(names.first().map(|name| NamedAnchor { player: (*name).to_owned(), elo: 0.0 }));
    }
    anchors
}

/// A player's results as attackers and as defenders.
fn results_of(name: &str, reports: &[MatchReport]) -> [Wdl; 2] {
    let mut results = [Wdl::default(); 2];
    for report in reports {
        let [as_attackers, as_defenders] = [report.pairs.as_attackers(), report.pairs.as_defenders()];
        if report.players[0] == name {
            results = [results[0] + as_attackers, results[1] + as_defenders];
        }
        if report.players[1] == name {
            results = [results[0] + as_defenders.turned(), results[1] + as_attackers.turned()];
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::{AnchorError, LadderError, NamedAnchor, ladder};
    use crate::tally::{MatchReport, Tally};
    use std::sync::Arc;
    use tablut_games::GameRecord;
    use tablut_ratings::Wdl;
    use tablut_rules::{Game, Outcome, Reason, Rules, Side};

    /// A game with this number of half points for the player on `side`.
    fn game(side: Side, half_points: usize) -> GameRecord {
        let winner = [Some(side.opponent()), None, Some(side)][half_points];
        let start = Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers);
        GameRecord::new(0, &start, 400, Outcome { winner, reason: Reason::NoMoves })
    }

    fn report(players: [&str; 2], pairs: [[u32; 3]; 3]) -> MatchReport {
        let players = players.map(str::to_owned);
        let (rules, mut tally) = (Rules::named("kvasir").unwrap(), Tally::default());
        for (as_attackers, row) in pairs.iter().enumerate() {
            for (as_defenders, &n) in row.iter().enumerate() {
                let (first, second) = (game(Side::Attackers, as_attackers), game(Side::Defenders, as_defenders));
                (0..n).for_each(|_| tally.record_pair(&rules, &first, &second));
            }
        }
        MatchReport { rules: "house".into(), players, complete: true, ..tally.report() }
    }

    fn three() -> [MatchReport; 2] {
        let won = [[0, 0, 1], [0, 0, 0], [2, 0, 8]];
        [report(["greedy", "random"], won), report(["alphabeta:4", "greedy"], won)]
    }

    #[test]
    fn players_are_ordered_and_anchored_at_random() {
        let ladder = ladder(&three(), &[]).unwrap();
        let names: Vec<&str> = ladder.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["alphabeta:4", "greedy", "random"]);
        assert!(ladder.players[2].anchor && ladder.players[2].rating.elo == 0.0);
        assert!((ladder.players[0].rating.elo - 2.0 * ladder.players[1].rating.elo).abs() < 20.0, "{ladder:?}");
        assert!(ladder.superiority[0][2] > 0.99 && ladder.superiority[2][0] < 0.01);
        assert_eq!(ladder.players[1].as_attackers, Wdl { wins: 12, draws: 0, losses: 10 });
    }

    #[test]
    fn anchors_are_given_by_name() {
        let anchors: Vec<NamedAnchor> = ["greedy=-10.5", "alphabeta:4=400"].map(|text| text.parse().unwrap()).into();
        let ladder = ladder(&three(), &anchors).unwrap();
        assert_eq!((ladder.players[0].rating.elo, ladder.players[1].rating.elo), (400.0, -10.5));
        assert!(ladder.players[0].measured.is_some() && ladder.players[1].measured.is_none());
        assert!(!ladder.players[2].anchor && ladder.players[2].rating.elo < -10.5);
    }

    #[test]
    fn faults_are_named() {
        let parse = |text: &str| text.parse::<NamedAnchor>();
        assert!(matches!(parse("random"), Err(AnchorError::Text { .. })));
        assert!(matches!(parse("random=much"), Err(AnchorError::Text { .. })));
        assert!(matches!(parse("random=inf"), Err(AnchorError::Text { .. })));
        assert!(matches!(parse("alphabeta:x=0"), Err(AnchorError::Player(_))));
        let absent = ladder(&three(), &[parse("alphabeta:2=5").unwrap()]).unwrap_err();
        assert!(matches!(&absent, LadderError::Absent { player, .. } if player == "alphabeta:2"), "{absent}");
        assert!(absent.to_string().contains("greedy, random"), "{absent}");
    }
}
