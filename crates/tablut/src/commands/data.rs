//! `tablut data`: shows, checks and converts files of game records.

mod npz;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde_json::json;
use tablut_games::{GameRecord, RecordFile, read_records};
use tablut_learn::{RunCheck, RunSummary, SelfPlayMetrics, check_run};
use tablut_report::{GAME_COLUMNS, games_csv};
use tablut_rules::Rules;

use crate::console::{Console, complain};

/// What to do with records.
#[derive(Subcommand)]
pub enum Data {
    /// Count games, positions and results; for a run's folder, show its progress.
    Info {
        /// Files of records, or folders of runs.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Replay every game and compare its end with the recorded one; for a run's folder, check every file.
    Check {
        /// Files of records, or folders of runs.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Rule set, by name or TOML file [default: the one in the file].
        #[arg(long, value_name = "R")]
        rules: Option<String>,
    },
    /// Print every ply of every game as a table row, for notebooks and spreadsheets.
    Csv {
        /// Files of records.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Print every game as a JSON object, one per line.
    Json {
        /// Files of records.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    Npz(npz::Args),
}

/// Inspects, checks or prints.
pub fn run(command: &Data, console: &mut Console) -> anyhow::Result<()> {
    let files = match command {
        Data::Info { files } | Data::Check { files, .. } | Data::Csv { files } | Data::Json { files } => files,
        Data::Npz(args) => return npz::run(args, console),
    };
    if matches!(command, Data::Csv { .. }) {
        writeln!(console, "{GAME_COLUMNS}")?;
    }
    for path in files {
        match command {
            Data::Info { .. } if path.is_dir() => {
                write!(console, "{}", RunSummary::read(path)?)?;
                continue;
            }
            Data::Check { .. } if path.is_dir() => {
                check_folder(path, console)?;
                continue;
            }
            _ => {}
        }
        let file = read_records(path)?;
        match command {
            Data::Info { .. } => writeln!(console, "{}: {}", path.display(), info(&file))?,
            Data::Check { rules, .. } => {
                for game in &file.games {
                    let rules = match rules {
                        Some(asked) => Arc::new(Rules::load(asked)?),
                        None => file.rules_named(&game.rules).with_context(|| path.display().to_string())?,
                    };
                    game.replay(&rules, |_, _, _| {})
                        .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
                }
                writeln!(console, "{}: {} games replay as recorded", path.display(), file.games.len())?;
            }
            Data::Csv { .. } => {
                for game in &file.games {
                    write!(console, "{}", games_csv(&path.display().to_string(), game))?;
                }
            }
            Data::Json { .. } => {
                for game in &file.games {
                    writeln!(console, "{}", line(game))?;
                }
            }
            Data::Npz(_) => unreachable!("it has returned above"),
        }
    }
    Ok(())
}

/// Checks every file of a run; an error where one is damaged or missing, after all have been looked at.
fn check_folder(path: &Path, console: &mut Console) -> anyhow::Result<()> {
    let check = check_run(path, &mut |_| {})?;
    let RunCheck { generations, games, models, states, faults } = check;
    writeln!(
        console,
        "{}: {generations} generations, {models} models and {states} states are whole, {games} games replay as recorded",
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

fn info(file: &RecordFile) -> String {
    let metrics = SelfPlayMetrics::count(&file.games);
    format!(
        "{} games of {:.1} plies, {} positions to learn from, {} evaluations; attackers won {}, drawn {} ({} at the ply \
         limit), defenders won {}",
        metrics.games,
        metrics.mean_plies,
        metrics.positions,
        file.evaluations,
        metrics.attackers_won,
        metrics.drawn,
        metrics.ply_limit,
        metrics.defenders_won
    )
}

fn line(game: &GameRecord) -> serde_json::Value {
    let search = |ply: &tablut_games::PlyRecord| {
        ply.search.as_ref().map(|search| {
            let policy: Vec<f32> = search.policy.iter().map(|&p| f32::from(p) / f32::from(u16::MAX)).collect();
            json!({ "value": search.value, "simulations": search.simulations, "policy": policy })
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
