//! Event files for TensorBoard, one for each generation, so that a continued run never changes a finished file.
//!
//! A file is a sequence of records: length (u64), masked CRC-32C of the length, the bytes of an `Event` message, masked
//! CRC-32C of these bytes. All numbers are little-endian. Only the fields of TensorFlow's messages that are needed here
//! are written.

mod events;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use tablut_games::{GameRecord, GenerationFile, GenerationMetrics, RunFolder, read_records};
use tablut_net::durable;
use tablut_rules::Results;

use crate::rated;
use crate::run_files::RunFiles;
use events::{EventFile, Histogram};

/// Writes an event file into `folder` for each generation of `run`, and returns the number of files written. Removes
/// the files of generations that the run does not have. Unless `all` is set, keeps a file that is newer than its
/// generation's state.
pub fn write_tensorboard(run: &RunFiles, folder: &Path, all: bool) -> io::Result<usize> {
    remove_others(run, folder)?;
    let files = RunFolder(&run.folder);
    let start = start_seconds(files);
    let ratings = rated::by_generation(&run.lines, None, None);
    let mut seconds = 0.0;
    let mut written = 0;
    for (at, line) in run.lines.iter().enumerate() {
        seconds += line.seconds();
        let path = folder.join(file_name(line.generation));
        // A run that was set back to an earlier generation writes new states.
        let state = files.file(GenerationFile::State, line.generation);
        if !all && modified(&path).is_some_and(|written| modified(&state).is_none_or(|learnt| learnt <= written)) {
            continue;
        }
        let games = read_records(&files.file(GenerationFile::Games, line.generation));
        let games = games.map(|file| file.games).unwrap_or_default();
        let mut file = EventFile::new(start + seconds, line.generation);
        if at == 0 && !run.config_text.is_empty() {
            // The text is Markdown. Four spaces make a code block.
            let indented: String = run.config_text.lines().flat_map(|line| ["    ", line, "\n"]).collect();
            file.text("config", &indented);
        }
        scalars(line, &mut file);
        if let Some((_, rating, _)) = ratings.iter().find(|found| found.0 == line.generation) {
            file.scalar("rating/elo", rating.elo as f32);
            file.scalar("rating/elo_low", rating.low as f32);
            file.scalar("rating/elo_high", rating.high as f32);
        }
        histograms(&games, &mut file);
        durable::write(&path, &file.into_bytes())?;
        written += 1;
    }
    Ok(written)
}

/// The name of a generation's file. TensorBoard reads files in the order of their names.
fn file_name(generation: u64) -> String {
    format!("events.out.tfevents.{generation:010}.tablut")
}

/// Removes unfinished files, and the event files of generations that `run` does not have. An earlier, longer run may
/// have left them.
fn remove_others(run: &RunFiles, folder: &Path) -> io::Result<()> {
    let wanted: HashSet<String> = run.lines.iter().map(|line| file_name(line.generation)).collect();
    if !folder.is_dir() {
        return Ok(());
    }
    durable::remove_leftovers(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("events.out.tfevents.") && name.ends_with(".tablut") && !wanted.contains(&name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|found| found.modified()).ok()
}

/// When the run began, in seconds since 1970: the time of its config, which is written first.
fn start_seconds(run: RunFolder<'_>) -> f64 {
    modified(&run.config()).and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0.0, |time| time.as_secs_f64())
}

fn scalars(line: &GenerationMetrics, file: &mut EventFile) {
    let (play, learning, machine) = (&line.selfplay, &line.learning, &line.machine);
    let mut add = |tag: &str, value: f64| file.scalar(tag, value as f32);
    for (name, share) in Results::NAMES.iter().zip(line.results().shares()) {
        add(&format!("selfplay/{name}"), share);
    }
    add("selfplay/mean_plies", play.mean_plies);
    add("selfplay/simulations", f64::from(line.simulations));
    for (part, value) in learning.loss.named() {
        add(&format!("loss/{part}"), value.into());
    }
    for (name, losses) in
        [("fresh", Some(learning.fresh)), ("learnt", Some(learning.learnt)), ("held_out", learning.held_out)]
    {
        if let Some(losses) = losses.filter(|losses| losses.positions > 0) {
            add(&format!("{name}/policy_above_floor"), losses.policy - losses.policy_floor);
            add(&format!("{name}/value"), losses.value);
        }
    }
    add("learning/gradient_norm", learning.gradient_norm.into());
    add("learning/learning_rate", learning.learning_rate.into());
    add("learning/window", learning.window as f64);
    if learning.weight_norm > 0.0 {
        add("learning/weight_norm", learning.weight_norm.into());
    }
    if play.seconds > 0.0 {
        add("speed/evaluations_per_second", play.evaluations as f64 / play.seconds);
        add("speed/net_share", play.net_share);
        add("speed/mean_batch", play.mean_batch);
    }
    add("speed/samples_per_second", learning.samples_per_second);
    if machine.run_bytes > 0 {
        add("machine/memory_bytes", machine.memory_bytes as f64);
        add("machine/run_bytes", machine.run_bytes as f64);
    }
    for found in rated::scores(std::slice::from_ref(line), false).matches {
        if let Some(score) = found.total.score {
            add(&format!("rating/score_against/{}", found.opponent()), score.mean);
        }
    }
    for set in &line.rule_sets {
        let name = &set.rules;
        for (part, share) in Results::NAMES.iter().zip(set.ordinary().shares()) {
            add(&format!("rules/{name}/{part}"), share);
        }
        add(&format!("rules/{name}/median_plies"), set.plies.median as f64);
        let Some(net) = &set.net else { continue };
        for (side, policy) in [("attackers", net.attackers), ("defenders", net.defenders)] {
            add(&format!("policy/{name}/{side}_entropy"), policy.entropy);
            add(&format!("policy/{name}/{side}_divergence"), policy.divergence);
            add(&format!("policy/{name}/{side}_changed"), policy.changed);
        }
        for phase in &net.phases {
            add(&format!("value/{name}/{}_net_error", phase.phase), phase.net_error);
            add(&format!("value/{name}/{}_search_error", phase.phase), phase.search_error);
        }
    }
}

fn histograms(games: &[GameRecord], file: &mut EventFile) {
    if games.is_empty() {
        return;
    }
    let plies = games.iter().map(|game| game.plies.len() as f64);
    let searches = || games.iter().flat_map(|game| &game.plies).filter_map(|ply| ply.search.as_ref());
    file.histogram("games/plies", &Histogram::of(plies, 0.0, 10.0, 20));
    file.histogram(
        "games/search_values",
        &Histogram::of(searches().map(|search| f64::from(search.chances.value())), -1.0, 0.1, 20),
    );
    file.histogram(
        "games/legal_moves",
        &Histogram::of(searches().map(|search| search.policy.len() as f64), 0.0, 5.0, 30),
    );
}
