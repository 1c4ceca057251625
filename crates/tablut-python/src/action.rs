//! The number of a move, for environments whose actions are numbers.
//!
//! A move without a choice of captures has the number of its policy entry, on Tablut's board from 0 to 2591. If the mover
//! chooses which piece to capture, the direction from the square that the move ends on to the captured piece is added: 2592
//! for north, 5184 for east, 7776 for south, 10368 for west.

use tablut_net::PolicyIndex;
use tablut_rules::{BoardSize, CaptureCount, Direction, Move, MoveList, Position, Rules, Square};

/// Moves without a choice: 4 directions × distances × squares.
const fn plain(size: BoardSize) -> usize {
    4 * size.max_distance() * size.n_squares()
}

pub(crate) fn n_actions(rules: &Rules) -> usize {
    match rules.set().captures.count {
        CaptureCount::All => plain(rules.size()),
        _ => plain(rules.size()) * (1 + Direction::ALL.len()),
    }
}

pub(crate) fn action_of(size: BoardSize, mv: Move) -> usize {
    let towards = mv.choice.and_then(|choice| mv.to.line_to(choice)).map_or(0, |(direction, _)| 1 + direction.index());
    towards * plain(size) + usize::from(PolicyIndex::of(size, mv).entry)
}

/// Fills the list with the actions of the legal moves, in ascending order. The game must not be over.
pub(crate) fn legal_actions(rules: &Rules, position: &Position, actions: &mut Vec<u16>) {
    actions.clear();
    let size = rules.size();
    for (direction, by_distance) in rules.departures(position).iter().enumerate() {
        for (distance, departures) in by_distance[..size.max_distance()].iter().enumerate() {
            let plane = direction * size.max_distance() + distance;
            actions.extend(departures.iter().map(|from| (plane * size.n_squares() + size.place(from)) as u16));
        }
    }
    if rules.set().captures.count == CaptureCount::All {
        return;
    }
    // A move with a choice of captures has an action for each choice, and none without a choice.
    let mut choosing = MoveList::default();
    rules.choosing_moves(position, &mut choosing);
    for &mv in &choosing {
        let plain = action_of(size, Move { choice: None, ..mv }) as u16;
        if let Ok(place) = actions.binary_search(&plain) {
            actions.remove(place);
        }
    }
    actions.extend(choosing.iter().map(|&mv| action_of(size, mv) as u16));
    actions.sort_unstable();
}

/// The move of an action, legal or not. `None` if it would leave the board.
pub(crate) fn move_of(size: BoardSize, action: usize) -> Option<Move> {
    let (towards, entry) = (action / plain(size), action % plain(size));
    let (plane, square) = (entry / size.n_squares(), entry % size.n_squares());
    let from = size.square(square);
    let direction = Direction::ALL[plane / size.max_distance()];
    let step = |square: Square, direction| square.step(direction).filter(|next| size.contains(*next));
    let to = (0..=plane % size.max_distance()).try_fold(from, |square, _| step(square, direction))?;
    let choice = match towards {
        0 => None,
        towards => Some(step(to, *Direction::ALL.get(towards - 1)?)?),
    };
    Some(Move { from, to, choice })
}
