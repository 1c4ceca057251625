//! One search on several workers: each searches the game by itself, and what they find is added up.

use crate::thinking::{Analysis, LineView, Thinking, leaning};
use crate::tree::NodeValue;
use crate::words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tablut_rules::{Game, Move, Position, RuleSet, Rules, Side};
use tablut_search::{Chances, Limit, Proof, SearchConfig};

/// What another worker needs to search the same game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchOrder {
    rules: RuleSet,
    start: Position,
    moves: Vec<Move>,
    config: SearchConfig,
    simulations: u32,
}

impl SearchOrder {
    pub(crate) fn new(game: &Game, config: &SearchConfig, simulations: u32) -> Self {
        let rules = game.rules().set().clone();
        Self { rules, start: *game.start(), moves: game.moves().collect(), config: config.clone(), simulations }
    }

    /// The search. Workers find different things only if their evaluators differ.
    pub fn thinking(&self) -> Result<Thinking, String> {
        let rules = Arc::new(Rules::new(self.rules.clone()).map_err(|error| error.to_string())?);
        let mut game = Game::from_position(rules, self.start).map_err(|error| error.to_string())?;
        for &mv in &self.moves {
            game.play(mv).map_err(|error| error.to_string())?;
        }
        if game.outcome().is_some() {
            return Err("the game is over".to_owned());
        }
        Ok(Thinking::new(&game, &self.config, Limit::of_simulations(self.simulations), 0))
    }
}

/// A search in which other workers may take part.
#[derive(Debug)]
pub struct SharedSearch {
    pub order: SearchOrder,
    /// What the other workers have found so far, by their number.
    found: BTreeMap<usize, Analysis>,
}

impl SharedSearch {
    pub(crate) fn new(game: &Game, config: &SearchConfig, simulations: u32) -> Self {
        Self { order: SearchOrder::new(game, config, simulations), found: BTreeMap::new() }
    }

    /// Takes what a worker has found since the start of its search.
    pub fn take(&mut self, worker: usize, analysis: Analysis) {
        self.found.insert(worker, analysis);
    }

    /// The best move and the value, or `None` if no other worker has found anything.
    pub(crate) fn best_move(&self, own: &Thinking) -> Option<(Move, NodeValue)> {
        if self.found.is_empty() {
            return None;
        }
        let analysis = self.analysis(own, 1);
        Some((analysis.lines.first()?.moves[0], analysis.value()))
    }

    /// The best `n` lines of `own` and of all other workers together.
    pub(crate) fn analysis(&self, own: &Thinking, n: usize) -> Analysis {
        if self.found.is_empty() {
            return own.analysis(n);
        }
        let own_lines = own.analysis(usize::MAX);
        let all: Vec<&Analysis> = std::iter::once(&own_lines).chain(self.found.values()).collect();
        added_up(&all, own.game().position().side_to_move(), n)
    }
}

fn added_up(all: &[&Analysis], to_move: Side, n: usize) -> Analysis {
    let mut by_move: BTreeMap<String, Vec<&LineView>> = BTreeMap::new();
    for line in all.iter().flat_map(|analysis| &analysis.lines) {
        by_move.entry(line.moves[0].to_string()).or_default().push(line);
    }
    let mut lines: Vec<LineView> = by_move.values().map(|lines| line_of(lines, to_move)).collect();
    let worth = |line: &LineView| line.proven.map_or(0, |proof| proof.rank_for(to_move).0);
    let chance = |line: &LineView| tablut_search::turned(line.chances.value(), to_move);
    lines.sort_by(|a, b| {
        let by_visits = || b.visits.cmp(&a.visits);
        worth(b).cmp(&worth(a)).then_with(by_visits).then_with(|| chance(b).total_cmp(&chance(a)))
    });
    lines.truncate(n);
    let proven = best(all.iter().filter_map(|analysis| analysis.proven), to_move);
    let parts = all.iter().map(|analysis| (analysis.simulations, analysis.chances));
    let chances = proven.map_or_else(|| mean(&parts), |proof| Chances::certain(proof.winner));
    let words = proven.map_or_else(|| leaning(chances.value()), |proof| words::proven(proof, to_move));
    let simulations = all.iter().map(|analysis| analysis.simulations).sum();
    Analysis { chances, proven, words, simulations, lines, workers: all.len() }
}

/// The lines of one move as one. The expected continuation is that of the proof or of the largest search.
fn line_of(lines: &[&LineView], to_move: Side) -> LineView {
    let proven = best(lines.iter().filter_map(|line| line.proven), to_move);
    let shown = lines.iter().max_by_key(|line| (line.proven.is_some() && line.proven == proven, line.visits));
    let shown = shown.expect("a move is in a line");
    let chances = mean(&lines.iter().map(|line| (line.visits, line.chances)));
    LineView {
        moves: shown.moves.clone(),
        visits: lines.iter().map(|line| line.visits).sum(),
        prior: lines.iter().map(|line| line.prior).sum::<f32>() / lines.len() as f32,
        chances: proven.map_or(chances, |proof| Chances::certain(proof.winner)),
        proven,
        words: proven.map(|proof| words::proven(proof, to_move)),
    }
}

/// The proof that says most to the side to move. All of them are true, so they differ at most in their lengths.
fn best(proofs: impl Iterator<Item = Proof>, to_move: Side) -> Option<Proof> {
    proofs.max_by_key(|proof| proof.rank_for(to_move))
}

/// The mean of chances by their weights.
fn mean(parts: &(impl Iterator<Item = (u32, Chances)> + Clone)) -> Chances {
    let weight = |simulations: u32| simulations.max(1) as f32;
    let total: f32 = parts.clone().map(|(simulations, _)| weight(simulations)).sum();
    let sum = |part: fn(&Chances) -> f32| {
        parts.clone().map(|(simulations, chances)| part(&chances) * weight(simulations)).sum::<f32>() / total
    };
    Chances { attackers: sum(|c| c.attackers), draw: sum(|c| c.draw), defenders: sum(|c| c.defenders) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thinking::open_ended_search;
    use std::time::Duration;
    use tablut_search::UniformEvaluator;

    fn game(position: &str) -> Game {
        Game::from_position(Arc::new(Rules::named("kvasir").unwrap()), position.parse().unwrap()).unwrap()
    }

    fn run(thinking: &mut Thinking) {
        while thinking.step(&mut UniformEvaluator, Duration::ZERO).unwrap() {}
    }

    #[test]
    fn an_order_in_json_is_the_same_search_with_its_history() {
        let mut game = Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers);
        for mv in ["d1-d2", "e3-d3", "d2-d1", "d3-e3"] {
            game.play(mv.parse().unwrap()).unwrap();
        }
        let order = SearchOrder::new(&game, &open_ended_search(), 40);
        let read: SearchOrder = serde_json::from_str(&serde_json::to_string(&order).unwrap()).unwrap();
        assert_eq!(read, order);
        let mut thinking = read.thinking().unwrap();
        assert!(thinking.game().moves().eq(game.moves()));
        run(&mut thinking);
        assert_eq!(thinking.result().simulations, 40);
    }

    #[test]
    fn what_workers_find_is_added_up_and_one_proof_is_enough() {
        let game = game("9/9/9/9/2K5t/9/9/9/4t3t d");
        let mut own = SearchOrder::new(&game, &open_ended_search(), 30).thinking().unwrap();
        run(&mut own);
        let mut shared = SharedSearch::new(&game, &open_ended_search(), 30);
        assert_eq!(shared.analysis(&own, 3), own.analysis(3));
        assert_eq!(shared.best_move(&own), None);
        let alone = own.analysis(usize::MAX);
        // Another worker has proven nothing and prefers another move.
        let mut other = alone.clone();
        (other.proven, other.chances) = (None, Chances::new(0.5, 0.1));
        for (at, line) in other.lines.iter_mut().enumerate() {
            (line.proven, line.words, line.chances) = (None, None, Chances::new(0.5, 0.1));
            line.visits = at as u32;
        }
        shared.take(1, other.clone());
        shared.take(1, other.clone());
        let together = shared.analysis(&own, usize::MAX);
        assert_eq!((together.workers, together.simulations), (2, 2 * alone.simulations));
        assert_eq!((together.proven, &together.words), (alone.proven, &alone.words));
        assert_eq!(together.lines[0].proven, alone.lines[0].proven);
        let visits = |analysis: &Analysis| analysis.lines.iter().map(|line| line.visits).sum::<u32>();
        assert_eq!(visits(&together), visits(&alone) + visits(&other));
        assert_eq!(shared.best_move(&own).map(|(_, value)| value.proven), Some(alone.proven));
        let unproven = added_up(&[&other, &other], Side::Defenders, 1);
        assert!((unproven.chances.value() - 0.5).abs() < 1e-5);
        assert_eq!(unproven.lines[0].moves, other.lines.last().unwrap().moves, "the most visits");
    }
}
