//! Links with a game in their fragment: rules, position and moves.
//!
//! `#rules=kvasir&moves=d1-d3,e3-d3`. `start=` gives another start position, and `toml=` gives rules that are not built
//! in.

use crate::player::Players;
use crate::session::{MAX_NODES, Session};
use crate::words::shorten;
use std::fmt::Write as _;
use std::sync::Arc;
use tablut_rules::{RULE_SET_NAMES, RuleSet, Rules};

impl Session {
    pub fn to_link(&self) -> String {
        let set = self.rules().set();
        let mut text = match RuleSet::named(&set.name) {
            Ok(known) if known == *set => format!("rules={}", set.name),
            _ => format!("toml={}", encode(&set.to_toml())),
        };
        if self.has_own_start() {
            let _ = write!(text, "&start={}", encode(&self.start().to_string()));
        }
        let moves: Vec<String> = self.history().iter().map(ToString::to_string).collect();
        if !moves.is_empty() {
            let _ = write!(text, "&moves={}", moves.join(","));
        }
        text
    }

    /// The game of a link's fragment, with a person on each side.
    pub fn from_link(fragment: &str) -> Result<Self, String> {
        let (mut set, mut start, mut moves) = (None, None, String::new());
        for part in fragment.trim_start_matches('#').split('&').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let value = decode(value)?;
            match key {
                "rules" | "toml" if set.is_some() => return Err("a link with two rule sets".to_owned()),
                "rules" => set = Some(RuleSet::named(&value).map_err(|_| unknown_rules(&value))?),
                "toml" => set = Some(RuleSet::from_toml(&value).map_err(|error| error.to_string())?),
                "start" => start = Some(value),
                "moves" => moves = value,
                _ => return Err(format!("{:?} in a link, expected rules, toml, start or moves", shorten(key))),
            }
        }
        let set = set.ok_or("a link without rules")?;
        let texts: Vec<&str> = moves.split(',').filter(|text| !text.is_empty()).collect();
        if texts.len() >= MAX_NODES {
            return Err(format!("{} moves in a link, expected fewer than {MAX_NODES}", texts.len()));
        }
        Self::of_moves(set, start.as_deref(), &texts)
    }

    /// The game of moves in any of the known notations, with a person on each side. `start` is its first position.
    pub(crate) fn of_moves(set: RuleSet, start: Option<&str>, texts: &[&str]) -> Result<Self, String> {
        let rules = Arc::new(Rules::new(set).map_err(|error| error.to_string())?);
        let start = rules.opening_of(None, start, texts.first().copied()).map_err(|error| error.to_string())?;
        let mut session = Self::from_position(rules, start, Players::people())?;
        for (index, text) in texts.iter().enumerate() {
            let at = |reason: &dyn std::fmt::Display| format!("ply {}: {reason}", index + 1);
            let mv = session.rules().read_move(session.game().position(), text).map_err(|error| at(&error))?;
            session.play(mv).map_err(|error| at(&error))?;
        }
        Ok(session)
    }

    /// Whether the game begins from another position than its rules', or the rules draw who moves first.
    pub(crate) fn has_own_start(&self) -> bool {
        let (start, set) = (self.start(), self.rules().set());
        *start != self.rules().start(start.side_to_move()) || set.first.side() != Some(start.side_to_move())
    }
}

fn unknown_rules(name: &str) -> String {
    format!("no rule set {:?}, expected one of {}", shorten(name), RULE_SET_NAMES.join(", "))
}

/// Percent-encodes everything except letters, digits and `-_./,`.
fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b',' => encoded.push(byte as char),
            b' ' => encoded.push('+'),
            _ => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

fn decode(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| (digit as char).to_digit(16));
                let (Some(high), Some(low)) = (digit(), digit()) else {
                    return Err(format!("{:?} in a link, expected two hex digits after %", shorten(text)));
                };
                bytes.push((16 * high + low) as u8);
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).map_err(|_| format!("{:?} in a link is not UTF-8", shorten(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::Side;

    #[test]
    fn a_link_leads_to_the_same_game() {
        let mut session = Session::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers, Players::people());
        session.play("d1-d3".parse().unwrap()).unwrap();
        let link = session.to_link();
        assert_eq!(link, "rules=kvasir&moves=d1-d3");
        let read = Session::from_link(&format!("#{link}")).unwrap();
        assert_eq!(read.history(), session.history());

        let mut set = RuleSet::named("imperial").unwrap();
        set.king.reach = 2;
        "slow-and-steady".clone_into(&mut set.name);
        let start = "9/9/9/9/2K5t/9/9/9/4t3t d".parse().unwrap();
        let session = Session::from_position(Arc::new(Rules::new(set).unwrap()), start, Players::people()).unwrap();
        let read = Session::from_link(&session.to_link()).unwrap();
        assert_eq!((read.rules().set(), read.start()), (session.rules().set(), session.start()));
    }

    #[test]
    fn faulty_links_are_told() {
        for (link, part) in [
            ("", "without rules"),
            ("rules=chess", "no rule set \"chess\""),
            ("rules=kvasir&moves=d1-d9", "ply 1"),
            ("rules=kvasir&x=1", "\"x\" in a link"),
            ("rules=kvasir&start=%F", "two hex digits"),
            ("rules=kvasir&start=9", "start"),
        ] {
            let error = Session::from_link(link).unwrap_err();
            assert!(error.contains(part) || part == "start", "{link}: {error}");
        }
    }
}
