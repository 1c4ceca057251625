//! Plays matches one after another, shows their progress, and saves finished games.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tablut_arena::{
    GamesFile, GamesFileError, Ladder, MatchConfig, MatchHeader, MatchOutcome, MatchProgress, MatchReport,
    PlayerIdentity, play_match,
};
use tablut_fleet::{FleetMatches, FleetTrainer, Order};
use tablut_games::{CancelToken, GameRecord};
use tablut_net::NetPool;
use tablut_players::{Contestant, NamedPlayer};
use tablut_protocols::start_program;
use tablut_report::figures::elo_text;
use tablut_rules::Rules;

use super::super::nats::FleetArgs;
use super::MatchArgs;
use crate::console::Voice;
use crate::interrupt::Interrupted;
use crate::match_tables::{
    endings_text, ladder_table, match_table, sequential_test_text, superiority_table, test_evidence,
};
use crate::nets::net_maker;
use crate::progress::{Progress, left};

/// The matches that were played before the end or a stop.
pub struct Played {
    pub rules: Arc<Rules>,
    /// One outcome for each pairing, in order. The last match may have been stopped.
    pub outcomes: Vec<MatchOutcome>,
    /// The requested number of games in all matches.
    games_asked: usize,
}

impl Played {
    /// The reports of matches in which a pair was completed.
    pub fn reports(&self) -> Vec<MatchReport> {
        let reports = self.outcomes.iter().map(|outcome| outcome.report.clone());
        reports.filter(|report| report.games > 0).collect()
    }

    /// Tables of the results, with the ladder if there is one. Empty if no pair was completed.
    pub fn text(&self, args: &MatchArgs, ladder: Option<&Ladder>) -> String {
        let reports = self.reports();
        if reports.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "{} rules, {}, seed {}\n\n{}\n{}{}",
            self.rules.name(),
            args.openings_text(),
            args.seed,
            match_table(&reports),
            endings_text(&reports),
            sequential_test_text(&reports)
        );
        if let Some(ladder) = ladder {
            let _ = write!(text, "\n{}\n{}", ladder_table(ladder), superiority_table(ladder));
        }
        text
    }

    /// After a stop, prints how many games count and how to continue, and returns an error that ends the command.
    pub fn finish(&self, save_games: Option<&Path>, voice: Voice) -> anyhow::Result<()> {
        if self.is_complete() {
            return Ok(());
        }
        let played: usize = self.outcomes.iter().map(|outcome| outcome.games_finished).sum();
        let counted: u32 = self.outcomes.iter().map(|outcome| outcome.report.games).sum();
        let go_on = match save_games {
            Some(path) => format!("The games are in {}, and the same command continues from there.", path.display()),
            None => "With --save-games FILE the same command would continue from here.".to_owned(),
        };
        voice.say(format_args!(
            "Stopped: {played} of {} games have ended, and the {counted} games of complete pairs count. {go_on}",
            self.games_asked
        ));
        Err(Interrupted::now().into())
    }

    pub fn is_complete(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.report.complete)
    }
}

/// Plays `pairings` one after another with the options `args`, and shows the progress on standard error. Finished games
/// are written to the file of saved games. Games that are already in it are not played again. With a broker in `fleet`,
/// workers play.
pub fn play_all(
    pairings: &[[NamedPlayer; 2]],
    nets: &NetPool,
    rules: Arc<Rules>,
    args: &MatchArgs,
    fleet: Option<&FleetArgs>,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<Played> {
    let config = &args.config(&rules)?;
    let header = header(pairings, nets, config)?;
    let fleet = match fleet.filter(|fleet| fleet.is_asked_for()) {
        Some(fleet) => join_fleet(fleet, &header.id(), pairings, nets, config, voice)?,
        None => None,
    };
    // Workers play on their cores, so games that are played again here use the cores too.
    let make_engine = net_maker()?;
    let file = match &args.save_games {
        Some(path) => Some(GamesFile::open(path, header, &config.openings()?, &config.rules)?),
        None => None,
    };
    let playing = Playing { config, file: Mutex::new(file), cancel, voice };
    let mut matches =
        fleet.as_ref().map(|fleet| (FleetMatches::new(fleet, &*make_engine, config, nets), fleet.status()));
    let mut outcomes = Vec::new();
    for (match_idx, [first, second]) in pairings.iter().enumerate() {
        let names = [first.name(), second.name()];
        let outcome = if let Some((matches, status)) = &mut matches {
            let status = || Some(status().to_string());
            playing.one(match_idx, &names, &status, |earlier, on_game| {
                Ok(matches.play(match_idx as u64, [first, second], earlier, cancel, on_game)?)
            })?
        } else {
            let contestant = |named| Contestant::of(named, &config.rules, nets, start_program);
            let contestants = [contestant(first)?, contestant(second)?];
            playing.one(match_idx, &names, &|| None, |earlier, on_game| {
                Ok(play_match(config, &contestants, earlier, || nets.evaluators(), cancel, on_game)?)
            })?
        };
        let is_complete = outcome.report.complete;
        outcomes.push(outcome);
        if !is_complete {
            break;
        }
    }
    let played = Played { rules, outcomes, games_asked: 2 * config.n_pairs * pairings.len() };
    if played.is_complete()
        && let Some(file) = playing.file.into_inner().expect("no holder of the file panics")
    {
        let counted: Vec<usize> = played.outcomes.iter().map(|outcome| outcome.games.len()).collect();
        file.finish(&counted)?;
    }
    Ok(played)
}

/// Connects to the broker for the matches `id`, if all players can play on other machines.
fn join_fleet(
    fleet: &FleetArgs,
    id: &str,
    pairings: &[[NamedPlayer; 2]],
    nets: &NetPool,
    config: &MatchConfig,
    voice: Voice,
) -> anyhow::Result<Option<FleetTrainer>> {
    for [first, second] in pairings {
        Order::of_match(id, 0, config, [first, second], nets, &[])?;
    }
    let notes = Arc::new(move |line: &str| voice.say(line));
    fleet.start(id.to_owned(), Path::new("."), config.concurrency, notes)
}

/// The data that all matches of a command share.
struct Playing<'a> {
    config: &'a MatchConfig,
    file: Mutex<Option<GamesFile>>,
    cancel: &'a CancelToken,
    voice: Voice,
}

/// Is called after each game of a match.
type OnGame<'a> = &'a (dyn Fn(&MatchProgress<'_>) + Sync);

impl Playing<'_> {
    /// Plays one match with `play`, which receives the games of an earlier run. `workers` returns a line about the
    /// workers.
    fn one(
        &self,
        match_idx: usize,
        names: &[String; 2],
        workers: &(dyn Fn() -> Option<String> + Sync),
        play: impl FnOnce(Vec<GameRecord>, OnGame<'_>) -> anyhow::Result<MatchOutcome>,
    ) -> anyhow::Result<MatchOutcome> {
        let lock = || self.file.lock().expect("no holder of the file panics");
        let earlier = lock().as_ref().map(|file| file.games(match_idx)).unwrap_or_default();
        let n_earlier = earlier.len();
        let games_total = 2 * self.config.n_pairs;
        let what = format!("{} – {}", names[0], names[1]);
        let bar = Progress::new(self.voice, &what, "games", n_earlier as u64, games_total as u64);
        if n_earlier > 0 {
            bar.say(format_args!("{what}: {n_earlier} of {games_total} games are already in the file"));
        }
        let begin = Instant::now();
        let failure: Mutex<Option<GamesFileError>> = Mutex::new(None);
        let played = play(earlier, &|progress| {
            let game = progress.game;
            if let Some(file) = lock().as_mut()
                && let Err(error) = file.append(match_idx, game)
            {
                failure.lock().expect("no holder of the error panics").get_or_insert(error);
                self.cancel.cancel();
            }
            // A program's error is printed at once. The file of games contains it too.
            if let (Some(forfeit), Some(winner)) = (&game.forfeit, game.outcome.winner) {
                let player = &names[(game.index as usize + winner.opponent().index()) % 2];
                bar.say(format_args!("game {}: {player} forfeits: {forfeit}", game.index + 1));
            }
            let mut message = message(progress, n_earlier, begin.elapsed());
            message.extend(workers().map(|workers| format!("\n{workers}")));
            bar.show(progress.games_finished as u64, &message);
        });
        drop(bar);
        match failure.into_inner().expect("no holder of the error panics") {
            Some(error) => Err(error.into()),
            None => played,
        }
    }
}

fn header(pairings: &[[NamedPlayer; 2]], nets: &NetPool, config: &MatchConfig) -> anyhow::Result<MatchHeader> {
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

/// The speed of this process, the time left, and the estimate so far.
fn message(progress: &MatchProgress<'_>, games_before: usize, elapsed: Duration) -> String {
    let here = progress.games_finished - games_before;
    let rest = progress.games_total - progress.games_finished;
    let pace = here as f64 / elapsed.as_secs_f64().max(1e-3);
    let left = left(elapsed, here as u64, (here + rest) as u64);
    let mut lines = vec![format!("{pace:.1} games/s, {left} left")];
    let pairs = progress.tally.pairs().pentanomial();
    if pairs.pairs() > 0 {
        let score = pairs.estimate();
        let [mean, low, high] = [score.mean, score.low, score.high].map(|share| 100.0 * share);
        lines.push(format!("score {mean:.1} % ({low:.1}–{high:.1}), Elo {}", elo_text(&score.into())));
    }
    lines.extend(progress.tally.test().map(|state| test_evidence(&state)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_arena::Tally;
    use tablut_ratings::TestBounds;
    use tablut_rules::{Game, Outcome, Reason, Side};

    fn won_by(winner: Side) -> GameRecord {
        let start = Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers);
        GameRecord::new(0, &start, 400, Outcome { winner: Some(winner), reason: Reason::NoMoves })
    }

    #[test]
    fn the_message_has_estimate_speed_and_time_left() {
        let game = won_by(Side::Attackers);
        let progress = |tally| MatchProgress { game: &game, games_finished: 60, games_total: 100, tally };
        let none = Tally::default();
        let early = message(&progress(&none), 40, Duration::from_secs(10));
        assert_eq!(early, "2.0 games/s, 20 seconds left");
        let rules = Rules::named("kvasir").unwrap();
        let mut tally = Tally::with_test(Some(TestBounds::default()));
        for _ in 0..20 {
            tally.record_pair(&rules, &game, &won_by(Side::Attackers));
            tally.record_pair(&rules, &game, &won_by(Side::Defenders));
        }
        let later = message(&progress(&tally), 40, Duration::from_secs(10));
        assert!(
            later.starts_with("2.0 games/s, 20 seconds left\nscore 75.0 % (") && later.contains("Elo +191 (+"),
            "{later}"
        );
        assert!(later.contains("evidence") && later.lines().count() == 3, "{later}");
    }
}
