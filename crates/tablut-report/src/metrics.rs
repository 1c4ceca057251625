//! Reading `metrics.jsonl` of any version: what a line lacks is 0 or empty, what is unknown is passed over.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use tablut_games::{CalibrationBin, Endings, FleetReport, NetLosses, RuleSetStatistics};
use tablut_ratings::RatedGeneration;

/// One generation, as `docs/metrics.md` explains it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct MetricsLine {
    /// The version of the line; 0 where it is not said, which is version 1.
    pub schema: u32,
    /// The generation, from 0.
    pub generation: u64,
    /// Simulations of a search.
    pub simulations: u32,
    /// Self-play.
    pub selfplay: SelfPlayLine,
    /// Learning.
    pub learning: LearningLine,
    /// The games by rule set and side; empty in version 1.
    pub rule_sets: Vec<RuleSetStatistics>,
    /// The games by which the newest net was rated; none before version 3.
    pub rating: Option<RatedGeneration>,
    /// The machine.
    pub machine: MachineLine,
    /// The workers; none where the run played its games itself.
    pub fleet: Option<FleetReport>,
}

/// Self-play of one generation.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "docs/metrics.md explains the keys")]
pub struct SelfPlayLine {
    pub games: usize,
    pub positions: usize,
    pub attackers_won: usize,
    pub drawn: usize,
    pub defenders_won: usize,
    pub ply_limit: usize,
    pub mean_plies: f64,
    pub seconds: f64,
    pub evaluations: u64,
    pub mean_batch: f64,
    pub batch_fill: f64,
    pub net_share: f64,
}

/// Learning of one generation.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "docs/metrics.md explains the keys")]
pub struct LearningLine {
    pub steps: u64,
    pub window: usize,
    /// Losses by name; parts that this program does not know are among them.
    pub loss: BTreeMap<String, f64>,
    pub gradient_norm: f64,
    pub weight_norm: f64,
    pub learning_rate: f64,
    pub seconds: f64,
    pub samples_per_second: f64,
    pub fresh: NetLosses,
    pub learnt: NetLosses,
    pub held_out: Option<NetLosses>,
}

/// The machine at the end of a generation.
#[derive(Copy, Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "docs/metrics.md explains the keys")]
pub struct MachineLine {
    pub memory_bytes: u64,
    pub run_bytes: u64,
    pub free_bytes: u64,
    pub watching_seconds: f64,
}

impl LearningLine {
    /// A part of the loss; `None` where it was not measured.
    pub fn part(&self, name: &str) -> Option<f64> {
        self.loss.get(name).copied()
    }

    /// How far the policy's loss was above its floor, over the generation's steps.
    pub fn policy_gap(&self) -> Option<f64> {
        Some(self.part("policy")? - self.part("policy_floor")?)
    }
}

impl MetricsLine {
    /// The share of the games that ended so: attackers' wins, draws, defenders' wins. Of ordinary games, if there are any.
    pub fn shares(&self) -> [f64; 3] {
        let play = &self.selfplay;
        let has_special = self.rule_sets.iter().any(|set| set.special.is_some());
        let ordinary = self.rule_sets.iter().fold(Endings::default(), |sum, set| sum.plus(set.ordinary()));
        if has_special && ordinary.games() > 0 {
            let results = [ordinary.attackers_won, ordinary.drawn, ordinary.defenders_won];
            return results.map(|n| n as f64 / ordinary.games() as f64);
        }
        [play.attackers_won, play.drawn, play.defenders_won].map(|n| n as f64 / play.games.max(1) as f64)
    }

    /// The wall time of the generation as far as it was measured.
    pub fn seconds(&self) -> f64 {
        self.selfplay.seconds + self.learning.seconds + self.rating_seconds() + self.machine.watching_seconds
    }

    /// What the games took that rate the net.
    pub fn rating_seconds(&self) -> f64 {
        self.rating.as_ref().map_or(0.0, |rating| rating.seconds)
    }

    /// Mean squared error against the results, of the net's values and of the search's, over all rule sets and phases.
    pub fn value_errors(&self) -> Option<[f64; 2]> {
        let phases = self.rule_sets.iter().filter_map(|set| set.net.as_ref()).flat_map(|net| &net.phases);
        let (mut n, mut errors) = (0.0, [0.0; 2]);
        for phase in phases {
            let positions = phase.positions as f64;
            n += positions;
            errors[0] += positions * phase.net_error;
            errors[1] += positions * phase.search_error;
        }
        (n > 0.0).then(|| errors.map(|error| error / n))
    }
}

/// The mean of `value` over the lines that have it.
pub(crate) fn mean(lines: &[MetricsLine], value: impl Fn(&MetricsLine) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = lines.iter().filter_map(value).filter(|value| value.is_finite()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The calibration over several lines, of one rule set or of all.
pub(crate) fn calibration(lines: &[MetricsLine], rules: Option<&str>) -> Vec<CalibrationBin> {
    let mut sums: BTreeMap<i64, CalibrationBin> = BTreeMap::new();
    let sets = lines.iter().flat_map(|line| &line.rule_sets).filter(|set| rules.is_none_or(|name| set.rules == name));
    for bin in sets.filter_map(|set| set.net.as_ref()).flat_map(|net| &net.calibration) {
        let sum = sums.entry((bin.from * 10.0).round() as i64).or_default();
        let n = bin.positions as f64;
        sum.from = bin.from;
        sum.positions += bin.positions;
        sum.value += n * bin.value;
        sum.outcome += n * bin.outcome;
    }
    let mean = |bin: CalibrationBin| {
        let n = bin.positions.max(1) as f64;
        CalibrationBin { value: bin.value / n, outcome: bin.outcome / n, ..bin }
    };
    sums.into_values().map(mean).collect()
}

/// The lines of a file in the order of their generations, and how many could not be read. A generation that is there twice is taken
/// as its last line says.
pub fn read_lines(path: &Path) -> io::Result<(Vec<MetricsLine>, usize)> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let whole = text.split_inclusive('\n').filter(|line| !line.trim().is_empty());
    let mut unread = 0;
    let mut lines = BTreeMap::new();
    for line in whole {
        match serde_json::from_str::<MetricsLine>(line) {
            Ok(metrics) => {
                lines.insert(metrics.generation, metrics);
            }
            // The last line may be under way.
            Err(_) if !line.ends_with('\n') => {}
            Err(_) => unread += 1,
        }
    }
    Ok((lines.into_values().collect(), unread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_versions_are_read_and_broken_ones_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let text = "{\"generation\":1,\"future\":{\"x\":[]},\"learning\":{\"loss\":{\"policy\":3.5,\"policy_floor\":3,\"later\":1}}}\n\
                    {\"generation\":0}\nnonsense\n{\"generation\":1,\"simulations\":7}\n{\"generation\":2,\"sel";
        fs::write(&path, text).unwrap();
        let (lines, unread) = read_lines(&path).unwrap();
        assert_eq!(lines.iter().map(|line| (line.generation, line.simulations)).collect::<Vec<_>>(), [(0, 0), (1, 7)]);
        assert_eq!(unread, 1);
        assert_eq!(read_lines(&folder.path().join("absent")).unwrap(), (Vec::new(), 0));
        let first: MetricsLine = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!((first.learning.policy_gap(), first.learning.part("later")), (Some(0.5), Some(1.0)));
    }
}
