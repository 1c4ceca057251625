//! The best lines of a search, for analysis.

use tablut_rules::{Move, Side};

use crate::proof::Proof;
use crate::search::Search;
use crate::tree::{Node, NodeId, ROOT};

/// A root move with what the search expects to follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The root move and the best replies after it, at least one move. A proven line ends where the tree does: wins
    /// in one ply are seen without playing them.
    pub moves: Vec<Move>,
    /// Simulations through the root move.
    pub visits: u32,
    /// The policy's probability of the root move.
    pub prior: f32,
    /// Q of the root move in [−1, 1], absolute.
    pub q: f32,
    /// The policy target's share of the root move.
    pub improved: f32,
    /// The root move's proven result, in plies from the root.
    pub proven: Option<Proof>,
}

/// A visited move with what was searched below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The move.
    pub mv: Move,
    /// Simulations through the move.
    pub visits: u32,
    /// The policy's probability of the move.
    pub prior: f32,
    /// Q in [−1, 1], absolute.
    pub q: f32,
    /// The proven result, in plies from the position after the move.
    pub proven: Option<Proof>,
    /// Visited replies, in the order of their first visits.
    pub replies: Vec<Branch>,
}

impl Search {
    /// The visited part of the tree down to `depth` plies, for display.
    pub fn branches(&self, depth: usize) -> Vec<Branch> {
        self.tree().nodes.first().map_or(Vec::new(), |_| self.branches_of(ROOT, depth))
    }

    fn branches_of(&self, id: NodeId, depth: usize) -> Vec<Branch> {
        if depth == 0 {
            return Vec::new();
        }
        let branch = |(id, node): (NodeId, &Node)| Branch {
            mv: node.mv,
            visits: node.visits,
            prior: node.prior,
            q: node.q,
            proven: node.proof,
            replies: self.branches_of(id, depth - 1),
        };
        self.tree().children(id).map(branch).collect()
    }

    /// The best `n` root moves with their principal variations: proven wins first (shortest first), then by visits,
    /// then by Q in the mover's view; proven losses last. Moves never visited are left out unless nothing else is
    /// there.
    ///
    /// # Panics
    /// If the game is over.
    pub fn lines(&self, n: usize) -> Vec<Line> {
        let result = self.result();
        let side = self.game().position().side_to_move();
        let mut moves = result.moves;
        moves.sort_by(|a, b| {
            let chosen = |mv| mv == result.chosen;
            let key = |proven: Option<Proof>| proven.map_or(0, |proof| worth(proof, side));
            let by_q = || crate::turned(b.q, side).total_cmp(&crate::turned(a.q, side));
            let by_visits = || b.visits.cmp(&a.visits);
            let by_choice = || chosen(b.mv).cmp(&chosen(a.mv));
            key(b.proven).cmp(&key(a.proven)).then_with(by_visits).then_with(by_q).then_with(by_choice)
        });
        let seen = moves.iter().filter(|of| of.visits > 0 || of.proven.is_some()).count().max(1);
        moves.truncate(n.min(seen));
        moves
            .iter()
            .map(|of| Line {
                moves: self.variation(of.mv),
                visits: of.visits,
                prior: of.prior,
                q: of.q,
                improved: of.improved,
                proven: of.proven,
            })
            .collect()
    }

    /// The move and the best replies after it, as far as the tree goes.
    fn variation(&self, mv: Move) -> Vec<Move> {
        let mut moves = vec![mv];
        let mut mover = self.game().position().side_to_move();
        let child = |id: NodeId| self.tree().children(id);
        let mut at = child(ROOT).find(|(_, node)| node.mv == mv).map(|(id, _)| id);
        while let Some(id) = at {
            mover = mover.opponent();
            let best =
                child(id).max_by_key(|(id, node)| (reply_worth(node, mover), node.visits, std::cmp::Reverse(*id)));
            moves.extend(best.map(|(_, node)| node.mv));
            at = best.map(|(id, _)| id);
        }
        moves
    }
}

/// 0 for an open result; above for a win of `side`, the shorter the higher; below for a loss, the longer the higher.
fn worth(proof: Proof, side: Side) -> i32 {
    match proof.winner {
        Some(_) => proof.rank_for(side).0,
        None => 0,
    }
}

fn reply_worth(node: &Node, mover: Side) -> i32 {
    node.proof.map_or(0, |proof| worth(proof, mover))
}
