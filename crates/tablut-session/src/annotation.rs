//! Writes a review into its game: comments on the mistakes, and better lines as variations.

use crate::exercise::Exercise;
use crate::results::{Mistake, ReviewReport};
use crate::session::{Session, SessionError};
use crate::tree::{NodeId, Tree};
use crate::words;
use std::fmt::Write as _;
use tablut_rules::Side;

/// The number of plies of a better line, unless it is a proof.
const SHOWN_PLIES: usize = 6;

impl Session {
    /// Writes a review into the game. Each mistake becomes a comment on the move and a variation with the better line.
    /// If the values of the positions are known, a comment marks the move after which the result was certain. A comment
    /// on the start gives `reviewer` and each side's number of mistakes. Existing comments and variations stay. A new
    /// comment follows an existing one if both fit. The current position and line do not change.
    pub fn annotate(&mut self, report: &ReviewReport, reviewer: &str) -> Result<(), SessionError> {
        let here = self.current();
        let line = self.tree().line(here);
        let certain = self.certain_from(&line);
        for (mistake, exercise) in report.mistakes.iter().zip(&report.exercises) {
            self.go_to(mistake.node)?;
            if let Some(played) = self.tree().child(mistake.node, mistake.played) {
                self.add_comment(played, &comment(mistake, exercise))?;
            }
            for mv in better_line(exercise) {
                // The game may be full, or a side may have resigned on this line.
                if self.play(*mv).is_err() {
                    break;
                }
            }
        }
        if let Some((id, words)) = certain {
            self.add_comment(id, &words)?;
        }
        let n_mistakes = |side: Side| report.mistakes.iter().filter(|mistake| mistake.side == side).count();
        let counts = format!(
            "mistakes of the attackers: {}, of the defenders: {}",
            n_mistakes(Side::Attackers),
            n_mistakes(Side::Defenders)
        );
        let part = match report.positions {
            positions if positions < line.len() => format!(" in the first {} plies", positions - 1),
            _ => String::new(),
        };
        self.add_comment(Tree::ROOT, &format!("Reviewed by {reviewer}; {counts}{part}."))?;
        self.go_to(line.last().copied().unwrap_or(here))?;
        self.go_to(here)
    }

    /// The first position of the line from which on the winner is proven and stays the same, with the result in words.
    fn certain_from(&self, line: &[NodeId]) -> Option<(NodeId, String)> {
        let proven = |id: &NodeId| self.tree().node(*id)?.value?.proven.filter(|proven| proven.winner.is_some());
        let winner = proven(line.last()?)?.winner;
        let certain = line.iter().rev().take_while(|id| proven(id).is_some_and(|proven| proven.winner == winner));
        let id = *certain.last()?;
        let to_move = self.game_at(id).ok()?.position().side_to_move();
        let words = words::proven(proven(&id).filter(|proven| proven.plies > 0)?, to_move);
        Some((id, words::capitalize(&words) + "."))
    }

    fn add_comment(&mut self, id: NodeId, text: &str) -> Result<(), SessionError> {
        let known = self.tree().node(id).map_or("", |node| node.comment.as_str());
        let both = format!("{known} {text}");
        match self.comment(id, &both) {
            // A comment that does not fit is left out.
            Err(SessionError::LongComment(_) | SessionError::CommentsFull(_)) => Ok(()),
            written => written,
        }
    }
}

fn better_line(exercise: &Exercise) -> &[tablut_rules::Move] {
    let line = &exercise.line;
    let shown = exercise.proven.map_or(SHOWN_PLIES, |proven| proven.plies.into());
    &line[..line.len().min(shown.max(1))]
}

/// "Allowed a win in 3: the attackers had 62 % of the chances. Better was e4-e6, then d1-d3."
fn comment(mistake: &Mistake, exercise: &Exercise) -> String {
    let mut text = words::capitalize(&mistake.words);
    let percent = |worth: f32| 50.0 * (1.0 + worth);
    let side = mistake.side;
    match exercise.played {
        Some((_, after)) if !mistake.certain => {
            let before = percent(exercise.worth);
            let _ = write!(text, ": the chances fell from {before:.0} % to {:.0} %", percent(after));
        }
        _ if exercise.proven.is_none() => {
            let _ = write!(text, ": the {side} had {:.0} % of the chances", percent(exercise.worth));
        }
        _ => {}
    }
    let moves: Vec<String> = better_line(exercise).iter().map(ToString::to_string).collect();
    match moves.as_slice() {
        [] => text.push('.'),
        [better] => {
            let _ = write!(text, ". Better was {better}.");
        }
        [better, rest @ ..] => {
            let _ = write!(text, ". Better was {better}, then {}.", rest.join(" "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Players;
    use crate::work::Review;
    use crate::{Format, SavedGame};
    use std::sync::Arc;
    use tablut_rules::Rules;
    use tablut_search::UniformEvaluator;

    /// The king could escape at once. He moves between two attackers instead, and they do not capture him.
    #[test]
    fn a_mistake_gets_a_comment_and_what_was_better_as_a_variation() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let start = "9/9/9/9/1t1K5/9/9/3t4t/1t7 d".parse().unwrap();
        let mut session = Session::from_position(rules, start, Players::people()).unwrap();
        for mv in ["d5-c5", "i2-h2"] {
            session.play(mv.parse().unwrap()).unwrap();
        }
        // Going back to the start does not change the current line.
        let here = Tree::ROOT;
        session.go_to(here).unwrap();
        let report = Review::run(&mut session, 50, 1, &mut UniformEvaluator, &mut || {}).unwrap();
        let plain = session.saved();
        session.annotate(&report, "a test").unwrap();
        assert_eq!(session.current(), here);
        assert_eq!(session.saved().moves, plain.moves);
        let root = session.tree().node(Tree::ROOT).unwrap().comment.clone();
        assert_eq!(root, "Reviewed by a test; mistakes of the attackers: 1, of the defenders: 1.");
        assert_eq!(session.tree().len(), 5);
        for mistake in &report.mistakes {
            let played = session.tree().child(mistake.node, mistake.played).unwrap();
            let comment = &session.tree().node(played).unwrap().comment;
            assert!(
                comment.starts_with(&words::capitalize(&mistake.words)) && comment.contains("Better was "),
                "{comment}"
            );
        }
        // After the attackers' mistake the defenders' win is certain.
        let line = session.tree().line(here);
        assert_eq!(line.len(), 3, "{line:?}");
        let last = session.tree().node(line[2]).unwrap().comment.clone();
        assert!(last.ends_with(" The defenders win in 1."), "{last}");
        // The export has all comments and variations.
        let again = SavedGame::from_json(&session.export(Format::Json).unwrap()).unwrap().session().unwrap();
        assert_eq!(again.tree().len(), session.tree().len());
        assert_eq!(again.export(Format::Otg).unwrap(), session.export(Format::Otg).unwrap());
    }
}
