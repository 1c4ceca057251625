//! The order of moves in the search: wins, the table's move, captures, escapes, then moves that were good before.

use tablut_rules::{GRID_SQUARES, Move, MoveList, Position, Rules, Side};

const MAX_PLIES: usize = 96;

pub(super) struct Child {
    pub(super) mv: Move,
    pub(super) position: Position,
    /// Whether the move wins at once (clause C7).
    pub(super) wins: bool,
    pub(super) n_captured: u32,
    /// Escape routes after the move.
    pub(super) routes: u32,
    /// Whether the move gives the king two routes at once (tuichi).
    pub(super) forks: bool,
    rank: i64,
}

/// Quiet moves that caused cutoffs before: two killer moves per ply, and a count for each side, from and to.
pub(super) struct Ordering {
    killers: Vec<[Option<Move>; 2]>,
    history: Vec<u32>,
}

impl Ordering {
    pub(super) fn new() -> Self {
        Self { killers: vec![[None; 2]; MAX_PLIES], history: vec![0; 2 * GRID_SQUARES * GRID_SQUARES] }
    }

    pub(super) fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.fill(0);
    }

    /// The positions after `moves`, most promising first. Equal ones keep the order of the moves.
    pub(super) fn children(
        &self,
        rules: &Rules,
        position: &Position,
        moves: &MoveList,
        first: Option<Move>,
        ply: i32,
    ) -> Vec<Child> {
        let side = position.side_to_move();
        let killers = self.killers.get(ply as usize).copied().unwrap_or_default();
        let mut children: Vec<Child> = moves
            .iter()
            .map(|&mv| {
                let applied = rules.apply(position, mv);
                let wins = applied.winner == Some(side);
                let routes = if applied.winner.is_some() { 0 } else { rules.routes(&applied.position) };
                let mut child = Child {
                    mv,
                    position: applied.position,
                    wins,
                    n_captured: applied.captured.len() as u32,
                    routes,
                    forks: side == Side::Defenders && routes > 1,
                    rank: 0,
                };
                child.rank = self.rank(&child, side, first, killers);
                child
            })
            .collect();
        children.sort_by_key(|child| std::cmp::Reverse(child.rank));
        children
    }

    fn rank(&self, child: &Child, side: Side, first: Option<Move>, killers: [Option<Move>; 2]) -> i64 {
        // For the defenders a route is a threat. For the attackers it is one that they did not stop.
        let routes = match side {
            Side::Attackers => -4 * i64::from(child.routes),
            Side::Defenders => i64::from(child.routes),
        };
        let tactics = (i64::from(child.n_captured) + routes) << 34;
        let killer = i64::from(killers.contains(&Some(child.mv))) << 33;
        let quiet = i64::from(self.history[slot(side, child.mv)]);
        (i64::from(child.wins) << 60) + (i64::from(first == Some(child.mv)) << 50) + tactics + killer + quiet
    }

    /// Records that `child` caused a cutoff at a node searched `depth` plies deep.
    pub(super) fn reward(&mut self, child: &Child, side: Side, depth: u32, ply: i32) {
        if child.n_captured > 0 {
            return;
        }
        let seen = &mut self.history[slot(side, child.mv)];
        *seen = seen.saturating_add(depth * depth);
        if let Some(killers) = self.killers.get_mut(ply as usize)
            && killers[0] != Some(child.mv)
        {
            *killers = [Some(child.mv), killers[0]];
        }
    }
}

fn slot(side: Side, mv: Move) -> usize {
    (side.index() * GRID_SQUARES + mv.from.index()) * GRID_SQUARES + mv.to.index()
}
