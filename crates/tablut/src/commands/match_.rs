//! `tablut match PLAYER PLAYER …`: a round robin of any players, with ratings.

use anyhow::bail;
use serde::Serialize;
use tablut_arena::{
    MatchReport, Nets, PlayerSpec, Ratings, endings_text, match_table, rate_reports, ratings_table, sprt_text,
};

use super::matches::{MatchArgs, counters_with_interrupt, load_rules, parse_players, play_all, save_games};

/// Arguments of `tablut match`.
#[derive(clap::Args)]
pub struct Args {
    /// Two players or more: random, greedy, alphabeta:DEPTH, alphabeta:200ms, rollouts:N,
    /// net:FILE@SIMULATIONS[,OPTION…], net:FILE@200ms or policy:FILE.
    #[arg(required = true, value_name = "PLAYER")]
    players: Vec<String>,
    /// Rule set, by name or TOML file.
    #[arg(long, default_value = "kvasir", value_name = "R")]
    rules: String,
    #[command(flatten)]
    matches: MatchArgs,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Tournament<'a> {
    rules: &'a str,
    players: Vec<RatedPlayer<'a>>,
    ratings: &'a Ratings,
    matches: &'a [MatchReport],
}

/// A player with its place in the ratings' arrays.
#[derive(Serialize)]
struct RatedPlayer<'a> {
    name: &'a str,
    elo: f64,
}

/// Plays the matches and prints the tables.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let players = parse_players(&args.players)?;
    if players.len() < 2 {
        bail!("a match needs two players or more, found {}", players.len());
    }
    let rules = load_rules(&args.rules)?;
    let nets = Nets::load(&players)?;
    let counters = counters_with_interrupt()?;
    let outcomes = play_all(&round_robin(&players), &nets, &args.matches.config(&rules), &counters)?;
    if let Some(path) = &args.matches.save_games {
        save_games(path, &outcomes)?;
    }
    let reports: Vec<MatchReport> = outcomes.into_iter().map(|outcome| outcome.report).collect();
    let (names, ratings) = rate_reports(&reports)?;
    if args.matches.json {
        let rated = |(name, rating): (_, &tablut_arena::Rating)| RatedPlayer { name, elo: rating.elo };
        let players = names.iter().map(String::as_str).zip(&ratings.players).map(rated).collect();
        let tournament = Tournament { rules: rules.name(), players, ratings: &ratings, matches: &reports };
        println!("{}", serde_json::to_string_pretty(&tournament)?);
        return Ok(());
    }
    println!(
        "{} rules, {} random plies at the beginning of each pair of games, seed {}\n\n{}\n{}{}\n{}",
        rules.name(),
        args.matches.opening_plies,
        args.matches.seed,
        match_table(&reports),
        endings_text(&reports),
        sprt_text(&reports),
        ratings_table(&names, &ratings)
    );
    Ok(())
}

/// Every pair of players once.
fn round_robin(players: &[PlayerSpec]) -> Vec<[PlayerSpec; 2]> {
    let mut pairings = Vec::new();
    for (place, first) in players.iter().enumerate() {
        pairings.extend(players[place + 1..].iter().map(|second| [first.clone(), second.clone()]));
    }
    pairings
}
