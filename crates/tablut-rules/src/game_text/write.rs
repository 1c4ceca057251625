//! Writes games as OpenTafl's records.

use std::fmt::{self, Write as _};

use super::{GameText, GameTextError};
use crate::move_text::MoveText;
use crate::moves::Move;
use crate::position::Position;
use crate::rules::Rules;
use crate::side::Side;

impl MoveText {
    /// The text of a legal move, with the letter of a king who moves and with all captures.
    pub fn of(rules: &Rules, position: &Position, mv: Move) -> MoveText {
        let captured = rules.apply(position, mv).captured;
        let piece = position.piece_at(mv.from).filter(|_| position.king() == Some(mv.from));
        MoveText { piece, from: mv.from, to: mv.to, captured }
    }
}

impl GameText {
    /// An OpenTafl record of a game from `start`, still without moves. If the format cannot express the rules about
    /// repetition and length, the tag `variant` defines them, and OpenTafl ignores repetitions.
    ///
    /// # Errors
    /// If the format cannot express the rules about moves and captures, or cannot express those about repetition and
    /// length of a rule set that is not built in.
    pub fn record(rules: &Rules, start: &Position) -> Result<GameText, GameTextError> {
        let set = rules.set();
        let mut worded = set.to_opentafl(start).map_err(GameTextError::Inexpressible)?;
        if !worded.other_endings.is_empty() {
            if crate::RuleSet::named(&set.name).as_ref() != Ok(set) {
                return Err(GameTextError::Inexpressible(worded.other_endings));
            }
            worded.line = worded.line.replace(" tfr:d ", " tfr:i ").replace(" tfr:l ", " tfr:i ");
        }
        let tags = vec![("variant".to_owned(), set.name.clone())];
        Ok(GameText { tags, rules_line: Some(worded.line), start: Some(*start), ..GameText::default() })
    }

    /// Adds the tags of the result. `ending` is the winner (`None` for a draw) and the reason, or `None` if the game is
    /// not over.
    pub fn end(&mut self, ending: Option<(Option<Side>, String)>) {
        let result = match &ending {
            None => "?",
            Some((Some(Side::Attackers), _)) => "1",
            Some((Some(Side::Defenders), _)) => "-1",
            Some((None, _)) => "0",
        };
        self.tags.push(("result".to_owned(), result.to_owned()));
        self.tags.extend(ending.map(|(_, words)| ("termination".to_owned(), words)));
    }
}

/// The text with the characters replaced that have a meaning between brackets.
fn in_brackets(text: &str) -> String {
    text.replace('[', "(").replace(']', ")").replace('|', "/")
}

/// A tag's value in a form that OpenTafl can load. OpenTafl reads `1. ` as the first move, even in a tag.
fn in_tag(text: &str) -> String {
    in_brackets(text).replace("1. ", "1.\u{a0}")
}

impl fmt::Display for GameText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            writeln!(f, "[{name}:{}]", in_tag(value))?;
        }
        let said = self.rules_line.as_deref().and_then(|line| crate::rules_line::read_start(line).ok());
        if let Some(line) = &self.rules_line {
            writeln!(f, "[rules:{line}]")?;
        }
        if let Some(start) = self.start.filter(|start| said.as_ref() != Some(start)) {
            writeln!(f, "[position:{start}]")?;
        }
        // The children of each move. The last item has the first moves.
        let mut after = vec![Vec::new(); self.moves.len() + 1];
        for (index, mv) in self.moves.iter().enumerate() {
            after[mv.parent.unwrap_or(self.moves.len())].push(index);
        }
        // The lines that have not been written yet: the address, the place of the first move, and that move.
        let mut lines: Vec<(String, usize, usize)> = Vec::new();
        lines.extend(after[self.moves.len()].first().map(|&first| (String::new(), 0, first)));
        let mut siblings = after[self.moves.len()].get(1..).unwrap_or_default().to_vec();
        while let Some((address, branch, first)) = lines.pop() {
            let (mut next, mut place) = (Some(first), branch);
            let mut variations = Vec::new();
            let (mut turn, mut comments) = (String::new(), Vec::new());
            while let Some(at) = next {
                if turn.is_empty() {
                    let letter = if address.is_empty() { "" } else { "a" };
                    write!(turn, "{address}{}{letter}.{}", place / 2 + 1, if place % 2 == 1 { " ....." } else { "" })?;
                }
                write!(turn, " {}", self.moves[at].text)?;
                comments.push(in_brackets(&self.moves[at].comment));
                // In the main line OpenTafl names the replaced move, in a variation the move before it.
                let named = if address.is_empty() { place } else { place.saturating_sub(1) };
                let letter = if named % 2 == 0 { 'a' } else { 'b' };
                for (number, &other) in siblings.iter().enumerate() {
                    variations.push((format!("{address}{}{letter}.{}.", named / 2 + 1, number + 1), place % 2, other));
                }
                siblings = after[at].get(1..).unwrap_or_default().to_vec();
                next = after[at].first().copied();
                place += 1;
                if place % 2 == 0 || next.is_none() {
                    writeln!(f, "\n{turn}")?;
                    if comments.iter().any(|comment| !comment.is_empty()) {
                        writeln!(f, "[{}]", comments.join("|"))?;
                    }
                    turn.clear();
                    comments.clear();
                }
            }
            siblings.clear();
            // The first variation is written next, with its own variations after it.
            lines.extend(variations.into_iter().rev());
        }
        Ok(())
    }
}
