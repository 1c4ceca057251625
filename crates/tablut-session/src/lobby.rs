//! What a host has to offer before a game is open, and how games begin.

use crate::form::rule_form;
use crate::level::level_infos;
use crate::protocol::{Hello, PROTOCOL, RuleSetInfo, RulesAsked};
use crate::puzzle::PuzzleBook;
use crate::seat::{Seat, Seats};
use crate::session::Session;
use crate::view::{PieceName, position_of};
use crate::work::{Reply, Work};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tablut_rules::{Escape, Game, KingCapture, RULE_SET_NAMES, RuleSet, Rules, Side, Square};

/// A player of the host's own, beside the levels.
pub trait OwnPlayer: fmt::Debug + Send + Sync {
    /// What seats and saved games call it.
    fn name(&self) -> &str;

    /// Its move in a game that is not over, as work that ends with a [`Finding::Reply`](crate::Finding::Reply).
    fn reply(&self, game: &Game, seed: u64) -> Box<dyn Work>;
}

/// What a host has: its nets by name, its puzzles, its version, what else it can do.
#[derive(Clone, Debug, Default)]
pub struct Lobby {
    /// The program's version.
    pub version: String,
    /// The nets' names.
    pub nets: Vec<String>,
    /// What there is to say about these nets, one object each, for interfaces to show.
    pub about_nets: Vec<serde_json::Value>,
    /// The names of a run's checkpoints, the earliest first. Their nets come after [`Self::nets`] where work names a net.
    pub checkpoints: Vec<String>,
    /// Whether a net can be trained here.
    pub trains: bool,
    /// The puzzles, by rule set.
    pub puzzles: Vec<PuzzleBook>,
    /// Players beside the levels.
    pub own: Vec<Arc<dyn OwnPlayer>>,
}

impl Lobby {
    /// What an interface is told first.
    ///
    /// # Panics
    /// Never: rule sets are plain data.
    pub fn hello(&self) -> Hello {
        let info = |name: &str| {
            let set = RuleSet::named(name).expect("a built-in rule set");
            RuleSetInfo {
                name: name.to_owned(),
                source: set.source.clone(),
                drawn: set.first.side().is_none(),
                summary: summary(&set),
                set: serde_json::to_value(&set).expect("plain data"),
            }
        };
        Hello {
            protocol: PROTOCOL,
            version: self.version.clone(),
            rule_sets: RULE_SET_NAMES.map(info).to_vec(),
            levels: level_infos(),
            nets: self.nets.clone(),
            about_nets: self.about_nets.clone(),
            checkpoints: self.checkpoints.clone(),
            trains: self.trains,
            puzzles: self.puzzles.iter().map(PuzzleBook::counts).collect(),
            form: rule_form(),
        }
    }

    /// The move of the computer in `seat`, as work, and which net thinks; none for a person, and for a player that is not here.
    pub(crate) fn reply(&self, seat: &Seat, game: &Game, seed: u64) -> Option<(usize, Box<dyn Work>)> {
        let Seat::Computer { player, net } = seat else { return None };
        let work: Box<dyn Work> = match (self.own_player(player), seat.level()) {
            (Some(own), _) => own.reply(game, seed),
            (None, Some(level)) => Box::new(Reply::new(game, level, seed)),
            (None, None) => return None,
        };
        Some((*net, work))
    }

    fn own_player(&self, name: &str) -> Option<&Arc<dyn OwnPlayer>> {
        self.own.iter().find(|own| own.name() == name)
    }

    /// Whether both players are people, or players and nets that this host has.
    pub fn check_seats(&self, seats: &Seats) -> Result<(), String> {
        for side in Side::ALL {
            let seat = seats.of(side);
            let Seat::Computer { player, net } = seat else { continue };
            if self.own_player(player).is_some() {
                continue;
            }
            if seat.level().is_none() {
                let shown: String = player.chars().take(40).collect();
                return Err(format!("no level {shown:?}, expected one of {}", crate::level::Level::names()));
            }
            if *net >= self.nets.len() {
                return Err(format!("net {net}, expected one below {}", self.nets.len()));
            }
        }
        Ok(())
    }
}

/// What sets a rule set apart, in a line.
fn summary(set: &RuleSet) -> String {
    let escape = match set.escape {
        Escape::Corners => "The king escapes to the corners",
        Escape::EdgeOutsideCamps => "The king escapes to the edge outside the camps",
        _ => "The king escapes to the edge",
    };
    let king = match (set.king.elsewhere, set.king.armed) {
        (KingCapture::BetweenTwo, true) => "falls between two and captures himself",
        (KingCapture::BetweenTwo, false) => "falls between two and does not capture",
        (_, true) => "must be surrounded and captures himself",
        (_, false) => "must be surrounded and does not capture",
    };
    format!("{escape}; he {king}.")
}

/// Compiles the rules that somebody chose.
pub fn chosen_rules(choice: &RulesAsked) -> Result<Arc<Rules>, String> {
    let set = match choice {
        RulesAsked::Name(name) => RuleSet::named(name),
        RulesAsked::Toml(text) => RuleSet::from_toml(text),
    };
    let rules = set.and_then(Rules::new).map_err(|error| error.to_string())?;
    Ok(Arc::new(rules))
}

/// A new game. Where the rules draw who moves first and nobody says, `drawn` does.
pub fn new_game(
    choice: &RulesAsked,
    first: Option<Side>,
    seats: Option<Seats>,
    drawn: Side,
) -> Result<Session, String> {
    let rules = chosen_rules(choice)?;
    let first = match (rules.set().first.side(), first) {
        (Some(first), Some(asked)) if first != asked => {
            return Err(format!("{asked} first: under {} rules the {first} move first", rules.name()));
        }
        (Some(first), _) => first,
        (None, asked) => asked.unwrap_or(drawn),
    };
    Ok(Session::new(rules, first, seats.unwrap_or_else(Seats::people)))
}

/// A game from a position that was set up.
pub fn set_up(choice: &RulesAsked, pieces: &BTreeMap<Square, PieceName>, side: Side) -> Result<Session, String> {
    let rules = chosen_rules(choice)?;
    let position = position_of(pieces, side)?;
    Session::from_position(rules, position, Seats::people()).map_err(|error| error.to_string())
}
