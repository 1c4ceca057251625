//! Grades of moves, from the values that a review found before and after them.

use crate::session::Session;
use crate::tree::{NodeId, NodeValue, Tree};
use serde::Serialize;
use std::collections::BTreeMap;
use tablut_rules::Side;
use tablut_search::turned;

/// Costs from which on a move has a grade, as parts of the value's range of 2: 5 %, 10 % and 20 % of the chances.
const INACCURACY: f32 = 0.1;
const MISTAKE: f32 = 0.2;
const BLUNDER: f32 = 0.4;
/// A move that costs this much of the range of 2 counts as 37 % accurate.
const ACCURACY_SCALE: f32 = 0.4;

/// How good a move was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// It gave away less than 5 % of the chances.
    Good,
    /// It gave away 5 % or more.
    Inaccuracy,
    /// It gave away 10 % or more.
    Mistake,
    /// It gave away 20 % or more.
    Blunder,
}

/// What a move of `side` gave away: the value before it minus the value after it, 0 to 2.
pub(crate) fn cost(side: Side, before: &NodeValue, after: &NodeValue) -> f32 {
    (turned(before.value(), side) - turned(after.value(), side)).max(0.0)
}

impl Grade {
    /// The grade of a move that gave this much away.
    pub fn of_cost(cost: f32) -> Self {
        match cost {
            cost if cost >= BLUNDER => Self::Blunder,
            cost if cost >= MISTAKE => Self::Mistake,
            cost if cost >= INACCURACY => Self::Inaccuracy,
            _ => Self::Good,
        }
    }

    /// The grade of the move that leads to a node, if a review has searched it and the position before.
    pub fn of_node(tree: &Tree, id: NodeId) -> Option<Self> {
        reviewed_cost(tree, id).map(|(_, cost)| Self::of_cost(cost))
    }

    /// Whether a move of this grade is a mistake.
    pub(crate) fn is_mistake(self) -> bool {
        self >= Self::Mistake
    }
}

/// The side and the cost of a reviewed move. The best move that was found costs nothing.
fn reviewed_cost(tree: &Tree, id: NodeId) -> Option<(Side, f32)> {
    let node = tree.node(id)?;
    let (report, after) = (node.report.as_ref()?, node.review.as_ref()?);
    let before = tree.node(node.parent?)?.review.as_ref()?;
    let is_best = before.best.first() == Some(&report.mv);
    let cost = if is_best { 0.0 } else { cost(report.side, &before.value, &after.value) };
    Some((report.side, cost))
}

/// The accuracy of one side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SideReview {
    /// The mean accuracy of its moves, 0 to 1. A move that gives nothing away counts as 1.
    pub accuracy: f32,
    /// The number of moves by grade.
    pub grades: BTreeMap<Grade, u32>,
}

/// The accuracy of both sides. A side without a reviewed move has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SideReviews {
    /// The attackers.
    pub attackers: Option<SideReview>,
    /// The defenders.
    pub defenders: Option<SideReview>,
}

impl SideReviews {
    /// The reviewed moves of the session's line.
    pub fn new(session: &Session) -> Self {
        let tree = session.tree();
        let costs: Vec<_> = tree.line(session.current()).iter().filter_map(|id| reviewed_cost(tree, *id)).collect();
        let of = |side: Side| {
            let own: Vec<f32> = costs.iter().filter(|(mover, _)| *mover == side).map(|(_, cost)| *cost).collect();
            let mut grades = BTreeMap::new();
            for cost in &own {
                *grades.entry(Grade::of_cost(*cost)).or_default() += 1;
            }
            let sum: f32 = own.iter().map(|cost| (-cost / ACCURACY_SCALE).exp()).sum();
            (!own.is_empty()).then(|| SideReview { accuracy: sum / own.len() as f32, grades })
        };
        Self { attackers: of(Side::Attackers), defenders: of(Side::Defenders) }
    }
}

#[cfg(test)]
mod tests {
    use super::Grade::{self, Blunder, Good, Inaccuracy, Mistake};

    #[test]
    fn grades_follow_what_a_move_gives_away() {
        let grades = [0.0, 0.09, 0.1, 0.19, 0.2, 0.39, 0.4, 2.0].map(Grade::of_cost);
        assert_eq!(grades, [Good, Good, Inaccuracy, Inaccuracy, Mistake, Mistake, Blunder, Blunder]);
    }
}
