//! A lesson of a few moves, made from the rules' data. Each step is a small position and the moves that show one rule. A step
//! that these rules do not have is left out, so that the lesson holds for every rule set, also for a user's own.

use crate::exercise::{Exercise, LessonStep};
use crate::player::Players;
use crate::session::{Session, SessionError};
use std::sync::Arc;
use tablut_rules::{Applied, Bitboard, First, Move, MoveList, Position, Rules, Side, Square};

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

/// The titles of a lesson's steps.
pub fn titles(rules: &Rules) -> Vec<String> {
    steps(rules).into_iter().map(|step| step.title.to_owned()).collect()
}

/// The game and the exercise of one step. `None` if the lesson has fewer steps.
///
/// # Errors
/// Returns an error if the step's position is not valid under the rules.
pub fn step(rules: &Arc<Rules>, index: usize) -> Result<Option<(Session, Exercise)>, SessionError> {
    let steps = steps(rules);
    let of = steps.len();
    let Some(found) = steps.into_iter().nth(index) else { return Ok(None) };
    let session = Session::from_position(rules.clone(), found.position, Players::people())?;
    let Step { texts, task, .. } = found;
    let lesson =
        LessonStep { step: index, of, title: found.title.to_owned(), texts, task, shown: found.shown.to_owned() };
    let exercise = Exercise::of_lesson(&session, lesson, found.solutions);
    Ok(Some((session, exercise)))
}

/// A position by its pieces: squares with one letter each before them, `t` attackers, `T` defenders, `K` the king.
fn position(pieces: &str, side: Side) -> Position {
    let of = |letter: char| -> Bitboard {
        let squares = pieces.split(' ').filter_map(|piece| piece.strip_prefix(letter));
        squares.map(|square| square.parse::<Square>().expect("the templates name squares")).collect()
    };
    Position::from_parts(of('t'), of('T'), of('K').first(), side).expect("the templates are positions")
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

/// All steps that these rules have.
fn steps(rules: &Rules) -> Vec<Step> {
    let topics = rules.set().explain();
    // The sentences of a topic that say something about one of these words.
    let about = |topic: usize, parts: &[&str]| -> Vec<String> {
        let sentences = topics.get(topic).map_or(&[][..], |topic| &topic.sentences);
        let says = |sentence: &&String| parts.iter().any(|part| sentence.contains(part));
        sentences.iter().filter(says).cloned().collect()
    };
    let mut steps = Vec::new();
    let first = match rules.set().first {
        First::Defenders => Side::Defenders,
        _ => Side::Attackers,
    };
    let start = Position::start(first);
    let mut moves = MoveList::new();
    rules.legal_moves(&start, &mut moves);
    steps.push(Step {
        title: "Move",
        texts: about(1, &["Pieces move"]),
        task: format!("Move any piece of the {first}. Click it, then click a marked square."),
        shown: "All pieces move like this. There is one move a turn.",
        position: start,
        solutions: moves.into_vec(),
    });
    let mut add = |title, texts: Vec<String>, task: &str, shown, side, templates: &[&str], wanted: Wanted| {
        if let Some((position, solutions)) = find(rules, side, templates, wanted) {
            steps.push(Step { title, texts, task: task.to_owned(), shown, position, solutions });
        }
    };
    let (attackers, defenders) = (Side::Attackers, Side::Defenders);
    let capture = about(2, &["A soldier is captured"]);
    add(
        "Capture a soldier",
        capture,
        "You are the attackers. Capture a defender between two of your pieces.",
        "Two enemies on opposite sides capture a soldier.",
        attackers,
        &SOLDIER,
        captures_a_soldier,
    );
    let armed = about(2, &["The king captures", "The king takes"]);
    let task = "You are the defenders. Capture the attacker with your king.";
    add("The king captures", armed, task, "The king helps to capture.", defenders, &BY_KING, captures_with_the_king);
    let throne = about(2, &["The throne, "]);
    let task = "Capture the piece next to the empty throne in the middle.";
    let shown = "The empty throne was the second captor.";
    let sides = [(attackers, &BESIDE_THRONE_DEFENDER), (defenders, &BESIDE_THRONE_ATTACKER)];
    let on_throne = sides.into_iter().find(|(side, one)| find(rules, *side, *one, captures_a_soldier).is_some());
    if let Some((side, templates)) = on_throne {
        add("The throne captures", throne, task, shown, side, templates, captures_a_soldier);
    }
    let corner = about(2, &["A corner"]);
    let task = "Capture the defender next to the corner.";
    let shown = "The corner was the second captor.";
    add("The corners capture", corner, task, shown, attackers, &BESIDE_CORNER, captures_a_soldier);
    let camps = about(2, &["camp"]);
    let task = "Capture the piece next to the empty camp, one of the dashed squares.";
    let shown = "The camp was the second captor.";
    let sides = [(attackers, &BESIDE_CAMP_DEFENDER), (defenders, &BESIDE_CAMP_ATTACKER)];
    let on_camp = sides.into_iter().find(|(side, one)| find(rules, *side, *one, captures_a_soldier).is_some());
    if let Some((side, templates)) = on_camp {
        add("The camps capture", camps, task, shown, side, templates, captures_a_soldier);
    }
    let task = "You are the attackers. Capture the king.";
    let shown = "The king is captured: the attackers win.";
    let places: [(&str, &[&str], &[&str]); 3] = [
        ("Capture the king", &["elsewhere", "wherever", "second captor of the king"], &KING_ELSEWHERE),
        ("The king on the throne", &["on the throne is", "wherever"], &KING_ON_THRONE),
        ("The king next to the throne", &["next to the throne is", "wherever", "throne counts"], &KING_BESIDE_THRONE),
    ];
    for (title, parts, templates) in places {
        add(title, about(3, parts), task, shown, attackers, templates, captures_the_king);
    }
    let aim = about(0, &["The defenders win"]);
    let task = "You are the defenders. Take the king to safety in one move.";
    add("Escape", aim.clone(), task, "The king has escaped: the defenders win.", defenders, &ESCAPE, escapes);
    let task = "You are the attackers, and the king is about to escape. Close his escape route.";
    add("Stop the king", aim, task, "The king has no escape route any more.", attackers, &STOP, stops_the_king);
    steps
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
