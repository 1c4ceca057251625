//! Grades of moves, from the values that a review found before and after them, and from the opponent's level.

use crate::player::{Controller, Players};
use crate::session::Session;
use crate::tree::{NodeId, NodeValue, Tree};
use serde::Serialize;
use std::collections::BTreeMap;
use tablut_rules::Side;
use tablut_search::turned;

/// The part of the chances that a blunder gives away in a game without a level.
const USUAL_BLUNDER: f32 = 0.2;
/// A move that costs this much of the range of 2 counts as 37 % accurate.
const ACCURACY_SCALE: f32 = 0.4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    Good,
    Inaccuracy,
    Mistake,
    Blunder,
}

/// The parts of the chances, 0 to 1, from which on a move has a grade. They are small against a strong level and large
/// against a weak one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GradeScale {
    pub inaccuracy: f32,
    pub mistake: f32,
    pub blunder: f32,
}

impl GradeScale {
    /// The scale of a game between these players. Two levels have the scale of the stronger one.
    pub fn of(players: &Players) -> Self {
        let levels = [&players.attackers, &players.defenders].into_iter().filter_map(Controller::level);
        let blunder = levels.map(|level| level.blunder).reduce(f32::min).unwrap_or(USUAL_BLUNDER);
        Self { inaccuracy: blunder / 4.0, mistake: blunder / 2.0, blunder }
    }

    /// The grade of a move that gave this much away, as a part of the value's range of 2.
    pub fn grade(&self, cost: f32) -> Grade {
        match cost / 2.0 {
            lost if lost >= self.blunder => Grade::Blunder,
            lost if lost >= self.mistake => Grade::Mistake,
            lost if lost >= self.inaccuracy => Grade::Inaccuracy,
            _ => Grade::Good,
        }
    }
}

/// What a move of `side` gave away: the value before it minus the value after it, 0 to 2.
pub(crate) fn cost(side: Side, before: &NodeValue, after: &NodeValue) -> f32 {
    (turned(before.value(), side) - turned(after.value(), side)).max(0.0)
}

impl Grade {
    /// The grade of the move that leads to a node, if a review has searched it and the position before.
    pub fn of_node(session: &Session, id: NodeId) -> Option<Self> {
        reviewed_cost(session.tree(), id).map(|(_, cost)| GradeScale::of(session.players()).grade(cost))
    }

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

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SideReview {
    /// The mean accuracy of its moves, 0 to 1. A move that gives nothing away counts as 1.
    pub accuracy: f32,
    pub grades: BTreeMap<Grade, u32>,
}

/// The accuracy of both sides. A side without a reviewed move has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SideReviews {
    pub attackers: Option<SideReview>,
    pub defenders: Option<SideReview>,
}

impl SideReviews {
    pub fn new(session: &Session) -> Self {
        let (tree, scale) = (session.tree(), GradeScale::of(session.players()));
        let costs: Vec<_> = tree.line(session.current()).iter().filter_map(|id| reviewed_cost(tree, *id)).collect();
        let review = |side: Side| {
            let own: Vec<f32> = costs.iter().filter(|(mover, _)| *mover == side).map(|(_, cost)| *cost).collect();
            let mut grades = BTreeMap::new();
            for cost in &own {
                *grades.entry(scale.grade(*cost)).or_default() += 1;
            }
            let sum: f32 = own.iter().map(|cost| (-cost / ACCURACY_SCALE).exp()).sum();
            (!own.is_empty()).then(|| SideReview { accuracy: sum / own.len() as f32, grades })
        };
        Self { attackers: review(Side::Attackers), defenders: review(Side::Defenders) }
    }
}

#[cfg(test)]
mod tests {
    use super::Grade::{Blunder, Good, Inaccuracy, Mistake};
    use super::*;
    use crate::level::LEVELS;

    fn against(level: &str) -> GradeScale {
        GradeScale::of(&Players { attackers: Controller::Person, defenders: Controller::computer(level) })
    }

    #[test]
    fn grades_follow_what_a_move_gives_away() {
        let scale = GradeScale::of(&Players::people());
        let grades = [0.0, 0.09, 0.1, 0.19, 0.2, 0.39, 0.4, 2.0].map(|cost| scale.grade(cost));
        assert_eq!(grades, [Good, Good, Inaccuracy, Inaccuracy, Mistake, Mistake, Blunder, Blunder]);
    }

    #[test]
    fn the_same_loss_weighs_more_against_a_stronger_level() {
        // A move that loses 12 % of the chances.
        let grades = ["beginner", "casual", "club", "adaptive", "expert"].map(|level| against(level).grade(0.24));
        assert_eq!(grades, [Inaccuracy, Inaccuracy, Mistake, Mistake, Blunder]);
        let by_strength: Vec<f32> = LEVELS.iter().filter(|level| !level.adapts()).map(|level| level.blunder).collect();
        assert!(by_strength.is_sorted_by(|weaker, stronger| weaker >= stronger), "{by_strength:?}");
        let both = Players { attackers: Controller::computer("full"), defenders: Controller::computer("newcomer") };
        assert_eq!(GradeScale::of(&both), against("full"));
        assert_eq!(against("another player"), GradeScale::of(&Players::people()));
    }
}
