//! `tablut match PLAYER PLAYER …`: plays a round robin of any players, and rates them.

use std::io::Write as _;

use anyhow::bail;
use tablut_arena::{MatchReport, NamedAnchor, Tournament, ladder};
use tablut_players::{NamedPlayer, PLAYER_FORMS};

use super::matches::{MatchArgs, match_rules, play_all};
use super::nats::FleetArgs;
use crate::console::Console;
use crate::interrupt::cancelled_by_interrupt;
use crate::nets::{load_nets, parse_players};

#[derive(clap::Args)]
pub struct Args {
    #[arg(help = format!("Two players or more: {PLAYER_FORMS}; NAME=PLAYER gives a player a name for the tables"), required = true, value_name = "PLAYER")]
    players: Vec<String>,
    /// Rule set, by name or TOML file [default: that of --openings; else kvasir, or the nets' if they were not trained
    /// on kvasir].
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Fix a player's rating instead of measuring it; repeatable. The first anchor is the reference for the other
    /// ratings [default: random=0 and alphabeta:4 at its published rating, if they play].
    #[arg(long, value_name = "PLAYER=ELO")]
    anchor: Vec<NamedAnchor>,
    #[command(flatten)]
    matches: MatchArgs,
    #[command(flatten)]
    fleet: FleetArgs,
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let players = parse_players(&args.players)?;
    if players.len() < 2 {
        bail!("expected two players or more, found {}", players.len());
    }
    for NamedAnchor { player, .. } in &args.anchor {
        if !players.iter().any(|known| known.name() == *player) {
            bail!("--anchor {player}: expected one of the players of the match");
        }
    }
    let nets = load_nets(players.iter().map(|player| &player.spec), args.matches.device.net_device()?)?;
    let rules = match_rules(args.rules.as_deref(), args.matches.openings.as_ref(), &nets, console.voice)?;
    let cancel = cancelled_by_interrupt()?;
    let pairings = round_robin(&players);
    let played = play_all(&pairings, &nets, rules, &args.matches, Some(&args.fleet), &cancel, console.voice)?;
    let reports = played.reports();
    // Without a complete pair there is nothing to rate.
    let ladder = if reports.is_empty() { None } else { Some(ladder(&reports, &anchors(&args.anchor, &reports))?) };
    if args.matches.json {
        let tournament = Tournament { rules: played.rules.name().to_owned(), ladder, matches: reports };
        writeln!(console, "{}", serde_json::to_string_pretty(&tournament)?)?;
    } else {
        write!(console, "{}", played.text(&args.matches, ladder.as_ref()))?;
    }
    played.finish(args.matches.save_games.as_deref(), console.voice)
}

/// The anchors that have played, because the matches may have been stopped.
fn anchors(given: &[NamedAnchor], reports: &[MatchReport]) -> Vec<NamedAnchor> {
    let played = |anchor: &&NamedAnchor| reports.iter().any(|report| report.players.contains(&anchor.player));
    given.iter().filter(played).cloned().collect()
}

/// Every pair of players once.
fn round_robin(players: &[NamedPlayer]) -> Vec<[NamedPlayer; 2]> {
    let mut pairings = Vec::new();
    for (place, first) in players.iter().enumerate() {
        pairings.extend(players[place + 1..].iter().map(|second| [first.clone(), second.clone()]));
    }
    pairings
}
