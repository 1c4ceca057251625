//! Reads `metrics.jsonl`, also while a run writes it, and computes statistics over several generations.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use tablut_games::{CalibrationBin, GenerationMetrics, RuleSetStatistics};
use tablut_rules::Results;

/// The mean of `value` over the lines that have it.
pub(crate) fn mean(lines: &[GenerationMetrics], value: impl Fn(&GenerationMetrics) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = lines.iter().filter_map(value).filter(|value| value.is_finite()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
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

/// The results of the ordinary games in some statistics.
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

/// The lines of a file in the order of their generations, and why others cannot be read. If a generation occurs twice,
/// the later line counts. A missing file has no lines.
///
/// # Errors
/// If the file exists and cannot be read.
pub fn read_lines(path: &Path) -> io::Result<(Vec<GenerationMetrics>, Vec<String>)> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let whole = text.split_inclusive('\n').filter(|line| !line.trim().is_empty());
    let mut unread = Vec::new();
    let mut lines = BTreeMap::new();
    for line in whole {
        match serde_json::from_str::<GenerationMetrics>(line) {
            Ok(metrics) => {
                lines.insert(metrics.generation, metrics);
            }
            // A run may be writing the last line now.
            Err(_) if !line.ends_with('\n') => {}
            Err(error) => unread.push(error.to_string()),
        }
    }
    Ok((lines.into_values().collect(), unread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_more_keys_are_read_and_those_of_other_versions_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let line = |rest: &str| format!("{{\"schema\":5,{rest}}}\n");
        let learning = r#""learning":{"loss":{"policy":3.5,"policy_floor":3,"later":1}}"#;
        let first = line(&format!("\"generation\":1,\"future\":{{\"x\":[]}},{learning}"));
        let text = first.clone()
            + &line("\"generation\":0")
            + "{\"schema\":4,\"generation\":0}\n"
            + &line("\"generation\":1,\"simulations\":7")
            + "{\"schema\":5,\"sel";
        fs::write(&path, &text).unwrap();
        let (lines, unread) = read_lines(&path).unwrap();
        assert_eq!(lines.iter().map(|line| (line.generation, line.simulations)).collect::<Vec<_>>(), [(0, 0), (1, 7)]);
        assert_eq!(unread.len(), 1);
        assert!(unread[0].starts_with("schema 4, this program reads schema 5"), "{unread:?}");
        assert_eq!(read_lines(&folder.path().join("absent")).unwrap(), (Vec::new(), Vec::new()));
        let first: GenerationMetrics = serde_json::from_str(&first).unwrap();
        assert_eq!((first.learning.policy_gap(), lines[0].learning.policy_gap()), (Some(0.5), None));
    }
}
