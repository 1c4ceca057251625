//! Plays matches one after another, with progress, and saves their games when they end.

use std::path::Path;
use std::sync::{Arc, Mutex};

use tablut_arena::{
    GameResult, GamesFile, GamesFileError, MatchConfig, MatchHeader, MatchOutcome, MatchProgress, MatchReport,
    PlayerIdentity, resume_match,
};
use tablut_fleet::{FleetMatch, FleetMatches, FleetTrainer, MatchOrder};
use tablut_games::CancelToken;
use tablut_players::{Ending, NamedPlayer, Nets, Registry};
use tablut_protocols::start_program;

use super::super::nats::FleetArgs;
use crate::console::Voice;
use crate::interrupt::Interrupted;
use crate::match_progress::MatchBar;
use crate::nets::make_engine;

/// Matches that were played, all or those before a stop.
pub struct Played {
    /// One for each pairing, in their order; the last one may have been stopped.
    pub outcomes: Vec<MatchOutcome>,
    /// Games that were asked for in all.
    games_asked: usize,
}

impl Played {
    /// The reports of matches in which a pair was completed.
    pub fn reports(&self) -> Vec<MatchReport> {
        let reports = self.outcomes.iter().map(|outcome| outcome.report.clone());
        reports.filter(|report| report.games > 0).collect()
    }

    /// Tells a user who stopped the matches which results there are and how to continue. The error ends the command.
    pub fn finish(&self, save_games: Option<&Path>, voice: Voice) -> anyhow::Result<()> {
        if self.is_complete() {
            return Ok(());
        }
        let played: usize = self.outcomes.iter().map(|outcome| outcome.games_finished).sum();
        let counted: u32 = self.outcomes.iter().map(|outcome| outcome.report.games).sum();
        let go_on = match save_games {
            Some(path) => format!("the games are in {}, and the same command goes on from there", path.display()),
            None => "with --save-games FILE the same command would go on from here".to_owned(),
        };
        voice.say(format_args!(
            "Stopped: {played} of {} games have ended, and the {counted} of complete pairs count in this result; {go_on}.",
            self.games_asked
        ));
        Err(Interrupted::now().into())
    }

    /// Whether everything was played.
    pub fn is_complete(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.report.complete)
    }
}

/// Plays `pairings` one after another, with progress on standard error. With `save_games` every finished game is
/// written to that file, and games that are already in it are not played again. With
/// a broker in `fleet`, workers play.
pub fn play_all(
    pairings: &[[NamedPlayer; 2]],
    nets: &Nets,
    config: &MatchConfig,
    save_games: Option<&Path>,
    fleet: Option<&FleetArgs>,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<Played> {
    let header = header(pairings, nets, config)?;
    let fleet = match fleet.filter(|fleet| fleet.is_asked_for()) {
        Some(fleet) => join_fleet(fleet, &header.id(), pairings, nets, config, voice)?,
        None => None,
    };
    let file = match save_games {
        Some(path) => Some(GamesFile::open(path, header, &config.rules)?),
        None => None,
    };
    let playing = Playing { config, file: Mutex::new(file), cancel, voice };
    let registry = Registry::new(nets, start_program);
    let mut matches = fleet.as_ref().map(|fleet| (FleetMatches::new(fleet, &make_engine), fleet.watch()));
    let mut outcomes = Vec::new();
    for (match_idx, [first, second]) in pairings.iter().enumerate() {
        let names = [first.name(), second.name()];
        let outcome = if let Some((matches, watch)) = &mut matches {
            let pairing = FleetMatch { number: match_idx as u64, config, players: [first, second], nets };
            let status = || Some(watch().to_string());
            playing.one(match_idx, &names, &status, |earlier, on_game| {
                Ok(matches.play(&pairing, earlier, cancel, on_game)?)
            })?
        } else {
            let contestants = [registry.contestant(first, &config.rules)?, registry.contestant(second, &config.rules)?];
            playing.one(match_idx, &names, &|| None, |earlier, on_game| {
                Ok(resume_match(config, &contestants, earlier, || nets.evaluators(), cancel, on_game)?)
            })?
        };
        let is_complete = outcome.report.complete;
        outcomes.push(outcome);
        if !is_complete {
            break;
        }
    }
    let played = Played { outcomes, games_asked: 2 * config.n_pairs * pairings.len() };
    if played.is_complete()
        && let Some(file) = playing.file.into_inner().expect("no holder of the file panics")
    {
        let counted: Vec<usize> = played.outcomes.iter().map(|outcome| outcome.games.len()).collect();
        file.finish(&counted)?;
    }
    Ok(played)
}

/// Joins the broker for the matches of that id, if all players can play elsewhere.
fn join_fleet(
    fleet: &FleetArgs,
    id: &str,
    pairings: &[[NamedPlayer; 2]],
    nets: &Nets,
    config: &MatchConfig,
    voice: Voice,
) -> anyhow::Result<Option<FleetTrainer>> {
    for [first, second] in pairings {
        MatchOrder::new(0, config, [first, second], nets, &[])?;
    }
    let notes = Arc::new(move |line: &str| voice.say(line));
    fleet.start(id.to_owned(), Path::new("."), config.concurrency, notes)
}

/// What all matches of a command have in common.
struct Playing<'a> {
    config: &'a MatchConfig,
    file: Mutex<Option<GamesFile>>,
    cancel: &'a CancelToken,
    voice: Voice,
}

/// Hears of each game of a match as it ends.
type OnGame<'a> = &'a (dyn Fn(&MatchProgress<'_>) + Sync);

impl Playing<'_> {
    /// Plays one match by `play`, which has the games of an earlier run, and `workers` says who plays it elsewhere.
    fn one(
        &self,
        match_idx: usize,
        names: &[String; 2],
        workers: &(dyn Fn() -> Option<String> + Sync),
        play: impl FnOnce(Vec<(usize, GameResult)>, OnGame<'_>) -> anyhow::Result<MatchOutcome>,
    ) -> anyhow::Result<MatchOutcome> {
        let lock = || self.file.lock().expect("no holder of the file panics");
        let earlier = lock().as_ref().map(|file| file.games(match_idx, &self.config.rules)).unwrap_or_default();
        let n_earlier = earlier.len();
        let games_total = 2 * self.config.n_pairs;
        let players = [names[0].as_str(), names[1].as_str()];
        let bar = MatchBar::new(self.voice, players, n_earlier, games_total);
        if n_earlier > 0 {
            bar.say(&format!("{} – {}: {n_earlier} of {games_total} games are there already", players[0], players[1]));
        }
        let failure: Mutex<Option<GamesFileError>> = Mutex::new(None);
        let played = play(earlier, &|progress| {
            if let Some(file) = lock().as_mut()
                && let Err(error) = file.append((match_idx, progress.game_idx), progress.game)
            {
                failure.lock().expect("nobody panics here").get_or_insert(error);
                self.cancel.cancel();
            }
            tell_forfeit(&bar, players, progress);
            bar.show(progress, workers());
        });
        drop(bar);
        match failure.into_inner().expect("nobody panics here") {
            Some(error) => Err(error.into()),
            None => played,
        }
    }
}

/// Reports a program's error at once. The files of games contain it too.
fn tell_forfeit(bar: &MatchBar, players: [&str; 2], progress: &MatchProgress<'_>) {
    if let Ending::Forfeit { loser, reason } = &progress.game.ending {
        let player = players[(progress.game_idx + loser.index()) % 2];
        bar.say(&format!("game {}: {player} forfeits: {reason}", progress.game_idx + 1));
    }
}

fn header(pairings: &[[NamedPlayer; 2]], nets: &Nets, config: &MatchConfig) -> anyhow::Result<MatchHeader> {
    let mut named: Vec<&NamedPlayer> = Vec::new();
    let mut index = |player| {
        named.iter().position(|known| *known == player).unwrap_or_else(|| {
            named.push(player);
            named.len() - 1
        })
    };
    let matches = pairings.iter().map(|[first, second]| [index(first), index(second)]).collect();
    Ok(MatchHeader {
        format: MatchHeader::FORMAT,
        rules: config.rules.set().clone(),
        players: named.into_iter().map(|player| PlayerIdentity::of(player, nets)).collect(),
        matches,
        games: 2 * config.n_pairs,
        opening_plies: config.opening_plies,
        openings: MatchHeader::hash_of(&config.openings()?),
        max_plies: config.max_plies,
        seed: config.seed,
        sequential_test: config.sequential_test,
    })
}
