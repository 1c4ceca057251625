//! The checks of a worker's game.

use tablut_games::{GameRecord, Handicap};
use tablut_rules::{Reason, Rules};

use crate::order::{MatchOrder, Order};

/// The maximum number of entries of a policy.
const MAX_MOVES: usize = 1024;
/// The maximum length of a move's text with its marks, and of the rest of a game's header, in bytes.
const MOVE_BYTES: usize = 24;
const HEADER_BYTES: usize = 4096;

/// The maximum size of a game in bytes, for any limit of plies.
const MAX_GAME_BYTES: usize = 64 << 20;

/// The maximum number of bytes of an unpacked game of `order`.
pub fn max_game_bytes(order: &Order) -> usize {
    let per_ply = match order {
        Order::SelfPlay(_) => MOVE_BYTES + 12 + 2 * MAX_MOVES,
        Order::Match(_) => MOVE_BYTES,
    };
    (order.max_plies() as usize)
        .saturating_add(1)
        .saturating_mul(per_ply)
        .saturating_add(HEADER_BYTES)
        .min(MAX_GAME_BYTES)
}

/// Checks a game of `order`. Replaying it checks its rules, its moves and its end. Its handicap or opening must be the
/// order's, and its policies, simulations and evaluations must be possible.
pub fn check(order: &Order, game: &GameRecord) -> Result<(), String> {
    let index = usize::try_from(game.index).unwrap_or(usize::MAX);
    if index >= order.games() {
        return Err(format!("game {} of a generation of {}", game.index, order.games()));
    }
    let wrong = |reason: String| Err(format!("game {index}: {reason}"));
    let right = |fault: Option<String>| fault.map_or(Ok(()), wrong);
    let max_plies = order.max_plies();
    if game.max_plies != max_plies {
        return wrong(format!("a limit of {} plies, expected {max_plies}", game.max_plies));
    }
    if game.forfeit.is_some() || game.outcome.reason == Reason::Forfeit {
        return wrong("a forfeit, which only external programs can cause".to_owned());
    }
    game.replay(order.rules_of(index), |_, _, _| {}).map_err(|error| error.to_string())?;
    match order {
        Order::SelfPlay(order) => {
            let handicap = order.handicap(index);
            right(plan_fault(order.rules_of(index), handicap, game))?;
            let simulations = handicap.simulations.into_iter().flatten().fold(order.simulations, u32::max);
            right(search_fault(game, simulations))?;
            let openings = u64::from(order.selfplay.balanced_openings);
            let most = openings + (game.plies.len() as u64 + 1) * (u64::from(simulations) + 1);
            if game.evaluations > most {
                return wrong(format!("{} evaluations, expected at most {most}", game.evaluations));
            }
        }
        Order::Match(order) => right(match_fault(order, index, game))?,
    }
    Ok(())
}

/// The fault if a game does not have the handicap of its index, or does not begin with the start position.
fn plan_fault(rules: &Rules, expected: Handicap, game: &GameRecord) -> Option<String> {
    if game.handicap != expected {
        return Some(format!("it has {:?}, expected {expected:?}", game.handicap));
    }
    let start = rules.start(game.start.side_to_move());
    (game.start != start).then(|| format!("it begins with {}", game.start))
}

/// The fault if a match's game does not begin with the opening of its pair, or contains search results.
fn match_fault(order: &MatchOrder, index: usize, game: &GameRecord) -> Option<String> {
    let Some(opening) = order.opening(index) else { return Some("its opening is not known".to_owned()) };
    if game.start != order.plan.rules.start(opening.first) {
        return Some(format!("it begins with {}", game.start));
    }
    // If the limit of plies is shorter than the opening, the game ends within the opening.
    let played = game.plies.iter().map(|ply| ply.mv).zip(&opening.moves).all(|(found, expected)| found == *expected);
    let whole = game.plies.len() >= opening.moves.len().min(order.plan.max_plies as usize);
    if !(played && whole) {
        return Some("it does not begin with the opening of its pair".to_owned());
    }
    let has_search_data = game.evaluations > 0 || game.plies.iter().any(|ply| ply.search.is_some());
    has_search_data.then(|| "it contains search results, which a match does not store".to_owned())
}

fn search_fault(game: &GameRecord, simulations: u32) -> Option<String> {
    game.plies.iter().enumerate().find_map(|(number, ply)| {
        let search = ply.search.as_ref()?;
        let total: u64 = search.policy.iter().map(|&p| u64::from(p)).sum();
        let rounding = search.policy.len() as u64;
        if search.simulations > simulations {
            Some(format!("ply {}: {} simulations of {simulations}", number + 1, search.simulations))
        } else if total.abs_diff(u64::from(u16::MAX)) > rounding {
            Some(format!("ply {}: a policy that sums to {total}/65535", number + 1))
        } else {
            None
        }
    })
}
