//! What `evaluate` and `match` share: options of matches, playing them with progress, and writing games down.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use tablut_arena::{
    Contestant, DEFAULT_OPENING_PLIES, GameLine, MatchConfig, MatchOutcome, MatchProgress, MatchReport, Nets,
    PlayerSpec, SprtBounds, play_match, sprt_evidence,
};
use tablut_games::{Concurrency, Counters};
use tablut_net::durable;
use tablut_rules::{Rules, Side};

/// Options of every command that plays matches.
#[derive(Clone, Debug, clap::Args)]
pub struct MatchArgs {
    /// Games against each opponent; both sides equally, so an odd number is rounded up.
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub games: u32,
    /// Random plies at the beginning of each pair of games.
    #[arg(long, default_value_t = DEFAULT_OPENING_PLIES, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=40))]
    pub opening_plies: u32,
    /// Plies after which a game is a draw.
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_plies: u32,
    /// Seed of openings and players; the same seed gives the same games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// End each match once a sequential test is settled; the bounds are ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA [default: 0,20].
    #[arg(long, value_name = "BOUNDS", num_args = 0..=1, require_equals = true, default_missing_value = "0,20")]
    pub sprt: Option<SprtBounds>,
    /// Threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Write the games to this file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    pub save_games: Option<PathBuf>,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub json: bool,
}

impl Default for MatchArgs {
    fn default() -> Self {
        Self {
            games: 200,
            opening_plies: DEFAULT_OPENING_PLIES,
            max_plies: 400,
            seed: 1,
            sprt: None,
            threads: None,
            save_games: None,
            json: false,
        }
    }
}

impl MatchArgs {
    /// What the options mean under `rules`.
    pub fn config(&self, rules: &Arc<Rules>) -> MatchConfig {
        let default = Concurrency::default();
        MatchConfig {
            rules: rules.clone(),
            n_pairs: self.games.div_ceil(2) as usize,
            opening_plies: self.opening_plies,
            max_plies: Some(self.max_plies),
            seed: self.seed,
            sprt: self.sprt,
            concurrency: Concurrency { workers: self.threads.map_or(default.workers, usize::from), ..default },
        }
    }
}

/// The rule set of that name or file.
pub fn load_rules(name_or_path: &str) -> anyhow::Result<Arc<Rules>> {
    Ok(Arc::new(Rules::load(name_or_path)?))
}

/// Counters that the first Ctrl-C stops; a second one ends the process at once.
pub fn counters_with_interrupt() -> anyhow::Result<Arc<Counters>> {
    let counters = Arc::new(Counters::default());
    let handle = counters.clone();
    ctrlc::set_handler(move || {
        if handle.stop.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(counters)
}

/// Plays `pairings` one after the other, with a progress bar on standard error where that is a terminal.
pub fn play_all(
    pairings: &[[PlayerSpec; 2]],
    nets: &Nets,
    config: &MatchConfig,
    counters: &Counters,
) -> anyhow::Result<Vec<MatchOutcome>> {
    pairings
        .iter()
        .map(|pairing| {
            let contestant = |spec: &PlayerSpec| {
                nets.contestant(spec).with_context(|| format!("player {spec}: its model file was not loaded"))
            };
            let contestants = [contestant(&pairing[0])?, contestant(&pairing[1])?];
            play_one(&contestants, nets, config, counters)
        })
        .collect()
}

fn play_one(
    contestants: &[Contestant; 2],
    nets: &Nets,
    config: &MatchConfig,
    counters: &Counters,
) -> anyhow::Result<MatchOutcome> {
    let bar = ProgressBar::new(2 * config.n_pairs as u64);
    let style = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} games, {msg}, {eta} left");
    bar.set_style(style.expect("the template is well formed").progress_chars("=> "));
    bar.set_prefix(format!("{} – {}", contestants[0].name, contestants[1].name));
    bar.set_message("no result yet");
    let outcome = play_match(config, contestants, || nets.evaluators(), counters, |progress| show(&bar, progress));
    bar.finish_and_clear();
    Ok(outcome?)
}

fn show(bar: &ProgressBar, progress: &MatchProgress<'_>) {
    bar.set_position(progress.games_finished as u64);
    let pairs = progress.tally.pentanomial();
    if pairs.pairs() == 0 {
        return;
    }
    let score = pairs.estimate();
    let mut message = format!("score {:.1} % ({:.1}–{:.1})", 100.0 * score.mean, 100.0 * score.low, 100.0 * score.high);
    if let Some(state) = progress.tally.sprt() {
        let _ = write!(message, ", {}", sprt_evidence(&state));
    }
    bar.set_message(message);
}

/// Writes all games of `outcomes` to `path`, one JSON object a line.
pub fn save_games(path: &Path, outcomes: &[MatchOutcome]) -> anyhow::Result<()> {
    let mut text = String::new();
    for MatchOutcome { report, games } in outcomes {
        for (game_idx, game) in games.iter().enumerate() {
            text.push_str(&serde_json::to_string(&line(report, game_idx, game))?);
            text.push('\n');
        }
    }
    durable::write(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

fn line(report: &MatchReport, game_idx: usize, game: &tablut_arena::GameResult) -> GameLine {
    // The first player has the attackers in the first game of each pair.
    let player = |side: Side| report.players[(game_idx + side.index()) % 2].clone();
    GameLine {
        rules: report.rules.clone(),
        attackers: player(Side::Attackers),
        defenders: player(Side::Defenders),
        first: game.first,
        opening_plies: report.opening_plies as usize,
        moves: game.moves.iter().map(ToString::to_string).collect(),
        winner: game.outcome.winner,
        reason: game.outcome.reason.to_string(),
    }
}

/// Reads players as they are typed, naming the one that cannot be read.
pub fn parse_players(texts: &[String]) -> anyhow::Result<Vec<PlayerSpec>> {
    let mut players: Vec<PlayerSpec> = Vec::new();
    for text in texts {
        let player: PlayerSpec = text.parse()?;
        if players.contains(&player) {
            bail!("player {text} is named twice");
        }
        players.push(player);
    }
    Ok(players)
}
