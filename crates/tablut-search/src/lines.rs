//! The best lines of a search, for analysis.

use serde::{Deserialize, Serialize};
use tablut_rules::{Move, Side};

use crate::proof::Proof;
use crate::search::{RootMove, Search};
use crate::tree::{Edge, NodeId, ROOT};

/// A root move with the continuation that the search expects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The root move and the best replies after it, at least one move. A proven line ends where the tree ends: the
    /// search finds wins in one ply without playing them.
    pub moves: Vec<Move>,
    /// The result for the root move.
    pub root: RootMove,
}

/// A visited move with the part of the tree below it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct Branch {
    pub mv: Move,
    pub visits: u32,
    /// The prior that the search uses: the net's probability, in PUCT after the policy temperature.
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
        let branch = |(_, edge): (_, &Edge)| Branch {
            mv: edge.mv,
            visits: edge.visits,
            prior: edge.prior,
            q: edge.q,
            proven: edge.proof,
            replies: self.branches_of(edge.child, depth - 1),
        };
        self.tree().edges_of(id).map(branch).collect()
    }

    /// The best `n` root moves with their principal variations. Proven wins come first (shortest first), then the moves
    /// by visits, then by Q in the mover's view. Proven losses come last. Unvisited moves are included only if there is
    /// nothing else.
    ///
    /// # Panics
    /// If the game is over.
    pub fn lines(&self, n: usize) -> Vec<Line> {
        let result = self.result();
        let side = self.game().position().side_to_move();
        let mut moves = result.moves;
        moves.sort_by(|a, b| {
            let chosen = |mv| mv == result.chosen;
            let by_q = || crate::turned(b.q, side).total_cmp(&crate::turned(a.q, side));
            let by_visits = || b.visits.cmp(&a.visits);
            let by_choice = || chosen(b.mv).cmp(&chosen(a.mv));
            worth(b.proven, side).cmp(&worth(a.proven, side)).then_with(by_visits).then_with(by_q).then_with(by_choice)
        });
        let seen = moves.iter().filter(|mv| mv.visits > 0 || mv.proven.is_some()).count().max(1);
        moves.truncate(n.min(seen));
        moves.into_iter().map(|root| Line { moves: self.variation(root.mv), root }).collect()
    }

    /// The move and the best replies after it, to the end of the tree.
    pub fn variation(&self, mv: Move) -> Vec<Move> {
        let mut moves = vec![mv];
        let mut mover = self.game().position().side_to_move();
        let mut at = self.tree().edges_of(ROOT).map(|(_, edge)| edge).find(|edge| edge.mv == mv);
        while let Some(edge) = at {
            mover = mover.opponent();
            at = self
                .tree()
                .edges_of(edge.child)
                .enumerate()
                .max_by_key(|(index, (_, edge))| (worth(edge.proof, mover), edge.visits, std::cmp::Reverse(*index)))
                .map(|(_, (_, edge))| edge);
            moves.extend(at.map(|edge| edge.mv));
        }
        moves
    }
}

/// 0 for an unknown result and for a draw. Above 0 for a win of `side`; a shorter win is higher. Below 0 for a loss; a
/// longer loss is higher.
fn worth(proven: Option<Proof>, side: Side) -> i32 {
    proven.map_or(0, |proof| proof.rank_for(side).0)
}
