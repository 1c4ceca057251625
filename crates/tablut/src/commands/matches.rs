//! The common part of `evaluate` and `match`: options of matches, and playing them.

mod playing;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{Args as _, FromArgMatches as _};
use tablut_arena::{DEFAULT_OPENING_PLIES, MatchConfig, OpeningBook};
use tablut_games::Concurrency;
use tablut_net::DeviceChoice;
use tablut_net::NetPool;
use tablut_ratings::TestBounds;
use tablut_rules::Rules;

pub use self::playing::{Played, play_all};
use crate::console::Voice;
use crate::nets::{DeviceArgs, told};

/// Games per thread at the same time. With more games batches are not faster, and the first results take longer.
const GAMES_PER_THREAD: usize = 16;

/// Options of every command that plays matches.
#[derive(Clone, Debug, clap::Args)]
pub struct MatchArgs {
    /// Games of each match. An odd number is rounded up, so that each player plays both sides equally often.
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub games: u32,
    /// Random plies at the start of each pair of games.
    #[arg(long, default_value_t = DEFAULT_OPENING_PLIES, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=40))]
    pub opening_plies: u32,
    /// Take a different opening for each pair of games from a book: `even` (the program's even openings for a named
    /// rule set), a file made by `tablut generate openings`, or a text file with the moves of one opening in each line.
    #[arg(long, value_name = "even|FILE", conflicts_with = "opening_plies")]
    pub openings: Option<Book>,
    /// Plies after which a game stops unfinished. It is half a point.
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_plies: u32,
    /// Seed of openings and players. The same seed gives the same games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Stop each match when a sequential test has a verdict. BOUNDS is ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA [default:
    /// 0,20].
    #[arg(long, alias = "sprt", value_name = "BOUNDS", num_args = 0..=1, require_equals = true, default_missing_value = "0,20")]
    pub sequential_test: Option<TestBounds>,
    /// Threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Write each finished game to this file, one JSON object per line. An existing file's match is continued.
    #[arg(long, value_name = "FILE")]
    pub save_games: Option<PathBuf>,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub device: DeviceArgs,
}

impl Default for MatchArgs {
    /// The options without arguments.
    fn default() -> Self {
        let typed = Self::augment_args(clap::Command::new("match").no_binary_name(true)).get_matches_from([""; 0]);
        Self::from_arg_matches(&typed).expect("no option is required")
    }
}

impl MatchArgs {
    /// The settings of a match under `rules`.
    pub fn config(&self, rules: &Arc<Rules>) -> anyhow::Result<MatchConfig> {
        if self.openings.is_none() && self.max_plies <= self.opening_plies {
            let (most, random) = (self.max_plies, self.opening_plies);
            bail!("--max-plies {most}: the game would end within the {random} random plies of --opening-plies");
        }
        let workers = self.threads.map_or(Concurrency::default().workers, usize::from);
        // A GPU needs large batches.
        let share = if self.device.device == DeviceChoice::Cpu { 1 } else { 4 };
        let tasks_per_worker = share * GAMES_PER_THREAD;
        let n_pairs = self.games.div_ceil(2) as usize;
        let mut config = MatchConfig {
            rules: rules.clone(),
            n_pairs,
            opening_plies: self.opening_plies,
            book: None,
            max_plies: self.max_plies,
            seed: self.seed,
            sequential_test: self.sequential_test,
            concurrency: Concurrency { workers, tasks_per_worker },
        };
        if let Some(book) = &self.openings {
            let opened = book.open(rules)?;
            config.book = Some(opened.draw(n_pairs, self.seed, book)?.into());
            config.opening_plies = opened.plies;
        }
        Ok(config)
    }

    /// The openings as text, for the line above the tables.
    pub fn openings_text(&self) -> String {
        match &self.openings {
            Some(Book::Even) => "even openings".to_owned(),
            Some(Book::File(path)) => format!("openings from {}", path.display()),
            None => format!("{} random plies at the start of each pair of games", self.opening_plies),
        }
    }
}

/// A book of openings, the value of `--openings`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Book {
    /// The program's book of even openings.
    Even,
    /// A file that `tablut generate openings` made, or one with the moves of one opening in each line.
    File(PathBuf),
}

impl Book {
    /// Reads the book for games under `rules`.
    pub fn open(&self, rules: &Arc<Rules>) -> anyhow::Result<OpeningBook> {
        match self {
            Self::Even => OpeningBook::even(rules).with_context(|| {
                let name = rules.name();
                format!("--openings even: expected a named rule set, found {name}; `tablut generate openings` makes a book for it")
            }),
            Self::File(path) => Ok(OpeningBook::read(path, rules)?),
        }
    }
}

impl From<&str> for Book {
    fn from(text: &str) -> Self {
        if text == "even" { Self::Even } else { Self::File(PathBuf::from(text)) }
    }
}

impl fmt::Display for Book {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Even => formatter.write_str("even"),
            Self::File(path) => path.display().fmt(formatter),
        }
    }
}

/// The rules of a match: `asked`, or else those of its opening book, or else rules that the nets know.
pub fn match_rules(
    asked: Option<&str>,
    book: Option<&Book>,
    nets: &NetPool,
    voice: Voice,
) -> anyhow::Result<Arc<Rules>> {
    let choice = match (asked, book) {
        (None, Some(Book::File(path))) => match OpeningBook::rules_of(path)? {
            Some(rules) => nets.rules_of_file(&path.display().to_string(), &rules),
            None => nets.choose_rules(None)?,
        },
        _ => nets.choose_rules(asked)?,
    };
    Ok(told(choice, voice))
}
