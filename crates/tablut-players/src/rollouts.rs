//! Plain Monte-Carlo tree search with random playouts (UCT, Kocsis and Szepesvári 2006).

use crate::player::{Fault, Player};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tablut_rules::{Game, Move, MoveList, Outcome};
use tablut_search::Situation;

/// Exploration constant of UCB1 for results between −1 and 1.
const EXPLORATION: f64 = 1.4;
/// A playout counts as a draw after this many plies.
const MAX_PLAYOUT_PLIES: u32 = 300;

/// A player that tests moves with random playouts and prefers those with good results.
pub struct Rollouts {
    playouts: u32,
    rng: ChaCha8Rng,
    moves: MoveList,
}

/// A node: the move that led to it and its results.
struct Node {
    mv: Option<Move>,
    /// Indices of the children in the tree. Empty until the node is expanded.
    children: std::ops::Range<usize>,
    visits: u32,
    /// Sum of results, from the view of the side that made the move.
    total: f64,
}

impl Rollouts {
    /// A player with `playouts` playouts per move.
    pub fn new(playouts: u32, rng: ChaCha8Rng) -> Self {
        Self { playouts, rng, moves: MoveList::new() }
    }

    /// One simulation: selection, expansion, a playout, and the update of its result along the path.
    fn simulate(&mut self, tree: &mut Vec<Node>, root: &Game) {
        let mut game = root.clone();
        let mut path = vec![(0, game.position().side_to_move().opponent())];
        let mut node = 0;
        while game.outcome().is_none() {
            if tree[node].children.is_empty() {
                if tree[node].visits == 0 && node != 0 {
                    break;
                }
                self.expand(tree, node, &game);
            }
            let mover = game.position().side_to_move();
            node = self.select(tree, node);
            game.play_trusted(tree[node].mv.expect("only the root has no move"));
            path.push((node, mover));
        }
        let result = self.playout(&mut game);
        for (node, mover) in path {
            tree[node].visits += 1;
            tree[node].total += match result.and_then(|outcome| outcome.winner) {
                None => 0.0,
                Some(winner) if winner == mover => 1.0,
                Some(_) => -1.0,
            };
        }
    }

    fn expand(&mut self, tree: &mut Vec<Node>, node: usize, game: &Game) {
        game.legal_moves(&mut self.moves);
        let start = tree.len();
        tree.extend(self.moves.iter().map(|&mv| Node { mv: Some(mv), children: 0..0, visits: 0, total: 0.0 }));
        tree[node].children = start..tree.len();
    }

    /// The child with the highest upper confidence bound. If some children are not visited yet, a random one of them.
    fn select(&mut self, tree: &[Node], node: usize) -> usize {
        let children = tree[node].children.clone();
        let fresh: Vec<usize> = children.clone().filter(|&child| tree[child].visits == 0).collect();
        if !fresh.is_empty() {
            return fresh[self.rng.random_range(0..fresh.len())];
        }
        let log = f64::from(tree[node].visits).ln();
        let bound = |child: &usize| {
            let visits = f64::from(tree[*child].visits);
            tree[*child].total / visits + EXPLORATION * (log / visits).sqrt()
        };
        children.max_by(|a, b| bound(a).total_cmp(&bound(b))).expect("an expanded node has children")
    }

    /// Plays random moves to the end, or to [`MAX_PLAYOUT_PLIES`].
    fn playout(&mut self, game: &mut Game) -> Option<Outcome> {
        for _ in 0..MAX_PLAYOUT_PLIES {
            if game.outcome().is_some() {
                break;
            }
            game.legal_moves(&mut self.moves);
            let mv = self.moves[self.rng.random_range(0..self.moves.len())];
            game.play_trusted(mv);
        }
        game.outcome()
    }
}

impl Player for Rollouts {
    fn poll(&mut self, game: &Game, _: &mut Vec<Situation>) -> Result<Option<Move>, Fault> {
        assert!(game.outcome().is_none(), "a player was asked for a move in a game that is over");
        let mut tree = vec![Node { mv: None, children: 0..0, visits: 0, total: 0.0 }];
        for _ in 0..self.playouts {
            self.simulate(&mut tree, game);
        }
        // The most visited child is chosen. If visits are equal, as with fewer playouts than moves, the results decide.
        let most_visited = tree[tree[0].children.clone()]
            .iter()
            .max_by(|a, b| a.visits.cmp(&b.visits).then(a.total.total_cmp(&b.total)))
            .and_then(|child| child.mv)
            .expect("at least one playout has expanded the root");
        Ok(Some(most_visited))
    }
}
