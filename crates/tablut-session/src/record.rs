//! Games as text, for people and as OpenTafl's records, in both directions.

use crate::player::Players;
use crate::saved::SavedGame;
use crate::session::Session;
use crate::words;
use std::fmt::Write as _;
use std::sync::Arc;
use tablut_rules::{OtgRecord, Position, RuleSet, Rules, RulesLine};

/// The format of an exported game.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Text for people: rules, numbered moves, the result.
    Text,
    /// An OpenTafl record, if its rules can express the game's.
    Otg,
    /// A saved game.
    Json,
    /// A picture of the current position.
    Svg,
    /// The rule file.
    Toml,
}

impl Session {
    /// The current line in a format.
    pub fn export(&self, format: Format) -> Result<String, String> {
        match format {
            Format::Text => Ok(self.to_text()),
            Format::Otg => self.to_otg(),
            Format::Json => Ok(self.saved().to_json()),
            Format::Svg => Ok(crate::picture::svg(self)),
            Format::Toml => Ok(self.rules().set().to_toml()),
        }
    }

    /// The current line as text for people. [`Session::import`] can read it.
    pub fn to_text(&self) -> String {
        let line = self.tree().line(self.current());
        let mut text = format!("Tablut, {} rules\n", self.rules().name());
        if self.has_own_start() {
            let _ = writeln!(text, "Position: {}", self.start());
        }
        if let Some(root) = line.first().and_then(|id| self.tree().node(*id)).filter(|root| !root.comment.is_empty()) {
            let _ = writeln!(text, "{{{}}}", in_braces(&root.comment));
        }
        let moves = line.iter().filter_map(|id| Some((self.tree().node(*id)?, self.tree().mv(*id)?)));
        for (index, (node, mv)) in moves.enumerate() {
            if index % 2 == 0 {
                let _ = write!(text, "{}{}.", if index == 0 { "\n" } else { "" }, index / 2 + 1);
            }
            let _ = write!(text, " {mv}");
            if !node.comment.is_empty() {
                let _ = write!(text, " {{{}}}", in_braces(&node.comment));
            }
            if index % 2 == 1 {
                text.push('\n');
            }
        }
        text = text.trim_end().to_owned() + "\n";
        let end = *line.last().expect("a line has its root");
        let mut last = self.clone();
        if last.go_to(end).is_ok()
            && let Some(ending) = last.ending()
        {
            let _ = writeln!(text, "\n{}.", words::capitalized(&words::ending(ending)));
        }
        text
    }

    fn to_otg(&self) -> Result<String, String> {
        let mut end = self.clone();
        let last = *self.tree().line(self.current()).last().expect("a line has its root");
        end.go_to(last)?;
        let mut record = OtgRecord::from_game(end.game()).map_err(|error| error.to_string())?;
        record.resigned = end.node().resigned.is_some();
        Ok(record.to_string())
    }

    /// Reads a saved game's JSON, an OpenTafl record, a link, a position, or moves as people write them. `rules` are used if
    /// the text names none.
    pub fn import(text: &str, rules: &RuleSet) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("nothing to read, expected a game, a position or moves".to_owned());
        }
        if text.starts_with('{') {
            let saved = SavedGame::from_json(text).map_err(|error| error.to_string())?;
            return saved.session().map_err(|error| error.to_string());
        }
        if let Some((_, fragment)) = text.split_once('#')
            && fragment.contains("rules=") | fragment.contains("toml=")
        {
            return Self::from_link(fragment);
        }
        if text.lines().any(|line| line.trim_start().starts_with("dim:")) {
            return Self::from_otg(text);
        }
        Self::from_text(text, rules)
    }

    fn from_otg(text: &str) -> Result<Self, String> {
        let record: OtgRecord = text.parse().map_err(|error: tablut_rules::OtgError| error.to_string())?;
        let named = record.tag("variant").and_then(|name| RuleSet::named(name).ok());
        let set = match named {
            Some(set) => set,
            None => record.rules_line.parse::<RulesLine>().map_err(|error| error.to_string())?.set,
        };
        let rules = Arc::new(Rules::new(set).map_err(|error| error.to_string())?);
        let game = record.replay(rules.clone()).map_err(|error| error.to_string())?;
        let mut session = Self::from_position(rules, record.start, Players::people())?;
        for mv in game.moves() {
            session.play(mv)?;
        }
        if record.resigned {
            let side = session.game().position().side_to_move();
            session.resign(side)?;
        }
        Ok(session)
    }

    fn from_text(text: &str, rules: &RuleSet) -> Result<Self, String> {
        let mut set = rules.clone();
        let (mut start, mut words) = (None, Vec::new());
        for line in text.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix("Tablut, ").and_then(|rest| rest.strip_suffix(" rules")) {
                if name != set.name {
                    set = RuleSet::named(name).map_err(|error| error.to_string())?;
                }
            } else if let Some(position) = line.strip_prefix("Position:") {
                start = Some(position.trim().to_owned());
            } else if line.parse::<Position>().is_ok() {
                start = Some(line.to_owned());
            } else if line.contains('-') {
                words.extend(move_words(line));
            }
        }
        if words.is_empty() && start.is_none() {
            let shown: String = text.chars().take(60).collect();
            return Err(format!("{shown:?} contains no game, expected moves such as d1-d3, a position, OTG or JSON"));
        }
        Self::of_moves(set, start.as_deref(), &words)
    }
}

/// A comment in a form that fits between braces.
fn in_braces(comment: &str) -> String {
    comment.replace(['{', '}', '\n', '\r'], " ")
}

/// The words of a line that are neither numbers nor comments.
fn move_words(line: &str) -> Vec<&str> {
    let outside_comments = line.split('{').enumerate().map(|(index, part)| match index {
        0 => part,
        _ => part.split_once('}').map_or("", |(_, rest)| rest),
    });
    outside_comments
        .flat_map(str::split_whitespace)
        .filter(|word| !word.trim_end_matches('.').chars().all(|c| c.is_ascii_digit()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::Side;

    fn session(name: &str) -> Session {
        let rules = Arc::new(Rules::named(name).unwrap());
        let first = rules.set().first.side().unwrap_or(Side::Attackers);
        let mut session = Session::new(rules, first, Players::people());
        for index in [3, 5, 7, 11, 13] {
            let moves = session.moves().unwrap();
            session.play(moves[index % moves.len()]).unwrap();
        }
        session
    }

    #[test]
    fn texts_records_and_saved_games_are_read_back() {
        let other = RuleSet::named("tartu").unwrap();
        for (name, formats) in [
            ("kvasir", &[Format::Text, Format::Json][..]),
            ("masters-edge", &[Format::Text, Format::Otg, Format::Json]),
            ("imperial", &[Format::Text, Format::Json]),
        ] {
            for format in formats {
                let mut session = session(name);
                let here = session.current();
                session.comment(here, "a {brave} move").unwrap();
                let text = session.export(*format).unwrap();
                let read = Session::import(&text, &other).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
                assert_eq!((read.history(), read.rules().set()), (session.history(), session.rules().set()), "{text}");
            }
        }
        assert!(session("kvasir").export(Format::Otg).unwrap_err().contains("repetition"));
    }

    #[test]
    fn what_is_no_game_is_told() {
        let set = RuleSet::named("kvasir").unwrap();
        for (text, part) in [
            ("", "nothing to read"),
            ("hello", "contains no game"),
            ("1. d1-d9", "ply 1"),
            ("{\"format\": 1}", "no saved game"),
        ] {
            let error = Session::import(text, &set).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        let position = Session::import("9/9/9/9/2K5t/9/9/9/4t3t d", &set).unwrap();
        assert_eq!(position.start().to_string(), "9/9/9/9/2K5t/9/9/9/4t3t d");
    }
}
