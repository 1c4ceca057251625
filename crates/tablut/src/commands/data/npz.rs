//! `tablut data npz`: positions and training targets as a NumPy archive.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use tablut_games::{ReplayWindow, TrainingBatch, read_records, write_npz};
use tablut_rules::Rules;

use crate::console::Console;
use crate::outputs::Overwrite;

/// Write positions and training targets as a NumPy archive
///
/// One row for every position that a search has evaluated, in the order of the games. docs/encoding.md lists the
/// arrays.
#[derive(clap::Args)]
pub struct Args {
    /// Files of records.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Where to write the archive.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Share of the search's value in the value targets, 0 to 1; the rest is the game's outcome.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    value_share: f32,
    /// Rule set, by name or TOML file [default: the one in the file].
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Reads, replays and writes.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    args.overwrite.check(&args.out)?;
    let mut batch = TrainingBatch::default();
    let mut n_games = 0;
    for path in &args.files {
        let file = read_records(path)?;
        let names: BTreeSet<_> = file.games.iter().map(|game| &game.rules).collect();
        let rules = names.into_iter().map(|name| match &args.rules {
            Some(asked) => Ok(Arc::new(Rules::load(asked)?)),
            None => file.rules_named(name).with_context(|| path.display().to_string()),
        });
        let mut window = ReplayWindow::new(rules.collect::<anyhow::Result<_>>()?, usize::MAX);
        window.push(&file.games).with_context(|| path.display().to_string())?;
        batch = batch.joined(window.in_order(args.value_share));
        n_games += file.games.len();
    }
    write_npz(&args.out, &batch)?;
    writeln!(console, "{}: {} positions of {n_games} games", args.out.display(), batch.input.n)?;
    Ok(())
}

fn share(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}
