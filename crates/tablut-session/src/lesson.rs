//! A lesson of a few moves, made from the rules' data. Each step is a small position and the moves that show one rule. A step
//! that these rules do not have is left out, so that the lesson holds for every rule set, also for a user's own.

use crate::exercise::{Exercise, LessonStep};
use crate::player::Players;
use crate::session::{Session, SessionError};
use std::sync::Arc;
use tablut_rules::{Applied, Bitboard, First, Move, MoveList, Position, Rules, Side, Square, Topic};

/// A step with its position and the moves that solve it.
#[derive(Clone, Debug)]
struct Step {
    title: &'static str,
    texts: Vec<String>,
    task: String,
    shown: &'static str,
    position: Position,
    solutions: Vec<Move>,
}

/// What a step tells the player: its title, the task, and the sentence after the solution.
#[derive(Clone, Copy)]
struct StepText {
    title: &'static str,
    task: &'static str,
    shown: &'static str,
}

pub fn titles(rules: &Rules) -> Vec<String> {
    steps(rules).into_iter().map(|step| step.title.to_owned()).collect()
}

/// The game and the exercise of one step. `None` if the lesson has fewer steps.
pub fn step(rules: &Arc<Rules>, index: usize) -> Result<Option<(Session, Exercise)>, SessionError> {
    let steps = steps(rules);
    let n_steps = steps.len();
    let Some(found) = steps.into_iter().nth(index) else { return Ok(None) };
    let session = Session::from_position(rules.clone(), found.position, Players::people())?;
    let Step { texts, task, .. } = found;
    let lesson = LessonStep {
        step: index,
        of: n_steps,
        title: found.title.to_owned(),
        texts,
        task,
        shown: found.shown.to_owned(),
    };
    let exercise = Exercise::of_lesson(&session, lesson, found.solutions);
    Ok(Some((session, exercise)))
}

/// A position by its pieces: squares with one letter each before them, `t` attackers, `T` defenders, `K` the king.
fn position(pieces: &str, side: Side) -> Position {
    let squares_of = |letter: char| -> Bitboard {
        let squares = pieces.split(' ').filter_map(|piece| piece.strip_prefix(letter));
        squares.map(|square| square.parse::<Square>().expect("the templates name squares")).collect()
    };
    Position::from_parts(squares_of('t'), squares_of('T'), squares_of('K').first(), side)
        .expect("the templates are positions")
}

/// Whether a move is wanted: the rules, the position before the move, the move and what it did.
type Wanted = fn(&Rules, &Position, Move, &Applied) -> bool;

/// The first of the templates in which some moves are wanted and others are not, with the wanted moves.
fn find(rules: &Rules, side: Side, templates: &[&str], wanted: Wanted) -> Option<(Position, Vec<Move>)> {
    templates.iter().find_map(|pieces| {
        let position = position(pieces, side);
        if rules.decided(&position).is_some() {
            return None;
        }
        let mut moves = MoveList::new();
        rules.legal_moves(&position, &mut moves);
        let solves = |mv: &&Move| wanted(rules, &position, **mv, &rules.apply(&position, **mv));
        let solutions: Vec<Move> = moves.iter().filter(solves).copied().collect();
        (!solutions.is_empty() && solutions.len() < moves.len()).then_some((position, solutions))
    })
}

fn captures_a_soldier(_: &Rules, _: &Position, _: Move, applied: &Applied) -> bool {
    !applied.captured.is_empty() && applied.winner.is_none()
}

fn captures_with_the_king(_: &Rules, before: &Position, mv: Move, applied: &Applied) -> bool {
    before.king() == Some(mv.from) && !applied.captured.is_empty() && applied.winner.is_none()
}

fn captures_the_king(_: &Rules, _: &Position, _: Move, applied: &Applied) -> bool {
    applied.winner == Some(Side::Attackers)
}

fn escapes(_: &Rules, _: &Position, _: Move, applied: &Applied) -> bool {
    applied.winner == Some(Side::Defenders)
}

/// The king could escape with his next move, and this move closes all his escape routes.
fn stops_the_king(rules: &Rules, before: &Position, _: Move, applied: &Applied) -> bool {
    let to_escape = before.with_side_to_move(Side::Defenders);
    rules.wins_at_once(&to_escape, Side::Defenders)
        && applied.winner.is_none()
        && !rules.wins_at_once(&applied.position, Side::Defenders)
}

const SOLDIER: [&str; 1] = ["Ke5 Tc6 tb6 td2 tg8 Tg3"];
const BY_KING: [&str; 2] = ["Kd4 Tb3 tc3 tg7 Tf6", "Kd7 Tb6 tc6 tg3 Tf3"];
const BESIDE_THRONE_DEFENDER: [&str; 1] = ["Kg7 Td5 tc2 th3 Tg6"];
const BESIDE_THRONE_ATTACKER: [&str; 1] = ["Kg7 td5 Tc2 tb8 Tg6"];
const BESIDE_CORNER: [&str; 1] = ["Ke5 Tb1 tc4 tg7 Te4"];
const BESIDE_CAMP_DEFENDER: [&str; 1] = ["Kg7 Te3 tb4 th3 Tg6"];
const BESIDE_CAMP_ATTACKER: [&str; 1] = ["Kg7 te3 Tb4 tb8 Tg6"];
const KING_ON_THRONE: [&str; 2] = ["Ke5 td5 tf2 tc8", "Ke5 td5 te6 te4 tf2"];
const KING_BESIDE_THRONE: [&str; 3] = ["Ke4 td4 tf7 tc8", "Ke4 td4 te3 tf7", "Kd5 td6 tc5 td3"];
const KING_ELSEWHERE: [&str; 2] = ["Kc3 tb3 td7 tg8", "Kc3 tb3 tc2 tc4 td7"];
const ESCAPE: [&str; 4] = ["Kc4 tc7 tg4 tb4 Te6", "Kc2 tc7 tg2 tb2 Te6", "Kh7 th3 te7 ti7 Te5", "Ki8 ti3 te8 Te6"];
const STOP: [&str; 4] =
    ["Kc4 tc7 tg4 tb4 th3 Te6", "Kc4 tc7 tg4 tb4 th2 Te6", "Ki7 tg8 ti3 te7 Te5", "Ki8 tg9 ti3 te8 Te6"];

/// A lesson that is being put together.
struct Lesson<'a> {
    rules: &'a Rules,
    topics: Vec<Topic>,
    steps: Vec<Step>,
}

impl Lesson<'_> {
    /// The sentences of a topic of the rules' explanation that contain one of these texts.
    fn about(&self, topic: usize, parts: &[&str]) -> Vec<String> {
        let sentences = self.topics.get(topic).map_or(&[][..], |topic| &topic.sentences);
        let fits = |sentence: &&String| parts.iter().any(|part| sentence.contains(part));
        sentences.iter().filter(fits).cloned().collect()
    }

    /// Adds a step with the first fitting template, if there is one.
    fn add(&mut self, text: StepText, texts: Vec<String>, (side, templates): (Side, &[&str]), wanted: Wanted) {
        if let Some((position, solutions)) = find(self.rules, side, templates, wanted) {
            let StepText { title, task, shown } = text;
            self.steps.push(Step { title, texts, task: task.to_owned(), shown, position, solutions });
        }
    }

    /// Adds the first of two steps that fits, each with its side and its templates.
    fn add_either(&mut self, text: StepText, texts: Vec<String>, sides: [(Side, &[&str]); 2]) {
        let fits = |(side, one): &(Side, &[&str])| find(self.rules, *side, one, captures_a_soldier).is_some();
        if let Some(found) = sides.into_iter().find(fits) {
            self.add(text, texts, found, captures_a_soldier);
        }
    }

    fn moves(&mut self) {
        let first = match self.rules.set().first {
            First::Defenders => Side::Defenders,
            _ => Side::Attackers,
        };
        let position = Position::start(first);
        let mut moves = MoveList::new();
        self.rules.legal_moves(&position, &mut moves);
        self.steps.push(Step {
            title: "Move",
            texts: self.about(1, &["Pieces move"]),
            task: format!("Move any piece of the {first}. Click it, then click a marked square."),
            shown: "All pieces move like this. There is one move a turn.",
            position,
            solutions: moves.into_vec(),
        });
    }

    fn captures(&mut self) {
        let text = StepText {
            title: "Capture a soldier",
            task: "You are the attackers. Capture a defender between two of your pieces.",
            shown: "Two enemies on opposite sides capture a soldier.",
        };
        let texts = self.about(2, &["A soldier is captured"]);
        self.add(text, texts, (Side::Attackers, &SOLDIER), captures_a_soldier);
        let text = StepText {
            title: "The king captures",
            task: "You are the defenders. Capture the attacker with your king.",
            shown: "The king helps to capture.",
        };
        let texts = self.about(2, &["The king captures", "The king takes"]);
        self.add(text, texts, (Side::Defenders, &BY_KING), captures_with_the_king);
    }

    /// The squares that capture like a piece.
    fn hostile_squares(&mut self) {
        let text = StepText {
            title: "The throne captures",
            task: "Capture the piece next to the empty throne in the middle.",
            shown: "The empty throne was the second captor.",
        };
        let throne: [(Side, &[&str]); 2] =
            [(Side::Attackers, &BESIDE_THRONE_DEFENDER), (Side::Defenders, &BESIDE_THRONE_ATTACKER)];
        self.add_either(text, self.about(2, &["The throne, "]), throne);
        let text = StepText {
            title: "The corners capture",
            task: "Capture the defender next to the corner.",
            shown: "The corner was the second captor.",
        };
        self.add(text, self.about(2, &["A corner"]), (Side::Attackers, &BESIDE_CORNER), captures_a_soldier);
        let text = StepText {
            title: "The camps capture",
            task: "Capture the piece next to the empty camp, one of the dashed squares.",
            shown: "The camp was the second captor.",
        };
        let camps: [(Side, &[&str]); 2] =
            [(Side::Attackers, &BESIDE_CAMP_DEFENDER), (Side::Defenders, &BESIDE_CAMP_ATTACKER)];
        self.add_either(text, self.about(2, &["camp"]), camps);
    }

    fn king(&mut self) {
        let places: [(&str, &[&str], &[&str]); 3] = [
            ("Capture the king", &["elsewhere", "wherever", "second captor of the king"], &KING_ELSEWHERE),
            ("The king on the throne", &["on the throne is", "wherever"], &KING_ON_THRONE),
            (
                "The king next to the throne",
                &["next to the throne is", "wherever", "throne counts"],
                &KING_BESIDE_THRONE,
            ),
        ];
        for (title, parts, templates) in places {
            let text = StepText {
                title,
                task: "You are the attackers. Capture the king.",
                shown: "The king is captured: the attackers win.",
            };
            self.add(text, self.about(3, parts), (Side::Attackers, templates), captures_the_king);
        }
    }

    fn aim(&mut self) {
        let text = StepText {
            title: "Escape",
            task: "You are the defenders. Take the king to safety in one move.",
            shown: "The king has escaped: the defenders win.",
        };
        let aim = self.about(0, &["The defenders win"]);
        self.add(text, aim.clone(), (Side::Defenders, &ESCAPE), escapes);
        let text = StepText {
            title: "Stop the king",
            task: "You are the attackers, and the king is about to escape. Close his escape route.",
            shown: "The king has no escape route any more.",
        };
        self.add(text, aim, (Side::Attackers, &STOP), stops_the_king);
    }
}

fn steps(rules: &Rules) -> Vec<Step> {
    let mut lesson = Lesson { rules, topics: rules.set().explain(), steps: Vec::new() };
    lesson.moves();
    lesson.captures();
    lesson.hostile_squares();
    lesson.king();
    lesson.aim();
    lesson.steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::{RULE_SET_NAMES, RuleSet};

    #[test]
    fn every_rule_set_has_a_lesson_that_its_rules_allow() {
        for name in RULE_SET_NAMES {
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
