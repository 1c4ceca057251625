//! Inputs that a net can learn to play without, for experiments that ask what an input is worth.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tablut_rules::SQUARES;

use crate::batch::InputBatch;
use crate::features::FEATURES;
use crate::planes::PLANES;

/// Planes or features that a net need not read, because they follow from the others or say little.
///
/// A net that never reads an input has weights of 0 for it ([`Weights::without`](crate::Weights::without)) and learns
/// from batches in which the input is 0 ([`OptionalInput::hide`]): its gradients are then 0 too, and so the weights
/// stay 0. Such a net plays as any other does; nothing else needs to know.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptionalInput {
    /// Where the king could move, and the squares of his escape routes.
    KingWays,
    /// Whether the position has occurred before.
    Repetitions,
    /// Where legal moves end.
    MoveEnds,
    /// The pieces that a legal move captures, and where such moves end.
    Captures,
    /// The features that describe the rules. The used share of the no-capture limit is not one of them.
    RuleFeatures,
}

impl OptionalInput {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::KingWays, Self::Repetitions, Self::MoveEnds, Self::Captures, Self::RuleFeatures];

    /// Its planes.
    pub(crate) fn planes(self) -> Range<usize> {
        match self {
            Self::KingWays => 9..11,
            Self::Repetitions => 11..13,
            Self::MoveEnds => 13..14,
            Self::Captures => 14..16,
            Self::RuleFeatures => 0..0,
        }
    }

    /// Its features.
    pub(crate) fn features(self) -> Range<usize> {
        match self {
            Self::RuleFeatures => 0..FEATURES - 1,
            _ => 0..0,
        }
    }

    /// Sets the input to 0 in all rows of `batch`.
    pub fn hide(self, batch: &mut InputBatch) {
        let (planes, features) = (self.planes(), self.features());
        for row in batch.planes.chunks_exact_mut(PLANES * SQUARES) {
            row[planes.start * SQUARES..planes.end * SQUARES].fill(0.0);
        }
        for row in batch.features.chunks_exact_mut(FEATURES) {
            row[features.clone()].fill(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use tablut_rules::{Game, MoveList, Rules, Side};

    use super::*;
    use crate::planes::View;
    use crate::{Engine, Inference, OutputBatch, Weights, encode};

    /// Positions of a game, as if each had occurred before.
    fn batch() -> InputBatch {
        let rules = Rules::load("kvasir").unwrap();
        let mut game = Game::new(rules.clone().into(), Side::Attackers);
        let (mut batch, mut moves) = (InputBatch::default(), MoveList::new());
        for ply in 0..40 {
            game.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let position = *game.position();
            encode(
                &View { rules: &rules, position, occurrences: 2, plies_since_capture: 6, moves: &moves },
                &mut batch,
            );
            game.play(moves[ply * 37 % moves.len()]).unwrap();
        }
        batch
    }

    #[test]
    fn hiding_an_input_clears_its_planes_and_features_alone() {
        let whole = batch();
        for input in OptionalInput::ALL {
            let mut hidden = whole.clone();
            input.hide(&mut hidden);
            assert!((&whole.planes, &whole.features) != (&hidden.planes, &hidden.features), "{input:?} says something");
            for (plane, (was, is)) in
                whole.planes.chunks_exact(SQUARES).zip(hidden.planes.chunks_exact(SQUARES)).enumerate()
            {
                let plane = plane % PLANES;
                let expected = if input.planes().contains(&plane) { &[0.0; SQUARES][..] } else { was };
                assert_eq!(is, expected, "{input:?}, plane {plane}");
            }
            for (feature, (was, is)) in whole.features.iter().zip(&hidden.features).enumerate() {
                let expected = if input.features().contains(&(feature % FEATURES)) { 0.0 } else { *was };
                assert_eq!(*is, expected, "{input:?}, feature {feature}");
            }
        }
    }

    #[test]
    fn a_net_without_an_input_evaluates_alike_whatever_the_input_says() {
        let architecture = "b2c16".parse().unwrap();
        let whole = batch();
        for input in OptionalInput::ALL {
            let mut hidden = whole.clone();
            input.hide(&mut hidden);
            let values = |weights: &Weights, batch: &InputBatch| {
                let mut output = OutputBatch::default();
                Engine::new(weights).unwrap().infer(batch, &mut output).unwrap();
                output.logits
            };
            let weights = Weights::initial(&architecture, 3);
            let without = weights.clone().without(&[input]);
            assert_eq!(values(&without, &whole), values(&without, &hidden), "{input:?}");
            assert_eq!(values(&without, &hidden), values(&weights, &hidden), "{input:?}");
        }
    }
}
