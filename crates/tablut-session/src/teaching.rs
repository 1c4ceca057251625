//! Nets that a host teaches while people watch: the state of a run, its measurements, and its games.

use crate::results::Shares;
use serde::Serialize;
use std::sync::Arc;
use tablut_ratings::{ScoreEstimate, Wdl};
use tablut_rules::{Game, Move, MoveList, Rules, Side};

/// The state of a run that teaches a net.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingView {
    /// The run's name, by which requests name it.
    pub run: String,
    /// The name of the rules.
    pub rules: String,
    /// The text of their rule file.
    pub toml: String,
    pub state: TrainingState,
    /// What the run does now. `None` if it is not running.
    pub phase: Option<TrainingPhase>,
    /// Seconds that it has taken in all, from its first start.
    pub seconds: f64,
    /// Seconds until it ends. `None` without a limit, and if it is not running.
    pub seconds_left: Option<f64>,
    /// Finished games of self-play.
    pub games: u64,
    /// The results of the newest games: those of the last generation, or of the current one before there is one.
    pub results: Shares,
    /// The number of complete generations. Without one there is no net.
    pub n_generations: u32,
    /// The complete generations, the earliest first. Of many, an even selection with the last one.
    pub generations: Vec<GenerationView>,
    /// Matches of the final net, after the last generation.
    pub final_scores: Vec<ScoreView>,
    /// The index of its newest net among the host's nets, if it plays there.
    pub net: Option<usize>,
    /// The run's folder, if it has one.
    pub folder: Option<String>,
}

#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingState {
    /// It waits in the queue, with this place, from 1.
    Waiting(usize),
    Running,
    /// It has ended or was stopped. It can go on.
    Ended,
    /// It has ended with this error.
    Failed(String),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingPhase {
    /// It starts and measures the machine.
    Preparing,
    /// The net plays against itself.
    Playing,
    /// The net learns from the games.
    Learning,
    /// The net plays against other players, which shows how strong it is.
    Measuring,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenerationView {
    /// Its number, from 0.
    pub generation: u32,
    /// Seconds of the run until its end.
    pub seconds: f64,
    /// Games of self-play until its end.
    pub games: u64,
    #[serde(flatten)]
    pub shares: Shares,
    pub mean_plies: f64,
    /// Captures per game, of both sides.
    pub captures: f64,
    /// Matches of its net.
    pub scores: Vec<ScoreView>,
    /// The games of the latest nets against the untrained one, from as many nets as have 24 games together.
    /// [`pool_scores`] fills it in.
    pub recent: Option<RecentScore>,
}

/// The games of several nets against the untrained one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecentScore {
    pub nets: u32,
    #[serde(flatten)]
    pub score: ScoreView,
}

/// The score of fewer games says little.
pub const FEW_GAMES: u32 = 24;
/// The name of the net with which a run began, as an opponent.
pub const UNTRAINED: &str = "untrained";

/// Adds up the games against the untrained net over the latest generations, for each generation.
pub fn pool_scores(generations: &mut [GenerationView]) {
    let results: Vec<Wdl> = generations.iter().map(GenerationView::against_untrained).collect();
    for (place, generation) in generations.iter_mut().enumerate() {
        let (mut sum, mut nets) = (Wdl::default(), 0);
        for found in results[..=place].iter().rev().filter(|found| found.games() > 0) {
            sum = sum + *found;
            nets += 1;
            if sum.games() >= FEW_GAMES {
                break;
            }
        }
        generation.recent = (nets > 0).then(|| RecentScore { nets, score: ScoreView::new(UNTRAINED, None, sum) });
    }
}

impl GenerationView {
    fn against_untrained(&self) -> Wdl {
        let found = self.scores.iter().filter(|score| score.opponent == UNTRAINED);
        let results = found.map(|&ScoreView { wins, draws, losses, .. }| Wdl { wins, draws, losses });
        results.fold(Wdl::default(), |sum, found| sum + found)
    }
}

/// A match of a net against another player at equal simulations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreView {
    /// `untrained`, `shipped`, `generation N`, or a player.
    pub opponent: String,
    /// The generation whose net is the opponent, if it is one.
    pub generation: Option<u32>,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    /// The score with its 95 % interval, 0 to 1. A draw counts half. An unfinished game is among the draws.
    #[serde(flatten)]
    pub score: ScoreEstimate,
}

impl ScoreView {
    /// The score of these results of the net.
    pub fn new(opponent: impl Into<String>, generation: Option<u32>, results: Wdl) -> Self {
        let Wdl { wins, draws, losses } = results;
        Self { opponent: opponent.into(), generation, wins, draws, losses, score: results.estimate() }
    }
}

/// A game as an interface replays it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingGame {
    pub run: String,
    pub generation: u32,
    /// Its number in the generation, from 0.
    pub index: u64,
    /// The rows of the position before the first move and after each move.
    pub positions: Vec<String>,
    /// One move fewer than positions.
    pub moves: Vec<Move>,
    /// How the game ended, in words. `None` if it is not over.
    pub ending: Option<String>,
}

/// A run in the list of a host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaughtNet {
    pub run: String,
    pub rules: String,
    pub state: TrainingState,
    /// Seconds that it has taken in all.
    pub seconds: f64,
    /// When it changed last, in seconds since 1970.
    pub changed: u64,
    pub bytes: u64,
    /// Complete generations. Without one there is no net.
    pub generations: u32,
}

impl TrainingView {
    /// A run on these rules that has not begun.
    pub fn new(rules: String, toml: String) -> Self {
        Self {
            run: String::new(),
            rules,
            toml,
            state: TrainingState::Ended,
            phase: None,
            seconds: 0.0,
            seconds_left: None,
            games: 0,
            results: Shares::default(),
            n_generations: 0,
            generations: Vec::new(),
            final_scores: Vec::new(),
            net: None,
            folder: None,
        }
    }
}

/// Checks that both sides have a move at the start. A net learns nothing from other games.
pub fn check_teachable(rules: &Arc<Rules>) -> Result<(), String> {
    let mut moves = MoveList::new();
    for side in Side::ALL {
        let game = Game::from_position(rules.clone(), rules.start(side)).map_err(|error| error.to_string())?;
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            return Err(format!("the {side} have no move at the start, so there is no game to learn"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::RuleSet;

    #[test]
    fn scores_of_few_games_are_added_up_over_the_latest_nets() {
        let generation = |wins| GenerationView {
            generation: 0,
            seconds: 0.0,
            games: 0,
            shares: Shares::default(),
            mean_plies: 0.0,
            captures: 0.0,
            scores: vec![
                ScoreView::new(UNTRAINED, None, Wdl { wins, draws: 0, losses: 1 }),
                ScoreView::new("generation 0", Some(0), Wdl { wins: 50, draws: 0, losses: 0 }),
            ],
            recent: None,
        };
        let mut generations = [generation(1), generation(11), generation(12), generation(30)];
        pool_scores(&mut generations);
        let found = generations.map(|view| view.recent.map(|recent| (recent.nets, recent.score.wins)).unwrap());
        assert_eq!(found, [(1, 1), (2, 12), (2, 23), (1, 30)]);
    }

    #[test]
    fn rules_under_which_a_side_cannot_move_are_refused() {
        let check = |rules: Rules| check_teachable(&Arc::new(rules));
        assert_eq!(check(Rules::named("kvasir").unwrap()), Ok(()));
        for (start, side) in [("9/9/9/9/4K4/9/9/9/9", "attackers"), ("9/9/9/3ttt3/3tKt3/3ttt3/9/9/9", "defenders")] {
            let text = format!("base = \"kvasir\"\nname = \"odd\"\nstart = \"{start}\"\n");
            let Ok(rules) = RuleSet::from_toml(&text).and_then(Rules::new) else { continue };
            assert!(check(rules).unwrap_err().contains(side), "{start}");
        }
    }
}
