//! Files that contain a game: the output of `save` in `play`, OpenTafl's records (OTG), and plain lists of moves.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use serde::Deserialize;
use tablut_rules::{OtgRecord, Position, RuleSet, Rules, RulesLine};

/// The maximum number of bytes that are read. The longest game takes far less.
const MAX_BYTES: u64 = 16 << 20;

/// A game from a file, not played yet.
pub struct GameFile {
    /// Its rules, or `None` if the file does not contain them.
    pub rules: Option<Arc<Rules>>,
    /// Its start position, or `None` for the start position of the rules.
    pub start: Option<Position>,
    /// The moves, as the file writes them.
    pub moves: Vec<String>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// What `save` writes.
#[derive(Deserialize)]
struct Saved {
    rules: SavedRules,
    start: Position,
    moves: Vec<String>,
}

/// Rules in full, or the name of a rule set that comes with the program. If the file names a path, that file is not
/// opened.
#[derive(Deserialize)]
#[serde(untagged)]
enum SavedRules {
    Name(String),
    Set(Box<RuleSet>),
}

impl GameFile {
    /// Reads a file of any of these kinds. If `asked` is given, the file's own rules are ignored.
    pub fn read(path: &Path, asked: Option<&str>) -> anyhow::Result<Self> {
        let mut text = String::new();
        let file = File::open(path).with_context(|| format!("game {}", path.display()))?;
        let n_bytes = file.take(MAX_BYTES).read_to_string(&mut text);
        if n_bytes.with_context(|| format!("game {}", path.display()))? as u64 == MAX_BYTES {
            bail!("game {}: more than {MAX_BYTES} bytes", path.display());
        }
        Self::from_text(&text, asked).with_context(|| format!("game {}", path.display()))
    }

    fn from_text(text: &str, asked: Option<&str>) -> anyhow::Result<Self> {
        let mut game = match text.trim_start() {
            saved if saved.starts_with('{') => Self::from_saved(saved, asked.is_none())?,
            record if record.starts_with('[') || record.starts_with("dim:") => Self::from_otg(text, asked.is_none())?,
            moves => {
                let moves = moves.split_whitespace().map(str::to_owned).collect();
                Self { rules: None, start: None, moves, notes: Vec::new() }
            }
        };
        if let Some(asked) = asked {
            game.rules = Some(Arc::new(Rules::load(asked)?));
        }
        Ok(game)
    }

    fn from_saved(text: &str, own_rules: bool) -> anyhow::Result<Self> {
        let Saved { rules, start, moves } = serde_json::from_str(text).context("no saved game")?;
        let rules = match rules {
            _ if !own_rules => None,
            SavedRules::Name(name) => Some(Rules::named(&name)?),
            SavedRules::Set(set) => Some(Rules::new(*set)?),
        };
        Ok(Self { rules: rules.map(Arc::new), start: Some(start), moves, notes: Vec::new() })
    }

    fn from_otg(text: &str, own_rules: bool) -> anyhow::Result<Self> {
        let record: OtgRecord = text.parse()?;
        let (mut rules, mut notes) = (None, Vec::new());
        if own_rules {
            let line: RulesLine = record.rules_line.parse()?;
            notes.extend(line.other_endings.iter().map(|ending| format!("no rule set here says that {ending}")));
            rules = Some(Arc::new(Rules::new(line.set)?));
        }
        if record.resigned {
            notes.push("the record ends with a resignation".to_owned());
        }
        let moves = record.moves.iter().map(ToString::to_string).collect();
        Ok(Self { rules, start: Some(record.start), moves, notes })
    }
}
