//! The net in parts: the general weights and the weights for single rule sets, each loaded when a game needs it.

use serde::Deserialize;
use std::sync::Arc;
use tablut_net::{Engine, Model, NetEvaluator, rule_features};
use tablut_rules::{RuleSet, Rules};
use tablut_search::{EvaluateError, Evaluation, Evaluator, Situation};

/// A part of the net.
#[derive(Clone, Debug, Deserialize)]
pub struct NetPart {
    /// The rule set that it plays. `None` for the general weights, which play all others.
    pub rules: Option<String>,
}

struct LoadedPart {
    /// The rule set's features. `None` for the general part.
    features: Option<Vec<f32>>,
    evaluator: Option<NetEvaluator>,
    is_asked_for: bool,
}

/// The parts of one net as an evaluator.
pub struct NetParts {
    parts: Vec<LoadedPart>,
    /// The last rules and their part. Almost all situations have the rules of the situation before.
    last: Option<(Arc<Rules>, usize)>,
}

impl NetParts {
    /// The parts before their weights are loaded. One must be the general part.
    pub fn new(parts: &[NetPart]) -> Result<Self, String> {
        let empty = |part: &NetPart| {
            let features = part.rules.as_deref().map(RuleSet::named).transpose();
            let features = features.map_err(|error| error.to_string())?.map(|set| rule_features(&set));
            Ok(LoadedPart { features, evaluator: None, is_asked_for: false })
        };
        let parts = parts.iter().map(empty).collect::<Result<Vec<_>, String>>()?;
        match parts.iter().filter(|part| part.features.is_none()).count() {
            1 => Ok(Self { parts, last: None }),
            found => Err(format!("{found} general parts of the net, expected 1")),
        }
    }

    /// The number of parts.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// The part that plays the rules of `set`.
    pub fn part_for(&self, set: &RuleSet) -> usize {
        let features = rule_features(set);
        let own = self.parts.iter().position(|part| part.features.as_ref() == Some(&features));
        let general = || self.parts.iter().position(|part| part.features.is_none());
        own.or_else(general).expect("one part is general")
    }

    /// Takes the bytes of a part's model file.
    pub fn load(&mut self, part: usize, bytes: &[u8]) -> Result<(), String> {
        let count = self.count();
        let place =
            self.parts.get_mut(part).ok_or(format!("part {part} of the net, expected a number below {count}"))?;
        let model = Model::from_bytes(bytes).map_err(|error| format!("part {part} of the net: {error}"))?;
        let engine = Engine::new(&model.weights).map_err(|error| format!("part {part} of the net: {error}"))?;
        place.evaluator = Some(NetEvaluator::new(Box::new(engine)));
        Ok(())
    }

    /// Whether the weights of all these parts are loaded.
    pub fn are_loaded(&self, parts: &[usize]) -> bool {
        parts.iter().all(|part| self.parts[*part].evaluator.is_some())
    }

    /// Those of `parts` that are missing and nobody has asked for yet. They count as asked for from now on.
    pub fn ask_for<'a>(&'a mut self, parts: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        parts.iter().copied().filter(move |part| {
            let part = &mut self.parts[*part];
            let is_new = part.evaluator.is_none() && !part.is_asked_for;
            part.is_asked_for |= is_new;
            is_new
        })
    }

    /// The part for the rules of a situation.
    fn part_of(&mut self, situation: &Situation) -> usize {
        if let Some((rules, part)) = &self.last
            && Arc::ptr_eq(rules, &situation.rules)
        {
            return *part;
        }
        let part = self.part_for(situation.rules.set());
        self.last = Some((situation.rules.clone(), part));
        part
    }
}

impl Evaluator for NetParts {
    fn evaluate(&mut self, situations: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        let mut evaluations = Vec::with_capacity(situations.len());
        while let Some(situation) = situations.get(evaluations.len()) {
            let part = self.part_of(situation);
            let rest = &situations[evaluations.len()..];
            let run = rest.iter().position(|situation| self.part_of(situation) != part).unwrap_or(rest.len());
            let missing = || EvaluateError::new(format!("part {part} of the net is not loaded"));
            let evaluator = self.parts[part].evaluator.as_mut().ok_or_else(missing)?;
            evaluations.extend(evaluator.evaluate(&rest[..run])?);
        }
        Ok(evaluations)
    }
}
