//! The settings of a match, so that its games are not mixed with those of another match.

use crate::openings::Opening;
use crate::sealed_file::json_line;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tablut_net::NetPool;
use tablut_players::{NamedPlayer, NetSearch, PlayerSpec, alphabeta, net_of};
use tablut_ratings::TestBounds;
use tablut_rules::RuleSet;
use tablut_search::SearchConfig;

/// The first line of a file of games: everything that the games depend on. It does not include settings without
/// influence, such as threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchHeader {
    #[serde(rename = "tablut_match")]
    pub format: u32,
    /// The rules in full, so that the games can be replayed even if a rule file has changed.
    pub rules: RuleSet,
    pub players: Vec<PlayerIdentity>,
    /// The pairings, as indices into `players`.
    pub matches: Vec<[usize; 2]>,
    pub games: usize,
    /// Random plies at the start of each game.
    pub opening_plies: u32,
    pub openings: String,
    /// A game is a draw after this many plies, in addition to the rules' limits.
    pub max_plies: u32,
    /// Seed of openings and players.
    pub seed: u64,
    #[serde(rename = "sprt")]
    pub sequential_test: Option<TestBounds>,
}

/// A player, and everything besides its name that its moves depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerIdentity {
    /// The player's name in reports.
    pub name: String,
    /// The player itself, if it has its own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    pub net: Option<String>,
    pub search: Option<SearchConfig>,
    pub version: Option<u32>,
}

impl PlayerIdentity {
    /// The identity of the player that `named` describes.
    pub fn of(named: &NamedPlayer, nets: &NetPool) -> Self {
        let spec = &named.spec;
        let player = named.alias.is_some().then(|| spec.to_string());
        let net = net_of(spec, nets).map(|net| net.hash.clone());
        let search = NetSearch::of(spec, nets).map(|search| search.config);
        let version = matches!(spec, PlayerSpec::AlphaBeta(_)).then_some(alphabeta::VERSION);
        Self { name: named.name(), player, net, search, version }
    }
}

impl MatchHeader {
    /// The version of files that this program writes.
    pub const FORMAT: u32 = 1;

    pub fn hash_of(openings: &[Opening]) -> String {
        let mut hasher = blake3::Hasher::new();
        for opening in openings {
            hasher.update(opening.first.to_string().as_bytes());
            for mv in &opening.moves {
                hasher.update(b" ").update(mv.to_string().as_bytes());
            }
            hasher.update(b"\n");
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Sixteen hexadecimal digits of a hash of the header.
    pub fn id(&self) -> String {
        blake3::hash(json_line(self).as_bytes()).to_hex()[..16].to_owned()
    }

    /// Whether this is the match of the header line `text` with more games. `openings` are this match's openings.
    pub(super) fn extends(&self, text: &str, openings: &[Opening]) -> bool {
        let Ok(before) = serde_json::from_str::<Self>(text) else { return false };
        // Without a book, a longer list of openings starts like a shorter one.
        let first = &openings[..openings.len().min(before.games / 2)];
        let same_openings = before.openings == self.openings || before.openings == Self::hash_of(first);
        let shorter = Self { games: before.games, openings: before.openings.clone(), ..self.clone() };
        same_openings && before.games < self.games && shorter == before
    }

    /// The differences between the header `text` and this one, a line each, or an error if it is not a header.
    pub(super) fn differences(&self, text: &str) -> Result<Vec<String>, String> {
        const EXPECTED: &str = "its first line is not the header of a match";
        let found: Value = serde_json::from_str(text).map_err(|_| EXPECTED.to_owned())?;
        match found.get("tablut_match") {
            None => return Err(EXPECTED.to_owned()),
            Some(version) if *version != Self::FORMAT => {
                return Err(format!("it has version {version}, this program reads version {}", Self::FORMAT));
            }
            Some(_) => {}
        }
        // The header is compared as text, in which 0.2 is the same in 32 and in 64 bits.
        let expected: Value = serde_json::from_str(&json_line(self)).expect("a header's line is JSON");
        let mut differences = Vec::new();
        compare("", Some(&found), Some(&expected), &mut differences);
        Ok(differences)
    }
}

/// Collects the leaves in which two values differ, each with its key, such as `players[0].net`.
fn compare(key: &str, found: Option<&Value>, expected: Option<&Value>, differences: &mut Vec<String>) {
    match (found, expected) {
        (Some(Value::Object(found)), Some(Value::Object(expected))) => {
            let others = expected.keys().filter(|name| !found.contains_key(*name));
            for name in found.keys().chain(others) {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                compare(&key, found.get(name), expected.get(name), differences);
            }
        }
        (Some(Value::Array(found)), Some(Value::Array(expected))) => {
            for at in 0..found.len().max(expected.len()) {
                compare(&format!("{key}[{at}]"), found.get(at), expected.get(at), differences);
            }
        }
        (found, expected) if found == expected => {}
        (found, expected) => {
            let (found, expected) = (shown(found), shown(expected));
            differences.push(format!("  {key}: {found} in the file, {expected} in the command"));
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
}
