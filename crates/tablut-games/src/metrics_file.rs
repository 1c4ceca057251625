//! A run's `metrics.jsonl`: one JSON object per line for each generation. The learner writes it, and reports read it.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use tablut_net::durable;
use tablut_rules::json_fault;

use crate::metrics::GenerationMetrics;
use crate::run_folder::{RunFolder, RunFolderError};

impl RunFolder<'_> {
    /// Reads all metrics, or none if the file does not exist. Unknown keys are ignored, and missing keys have their
    /// default.
    ///
    /// An incomplete last line is also ignored, because a crash during writing leaves one.
    ///
    /// # Errors
    /// If the file cannot be read, or another line is not the metrics of a generation.
    pub fn read_metrics(self) -> Result<Vec<GenerationMetrics>, RunFolderError> {
        let path = self.metrics();
        Ok(whole_lines(&path, &read(&path)?)?.into_iter().map(|(_, metrics)| metrics).collect())
    }

    /// Reads the metrics of a run that may be in progress or damaged, in the order of their generations, and why other
    /// lines cannot be read. If a generation occurs twice, the later line counts.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub fn read_readable_metrics(self) -> Result<(Vec<GenerationMetrics>, Vec<String>), RunFolderError> {
        let mut generations = BTreeMap::new();
        let mut unreadable = Vec::new();
        for (_, line, parsed) in lines(&read(&self.metrics())?) {
            match parsed {
                Ok(metrics) => _ = generations.insert(metrics.generation, metrics),
                Err(_) if line.trim_ascii().is_empty() => {}
                Err(error) => unreadable.push(error.to_string()),
            }
        }
        Ok((generations.into_values().collect(), unreadable))
    }

    /// Reads the metrics of the generations before `end`, and removes the rest from the file: an incomplete last line, and
    /// lines of generations that were not finished and will be repeated. All other lines stay unchanged.
    ///
    /// # Errors
    /// If the file cannot be read or written, or another line is not the metrics of a generation.
    pub fn resume_metrics(self, end: u64) -> Result<Vec<GenerationMetrics>, RunFolderError> {
        let path = self.metrics();
        let before = read(&path)?;
        let mut kept = Vec::new();
        let mut bytes = Vec::new();
        for (line, metrics) in whole_lines(&path, &before)? {
            if metrics.generation < end {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
                kept.push(metrics);
            }
        }
        if bytes != before {
            durable::write(&path, &bytes).map_err(RunFolderError::io(path))?;
        }
        Ok(kept)
    }

    /// Appends one line.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append_metrics(self, metrics: &GenerationMetrics) -> Result<(), RunFolderError> {
        let path = self.metrics();
        let append = || {
            let mut line = serde_json::to_vec(metrics)?;
            line.push(b'\n');
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.write_all(&line)?;
            durable::flush(&file)
        };
        append().map_err(RunFolderError::io(&path))
    }
}

/// The file's bytes, or none if it does not exist.
fn read(path: &Path) -> Result<Vec<u8>, RunFolderError> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        bytes => bytes.map_err(RunFolderError::io(path)),
    }
}

/// Every complete line: its number from 1, its bytes without its end, and its metrics.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8], serde_json::Result<GenerationMetrics>)> {
    bytes.split_inclusive(|&byte| byte == b'\n').enumerate().filter_map(|(place, line)| {
        let whole = line.strip_suffix(b"\n");
        let parsed = serde_json::from_slice(whole.unwrap_or(line));
        (whole.is_some() || parsed.is_ok()).then(|| (place + 1, whole.unwrap_or(line), parsed))
    })
}

/// Every complete line without its end, and its metrics.
fn whole_lines<'a>(path: &Path, bytes: &'a [u8]) -> Result<Vec<(&'a [u8], GenerationMetrics)>, RunFolderError> {
    let malformed = |line, reason: String| RunFolderError::Metrics { path: path.to_owned(), line, reason };
    let lines = lines(bytes).map(|(number, line, parsed)| match parsed {
        Ok(metrics) => Ok((line, metrics)),
        Err(error) => Err(malformed(number, json_fault(&error))),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn line(generation: u64) -> Value {
        let mut metrics = GenerationMetrics { generation, simulations: 8, ..GenerationMetrics::default() };
        metrics.learning.loss.value = 0.5;
        serde_json::to_value(metrics).unwrap()
    }

    /// Resumes a file with `text` after generation `end - 1`, and returns what is left of it.
    fn resumed(text: &str, end: u64) -> Result<(Vec<u64>, String), RunFolderError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        fs::write(&path, text).unwrap();
        let metrics = RunFolder(folder.path()).resume_metrics(end);
        let left = fs::read_to_string(&path).unwrap();
        if metrics.is_err() {
            assert_eq!(left, text, "an error changes nothing");
        }
        metrics.map(|metrics| (metrics.iter().map(|metrics| metrics.generation).collect(), left))
    }

    #[test]
    fn lines_with_other_keys_stay_to_the_byte() {
        let mut newer = line(1);
        newer["ratings"] = serde_json::json!({ "elo": [1, 2] });
        newer["learning"]["loss"]["later"] = 0.25.into();
        let text = format!("{}\n {newer}\n{}\n", line(0), line(2));
        assert_eq!(resumed(&text, 3).unwrap(), (vec![0, 1, 2], text));
    }

    #[test]
    fn a_line_without_a_key_that_was_added_later_is_read() {
        /// The dotted paths of all keys below `value`.
        fn keys(value: &Value, prefix: &str, found: &mut Vec<String>) {
            for (key, value) in value.as_object().into_iter().flatten() {
                found.push(format!("{prefix}/{key}"));
                keys(value, &format!("{prefix}/{key}"), found);
            }
        }
        let mut all = Vec::new();
        keys(&line(0), "", &mut all);
        assert!(all.len() > 20, "{all:?}");
        let needed = |key: &str| ["/schema", "/generation"].contains(&key) || key.contains("/results/");
        for key in all.iter().filter(|key| !needed(key)) {
            let mut older = line(0);
            let (parent, name) = key.rsplit_once('/').unwrap();
            older.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name).unwrap();
            let text = format!("{older}\n");
            assert_eq!(resumed(&text, 1).unwrap_or_else(|error| panic!("without {key}: {error}")), (vec![0], text));
        }
    }

    #[test]
    fn only_a_torn_last_line_and_generations_to_be_done_again_are_dropped() {
        let (first, second) = (line(0).to_string(), line(1).to_string());
        let whole = format!("{first}\n");
        for cut in [1, 2, second.len() / 2, second.len() - 1] {
            let torn = format!("{first}\n{}", &second[..cut]);
            assert_eq!(resumed(&torn, 2).unwrap(), (vec![0], whole.clone()));
        }
        // Only the end of the line is missing, so the line is complete and kept.
        let text = format!("{first}\n{second}");
        assert_eq!(resumed(&text, 2).unwrap(), (vec![0, 1], format!("{text}\n")));
        assert_eq!(resumed(&text, 1).unwrap(), (vec![0], whole));
    }

    #[test]
    fn any_other_line_that_cannot_be_read_is_named() {
        let good = line(0).to_string();
        let older = good.replacen("\"schema\":5", "\"schema\":4", 1);
        for bad in ["no json", "", "{\"simulations\":8}", &good[..9], &older] {
            for (text, number) in [(format!("{bad}\n{good}\n"), 1), (format!("{good}\n{bad}\n"), 2)] {
                let error = resumed(&text, 9).unwrap_err().to_string();
                assert!(error.contains(&format!("metrics.jsonl, line {number}: ")), "{error}");
            }
        }
    }

    #[test]
    fn lines_with_more_keys_are_read_and_those_of_other_versions_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder(folder.path());
        assert_eq!(run.read_readable_metrics().unwrap(), (Vec::new(), Vec::new()));
        let line = |rest: &str| format!("{{\"schema\":5,{rest}}}\n");
        let learning = r#""learning":{"loss":{"policy":3.5,"policy_floor":3,"later":1}}"#;
        let first = line(&format!("\"generation\":1,\"future\":{{\"x\":[]}},{learning}"));
        let text = first.clone()
            + &line("\"generation\":0")
            + "{\"schema\":4,\"generation\":0}\n\n"
            + &line("\"generation\":1,\"simulations\":7")
            + "{\"schema\":5,\"sel";
        fs::write(run.metrics(), text).unwrap();
        let (lines, unreadable) = run.read_readable_metrics().unwrap();
        assert_eq!(lines.iter().map(|line| (line.generation, line.simulations)).collect::<Vec<_>>(), [(0, 0), (1, 7)]);
        assert_eq!(unreadable.len(), 1);
        assert!(unreadable[0].starts_with("schema 4, this program reads schema 5"), "{unreadable:?}");
        let first: GenerationMetrics = serde_json::from_str(&first).unwrap();
        assert_eq!((first.learning.policy_gap(), lines[0].learning.policy_gap()), (Some(0.5), None));
    }
}
