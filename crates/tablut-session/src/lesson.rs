//! A lesson of a few moves, made from the rules' data. Each step is a small position and the moves that show one rule. A step
//! that these rules do not have is left out, so that the lesson holds for every rule set, also for a user's own.

use crate::exercise::{Exercise, LessonStep};
use crate::player::Players;
use crate::session::{Session, SessionError};
use std::sync::Arc;
use tablut_rules::Side::{Attackers, Defenders};
use tablut_rules::{
    Applied, BoardSize, First, Game, Move, MoveList, Position, RepetitionResult, Rules, Side, Square, Topic,
};

struct Step {
    lesson: LessonStep,
    position: Position,
    /// The moves from the position to the task.
    before: Vec<Move>,
    /// The moves that solve it.
    solutions: Vec<Move>,
}

pub fn titles(rules: &Rules) -> Vec<String> {
    steps(rules).into_iter().map(|step| step.lesson.title).collect()
}

/// The game and the exercise of one step. `None` if the lesson has fewer steps.
pub fn step(rules: &Arc<Rules>, index: usize) -> Result<Option<(Session, Exercise)>, SessionError> {
    let steps = steps(rules);
    let n_steps = steps.len();
    let Some(step) = steps.into_iter().nth(index) else { return Ok(None) };
    let mut session = Session::from_position(rules.clone(), step.position, Players::people())?;
    for mv in step.before {
        session.play(mv)?;
    }
    let lesson = LessonStep { step: index, of: n_steps, ..step.lesson };
    let exercise = Exercise::of_lesson(&session, lesson, step.solutions);
    Ok(Some((session, exercise)))
}

use Place::{Corner, Edge, Middle};

/// Where a template's pieces stand on a board that is not Tablut's. Their squares are those on Tablut's board.
#[derive(Copy, Clone)]
enum Place {
    /// As far from a1.
    Corner,
    /// As far from the middle of the lower edge.
    Edge,
    /// As far from the middle.
    Middle,
}

/// A position by its pieces: squares with one letter each before them, `t` attackers, `T` defenders, `K` the king.
/// `None` if they do not fit on the board.
fn position(size: BoardSize, place: Place, pieces: &str, side: Side) -> Option<Position> {
    let shift = size.centre().column() as isize - BoardSize::Nine.centre().column() as isize;
    let (columns, rows) = match place {
        Corner => (0, 0),
        Edge => (shift, 0),
        Middle => (shift, shift),
    };
    let squares_of = |letter: char| {
        let squares = pieces.split(' ').filter_map(move |piece| piece.strip_prefix(letter));
        squares.map(|square| square.parse::<Square>().expect("the templates name squares")).map(|square| {
            let column = square.column().checked_add_signed(columns)?;
            let row = square.row().checked_add_signed(rows)?;
            (column < size.width() && row < size.width()).then(|| Square::new(column, row))
        })
    };
    let [attackers, defenders] = ['t', 'T'].map(|letter| squares_of(letter).collect::<Option<_>>());
    let king = squares_of('K').next()?;
    Position::from_parts(size, attackers?, defenders?, king, side).ok()
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
    positions: &'static [(Side, Place, &'static str)],
    wanted: Wanted,
}

const CAPTURE_THE_KING: StepTemplate = StepTemplate {
    title: "Capture the king",
    task: "You are the attackers. Capture the king.",
    shown: "The king is captured: the attackers win.",
    about: (3, &["elsewhere", "wherever", "second captor of the king"]),
    positions: &[(Attackers, Corner, "Kc3 tb3 tf3 tf6"), (Attackers, Corner, "Kc3 tb3 tc2 tc4 tf3")],
    wanted: |_, _, _, applied| applied.winner == Some(Attackers),
};

const TEMPLATES: [StepTemplate; 13] = [
    StepTemplate {
        title: "Capture a soldier",
        task: "You are the attackers. Capture a defender between two of your pieces.",
        shown: "Two enemies on opposite sides capture a soldier.",
        about: (2, &["A soldier is captured"]),
        positions: &[(Attackers, Middle, "Ke5 Tc6 tb6 td2 tg8 Tg3")],
        wanted: captures_a_soldier,
    },
    StepTemplate {
        title: "The king captures",
        task: "You are the defenders. Capture the attacker with your king.",
        shown: "The king helps to capture.",
        about: (2, &["The king captures", "The king takes"]),
        positions: &[(Defenders, Middle, "Kd4 Tb3 tc3 tg7 Tf6"), (Defenders, Middle, "Kd7 Tb6 tc6 tg3 Tf3")],
        wanted: |rules, before, mv, applied| {
            before.king() == Some(mv.from) && captures_a_soldier(rules, before, mv, applied)
        },
    },
    StepTemplate {
        title: "The throne captures",
        task: "Capture the piece next to the empty throne in the middle.",
        shown: "The empty throne was the second captor.",
        about: (2, &["The throne, "]),
        positions: &[(Attackers, Middle, "Kg7 Td5 tc2 th3 Tg6"), (Defenders, Middle, "Kg7 td5 Tc2 tb8 Tg6")],
        wanted: captures_a_soldier,
    },
    StepTemplate {
        title: "The corners capture",
        task: "Capture the defender next to the corner.",
        shown: "The corner was the second captor.",
        about: (2, &["A corner"]),
        positions: &[(Attackers, Corner, "Ke5 Tb1 tc4 tf6 Te4")],
        wanted: captures_a_soldier,
    },
    StepTemplate {
        title: "The camps capture",
        task: "Capture the piece next to the empty camp, one of the dashed squares.",
        shown: "The camp was the second captor.",
        about: (2, &["camp"]),
        positions: &[(Attackers, Edge, "Kg6 Td2 tc6 th3 Tg5"), (Defenders, Edge, "Kg6 td2 Tc6 th3 Tg5")],
        wanted: captures_a_soldier,
    },
    CAPTURE_THE_KING,
    StepTemplate {
        title: "The king on the throne",
        about: (3, &["on the throne is", "wherever"]),
        positions: &[(Attackers, Middle, "Ke5 td5 tf2 tc8"), (Attackers, Middle, "Ke5 td5 te6 te4 tf2")],
        ..CAPTURE_THE_KING
    },
    StepTemplate {
        title: "The king next to the throne",
        about: (3, &["next to the throne is", "wherever", "throne counts"]),
        positions: &[
            (Attackers, Middle, "Ke4 td4 tf7 tc8"),
            (Attackers, Middle, "Ke4 td4 te3 tf7"),
            (Attackers, Middle, "Kd5 td6 tc5 td3"),
        ],
        ..CAPTURE_THE_KING
    },
    StepTemplate {
        title: "Escape",
        task: "You are the defenders. Take the king to safety in one move.",
        shown: "The king has escaped: the defenders win.",
        about: (0, &["The defenders win"]),
        positions: &[
            (Defenders, Corner, "Kc4 tc7 tg4 tb4 Te6"),
            (Defenders, Corner, "Kc2 tc7 tg2 tb2 Te6"),
            (Defenders, Corner, "Kh7 th3 te7 ti7 Te5"),
            (Defenders, Corner, "Ka2 ta6 te2 Te5"),
        ],
        wanted: |_, _, _, applied| applied.winner == Some(Defenders),
    },
    StepTemplate {
        title: "Stop the king",
        task: "You are the attackers, and the king is about to escape. Close his escape route.",
        shown: "The king has no escape route any more.",
        about: (0, &["The defenders win"]),
        positions: &[
            (Attackers, Corner, "Kc4 tc7 tg4 tb4 tg3 Te6"),
            (Attackers, Corner, "Kc4 tc7 tg4 tb4 tg2 Te6"),
            (Attackers, Corner, "Ka3 tc2 ta6 te3 Te5"),
            (Attackers, Corner, "Ka2 tc1 ta6 te2 Te5"),
        ],
        wanted: stops_the_king,
    },
    StepTemplate {
        title: "Shield wall",
        task: "You are the attackers. Close the row of two defenders on the edge, and capture both.",
        shown: "The whole row is captured.",
        about: (2, &["Shield wall"]),
        positions: &[(Attackers, Corner, "Kf5 Tc1 Td1 tb1 tc2 td2 te4")],
        wanted: |_, _, _, applied| applied.captured.len() > 1,
    },
    StepTemplate {
        title: "Exit fort",
        task: "You are the defenders. Close the fort around your king on the edge.",
        shown: "The attackers cannot break this fort: the defenders win.",
        about: (0, &["exit fort"]),
        positions: &[(Defenders, Corner, "Kc1 Tb1 Tc2 Td2 Te4 tf1 tb5 tf5")],
        wanted: |_, before, mv, applied| before.king() != Some(mv.from) && applied.winner == Some(Defenders),
    },
    StepTemplate {
        title: "Encirclement",
        task: "You are the attackers. Close the ring around the king and his defender.",
        shown: "They cannot reach the edge any more: the attackers win.",
        about: (0, &["encirclement"]),
        positions: &[(Attackers, Corner, "Kc3 Td3 tb3 tc2 tc4 td2 td4 te6")],
        wanted: |_, _, _, applied| applied.position.king().is_some() && applied.winner == Some(Attackers),
    },
];

impl StepTemplate {
    /// The step under some rules, which `topics` explain. `None` if they do not have it.
    fn step(&self, rules: &Rules, topics: &[Topic]) -> Option<Step> {
        self.positions.iter().find_map(|(side, place, pieces)| {
            let position = position(rules.size(), *place, pieces, *side)?;
            if rules.decided(&position).is_some() {
                return None;
            }
            let mut moves = MoveList::new();
            rules.legal_moves(&position, &mut moves);
            let solves = |mv: &&Move| (self.wanted)(rules, &position, **mv, &rules.apply(&position, **mv));
            let solutions: Vec<Move> = moves.iter().filter(solves).copied().collect();
            let lesson = lesson_step(self.title, self.task.to_owned(), self.shown, topics, self.about);
            let is_task = !solutions.is_empty() && solutions.len() < moves.len();
            is_task.then_some(Step { lesson, position, before: Vec::new(), solutions })
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

/// The step about a repetition that the defenders lose. Both sides move to and fro until only one repetition is missing.
fn repetition_step(rules: &Rules, topics: &[Topic]) -> Option<Step> {
    let repetition = &rules.set().repetition;
    if repetition.result != RepetitionResult::DefendersLose {
        return None;
    }
    // The attackers end the game: their move repeats the start, or, if that does not count, the position after their first.
    let (first, to_and_fro) = if repetition.start_counts {
        (Defenders, ["e5-e4", "b6-b5", "e4-e5", "b5-b6"])
    } else {
        (Attackers, ["b6-b5", "e5-e4", "b5-b6", "e4-e5"])
    };
    let position = position(rules.size(), Corner, "Kc3 Te5 tb6 tf2", first)?;
    let mut game = Game::from_position(Arc::new(rules.clone()), position).ok()?;
    let mut before = Vec::new();
    // More than ten occurrences are no lesson.
    for mv in to_and_fro.into_iter().cycle().take(10 * to_and_fro.len()) {
        let mv = mv.parse().expect("the moves are written well");
        game.play(mv).ok()?;
        if game.outcome().is_some() {
            let task = "You are the attackers, and both sides have moved to and fro. Repeat the position once more.";
            let shown = "The position has been repeated: the defenders lose.";
            let lesson = lesson_step("Repetition", task.to_owned(), shown, topics, (4, &["the defenders lose"]));
            return Some(Step { lesson, position, before, solutions: vec![mv] });
        }
        before.push(mv);
    }
    None
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
    let lesson = lesson_step("Move", task, shown, &topics, (1, &["Pieces move"]));
    let any_move = Step { lesson, position, before: Vec::new(), solutions: moves.into_vec() };
    let others = TEMPLATES.iter().filter_map(|template| template.step(rules, &topics));
    std::iter::once(any_move).chain(others).chain(repetition_step(rules, &topics)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::RuleSet;

    #[test]
    fn every_rule_set_has_a_lesson_that_its_rules_allow() {
        for name in Rules::names() {
            let rules = Arc::new(Rules::named(name).unwrap());
            let titles = titles(&rules);
            assert!((5..=14).contains(&titles.len()), "{name}: {titles:?}");
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
        for (clause, title) in [
            ("exit-fort = true", "Exit fort"),
            ("encirclement = true", "Encirclement"),
            ("[repetition]\nresult = 'defenders-lose'", "Repetition"),
            ("[repetition]\nresult = 'defenders-lose'\nstart-counts = false", "Repetition"),
            ("[captures]\nshield-wall = 'pieces'", "Shield wall"),
            ("[camps]\nhostile-to-defenders = 'all-but-edge-middles'", "The camps capture"),
        ] {
            for base in ["brandubh", "masters", "fetlar"] {
                assert!(has(&format!("base = '{base}'\n{clause}"), title), "{base}: {clause}");
            }
        }
    }
}
