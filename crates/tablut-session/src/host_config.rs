//! What a host offers: nets, puzzles, players, and whether it can train.

use crate::form::rule_form;
use crate::level::{Level, MAX_EASE, MIN_EASE, level_infos};
use crate::player::{Controller, Players};
use crate::protocol::{BoardInfo, Hello, PROTOCOL, RuleSetInfo};
use crate::puzzle::PuzzleBook;
use crate::words::{self, shorten};
use crate::work::{AnalysisMemory, SearchWork, Work};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::{BoardSize, Escape, Game, KingCapture, RuleSet, Rules, Side, USUAL_RULE_SET};

/// A host's own player, in addition to the levels.
pub trait CustomPlayer: fmt::Debug + Send + Sync {
    /// Its name in [`Controller::Computer`] and in saved games.
    fn name(&self) -> &str;

    /// Its move in a game that is not over, as work that ends with an [`Update::Move`](crate::Update::Move).
    fn reply(&self, game: &Game, seed: u64) -> Box<dyn Work>;
}

pub const DEMO_PAUSE: Duration = Duration::from_millis(700);

#[derive(Clone, Debug, Default)]
pub struct HostConfig {
    pub version: String,
    pub nets: Vec<String>,
    /// Information about these nets for interfaces, one object for each.
    pub about_nets: Vec<serde_json::Value>,
    /// The names of a run's checkpoints, the earliest first. Their evaluators follow those of [`Self::nets`].
    pub checkpoints: Vec<String>,
    pub trains: bool,
    /// The path of a page about a training run, relative to this page.
    pub run_page: Option<String>,
    pub puzzles: Vec<PuzzleBook>,
    pub custom_players: Vec<Arc<dyn CustomPlayer>>,
    /// Minimum time between two moves of a game between two computer players, so that people can follow it.
    pub demo_pause: Duration,
    pub analysis_memory: AnalysisMemory,
}

impl HostConfig {
    pub fn hello(&self) -> Hello {
        let info = |name: &str| {
            let set = RuleSet::named(name).expect("a built-in rule set");
            let mut clauses = serde_json::to_value(&set).expect("plain data");
            clauses["start"] = set.start.rows().into();
            RuleSetInfo {
                name: name.to_owned(),
                title: words::title(name),
                source: set.source.clone(),
                drawn: set.first.side().is_none(),
                summary: summary(&set),
                size: set.size().width(),
                set: clauses,
            }
        };
        Hello {
            protocol: PROTOCOL,
            version: self.version.clone(),
            boards: BoardSize::ALL.map(board).to_vec(),
            rule_sets: Rules::names().map(info).collect(),
            levels: level_infos(),
            nets: self.nets.clone(),
            about_nets: self.about_nets.clone(),
            checkpoints: self.checkpoints.clone(),
            trains: self.trains,
            run_page: self.run_page.clone(),
            puzzles: self.puzzles.iter().map(PuzzleBook::counts).collect(),
            form: rule_form(),
        }
    }

    /// The computer's move as work, and the index of the net that it needs. `None` for a person and an unknown player.
    pub(crate) fn reply(&self, player: &Controller, game: &Game, seed: u64) -> Option<(usize, Box<dyn Work>)> {
        let Controller::Computer { name, net, ease } = player else { return None };
        let work: Box<dyn Work> = match (self.custom_player(name), player.level()) {
            (Some(custom), _) => custom.reply(game, seed),
            (None, Some(level)) => Box::new(SearchWork::of_level(game, level, *ease, seed)),
            (None, None) => return None,
        };
        Some((*net, work))
    }

    fn custom_player(&self, name: &str) -> Option<&Arc<dyn CustomPlayer>> {
        self.custom_players.iter().find(|player| player.name() == name)
    }

    pub fn check_players(&self, players: &Players) -> Result<(), String> {
        for side in Side::ALL {
            let player = players.of(side);
            let Controller::Computer { name, net, ease } = player else { continue };
            if self.custom_player(name).is_some() {
                continue;
            }
            if player.level().is_none() {
                return Err(format!("no level {:?}, expected one of {}", shorten(name), Level::names()));
            }
            if !(MIN_EASE..=MAX_EASE).contains(ease) {
                return Err(format!("ease {ease}, expected {MIN_EASE} to {MAX_EASE}"));
            }
            if *net >= self.nets.len() {
                return Err(format!("net {net}, expected a number below {}", self.nets.len()));
            }
        }
        Ok(())
    }
}

fn board(size: BoardSize) -> BoardInfo {
    let mut names = Rules::names_on(size);
    let first = names.next().expect("every board has a rule set");
    let rules = names.find(|name| *name == USUAL_RULE_SET).unwrap_or(first);
    let start = RuleSet::named(rules).expect("a built-in rule set").start.rows();
    BoardInfo { size: size.width(), title: words::board(size), start, rules }
}

fn summary(set: &RuleSet) -> String {
    let escape = match set.escape {
        Escape::Corners => "The king escapes to the corners",
        Escape::EdgeOutsideCamps => "The king escapes to the edge outside the camps",
        _ => "The king escapes to the edge",
    };
    let king = match (set.king.elsewhere, set.king.armed) {
        (KingCapture::BetweenTwo, true) => "He is captured between two pieces, and he can capture",
        (KingCapture::BetweenTwo, false) => "He is captured between two pieces, and he cannot capture",
        (_, true) => "He is captured when he is surrounded, and he can capture",
        (_, false) => "He is captured when he is surrounded, and he cannot capture",
    };
    format!("{escape}. {king}.")
}
