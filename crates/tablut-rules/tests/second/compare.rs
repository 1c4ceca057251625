//! Compares the results of the two generators.

use std::sync::Arc;

use tablut_rules::{Bitboard, BoardSize, Game, Move, MoveList, Position, Rules, Side, Square, Symmetry};

use crate::board::{At, Board};
use crate::random::Random;
use crate::slow::{self, Name, Step};
use crate::slow_game::SlowGame;

fn square(at: At) -> Square {
    Square::new(at.0 as usize, at.1 as usize)
}

fn squares(list: &[At]) -> Bitboard {
    list.iter().map(|&at| square(at)).collect()
}

fn engine_move(step: Step) -> Move {
    Move { from: square(step.0), to: square(step.1), choice: step.2.map(square) }
}

fn side(letter: char) -> Option<Side> {
    Side::ALL.into_iter().find(|side| side.letter() == letter)
}

/// Compares everything that depends only on the position. `context` is the start of every failure message.
pub fn compare_position(rules: &Rules, name: Name, board: &Board, context: &str) {
    let text = board.text();
    let position: Position = text.parse().unwrap_or_else(|e| panic!("{context}: {e}"));
    assert_eq!(position.to_string(), text, "{context}");
    let mut moves = MoveList::new();
    rules.legal_moves(&position, &mut moves);
    let steps = slow::legal(name, board);
    let expected: Vec<Move> = steps.iter().map(|&step| engine_move(step)).collect();
    assert_eq!(*moves, *expected, "{context}: legal moves of {text}");
    assert_eq!(rules.count_legal_moves(&position) as usize, moves.len(), "{context}: count of {text}");
    assert_eq!(rules.has_legal_move(&position), !moves.is_empty(), "{context}: {text}");
    assert_eq!(rules.routes(&position), slow::routes(name, board), "{context}: routes of {text}");
    for letter in ['a', 'd'] {
        let engine = side(letter).map(|side| rules.wins_at_once(&position, side));
        assert_eq!(engine, Some(slow::wins_at_once(name, board, letter)), "{context}: {letter} to win in {text}");
    }
    for (&step, &mv) in steps.iter().zip(&moves) {
        let (after, captured, winner) = slow::play(name, board, step);
        let applied = rules.apply(&position, mv);
        let what = format!("{context}: {mv} in {text}");
        assert_eq!(mv.to_string(), slow::step_text(step), "{what}");
        assert_eq!(mv.to_string().parse(), Ok(mv), "{what}");
        assert_eq!(applied.position.to_string(), after.text(), "{what}");
        assert_eq!(applied.captured, squares(&captured), "{what}");
        assert_eq!(applied.winner, side(winner), "{what}");
        assert_eq!(applied.position.hash(), applied.position.hash_from_scratch(), "{what}");
    }
    compare_foresight(rules, &position, &moves, context);
}

/// A move that foresight excludes changes nothing about who wins at once. A threat can be parried exactly if some move
/// parries it.
fn compare_foresight(rules: &Rules, position: &Position, moves: &[Move], context: &str) {
    let foresight = rules.foresight(position);
    for mv in moves.iter().filter(|mv| !foresight.may_change(**mv)) {
        let after = rules.apply(position, *mv);
        assert_eq!(after.winner, None, "{context}: {mv} in {position}");
        for side in Side::ALL {
            let before = rules.wins_at_once(position, side);
            assert_eq!(rules.wins_at_once(&after.position, side), before, "{context}: {side}, {mv} in {position}");
        }
    }
    let opponent = position.side_to_move().opponent();
    if rules.wins_at_once(position, opponent) {
        let parries = |mv: &Move| !rules.wins_at_once(&rules.apply(position, *mv).position, opponent);
        assert_eq!(rules.can_parry(position, opponent), moves.iter().any(parries), "{context}: {position}");
    }
}

/// Compares the result of one move. Returns 1 if it captures a soldier that does not stand beside it, else 0.
pub fn compare_move(rules: &Rules, name: Name, board: &Board, step: Step, context: &str) -> u32 {
    let position: Position = board.text().parse().unwrap_or_else(|e| panic!("{context}: {e}"));
    let mv = engine_move(step);
    let (after, captured, winner) = slow::play(name, board, step);
    let applied = rules.apply(&position, mv);
    assert_eq!(applied.position.to_string(), after.text(), "{context}: {mv}");
    assert_eq!(applied.captured, squares(&captured), "{context}: {mv}");
    assert_eq!(applied.winner, side(winner), "{context}: {mv}");
    u32::from(!(applied.captured - Bitboard::of(mv.to).neighbours()).is_empty())
}

/// Calls `check_legal` with every pair of squares. It must accept exactly the legal moves.
pub fn compare_legality(rules: &Rules, name: Name, board: &Board, context: &str) {
    let position: Position = board.text().parse().unwrap_or_else(|e| panic!("{context}: {e}"));
    let expected: Vec<Move> = slow::legal(name, board).into_iter().map(engine_move).collect();
    let mut allowed = 0;
    // Squares outside a smaller board are never legal.
    for from in BoardSize::Eleven.squares() {
        for to in BoardSize::Eleven.squares() {
            let mv = Move::new(from, to);
            let legal = rules.check_legal(&position, mv).is_ok();
            assert_eq!(legal, expected.contains(&mv), "{context}: {mv} in {position}");
            allowed += usize::from(legal);
        }
    }
    let choices = expected.iter().filter(|mv| mv.choice.is_some());
    for mv in choices {
        assert_eq!(rules.check_legal(&position, *mv), Ok(()), "{context}: {mv} in {position}");
        allowed += 1;
    }
    assert_eq!(allowed, expected.len(), "{context}: {position}");
}

/// The symmetries commute with moves, captures and routes.
pub fn compare_symmetries(rules: &Rules, position: &Position, context: &str) {
    let mut moves = MoveList::new();
    let mut images = MoveList::new();
    rules.legal_moves(position, &mut moves);
    let size = position.size();
    for symmetry in Symmetry::ALL {
        let image = symmetry.position(position);
        let what = format!("{context}: {symmetry:?} of {position}");
        assert_eq!(symmetry.inverse().position(&image), *position, "{what}");
        rules.legal_moves(&image, &mut images);
        let mut expected: Vec<Move> = moves.iter().map(|&mv| symmetry.mv(size, mv)).collect();
        let mut found = images.to_vec();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{what}");
        assert_eq!(rules.routes(&image), rules.routes(position), "{what}");
        assert_eq!(rules.king_moves(&image), symmetry.bitboard(size, rules.king_moves(position)), "{what}");
        assert_eq!(rules.route_squares(&image), symmetry.bitboard(size, rules.route_squares(position)), "{what}");
        for &mv in &moves {
            let (a, b) = (rules.apply(position, mv), rules.apply(&image, symmetry.mv(size, mv)));
            assert_eq!(b.position, symmetry.position(&a.position), "{what}: {mv}");
            assert_eq!(b.captured, symmetry.bitboard(size, a.captured), "{what}: {mv}");
            assert_eq!(b.winner, a.winner, "{what}: {mv}");
        }
    }
}

/// Plays one random game with both generators, in one of three styles. Returns how it ended, if it ended within
/// `most_plies`.
pub fn compare_game(
    rules: &Arc<Rules>,
    name: Name,
    start: &Board,
    random: &mut Random,
    most_plies: usize,
    context: &str,
) -> Option<&'static str> {
    let position: Position = start.text().parse().unwrap_or_else(|e| panic!("{context}: {e}"));
    let mut slow = SlowGame::new(name, start);
    let mut game = Game::from_position(Arc::clone(rules), position).unwrap_or_else(|e| panic!("{context}: {e}"));
    let temper = [Temper::Restless, Temper::Eager, Temper::Shuffling, Temper::Shuffling][random.below(4)];
    let mut own_last: [Option<Step>; 2] = [None; 2];
    let mut moves = MoveList::new();
    compare_state(&game, &slow, context);
    while slow.ending.is_none() && slow.quiet.len() < most_plies {
        let steps = slow::legal(name, slow.board());
        game.legal_moves(&mut moves);
        assert_eq!(moves.len(), steps.len(), "{context}: {}", slow.board().text());
        let index = usize::from(slow.board().turn == 'd');
        let step = choose(name, slow.board(), &steps, own_last[index], temper, random);
        own_last[index] = Some(step);
        let before = game.position().hash();
        // Undoing a move and playing it again must change nothing.
        game.play(engine_move(step)).unwrap_or_else(|e| panic!("{context}: {e}"));
        assert_eq!(game.undo(), Some(engine_move(step)), "{context}");
        compare_state(&game, &slow, context);
        assert_eq!(game.position().hash(), before, "{context}");
        game.play(engine_move(step)).unwrap_or_else(|e| panic!("{context}: {e}"));
        slow.play(step);
        compare_state(&game, &slow, context);
    }
    assert_eq!(game.ply() as usize, slow.quiet.len(), "{context}");
    if slow.ending.is_some() {
        game.legal_moves(&mut moves);
        assert!(moves.is_empty() && game.routes() == 0, "{context}: {}", game.position());
        assert!(game.play(engine_move(((0, 0), (0, 1), None))).is_err(), "{context}");
    }
    slow.ending.map(|(_, reason)| reason)
}

fn compare_state(game: &Game, slow: &SlowGame, context: &str) {
    let at = format!("{context}: ply {} at {}", slow.quiet.len(), slow.board().text());
    assert_eq!(game.position().to_string(), slow.board().text(), "{at}");
    assert_eq!(game.occurrences() as usize, slow.earlier().len(), "{at}: occurrences");
    assert_eq!(game.plies_since_capture(), slow.plies_since_capture(), "{at}: plies since a capture");
    let outcome = game.outcome().map(|o| (o.winner, o.reason.to_string()));
    let expected = slow.ending.map(|(winner, reason)| (side(winner), reason.to_owned()));
    assert_eq!(outcome, expected, "{at}: outcome");
}

/// How the sides of a random game choose their moves.
#[derive(Copy, Clone, Eq, PartialEq)]
enum Temper {
    /// Plays any move.
    Restless,
    /// Plays a move that wins at once if there is one.
    Eager,
    /// Moves a piece back to where it came from, and rarely plays an immediate win, so that positions repeat.
    Shuffling,
}

fn choose(
    name: Name,
    board: &Board,
    steps: &[Step],
    own_last: Option<Step>,
    temper: Temper,
    random: &mut Random,
) -> Step {
    let wins = |step: &&Step| slow::play(name, board, **step).2 != '-';
    let any = steps[random.below(steps.len())];
    match temper {
        Temper::Restless => any,
        Temper::Eager => steps.iter().find(wins).copied().unwrap_or(any),
        Temper::Shuffling => {
            if let Some((from, to, _)) = own_last
                && random.percent(85)
                && let Some(back) = steps.iter().find(|step| step.0 == to && step.1 == from)
            {
                return *back;
            }
            // Tries three times to find a move that does not win at once.
            (0..3).fold(any, |step, _| if wins(&&step) { steps[random.below(steps.len())] } else { step })
        }
    }
}
