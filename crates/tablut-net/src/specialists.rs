//! The parts of a net: the general part, and specialists with separate weights for some rule sets.
//!
//! All parts have the same architecture, so every position costs the same. The rule features of a position
//! ([`rule_features`]) determine the part that evaluates it.

use std::ops::Range;

use tablut_rules::RuleSet;

use crate::batch::{Inference, InputBatch, OutputBatch};
use crate::error::NetError;
use crate::features::{FEATURES, PLANES, push_features};

/// Number of features that a rule set determines: all but the last, which counts plies.
pub const RULE_FEATURES: usize = FEATURES - 1;

/// The features of a rule set, from 0 to 1, `[RULE_FEATURES]`. Rule sets that differ only in the side that moves first
/// have the same features.
pub fn rule_features(set: &RuleSet) -> Vec<f32> {
    let mut features = Vec::with_capacity(FEATURES);
    push_features(set, 0, &mut features);
    features.truncate(RULE_FEATURES);
    features
}

/// The parts of a net by their rules. Part 0 is the general one. The specialists follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    /// The rule features of each specialist.
    specialists: Vec<Vec<f32>>,
}

impl Parts {
    pub fn new(specialists: Vec<Vec<f32>>) -> Self {
        Self { specialists }
    }

    /// The part for these rule features.
    pub fn part_of(&self, features: &[f32]) -> usize {
        let place = self.specialists.iter().position(|own| own == features);
        place.map_or(0, |place| place + 1)
    }

    /// The part for a row of a batch.
    pub fn part_of_row(&self, input: &InputBatch, row: usize) -> usize {
        if self.specialists.is_empty() {
            return 0;
        }
        self.part_of(&input.features[row * FEATURES..][..RULE_FEATURES])
    }

    /// The longest range at the start of `rows` that one part evaluates, and that part. `rows` must not be empty.
    pub fn first_run(&self, input: &InputBatch, rows: Range<usize>) -> (Range<usize>, usize) {
        let part = self.part_of_row(input, rows.start);
        if self.specialists.is_empty() {
            return (rows, part);
        }
        let end = rows.clone().find(|&row| self.part_of_row(input, row) != part);
        (rows.start..end.unwrap_or(rows.end), part)
    }
}

/// A net whose parts are separate nets, for example on a device.
pub(crate) struct ByRules {
    pub parts: Parts,
    /// One for each part.
    pub nets: Vec<Box<dyn Inference>>,
}

impl Inference for ByRules {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        input.validate()?;
        output.clear();
        let mut first = 0;
        while first < input.n {
            let (rows, part) = self.parts.first_run(input, first..input.n);
            first = rows.end;
            let mut found = OutputBatch::default();
            self.nets[part].infer(&only(input, rows), &mut found)?;
            output.logits.append(&mut found.logits);
            output.wdl.append(&mut found.wdl);
            output.moves_left.append(&mut found.moves_left);
        }
        Ok(())
    }
}

/// Some rows of a batch as a separate batch.
fn only(input: &InputBatch, rows: Range<usize>) -> InputBatch {
    let moves = input.moves_of_rows(&rows);
    let ends = input.move_ends[rows.clone()].iter().map(|end| end - moves.start as u32);
    InputBatch {
        n: rows.len(),
        planes: input.planes[rows.start * PLANES..rows.end * PLANES].to_vec(),
        features: input.features[rows.start * FEATURES..rows.end * FEATURES].to_vec(),
        moves: input.moves[moves.clone()].to_vec(),
        move_ends: ends.collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tablut_rules::{Game, MoveList, Rules, Side, Situation};

    use super::*;
    use crate::engine::{Engine, EngineOptions};
    use crate::processor::{NetDevice, Processor};
    use crate::weights::Weights;
    use crate::{Architecture, encode};

    fn set(name: &str) -> RuleSet {
        RuleSet::named(name).unwrap()
    }

    /// The start under each of `rules`, one row each.
    fn starts(rules: &[&str]) -> InputBatch {
        let mut batch = InputBatch::default();
        let mut moves = MoveList::new();
        for name in rules {
            let rules = Arc::new(Rules::named(name).unwrap());
            let game = Game::new(Arc::clone(&rules), Side::Attackers);
            game.legal_moves(&mut moves);
            let view = Situation {
                rules: rules.as_ref(),
                position: *game.position(),
                occurrences: 1,
                plies_since_capture: 0,
                moves: &moves[..],
            };
            encode(&view, &mut batch);
        }
        batch
    }

    fn parts_of_a_net() -> [Weights; 3] {
        let architecture = Architecture::standard(1, 16).unwrap();
        [1, 2, 3].map(|seed| Weights::initial(&architecture, seed))
    }

    fn with_specialists([general, kvasir, masters]: [Weights; 3]) -> Weights {
        let weights = general.with_specialist("kvasir", &set("kvasir"), kvasir).unwrap();
        weights.with_specialist("masters", &set("masters"), masters).unwrap()
    }

    const RULES: [&str; 6] = ["kvasir", "kvasir", "tartu", "masters", "kvasir", "imperial"];

    /// Each row's outputs must equal those of its part, to the bit.
    fn check(found: &OutputBatch, batch: &InputBatch) {
        let parts = parts_of_a_net();
        for (row, name) in RULES.iter().enumerate() {
            let part = ["kvasir", "masters"].iter().position(|own| own == name).map_or(0, |place| place + 1);
            let mut alone = OutputBatch::default();
            Engine::new(&parts[part]).unwrap().infer(&starts(&[name]), &mut alone).unwrap();
            assert_eq!(found.logits[batch.move_range(row)], alone.logits, "{name}, row {row}");
            assert_eq!(
                (found.wdl[row], found.moves_left[row]),
                (alone.wdl[0], alone.moves_left[0]),
                "{name}, row {row}"
            );
        }
    }

    #[test]
    fn every_row_is_evaluated_by_the_part_for_its_rules() {
        let batch = starts(&RULES);
        let weights = with_specialists(parts_of_a_net());
        for n_threads in [1, 2] {
            let mut found = OutputBatch::default();
            let options = EngineOptions { n_threads, ..EngineOptions::default() };
            Engine::with_options(&weights, options).unwrap().infer(&batch, &mut found).unwrap();
            check(&found, &batch);
        }
    }

    /// A device that runs nets on the CPU engine and supports only nets of one part.
    struct Plain;

    impl NetDevice for Plain {
        fn name(&self) -> &'static str {
            "plain"
        }

        fn open(&self, weights: &Weights) -> Result<Box<dyn Inference>, NetError> {
            assert_eq!(weights.specialists().count(), 0);
            Ok(Box::new(Engine::new(weights)?))
        }
    }

    #[test]
    fn a_device_holds_each_part_as_a_net_of_its_own() {
        let batch = starts(&RULES);
        let weights = with_specialists(parts_of_a_net());
        let device = Processor::Device(Arc::new(Plain));
        let loaded = device.load(Arc::new(weights.clone())).unwrap();
        for mut net in [device.inference(&weights, 1).unwrap(), loaded.share()] {
            let mut found = OutputBatch::default();
            net.infer(&batch, &mut found).unwrap();
            check(&found, &batch);
        }
    }

    #[test]
    fn rule_sets_that_differ_in_who_begins_share_a_part() {
        assert_eq!(rule_features(&set("piecepack")), rule_features(&set("piecepack-defenders-first")));
        assert_ne!(rule_features(&set("piecepack")), rule_features(&set("piecepack-open-castle")));
        assert_eq!(rule_features(&set("kvasir")).len(), RULE_FEATURES);
    }
}
