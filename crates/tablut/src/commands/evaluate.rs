//! `tablut evaluate MODEL`: a net's score against fixed opponents, both sides equally.

use std::path::{Path, PathBuf};

use serde::Serialize;
use tablut_arena::{MatchReport, Nets, PlayerSpec, endings_text, match_table, sprt_text};
use tablut_games::Counters;

use super::matches::{MatchArgs, counters_with_interrupt, load_rules, parse_players, play_all, save_games};

/// Arguments of `tablut evaluate`.
#[derive(clap::Args)]
pub struct Args {
    /// The model file.
    model: PathBuf,
    /// An opponent: random, greedy, alphabeta:DEPTH, alphabeta:200ms, rollouts:N, net:FILE@SIMULATIONS or
    /// policy:FILE; may be given often [default: random, greedy and alphabeta:2].
    #[arg(long, value_name = "PLAYER")]
    against: Vec<String>,
    /// Rule set, by name or TOML file [default: the first one that the net was trained on].
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Simulations a move; 0 plays by the policy alone [default: what the model file says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    simulations: Option<u32>,
    #[command(flatten)]
    matches: MatchArgs,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Evaluation<'a> {
    model: String,
    rules: &'a str,
    simulations: u32,
    matches: Vec<&'a MatchReport>,
}

/// Plays the matches and prints the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let counters = counters_with_interrupt()?;
    let opponents = if args.against.is_empty() {
        vec!["random".to_owned(), "greedy".to_owned(), "alphabeta:2".to_owned()]
    } else {
        args.against.clone()
    };
    print!("{}", measure(args, &args.model, &opponents, &counters)?);
    Ok(())
}

fn measure(args: &Args, model: &Path, opponents: &[String], counters: &Counters) -> anyhow::Result<String> {
    let opponents = parse_players(opponents)?;
    let mut nets = Nets::load(&opponents)?;
    let info = nets.add(model)?;
    let simulations = args.simulations.unwrap_or_else(|| info.play_simulations());
    let rules_name = args.rules.clone().or_else(|| info.rules.first().cloned()).unwrap_or_else(|| "kvasir".to_owned());
    let rules = load_rules(&rules_name)?;
    let player = match simulations {
        0 => PlayerSpec::Policy { file: model.to_owned() },
        simulations => PlayerSpec::Net { file: model.to_owned(), simulations },
    };
    let pairings: Vec<[PlayerSpec; 2]> = opponents.into_iter().map(|opponent| [player.clone(), opponent]).collect();
    let outcomes = play_all(&pairings, &nets, &args.matches.config(&rules), counters)?;
    if let Some(path) = &args.matches.save_games {
        save_games(path, &outcomes)?;
    }
    let reports: Vec<MatchReport> = outcomes.into_iter().map(|outcome| outcome.report).collect();
    if args.matches.json {
        let matches = reports.iter().collect();
        let evaluation = Evaluation { model: model.display().to_string(), rules: rules.name(), simulations, matches };
        return Ok(serde_json::to_string_pretty(&evaluation)? + "\n");
    }
    Ok(format!(
        "{} rules, {} random plies at the beginning of each pair of games, seed {}\n\n{}\n{}{}",
        rules.name(),
        args.matches.opening_plies,
        args.matches.seed,
        match_table(&reports),
        endings_text(&reports),
        sprt_text(&reports)
    ))
}
