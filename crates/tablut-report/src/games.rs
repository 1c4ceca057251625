//! Opening statistics and sample games from the last generations.

use tablut_games::GameRecord;
use tablut_rules::{Move, Results, Rules, Symmetry};

#[derive(Clone, Debug, PartialEq)]
pub struct OpeningNode {
    /// The move. Symmetric openings are merged, so it is the move in one of the board's eight symmetries.
    pub mv: Move,
    /// Games with this move at this place.
    pub games: usize,
    /// The attackers' mean score in the finished ones, 0 to 1. `None` if all are unfinished.
    pub attackers_score: Option<f64>,
    /// The replies, the most frequent first.
    pub replies: Vec<OpeningNode>,
}

const WIDTH: usize = 4;
/// Depth of the tree in plies.
pub const DEPTH: usize = 4;

/// The opening tree of those ordinary `games` under `rules` that begin without random plies, and the number of these
/// games.
pub fn opening_tree(games: &[GameRecord], rules: &Rules) -> (Vec<OpeningNode>, usize) {
    let lines: Vec<Line> =
        games.iter().filter(|game| game.rules == rules.name()).filter_map(|game| line(game, rules)).collect();
    let n = lines.len();
    let all: Vec<&Line> = lines.iter().collect();
    (nodes(&all, 0), n)
}

type Line = (Vec<Move>, Results);

/// A game's first moves in the symmetry whose text sorts first, and its result.
fn line(game: &GameRecord, rules: &Rules) -> Option<Line> {
    if !game.handicap.is_none() {
        return None;
    }
    let searched = game.plies.iter().take_while(|ply| ply.search.is_some());
    let moves: Vec<Move> = searched.take(DEPTH).map(|ply| ply.mv).collect();
    if moves.is_empty() {
        return None;
    }
    let turned = |symmetry: &Symmetry| moves.iter().map(|&mv| symmetry.mv(rules.size(), mv)).collect::<Vec<_>>();
    let text = |moves: &Vec<Move>| moves.iter().map(ToString::to_string).collect::<Vec<_>>();
    let view = Symmetry::ALL.iter().map(turned).min_by_key(text)?;
    Some((view, game.results(rules)))
}

/// The attackers' score in the finished games.
fn score(results: Results) -> Option<f64> {
    let points = results.attackers as f64 + 0.5 * results.draws as f64;
    (results.finished() > 0).then(|| points / results.finished() as f64)
}

fn nodes(lines: &[&Line], depth: usize) -> Vec<OpeningNode> {
    let mut groups: Vec<(Move, Vec<&Line>)> = Vec::new();
    for line in lines {
        let Some(&mv) = line.0.get(depth) else { continue };
        match groups.iter_mut().find(|group| group.0 == mv) {
            Some(group) => group.1.push(line),
            None => groups.push((mv, vec![line])),
        }
    }
    groups.sort_by_key(|(mv, lines)| (std::cmp::Reverse(lines.len()), mv.to_string()));
    let node = |(mv, lines): (Move, Vec<&Line>)| OpeningNode {
        mv,
        games: lines.len(),
        attackers_score: score(lines.iter().map(|line| line.1).sum()),
        // A line that only one game has is no opening.
        replies: if lines.len() > 1 && depth + 1 < DEPTH { nodes(&lines, depth + 1) } else { Vec::new() },
    };
    groups.into_iter().take(WIDTH).map(node).collect()
}

/// For each result a game of median length among the 15 newest ordinary games with that result under `rules`.
pub fn samples<'a>(games: &'a [GameRecord], rules: &Rules) -> Vec<&'a GameRecord> {
    let fits = |game: &&GameRecord| game.rules == rules.name() && game.handicap.is_none();
    let newest: Vec<&GameRecord> = games.iter().rev().filter(fits).collect();
    let mut found = Vec::new();
    for result in 0..Results::NAMES.len() {
        let has_result = |game: &&GameRecord| game.results(rules).counts()[result] > 0;
        let mut by_length: Vec<&GameRecord> = newest.iter().copied().filter(has_result).take(15).collect();
        by_length.sort_by_key(|game| game.plies.len());
        found.extend(by_length.get(by_length.len() / 2).copied());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tablut_games::{PlyRecord, SearchRecord};
    use tablut_rules::{Game, Outcome, Reason, Rules, Side};
    use tablut_search::Chances;

    fn game(moves: &str, winner: Option<Side>) -> GameRecord {
        let search = || Some(SearchRecord { chances: Chances::new(0.0, 0.0), simulations: 1, policy: vec![] });
        let ply = |text: &str| PlyRecord { mv: text.parse().unwrap(), search: search() };
        let start = Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers);
        let reason = if winner.is_some() { Reason::KingEscaped } else { Reason::PlyLimit };
        let outcome = Outcome { winner, reason };
        GameRecord { plies: moves.split(' ').map(ply).collect(), ..GameRecord::new(0, &start, 200, outcome) }
    }

    fn kvasir() -> Rules {
        Rules::named("kvasir").unwrap()
    }

    #[test]
    fn turned_openings_fall_together() {
        // The same two plies, the second time mirrored.
        let games = [
            game("d1-d3 e3-c3", Some(Side::Attackers)),
            game("f1-f3 e3-g3", None),
            game("d1-c1 e3-c3", Some(Side::Defenders)),
        ];
        let (tree, n) = opening_tree(&games, &kvasir());
        assert_eq!((n, tree.len(), tree[0].games, tree[0].replies.len()), (3, 2, 2, 1));
        assert_eq!(
            (tree[0].attackers_score, tree[0].replies[0].games),
            (Some(1.0), 2),
            "an unfinished game has no score"
        );
        assert_eq!((tree[1].games, tree[1].replies.len()), (1, 0));
    }

    #[test]
    fn random_openings_are_left_out() {
        let mut random = game("d1-d3 e3-c3", None);
        random.plies[0].search = None;
        assert_eq!(opening_tree(&[random], &kvasir()), (Vec::new(), 0));
    }

    #[test]
    fn samples_show_each_result_once() {
        let games = [
            game("d1-d3", Some(Side::Defenders)),
            game("d1-d3 e3-c3", Some(Side::Defenders)),
            game("d1-d3 e3-c3 d3-d1", Some(Side::Defenders)),
            game("d1-c1", Some(Side::Attackers)),
            game("d1-c1 e3-c3 c1-d1 c3-e3", None),
        ];
        let lengths: Vec<usize> = samples(&games, &kvasir()).iter().map(|game| game.plies.len()).collect();
        assert_eq!(lengths, [1, 2, 4]);
        assert!(samples(&games, &Rules::named("ashton").unwrap()).is_empty());
    }
}
