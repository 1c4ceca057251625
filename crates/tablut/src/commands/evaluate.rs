//! `tablut evaluate MODEL`: a net's score against fixed opponents, with both sides.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tablut_arena::EvaluationReport;
use tablut_games::{CancelToken, SHIPPED};
use tablut_net::NetPool;
use tablut_players::{NamedPlayer, PLAYER_FORMS, PlayerSpec, SearchOptions, play_simulations};
use tablut_search::Limit;

use super::matches::{MatchArgs, Played, match_rules, play_all};
use crate::console::{Console, Voice};
use crate::interrupt::cancelled_by_interrupt;
use crate::nets::{add_net, parse_players};

#[derive(clap::Args)]
pub struct Args {
    /// The net: a model file, a run's folder for its newest net, or `shipped` [default: shipped].
    #[arg(default_value = SHIPPED, hide_default_value = true)]
    model: PathBuf,
    #[arg(help = format!("An opponent, repeatable: {PLAYER_FORMS} [default: random, greedy and alphabeta:2]"), long, value_name = "PLAYER")]
    against: Vec<String>,
    /// Rule set, by name or TOML file [default: kvasir, or the net's if it was not trained on kvasir].
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Simulations per move. With 0 the net plays its policy's best move [default: the number in the model file].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    simulations: Option<u32>,
    #[command(flatten)]
    matches: MatchArgs,
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let cancel = cancelled_by_interrupt()?;
    let opponents = if args.against.is_empty() {
        vec!["random".to_owned(), "greedy".to_owned(), "alphabeta:2".to_owned()]
    } else {
        args.against.clone()
    };
    let rules = args.rules.as_deref();
    let measured = measure(&args.model, &opponents, args.simulations, rules, &args.matches, &cancel, console.voice)?;
    write!(
        console,
        "{}",
        if args.matches.json { measured.json()? } else { measured.played.text(&args.matches, None) }
    )?;
    measured.played.finish(args.matches.save_games.as_deref(), console.voice)
}

/// A net's matches against some opponents.
pub struct Measured {
    model: PathBuf,
    simulations: u32,
    /// One match for each opponent, in the order given.
    pub played: Played,
}

/// Plays the net of `model` against `opponents`. The default simulations are those of the model file. The default rules
/// are kvasir, or the net's if it was not trained on kvasir.
pub fn measure(
    model: &Path,
    opponents: &[String],
    simulations: Option<u32>,
    rules: Option<&str>,
    matches: &MatchArgs,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<Measured> {
    let opponents = parse_players(opponents)?;
    // The rules that are chosen by name are those of the first net.
    let mut nets = NetPool::on(matches.device.net_device()?);
    let net = add_net(&mut nets, model)?;
    for path in opponents.iter().filter_map(|player| player.spec.model_file()) {
        add_net(&mut nets, path)?;
    }
    let simulations = simulations.unwrap_or_else(|| play_simulations(&net.training));
    let rules = match_rules(rules, matches.openings.as_ref(), &nets, voice)?;
    let player = match simulations {
        0 => PlayerSpec::Policy { file: model.to_owned() },
        simulations => {
            let limit = Limit::of_simulations(simulations);
            PlayerSpec::Net { file: model.to_owned(), limit, options: SearchOptions::default() }
        }
    };
    let player = NamedPlayer::from(player);
    let pairings: Vec<[NamedPlayer; 2]> = opponents.into_iter().map(|opponent| [player.clone(), opponent]).collect();
    let played = play_all(&pairings, &nets, rules, matches, None, cancel, voice)?;
    Ok(Measured { model: model.to_owned(), simulations, played })
}

impl Measured {
    pub fn report(&self) -> EvaluationReport {
        EvaluationReport {
            model: self.model.display().to_string(),
            rules: self.played.rules.name().to_owned(),
            simulations: self.simulations,
            matches: self.played.reports(),
        }
    }

    /// The object that `--json` prints.
    pub fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(&self.report())? + "\n")
    }
}
