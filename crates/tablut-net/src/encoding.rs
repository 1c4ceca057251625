//! The input encoding: a position and its rules as binary planes and scalar features. This file also has
//! [`NetEvaluator`], with which a search uses a net.
//!
//! Planes are absolute: they show attackers and defenders, not the side to move and its opponent, because the game is
//! asymmetric. The crate's README lists them with an example.

use tablut_rules::{Move, Rules, Symmetry};
use tablut_search::{EvaluateError, Evaluation, Evaluator, Situation};

use crate::batch::{Inference, InputBatch, OutputBatch};
use crate::features::{planes, push_features};
use crate::policy::PolicyIndex;

/// Version of planes, features and policy index together. Nets of version 1, which know only Tablut's board, are read too.
pub const ENCODING_VERSION: u32 = 2;

/// Appends one row to `batch`.
pub fn encode(situation: &Situation<&Rules, &[Move]>, batch: &mut InputBatch) {
    encode_symmetric(situation, Symmetry::ALL[0], batch);
}

/// Appends one row to `batch`, with the board transformed by `symmetry`. The moves keep their order. Their indices are
/// transformed.
pub fn encode_symmetric(situation: &Situation<&Rules, &[Move]>, symmetry: Symmetry, batch: &mut InputBatch) {
    let size = situation.position.size();
    batch.sizes.push(size);
    batch.planes.extend(planes(situation).map(|plane| symmetry.bitboard(size, plane)));
    push_features(situation.rules.set(), situation.plies_since_capture, &mut batch.features);
    batch.moves.extend(situation.moves.iter().map(|&mv| PolicyIndex::of(size, mv).transformed(size, symmetry)));
    batch.move_ends.push(batch.moves.len() as u32);
    batch.n += 1;
}

const NO_NUMBERS: &str = "the net's outputs are too large for numbers: its training has diverged, or its file was made by hand; use another net";

/// An [`Evaluator`] over any [`Inference`].
pub struct NetEvaluator {
    net: Box<dyn Inference>,
    symmetry: Symmetry,
    input: InputBatch,
    output: OutputBatch,
}

impl NetEvaluator {
    /// An evaluator over `net`, with its own buffers.
    pub fn new(net: Box<dyn Inference>) -> Self {
        Self::with_symmetry(net, Symmetry::Identity)
    }

    /// An evaluator that shows `net` each position with the board transformed by `symmetry`. So the same net gives
    /// slightly different evaluations.
    pub fn with_symmetry(net: Box<dyn Inference>, symmetry: Symmetry) -> Self {
        Self { net, symmetry, input: InputBatch::default(), output: OutputBatch::default() }
    }
}

impl Evaluator for NetEvaluator {
    fn evaluate(&mut self, queries: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        self.input.clear();
        for query in queries {
            encode_symmetric(&query.borrowed(), self.symmetry, &mut self.input);
        }
        self.net.infer(&self.input, &mut self.output).map_err(|error| EvaluateError::Failed(error.into()))?;
        let outputs = self.output.wdl.iter().flatten().chain(&self.output.moves_left).chain(&self.output.logits);
        if !outputs.copied().all(f32::is_finite) {
            return Err(EvaluateError::new(NO_NUMBERS));
        }
        let evaluation = |row: usize| Evaluation {
            logits: self.output.logits[self.input.move_range(row)].to_vec(),
            wdl: self.output.wdl[row],
            moves_left: self.output.moves_left[row],
        };
        Ok((0..queries.len()).map(evaluation).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tablut_rules::{Bitboard, BoardSize, Game, Move, MoveList, Position, Rules, Side};

    use super::*;
    use crate::features::FEATURES;

    /// Positions from games under every rule set. Each ply plays a legal move far from the previous one in the list.
    fn positions() -> Vec<(Arc<Rules>, Position)> {
        let mut found = Vec::new();
        let mut moves = MoveList::new();
        let names = tablut_rules::RULE_SET_NAMES.iter();
        for (place, rules) in names.map(|name| Arc::new(Rules::load(name).unwrap())).enumerate() {
            let mut game = Game::new(Arc::clone(&rules), rules.set().first.side().unwrap_or(Side::Attackers));
            for ply in 0..40 {
                game.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                found.push((Arc::clone(&rules), *game.position()));
                game.play(moves[(ply * 37 + place * 11) % moves.len()]).unwrap();
            }
        }
        found
    }

    fn encoded(rules: &Rules, position: &Position, moves: &[Move], symmetry: Symmetry) -> InputBatch {
        let mut batch = InputBatch::default();
        let view = Situation { rules, position: *position, occurrences: 1, plies_since_capture: 3, moves };
        encode_symmetric(&view, symmetry, &mut batch);
        batch.validate().unwrap();
        batch
    }

    #[test]
    fn turning_the_encoding_is_encoding_the_turned_position() {
        let mut moves = MoveList::new();
        for (rules, position) in positions() {
            rules.legal_moves(&position, &mut moves);
            for symmetry in Symmetry::ALL {
                let turned = encoded(&rules, &position, &moves, symmetry);
                let moves: Vec<Move> = moves.iter().map(|&mv| symmetry.mv(rules.size(), mv)).collect();
                let again = encoded(&rules, &symmetry.position(&position), &moves, Symmetry::ALL[0]);
                assert_eq!(turned.planes, again.planes, "{} {position}", rules.name());
                assert_eq!(turned.moves, again.moves, "{} {position}", rules.name());
                assert_eq!(turned.features, again.features);
            }
        }
    }

    #[test]
    fn the_planes_of_captures_are_what_the_moves_capture() {
        let mut moves = MoveList::new();
        for (rules, position) in positions() {
            rules.legal_moves(&position, &mut moves);
            let captures = moves.iter().map(|&mv| (mv.to, rules.apply(&position, mv).captured));
            let (mut capturable, mut capturing) = (Bitboard::EMPTY, Bitboard::EMPTY);
            for (to, captured) in captures.filter(|(_, captured)| !captured.is_empty()) {
                capturable |= captured;
                capturing.insert(to);
            }
            let batch = encoded(&rules, &position, &moves, Symmetry::ALL[0]);
            for (plane, expected) in [(14, capturable), (15, capturing)] {
                assert_eq!(batch.planes[plane], expected, "{} {position}", rules.name());
            }
        }
    }

    #[test]
    fn moves_of_a_position_have_indices_of_their_own() {
        let mut moves = MoveList::new();
        for (rules, position) in positions() {
            rules.legal_moves(&position, &mut moves);
            let indices: std::collections::HashSet<_> =
                moves.iter().map(|&mv| PolicyIndex::of(rules.size(), mv)).collect();
            assert_eq!(indices.len(), moves.len(), "{} {position}", rules.name());
        }
    }

    #[test]
    fn the_documents_example_holds() {
        let index = PolicyIndex::of(BoardSize::Nine, "d1-d3".parse().unwrap());
        assert_eq!((index.entry, index.choice), (84, PolicyIndex::NO_CHOICE));
        assert_eq!(PolicyIndex::of(BoardSize::Nine, "d1-d3xd4".parse().unwrap()).choice, 2622);
    }

    #[test]
    fn the_start_position_has_the_planes_of_the_table() {
        let rules = Rules::load("kvasir").unwrap();
        let position = Position::start(Side::Attackers);
        let mut moves = MoveList::new();
        rules.legal_moves(&position, &mut moves);
        let batch = encoded(&rules, &position, &moves, Symmetry::ALL[0]);
        let counts: Vec<usize> = batch.planes.iter().map(|plane| plane.len()).collect();
        // Attackers, defenders, king; attackers to move; throne, no corners or camps, 32 edge squares for escape; the
        // king enclosed, no route; the position seen once before; no possible capture.
        assert_eq!(counts[..5], [16, 8, 1, 81, 0]);
        assert_eq!(counts[5..13], [1, 0, 0, 32, 0, 0, 81, 0]);
        assert_eq!(counts[14..], [0, 0]);
        assert_eq!(batch.features.len(), FEATURES);
    }
}
