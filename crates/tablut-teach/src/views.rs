//! What a run shows to people who watch it.

use std::sync::Arc;
use tablut_games::{GameRecord, GenerationMetrics};
use tablut_rules::Rules;
use tablut_session::{GameEnding, GenerationView, ScoreView, Shares, TrainingGame, pool_scores, words};

/// The generations of a run, the earliest first.
pub fn generation_views(metrics: &[GenerationMetrics]) -> Vec<GenerationView> {
    let (mut seconds, mut games) = (0.0, 0);
    let view = |line: &GenerationMetrics| {
        seconds += line.seconds();
        games += line.selfplay.games as u64;
        let rated = line.rating.iter().flat_map(|rating| &rating.matches);
        let scores = rated.map(|found| {
            let results = found.pairs.as_attackers() + found.pairs.as_defenders();
            ScoreView::new(&*found.opponent, found.generation.map(|number| number as u32), results)
        });
        let captures = line.rule_sets.iter().map(|set| set.attackers.captures + set.defenders.captures);
        GenerationView {
            generation: line.generation as u32,
            seconds,
            games,
            shares: Shares::of(line.selfplay.results),
            mean_plies: line.selfplay.mean_plies,
            captures: captures.sum(),
            scores: scores.collect(),
            recent: None,
        }
    };
    let mut generations: Vec<_> = metrics.iter().map(view).collect();
    pool_scores(&mut generations);
    generations
}

/// A finished game as an interface replays it. `None` if it was not played under `rules`.
pub(crate) fn game_view(rules: &Arc<Rules>, game: &GameRecord, generation: u64) -> Option<TrainingGame> {
    let mut positions = Vec::new();
    let end = game.replay(rules, |state, _, _| positions.push(state.position().rows())).ok()?;
    positions.push(end.position().rows());
    let ending = if game.is_unfinished(rules) {
        format!("unfinished after {} plies", game.plies.len())
    } else {
        words::ending(GameEnding { winner: game.outcome.winner, reason: game.outcome.reason.name() })
    };
    Some(TrainingGame {
        run: String::new(),
        generation: generation as u32,
        index: game.index,
        positions,
        moves: game.plies.iter().map(|ply| ply.mv).collect(),
        ending: Some(ending),
    })
}
