//! The checks of a worker's game.

use tablut_games::{GameOrder, GameRecord};
use tablut_rules::{BoardSize, Reason, Rules, Side};

use crate::order::{Order, OrderedMatch, OrderedWork};

/// The maximum number of entries of a policy.
const MAX_MOVES: usize = 1024;
/// The maximum length of a move's text with its marks, and of the rest of a game's header, in bytes.
const MOVE_BYTES: usize = 24;
const HEADER_BYTES: usize = 4096;

/// The maximum size of a game in bytes, for any limit of plies.
const MAX_GAME_BYTES: usize = 64 << 20;

/// The maximum number of bytes of an unpacked game of `order`.
pub fn max_game_bytes(order: &Order) -> usize {
    let (max_plies, per_ply) = match &order.work {
        OrderedWork::SelfPlay(games) => {
            (games.selfplay.max_plies_on(BoardSize::Eleven), MOVE_BYTES + 12 + 2 * MAX_MOVES)
        }
        OrderedWork::Match(games) => (games.plan.max_plies, MOVE_BYTES),
    };
    (max_plies as usize)
        .saturating_add(1)
        .saturating_mul(per_ply)
        .saturating_add(HEADER_BYTES)
        .min(MAX_GAME_BYTES)
}

/// Checks a game of `order`. Replaying it checks its rules, its moves and its end. Its handicap or opening must be the
/// order's, and its policies, simulations and evaluations must be possible.
pub fn check(order: &Order, game: &GameRecord) -> Result<(), String> {
    let (index, n_games) = (usize::try_from(game.index).unwrap_or(usize::MAX), order.spec.games);
    if index >= n_games {
        return Err(format!("game {} of a generation of {n_games}", game.index));
    }
    let wrong = |reason: String| format!("game {index}: {reason}");
    let max_plies = order.max_plies(index);
    if game.max_plies != max_plies {
        return Err(wrong(format!("a limit of {} plies, expected {max_plies}", game.max_plies)));
    }
    if game.forfeit.is_some() || game.outcome.reason == Reason::Forfeit {
        return Err(wrong("a forfeit, which only external programs can cause".to_owned()));
    }
    game.replay(order.rules_of(index), |_, _, _| {}).map_err(|error| error.to_string())?;
    let rules = order.rules_of(index);
    let checked = match &order.work {
        OrderedWork::SelfPlay(order) => check_selfplay(rules, order, index, game),
        OrderedWork::Match(games) => check_match(games, index, game),
    };
    checked.map_err(wrong)
}

fn check_selfplay(rules: &Rules, order: &GameOrder, index: usize, game: &GameRecord) -> Result<(), String> {
    let handicap = order.handicap(index);
    if game.handicap != handicap {
        return Err(format!("it has {:?}, expected {handicap:?}", game.handicap));
    }
    check_start(rules, game, game.start.side_to_move())?;
    let simulations = handicap.simulations.into_iter().flatten().fold(order.simulations, u32::max);
    for (number, ply) in game.plies.iter().enumerate() {
        let Some(search) = &ply.search else { continue };
        let total: u64 = search.policy.iter().map(|&p| u64::from(p)).sum();
        let rounding = search.policy.len() as u64;
        if search.simulations > simulations {
            return Err(format!("ply {}: {} simulations of {simulations}", number + 1, search.simulations));
        }
        if total.abs_diff(u64::from(u16::MAX)) > rounding {
            return Err(format!("ply {}: a policy that sums to {total}/65535", number + 1));
        }
    }
    let openings = u64::from(order.selfplay.balanced_openings);
    let most = openings + (game.plies.len() as u64 + 1) * (u64::from(simulations) + 1);
    if game.evaluations > most {
        return Err(format!("{} evaluations, expected at most {most}", game.evaluations));
    }
    Ok(())
}

fn check_start(rules: &Rules, game: &GameRecord, first: Side) -> Result<(), String> {
    let is_start = game.start == rules.start(first);
    is_start.then_some(()).ok_or_else(|| format!("it begins with {}", game.start))
}

fn check_match(games: &OrderedMatch, index: usize, game: &GameRecord) -> Result<(), String> {
    let opening = games.opening(index).ok_or("its opening is not known")?;
    check_start(&games.plan.rules, game, opening.first)?;
    // If the limit of plies is shorter than the opening, the game ends within the opening.
    let played = game.plies.iter().map(|ply| ply.mv).zip(&opening.moves).all(|(found, expected)| found == *expected);
    let whole = game.plies.len() >= opening.moves.len().min(games.plan.max_plies as usize);
    if !(played && whole) {
        return Err("it does not begin with the opening of its pair".to_owned());
    }
    if game.evaluations > 0 || game.plies.iter().any(|ply| ply.search.is_some()) {
        return Err("it contains search results, which a match does not store".to_owned());
    }
    Ok(())
}
