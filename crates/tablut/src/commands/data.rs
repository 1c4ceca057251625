//! `tablut data`: shows, checks and exports game records and runs.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::{Subcommand, ValueEnum};
use serde_json::json;
use tablut_games::{
    GameRecord, GenerationFile, RecordFile, ReplayWindow, RunFolder, SelfPlayMetrics, TrainingBatch, read_records,
    write_npz,
};
use tablut_learn::{Pruned, RunCheck, RunSummary, check_run, prune};
use tablut_net::StatedRules;
use tablut_report::figures::{bytes, counted};
use tablut_report::{GAME_COLUMNS, RunFiles, games_csv, metrics_csv};
use tablut_rules::Results;

use crate::console::{Console, complain};
use crate::outputs::{Overwrite, write};

/// The actions on records.
#[derive(Subcommand)]
pub enum Data {
    /// Count games, positions and results, or show a run's progress.
    Info {
        /// Files of records, or folders of runs.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Replay every game and compare its result, or check every file of a run.
    Check {
        /// Files of records, or folders of runs.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Delete files of a run that it does not need to continue
    ///
    /// It deletes old games, nets except every tenth one and those of coming rating games, and the state before the last.
    Prune {
        /// The folder of a run.
        run: PathBuf,
        /// Only print what would be deleted.
        #[arg(long)]
        dry_run: bool,
    },
    Export(ExportArgs),
}

/// Write games, plies, positions or metrics for notebooks and spreadsheets
///
/// docs/metrics.md explains the columns, docs/formats.md the arrays.
#[derive(clap::Args)]
pub struct ExportArgs {
    /// What to write.
    #[arg(value_enum)]
    what: Export,
    /// Files of records, or folders of runs for all their games.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file to write [default: print].
    #[arg(long, value_name = "FILE", required_if_eq("what", "positions"))]
    out: Option<PathBuf>,
    /// For positions: share of the search's chances in the value targets, 0 to 1. The rest is the game's outcome.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    value_share: f32,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// What can be exported.
#[derive(Clone, Copy, Eq, PartialEq, ValueEnum)]
enum Export {
    /// Every game as a JSON object, one per line.
    Games,
    /// Every ply of every game as a row of a CSV table.
    Plies,
    /// Every position that a search has evaluated, with its training targets, as a NumPy archive (npz).
    Positions,
    /// The metrics of a run as a CSV table, one row for each generation and rule set.
    Metrics,
}

pub fn run(command: &Data, console: &mut Console) -> anyhow::Result<()> {
    match command {
        Data::Info { files } => {
            for path in files {
                if path.is_dir() {
                    write!(console, "{}", RunSummary::read(path)?)?;
                } else {
                    writeln!(console, "{}: {}", path.display(), info(&read_records(path)?)?)?;
                }
            }
            Ok(())
        }
        Data::Check { files } => files.iter().try_for_each(|path| check(path, console)),
        Data::Prune { run, dry_run } => {
            let Pruned { files, bytes: freed, bytes_left, nets, games } = prune(run, !dry_run)?;
            let (verb, nets) = (if *dry_run { "would be deleted" } else { "deleted" }, nets.iter().map(u64::to_string));
            writeln!(
                console,
                "{}: {} {verb}, {} stay",
                run.display(),
                counted_bytes(files.len(), freed),
                bytes(bytes_left)
            )?;
            writeln!(console, "nets that stay: {}", nets.collect::<Vec<_>>().join(", "))?;
            writeln!(console, "games that stay: generations {} to {}", games.start, games.end.saturating_sub(1))?;
            Ok(())
        }
        Data::Export(args) => export(args, console),
    }
}

fn export(args: &ExportArgs, console: &mut Console) -> anyhow::Result<()> {
    args.out.iter().try_for_each(|out| args.overwrite.check(out))?;
    let text = match args.what {
        Export::Positions => return export_positions(args, console),
        Export::Metrics => match args.files.as_slice() {
            [run] => {
                let run = RunFiles::read_numbers(run)?;
                run.notes.iter().for_each(|note| complain(format_args!("{note}")));
                metrics_csv(&run.lines)
            }
            runs => bail!("expected the folder of one run, found {} paths", runs.len()),
        },
        Export::Games => text_of_games(args, "", |_, game| format!("{}\n", line(game)))?,
        Export::Plies => text_of_games(args, &format!("{GAME_COLUMNS}\n"), games_csv)?,
    };
    match &args.out {
        Some(out) => write(out, text.as_bytes()),
        None => Ok(console.write_all(text.as_bytes())?),
    }
}

/// The header, and the `text` of every game, which receives the name of the game's file.
fn text_of_games(
    args: &ExportArgs,
    header: &str,
    text: impl Fn(&str, &GameRecord) -> String,
) -> anyhow::Result<String> {
    let mut whole = header.to_owned();
    for path in record_files(&args.files)? {
        let name = path.display().to_string();
        whole.extend(read_records(&path)?.games.iter().map(|game| text(&name, game)));
    }
    Ok(whole)
}

/// One row for every position that a search has evaluated, in the order of the games.
fn export_positions(args: &ExportArgs, console: &mut Console) -> anyhow::Result<()> {
    let out = args.out.as_ref().context("expected --out FILE")?;
    let mut batch = TrainingBatch::default();
    let mut n_games = 0;
    for path in record_files(&args.files)? {
        let file = read_records(&path)?;
        let mut window = ReplayWindow::new(file.rules.iter().map(StatedRules::rules).collect(), usize::MAX);
        window.push(&file.games).with_context(|| path.display().to_string())?;
        batch = batch.joined(window.in_order(args.value_share));
        n_games += file.games.len();
    }
    let parts = batch.parts();
    let only = parts.len() == 1;
    for (size, batch) in parts {
        // Arrays have boards of one size, so each size has a file of its own.
        let width = size.width();
        let out = if only { out.clone() } else { out.with_extension(format!("{width}x{width}.npz")) };
        write_npz(&out, size, &batch).with_context(|| format!("cannot write {}", out.display()))?;
        writeln!(console, "{}: {} positions on {size} squares", out.display(), batch.input.n)?;
    }
    writeln!(console, "from {n_games} games")?;
    Ok(())
}

/// The files of records. A run's folder is replaced by the files of all its generations.
fn record_files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let of_run = RunFolder(path).files(GenerationFile::Games)?;
            ensure!(!of_run.is_empty(), "{}: expected a run's folder with files in games/", path.display());
            files.extend(of_run.into_values());
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Checks a file of records, or every file of a run. Damaged or missing files of a run are an error after all are
/// checked.
fn check(path: &Path, console: &mut Console) -> anyhow::Result<()> {
    if !path.is_dir() {
        let file = read_records(path)?;
        for game in &file.games {
            let missing = || format!("{}: the rules {} of game {} are missing", path.display(), game.rules, game.index);
            let rules = file.rules_named(&game.rules).with_context(missing)?;
            game.replay(&rules, |_, _, _| {}).with_context(|| path.display().to_string())?;
        }
        writeln!(console, "{}: {} games replay as recorded", path.display(), file.games.len())?;
        return Ok(());
    }
    let check = check_run(path, &mut |_| {})?;
    let RunCheck { generations, games, models, states, faults } = check;
    writeln!(
        console,
        "{}: {generations} generations, {models} models and {states} states are complete, {games} games replay as recorded",
        path.display()
    )?;
    for fault in &faults {
        complain(format_args!("damaged: {fault}"));
    }
    if faults.is_empty() {
        Ok(())
    } else {
        bail!("{}: {} of its files are damaged or missing", path.display(), faults.len())
    }
}

fn info(file: &RecordFile) -> anyhow::Result<String> {
    let rules: Vec<_> = file.rules.iter().map(StatedRules::rules).collect();
    let SelfPlayMetrics { games, mean_plies, positions, results, .. } = SelfPlayMetrics::count(&rules, &file.games)?;
    let Results { attackers, draws, defenders, unfinished } = results;
    Ok(format!(
        "{games} games of {mean_plies:.1} plies, {positions} training positions, {} evaluations; attackers {attackers}, \
         draws {draws}, defenders {defenders}, unfinished {unfinished}",
        file.evaluations,
    ))
}

fn line(game: &GameRecord) -> serde_json::Value {
    let search = |ply: &tablut_games::PlyRecord| {
        ply.search.as_ref().map(|search| {
            let policy: Vec<f32> = search.policy.iter().map(|&p| f32::from(p) / f32::from(u16::MAX)).collect();
            let (value, draw) = (search.chances.value(), search.chances.draw);
            json!({ "value": value, "draw": draw, "simulations": search.simulations, "policy": policy })
        })
    };
    json!({
        "index": game.index,
        "rules": game.rules,
        "start": game.start.to_string(),
        "moves": game.plies.iter().map(|ply| ply.mv.to_string()).collect::<Vec<_>>(),
        "search": game.plies.iter().map(search).collect::<Vec<_>>(),
        "winner": game.outcome.winner,
        "reason": game.outcome.reason,
    })
}

fn counted_bytes(n_files: usize, of_files: u64) -> String {
    format!("{} with {}", counted(n_files, "file"), bytes(of_files))
}

fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}
