//! Statistics over several generations.

use std::collections::BTreeMap;

use tablut_games::{CalibrationBin, GenerationMetrics, RuleSetStatistics};
use tablut_rules::Results;

/// The mean of `value` over the lines that have it.
pub(crate) fn mean(lines: &[GenerationMetrics], value: impl Fn(&GenerationMetrics) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = lines.iter().filter_map(value).filter(|value| value.is_finite()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The work of a run from its start to the end of a generation.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Spent {
    pub evaluations: u64,
    pub hours: f64,
    /// Hours times the threads of self-play, those of workers included.
    pub core_hours: f64,
}

/// The work until the end of each line.
pub(crate) fn spent(lines: &[GenerationMetrics]) -> Vec<Spent> {
    let add = |sum: &mut Spent, line: &GenerationMetrics| {
        let workers = line.fleet.iter().flat_map(|fleet| &fleet.workers).map(|worker| worker.threads).sum::<usize>();
        let (hours, threads) = (line.seconds() / 3600.0, line.machine.threads.max(1) + workers);
        sum.evaluations += line.selfplay.evaluations;
        sum.hours += hours;
        sum.core_hours += hours * threads as f64;
        Some(*sum)
    };
    lines.iter().scan(Spent::default(), add).collect()
}

/// The items in the order of their first appearance, each once.
pub(crate) fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

/// The mean of `(positions, value)`, weighted by positions. `None` if there are no positions.
pub(crate) fn weighted_mean(values: impl Iterator<Item = (usize, f64)>) -> Option<f64> {
    let (n, sum) =
        values.fold((0.0, 0.0), |(n, sum), (positions, value)| (n + positions as f64, sum + positions as f64 * value));
    (n > 0.0).then(|| sum / n)
}

/// The statistics of each rule set, in the order of their first appearance.
pub(crate) fn by_rule_set(lines: &[GenerationMetrics]) -> Vec<(&str, Vec<&RuleSetStatistics>)> {
    let mut sets: Vec<(&str, Vec<&RuleSetStatistics>)> = Vec::new();
    for set in lines.iter().flat_map(|line| &line.rule_sets) {
        match sets.iter_mut().find(|known| known.0 == set.rules) {
            Some(known) => known.1.push(set),
            None => sets.push((&set.rules, vec![set])),
        }
    }
    sets
}

pub(crate) fn ordinary(sets: &[&RuleSetStatistics]) -> Results {
    sets.iter().map(|set| set.ordinary()).sum()
}

/// Positions that the net evaluated per second of self-play. `None` if the time is unknown.
pub(crate) fn evaluation_speed(line: &GenerationMetrics) -> Option<f64> {
    (line.selfplay.seconds > 0.0).then(|| line.selfplay.evaluations as f64 / line.selfplay.seconds)
}

/// The calibration over several lines, of the rule set `rules` or of all.
pub(crate) fn calibration(lines: &[GenerationMetrics], rules: Option<&str>) -> Vec<CalibrationBin> {
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
