//! A lesson of a few moves, made from the rules' data. Each step is a small position and the moves that show one rule. A step
//! that these rules do not have is left out, so that the lesson holds for every rule set, also for a user's own.

use crate::exercise::{Exercise, LessonStep};
use crate::player::Players;
use crate::session::{Session, SessionError};
use std::sync::Arc;
use tablut_rules::Side::{Attackers, Defenders};
use tablut_rules::{Applied, Bitboard, BoardSize, First, Move, MoveList, Position, Rules, Side, Square, Topic};

/// A step with its position and the moves that solve it.
type Step = (LessonStep, Position, Vec<Move>);

pub fn titles(rules: &Rules) -> Vec<String> {
    steps(rules).into_iter().map(|(lesson, ..)| lesson.title).collect()
}

/// The game and the exercise of one step. `None` if the lesson has fewer steps.
pub fn step(rules: &Arc<Rules>, index: usize) -> Result<Option<(Session, Exercise)>, SessionError> {
    let steps = steps(rules);
    let n_steps = steps.len();
    let Some((lesson, position, solutions)) = steps.into_iter().nth(index) else { return Ok(None) };
    let session = Session::from_position(rules.clone(), position, Players::people())?;
    let exercise = Exercise::of_lesson(&session, LessonStep { step: index, of: n_steps, ..lesson }, solutions);
    Ok(Some((session, exercise)))
}

/// A position by its pieces: squares with one letter each before them, `t` attackers, `T` defenders, `K` the king.
/// `None` if they do not fit on the board.
fn position(size: BoardSize, pieces: &str, side: Side) -> Option<Position> {
    let squares_of = |letter: char| -> Bitboard {
        let squares = pieces.split(' ').filter_map(|piece| piece.strip_prefix(letter));
        squares.map(|square| square.parse::<Square>().expect("the templates name squares")).collect()
    };
    Position::from_parts(size, squares_of('t'), squares_of('T'), squares_of('K').first(), side).ok()
}

/// Whether a move is wanted: the rules, the position before the move, the move and what it did.
type Wanted = fn(&Rules, &Position, Move, &Applied) -> bool;

fn captures_a_soldier(_: &Rules, _: &Position, _: Move, applied: &Applied) -> bool {
    !applied.captured.is_empty() && applied.winner.is_none()
}

/// The king could escape with his next move, and this move closes all his escape routes.
fn stops_the_king(rules: &Rules, before: &Position, _: Move, applied: &Applied) -> bool {
    let to_escape = before.with_side_to_move(Side::Defenders);
    rules.wins_at_once(&to_escape, Side::Defenders)
        && applied.winner.is_none()
        && !rules.wins_at_once(&applied.position, Side::Defenders)
}

struct StepTemplate {
    title: &'static str,
    task: &'static str,
    shown: &'static str,
    /// The topic of the rules' explanation, and texts of which its sentences about this step contain one.
    about: (usize, &'static [&'static str]),
    /// Positions, each with its side to move. The first in which some moves are wanted and others are not is used.
    positions: &'static [(Side, &'static str)],
    wanted: Wanted,
}

const CAPTURE_THE_KING: StepTemplate = StepTemplate {
    title: "Capture the king",
    task: "You are the attackers. Capture the king.",
    shown: "The king is captured: the attackers win.",
    about: (3, &["elsewhere", "wherever", "second captor of the king"]),
    positions: &[(Attackers, "Kc3 tb3 td7 tg8"), (Attackers, "Kc3 tb3 tc2 tc4 td7")],
    wanted: |_, _, _, applied| applied.winner == Some(Attackers),
};

const TEMPLATES: [StepTemplate; 10] = [
    StepTemplate {
        title: "Capture a soldier",
        task: "You are the attackers. Capture a defender between two of your pieces.",
        shown: "Two enemies on opposite sides capture a soldier.",
        about: (2, &["A soldier is captured"]),
        positions: &[(Attackers, "Ke5 Tc6 tb6 td2 tg8 Tg3")],
        wanted: captures_a_soldier,
    },
    StepTemplate {
        title: "The king captures",
        task: "You are the defenders. Capture the attacker with your king.",
        shown: "The king helps to capture.",
        about: (2, &["The king captures", "The king takes"]),
        positions: &[(Defenders, "Kd4 Tb3 tc3 tg7 Tf6"), (Defenders, "Kd7 Tb6 tc6 tg3 Tf3")],
        wanted: |rules, before, mv, applied| {
            before.king() == Some(mv.from) && captures_a_soldier(rules, before, mv, applied)
        },
    },
    StepTemplate {
        title: "The throne captures",
        task: "Capture the piece next to the empty throne in the middle.",
        shown: "The empty throne was the second captor.",
        about: (2, &["The throne, "]),
        positions: &[(Attackers, "Kg7 Td5 tc2 th3 Tg6"), (Defenders, "Kg7 td5 Tc2 tb8 Tg6")],
        wanted: captures_a_soldier,
    },
    StepTemplate {
        title: "The corners capture",
        task: "Capture the defender next to the corner.",
        shown: "The corner was the second captor.",
        about: (2, &["A corner"]),
        positions: &[(Attackers, "Ke5 Tb1 tc4 tg7 Te4")],
        wanted: captures_a_soldier,
    },
    StepTemplate {
        title: "The camps capture",
        task: "Capture the piece next to the empty camp, one of the dashed squares.",
        shown: "The camp was the second captor.",
        about: (2, &["camp"]),
        positions: &[(Attackers, "Kg7 Te3 tb4 th3 Tg6"), (Defenders, "Kg7 te3 Tb4 tb8 Tg6")],
        wanted: captures_a_soldier,
    },
    CAPTURE_THE_KING,
    StepTemplate {
        title: "The king on the throne",
        about: (3, &["on the throne is", "wherever"]),
        positions: &[(Attackers, "Ke5 td5 tf2 tc8"), (Attackers, "Ke5 td5 te6 te4 tf2")],
        ..CAPTURE_THE_KING
    },
    StepTemplate {
        title: "The king next to the throne",
        about: (3, &["next to the throne is", "wherever", "throne counts"]),
        positions: &[(Attackers, "Ke4 td4 tf7 tc8"), (Attackers, "Ke4 td4 te3 tf7"), (Attackers, "Kd5 td6 tc5 td3")],
        ..CAPTURE_THE_KING
    },
    StepTemplate {
        title: "Escape",
        task: "You are the defenders. Take the king to safety in one move.",
        shown: "The king has escaped: the defenders win.",
        about: (0, &["The defenders win"]),
        positions: &[
            (Defenders, "Kc4 tc7 tg4 tb4 Te6"),
            (Defenders, "Kc2 tc7 tg2 tb2 Te6"),
            (Defenders, "Kh7 th3 te7 ti7 Te5"),
            (Defenders, "Ki8 ti3 te8 Te6"),
        ],
        wanted: |_, _, _, applied| applied.winner == Some(Defenders),
    },
    StepTemplate {
        title: "Stop the king",
        task: "You are the attackers, and the king is about to escape. Close his escape route.",
        shown: "The king has no escape route any more.",
        about: (0, &["The defenders win"]),
        positions: &[
            (Attackers, "Kc4 tc7 tg4 tb4 th3 Te6"),
            (Attackers, "Kc4 tc7 tg4 tb4 th2 Te6"),
            (Attackers, "Ki7 tg8 ti3 te7 Te5"),
            (Attackers, "Ki8 tg9 ti3 te8 Te6"),
        ],
        wanted: stops_the_king,
    },
];

impl StepTemplate {
    /// The step under some rules, which `topics` explain. `None` if they do not have it.
    fn step(&self, rules: &Rules, topics: &[Topic]) -> Option<Step> {
        self.positions.iter().find_map(|(side, pieces)| {
            let position = position(rules.size(), pieces, *side)?;
            if rules.decided(&position).is_some() {
                return None;
            }
            let mut moves = MoveList::new();
            rules.legal_moves(&position, &mut moves);
            let solves = |mv: &&Move| (self.wanted)(rules, &position, **mv, &rules.apply(&position, **mv));
            let solutions: Vec<Move> = moves.iter().filter(solves).copied().collect();
            let lesson = || lesson_step(self.title, self.task.to_owned(), self.shown, topics, self.about);
            (!solutions.is_empty() && solutions.len() < moves.len()).then(|| (lesson(), position, solutions))
        })
    }
}

fn lesson_step(title: &str, task: String, shown: &str, topics: &[Topic], about: (usize, &[&str])) -> LessonStep {
    let (topic, parts) = about;
    let sentences = topics.get(topic).map_or(&[][..], |topic| &topic.sentences);
    let fits = |sentence: &&String| parts.iter().any(|part| sentence.contains(part));
    let texts = sentences.iter().filter(fits).cloned().collect();
    LessonStep { step: 0, of: 0, title: title.to_owned(), texts, task, shown: shown.to_owned() }
}

fn steps(rules: &Rules) -> Vec<Step> {
    let topics = rules.set().explain();
    let first = match rules.set().first {
        First::Defenders => Defenders,
        _ => Attackers,
    };
    let task = format!("Move any piece of the {first}. Click it, then click a marked square.");
    let shown = "All pieces move like this. There is one move a turn.";
    let position = rules.start(first);
    let mut moves = MoveList::new();
    rules.legal_moves(&position, &mut moves);
    let any_move = (lesson_step("Move", task, shown, &topics, (1, &["Pieces move"])), position, moves.into_vec());
    let others = TEMPLATES.iter().filter_map(|template| template.step(rules, &topics));
    std::iter::once(any_move).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::RuleSet;

    #[test]
    fn every_rule_set_has_a_lesson_that_its_rules_allow() {
        for name in Rules::names_on(BoardSize::Nine) {
            let rules = Arc::new(Rules::named(name).unwrap());
            let titles = titles(&rules);
            assert!((5..=11).contains(&titles.len()), "{name}: {titles:?}");
            for needed in ["Move", "Capture a soldier", "Capture the king", "Escape", "Stop the king"] {
                assert!(titles.iter().any(|title| title == needed), "{name} lacks {needed}: {titles:?}");
            }
            for index in 0..titles.len() {
                let (session, exercise) = step(&rules, index).unwrap().unwrap();
                let lesson = exercise.lesson.clone().unwrap();
                assert!(!lesson.texts.is_empty(), "{name}, {}: no rule in words", lesson.title);
                let legal = session.moves().unwrap();
                assert!(exercise.solutions.iter().all(|mv| legal.contains(mv)), "{name}, {}", lesson.title);
            }
            assert!(step(&rules, titles.len()).unwrap().is_none());
        }
    }

    #[test]
    fn the_steps_follow_the_data() {
        let titles_of = |text: &str| titles(&Rules::new(RuleSet::from_toml(text).unwrap()).unwrap());
        let has = |text: &str, title: &str| titles_of(text).iter().any(|known| known == title);
        assert!(has("base = 'kvasir'", "The throne captures"));
        let peaceful = "base = 'kvasir'\n[throne]\nhostile-to-attackers = 'never'\nhostile-to-defenders = 'never'";
        assert!(!has(peaceful, "The throne captures"));
        let armed = "base = 'kvasir'\n[king]\narmed = true";
        let unarmed = "base = 'kvasir'\n[king]\narmed = false";
        assert!(has(armed, "The king captures") && !has(unarmed, "The king captures"));
    }
}
