//! The lens: one position under every rule set.

use super::{Step, Work};
use crate::protocol::Event;
use crate::report::GameEnding;
use crate::results::LensRow;
use crate::thinking::Thinking;
use crate::words;
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::{Game, Position, Rules};
use tablut_search::{EvaluateError, Evaluator};

const SIMULATIONS: u32 = 200;

#[derive(Debug)]
pub struct Lens {
    position: Position,
    rules: Vec<Arc<Rules>>,
    thinking: Option<Thinking>,
    seed: u64,
}

impl Lens {
    /// The lens for the current position of a game, under the game's own rules and all built-in ones on
    /// its board. The moves before
    /// the position do not count.
    pub fn new(game: &Game, seed: u64) -> Self {
        let own = game.rules();
        let known = Rules::names_on(own.size()).filter(|name| *name != own.name());
        let others = known.map(|name| Arc::new(Rules::named(name).expect("a built-in rule set")));
        let mut rules: Vec<Arc<Rules>> = std::iter::once(own.clone()).chain(others).collect();
        rules.reverse();
        Self { position: *game.position(), rules, thinking: None, seed }
    }

    fn row(&mut self, row: LensRow) -> Step {
        self.thinking = None;
        self.rules.pop();
        let row = Event::Lens(Box::new(row)).into();
        if self.rules.is_empty() { Step::Done(vec![row, Event::LensDone.into()]) } else { Step::Progress(vec![row]) }
    }
}

impl Work for Lens {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        let Some(rules) = self.rules.last().cloned() else { return Ok(Step::Done(Vec::new())) };
        let name = rules.name().to_owned();
        if let Some(thinking) = &mut self.thinking {
            if thinking.step(evaluator, elapsed)? {
                return Ok(Step::Continue);
            }
            let analysis = Some(thinking.analysis(1));
            return Ok(self.row(LensRow { rules: name, analysis, over: None }));
        }
        let game = match Game::from_position(rules, self.position) {
            Ok(game) => game,
            Err(error) => return Ok(self.row(LensRow { rules: name, analysis: None, over: Some(error.to_string()) })),
        };
        if let Some(outcome) = game.outcome() {
            let ending = GameEnding { winner: outcome.winner, reason: outcome.reason.name() };
            let over = Some(words::capitalize(&words::ending(ending)));
            return Ok(self.row(LensRow { rules: name, analysis: None, over }));
        }
        self.thinking = Some(Thinking::by_simulations(&game, SIMULATIONS, self.seed));
        Ok(Step::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{Update, updates_of};
    use tablut_rules::Side;

    #[test]
    fn a_king_on_the_edge_has_won_under_some_rules_and_not_under_others() {
        let kvasir = Arc::new(Rules::named("ludoteka").unwrap());
        let game = Game::from_position(kvasir, "3K5/9/9/9/9/9/9/t8/4t3t d".parse().unwrap()).unwrap();
        let row = |update| match update {
            Update::Event(Event::Lens(row)) => Some(*row),
            _ => None,
        };
        let rows: Vec<LensRow> = updates_of(&mut Lens::new(&game, 1)).into_iter().filter_map(row).collect();
        assert_eq!(rows.len(), Rules::names_on(tablut_rules::BoardSize::Nine).count());
        assert_eq!(rows[0].rules, "ludoteka");
        let proven = rows[0].analysis.as_ref().and_then(|analysis| analysis.proven).expect("a corner is near");
        assert_eq!(proven.winner, Some(Side::Defenders));
        let kvasir = rows.iter().find(|row| row.rules == "kvasir").expect("all sets are looked at");
        assert_eq!(kvasir.over.as_deref(), Some("The defenders win: the king has escaped"));
    }
}
