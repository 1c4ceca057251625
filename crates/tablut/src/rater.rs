//! Plays a run's rating games: its newest net against its start, fixed opponents and its earlier nets.

use std::path::{Path, PathBuf};
use std::time::Instant;

use tablut_arena::{DEFAULT_OPENING_PLIES, MatchPlan, SmallMatch, play_pairs};
use tablut_games::{CancelToken, GameSourceError, GenerationFile, SHIPPED};
use tablut_learn::{OnEvent, RatingOpponent, RatingPairs, Run, RunEvent, rating_pairs};
use tablut_net::{Model, NetPool};
use tablut_players::{Contestant, NamedPlayer, PlayerSpec, SearchOptions};
use tablut_protocols::start_program;
use tablut_ratings::{RatedGeneration, RatedMatch};
use tablut_search::Limit;

use crate::nets::{add_net, load_nets, parse_players};

/// The name of the net that is not in a file yet.
const NEWEST: &str = "the newest net";

/// Rates `model`, the net of `generation`. Returns `None` if no games are played. The result is deterministic except
/// for the duration: opponents with a clock and programs are left out.
pub fn rate(
    run: &Run,
    generation: u64,
    model: &Model,
    cancel: &CancelToken,
    on_event: OnEvent<'_>,
) -> Result<Option<RatedGeneration>, GameSourceError> {
    let (start, paused) = (Instant::now(), cancel.paused());
    let failed = |error: anyhow::Error| GameSourceError::Other(error.into());
    let against = parse_players(&run.opponents()).map_err(failed)?;
    let reproducible = (0..against.len()).filter(|&place| against[place].spec.is_reproducible());
    let opponents: Vec<RatingOpponent> =
        run.net_opponents().into_iter().chain(reproducible.map(RatingOpponent::Against)).collect();
    let pairs = rating_pairs(&run.config, &run.rules, &opponents, generation, &run.metrics);
    if pairs.is_empty() {
        return Ok(None);
    }
    let games = 2 * pairs.iter().map(|pairs| pairs.n_pairs as u64).sum::<u64>();
    on_event(RunEvent::RatingBegan { generation, games });
    let simulations = run.config.schedule.simulations_at(0);
    let (nets, matches) = prepare(run, model, &against, &pairs, simulations).map_err(failed)?;
    let concurrency = run.config.machine.concurrency();
    let on_game = || on_event(RunEvent::RatingGameEnded);
    let played = play_pairs(&matches, concurrency, || nets.evaluators(), cancel, on_game);
    let tallies = played.map_err(|error| GameSourceError::Other(error.into()))?.ok_or(GameSourceError::Stopped)?;
    let matches = pairs.iter().zip(tallies).map(|(order, tally)| RatedMatch {
        rules: order.rules.name().to_owned(),
        opponent: order.opponent.name(&run.config),
        generation: order.opponent.generation(),
        pairs: tally.pairs(),
        unfinished: tally.results().unfinished,
    });
    let matches = matches.collect();
    let seconds = start.elapsed().saturating_sub(cancel.paused().saturating_sub(paused)).as_secs_f64();
    Ok(Some(RatedGeneration { simulations, seconds, matches }))
}

/// Loads the nets, and makes the matches.
fn prepare(
    run: &Run,
    model: &Model,
    against: &[NamedPlayer],
    pairs: &[RatingPairs],
    simulations: u32,
) -> anyhow::Result<(NetPool, Vec<SmallMatch>)> {
    let mut nets = load_nets(against.iter().map(|player| &player.spec), None)?;
    nets.get_or_load::<anyhow::Error>(Path::new(NEWEST), || Ok(model.clone()))?;
    let net = |file: PathBuf| {
        let (limit, options) = (Limit::of_simulations(simulations), SearchOptions::default());
        NamedPlayer::from(PlayerSpec::Net { file, limit, options })
    };
    let mut opponents = Vec::new();
    for order in pairs {
        opponents.push(match &order.opponent {
            RatingOpponent::Against(place) => against[*place].clone(),
            other => {
                let path = match other {
                    RatingOpponent::Generation(generation) => run.file(GenerationFile::Model, *generation),
                    RatingOpponent::Shipped => SHIPPED.into(),
                    _ => run.start_file(),
                };
                add_net(&mut nets, &path)?;
                net(path)
            }
        });
    }
    let mut matches = Vec::new();
    for (order, opponent) in pairs.iter().zip(&opponents) {
        let contestant = |player: &NamedPlayer| Contestant::of(player, &order.rules, &nets, start_program);
        matches.push(SmallMatch {
            plan: MatchPlan {
                rules: order.rules.clone(),
                contestants: [contestant(&net(NEWEST.into()))?, contestant(opponent)?],
                max_plies: run.config.selfplay.max_plies_on(order.rules.size()),
                seed: order.seed,
            },
            n_pairs: order.n_pairs,
            opening_plies: DEFAULT_OPENING_PLIES,
        });
    }
    Ok((nets, matches))
}
