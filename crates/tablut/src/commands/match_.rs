//! `tablut match PLAYER PLAYER …`: a round robin of any players, with ratings.

use anyhow::bail;
use serde::Serialize;
use tablut_arena::{
    MatchReport, Nets, PlayerSpec, Ratings, endings_text, match_table, rate_reports, ratings_table, sprt_text,
};
use tablut_rules::Rules;

use super::matches::{MatchArgs, counters_with_interrupt, load_rules, parse_players, play_all};

/// Arguments of `tablut match`.
#[derive(clap::Args)]
pub struct Args {
    /// Two players or more: random, greedy, alphabeta:DEPTH, alphabeta:200ms, rollouts:N,
    /// net:FILE@SIMULATIONS[,OPTION…], net:FILE@200ms, policy:FILE,
    /// engine:COMMAND[@LIMIT] or challenge:COMMAND[@60s].
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
    ratings: Option<&'a Ratings>,
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
    let save_games = args.matches.save_games.as_deref();
    let played = play_all(&round_robin(&players), &nets, &args.matches.config(&rules), save_games, &counters)?;
    let reports = played.reports();
    if args.matches.json {
        println!("{}", json(&rules, &reports)?);
    } else if !reports.is_empty() {
        print!("{}", text(args, &rules, &reports)?);
    }
    played.finish(save_games)
}

fn json(rules: &Rules, reports: &[MatchReport]) -> anyhow::Result<String> {
    // A match that was stopped before a pair was complete says nothing of anybody.
    let rated = if reports.is_empty() { None } else { Some(rate_reports(reports)?) };
    let (names, ratings) = rated.as_ref().map_or((&[][..], None), |(names, ratings)| (&names[..], Some(ratings)));
    let players = names.iter().zip(ratings.iter().flat_map(|ratings| &ratings.players));
    let players = players.map(|(name, rating)| RatedPlayer { name, elo: rating.elo }).collect();
    Ok(serde_json::to_string_pretty(&Tournament { rules: rules.name(), players, ratings, matches: reports })?)
}

fn text(args: &Args, rules: &Rules, reports: &[MatchReport]) -> anyhow::Result<String> {
    let (names, ratings) = rate_reports(reports)?;
    Ok(format!(
        "{} rules, {} random plies at the beginning of each pair of games, seed {}\n\n{}\n{}{}\n{}\n",
        rules.name(),
        args.matches.opening_plies,
        args.matches.seed,
        match_table(reports),
        endings_text(reports),
        sprt_text(reports),
        ratings_table(&names, &ratings)
    ))
}

/// Every pair of players once.
fn round_robin(players: &[PlayerSpec]) -> Vec<[PlayerSpec; 2]> {
    let mut pairings = Vec::new();
    for (place, first) in players.iter().enumerate() {
        pairings.extend(players[place + 1..].iter().map(|second| [first.clone(), second.clone()]));
    }
    pairings
}
