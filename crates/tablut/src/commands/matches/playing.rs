//! Plays matches one after another, with progress, and saves their games when they end.

use std::path::Path;
use std::sync::Mutex;

use tablut_arena::{
    GamesFile, GamesFileError, MatchConfig, MatchHeader, MatchOutcome, MatchProgress, MatchReport, PlayerIdentity,
    resume_match,
};
use tablut_games::CancelToken;
use tablut_players::{Contestant, Ending, NamedPlayer, Nets, Registry};
use tablut_protocols::start_program;

use crate::console::Voice;
use crate::interrupt::Interrupted;
use crate::match_progress::MatchBar;

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
/// written to that file, and games that are already in it are not played again.
pub fn play_all(
    pairings: &[[NamedPlayer; 2]],
    nets: &Nets,
    config: &MatchConfig,
    save_games: Option<&Path>,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<Played> {
    let file = match save_games {
        Some(path) => Some(GamesFile::open(path, header(pairings, nets, config)?, &config.rules)?),
        None => None,
    };
    let file = Mutex::new(file);
    let mut outcomes = Vec::new();
    let registry = Registry::new(nets, start_program);
    for (match_idx, [first, second]) in pairings.iter().enumerate() {
        let contestants = [registry.contestant(first, &config.rules)?, registry.contestant(second, &config.rules)?];
        let outcome = play_one(match_idx, &contestants, nets, config, &file, cancel, voice)?;
        let is_complete = outcome.report.complete;
        outcomes.push(outcome);
        if !is_complete {
            break;
        }
    }
    let played = Played { outcomes, games_asked: 2 * config.n_pairs * pairings.len() };
    if played.is_complete()
        && let Some(file) = file.into_inner().expect("no holder of the file panics")
    {
        let counted: Vec<usize> = played.outcomes.iter().map(|outcome| outcome.games.len()).collect();
        file.finish(&counted)?;
    }
    Ok(played)
}

fn play_one(
    match_idx: usize,
    contestants: &[Contestant; 2],
    nets: &Nets,
    config: &MatchConfig,
    file: &Mutex<Option<GamesFile>>,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<MatchOutcome> {
    let lock = || file.lock().expect("no holder of the file panics");
    let earlier = lock().as_ref().map(|file| file.games(match_idx, &config.rules)).unwrap_or_default();
    let n_earlier = earlier.len();
    let games_total = 2 * config.n_pairs;
    let players = [contestants[0].name.as_str(), contestants[1].name.as_str()];
    let bar = MatchBar::new(voice, players, n_earlier, games_total);
    if n_earlier > 0 {
        bar.say(&format!("{} – {}: {n_earlier} of {games_total} games are there already", players[0], players[1]));
    }
    let failure: Mutex<Option<GamesFileError>> = Mutex::new(None);
    let played = resume_match(
        config,
        contestants,
        earlier,
        || nets.evaluators(),
        cancel,
        |progress| {
            if let Some(file) = lock().as_mut()
                && let Err(error) = file.append((match_idx, progress.game_idx), progress.game)
            {
                failure.lock().expect("nobody panics here").get_or_insert(error);
                cancel.cancel();
            }
            tell_forfeit(&bar, players, progress);
            bar.show(progress);
        },
    );
    drop(bar);
    match failure.into_inner().expect("nobody panics here") {
        Some(error) => Err(error.into()),
        None => Ok(played?),
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
