//! Contradictions in a rule set: values that exclude each other, or that can never apply.

use super::{
    CampEntry, CaptureCount, EXPECTED_NAME, Escape, HostileCamps, Hostility, KingCapture, Landing, RepetitionResult,
    RuleSet, RuleSetError, ShieldWall, is_rule_set_name,
};
use crate::position::Position;
use crate::symmetry::Symmetry;
use crate::text::shown;

impl RuleSet {
    /// Checks the values.
    ///
    /// # Errors
    /// If values are out of range or contradict each other. The error names the keys.
    pub fn check(&self) -> Result<(), RuleSetError> {
        let mut faults = Vec::new();
        let mut require = |holds: bool, fault: &str| {
            if !holds {
                faults.push(fault.to_owned());
            }
        };
        for fault in start_faults(&self.start) {
            require(false, &fault);
        }
        self.check_ranges(&mut require);
        self.check_escape(&mut require);
        self.check_king(&mut require);
        if faults.is_empty() {
            Ok(())
        } else {
            Err(RuleSetError::Contradiction { origin: format!("{:?}", shown(&self.name)), faults })
        }
    }

    fn check_ranges(&self, require: &mut impl FnMut(bool, &str)) {
        let most = self.size().max_distance();
        let reach = self.king.reach;
        require(
            (1..=most as u32).contains(&reach),
            &format!("king.reach = {reach}, expected 1 to {most} on {} squares", self.size()),
        );
        require(is_rule_set_name(&self.name), &format!("name = {:?}, expected {EXPECTED_NAME}", shown(&self.name)));
        require(
            shown(&self.source) == self.source,
            &format!("source = \"{}\", expected at most 160 characters of plain text", shown(&self.source)),
        );
        for (key, plies) in [("no-capture-plies", self.no_capture_plies), ("max-plies", self.max_plies)] {
            require(plies != Some(0), &format!("{key} = 0, expected at least 1"));
        }
        if let (Some(no_capture), Some(max)) = (self.no_capture_plies, self.max_plies) {
            require(
                no_capture <= max,
                &format!("no-capture-plies = {no_capture} is never reached with max-plies = {max}"),
            );
        }
        let RepetitionResult::Ignored = self.repetition.result else {
            let occurrences = self.repetition.occurrences;
            require(occurrences >= 2, &format!("repetition.occurrences = {occurrences}, expected at least 2"));
            return;
        };
    }

    fn check_escape(&self, require: &mut impl FnMut(bool, &str)) {
        require(
            self.corners.landing != Landing::Nobody,
            "escape includes the corners, but corners.landing = \"nobody\" closes them to the king; \
             expected \"king\" or \"anyone\"",
        );
        let closed_to_king = self.camps.entry != CampEntry::Anyone;
        require(
            !(self.escape == Escape::Edge && closed_to_king),
            "escape = \"edge\" includes camps that camps.entry closes to the king; \
             expected \"edge-outside-camps\"",
        );
        require(
            !(self.escape == Escape::EdgeOutsideCamps && self.camps.entry == CampEntry::Anyone),
            "escape = \"edge-outside-camps\" while camps.entry = \"anyone\" lets the king stand on \
             the edge without escaping",
        );
    }

    fn check_king(&self, require: &mut impl FnMut(bool, &str)) {
        let king = &self.king;
        let anywhere = |how| [king.on_throne, king.beside_throne, king.elsewhere].contains(&how);
        let between = anywhere(KingCapture::BetweenTwo);
        require(
            between || !self.corners.hostile_to_king,
            "corners.hostile-to-king has no effect unless king.elsewhere = \"between-two\"",
        );
        require(
            between || self.camps.hostile_to_king == HostileCamps::None,
            "camps.hostile-to-king has no effect unless king.elsewhere = \"between-two\"",
        );
        require(
            king.beside_throne == KingCapture::BetweenTwo || self.throne.hostile_to_king == Hostility::Never,
            "throne.hostile-to-king has no effect unless king.beside-throne = \"between-two\"",
        );
        require(
            king.beside_throne == KingCapture::Surrounded || !king.throne_closes,
            "king.throne-closes has no effect unless king.beside-throne = \"surrounded\"",
        );
        require(
            king.elsewhere == KingCapture::Surrounded || !king.edge_closes,
            "king.edge-closes has no effect unless king.elsewhere = \"surrounded\"",
        );
        require(
            king.elsewhere == KingCapture::Surrounded || !king.corner_closes,
            "king.corner-closes has no effect unless king.elsewhere = \"surrounded\"",
        );
        require(
            !(self.captures.pinned_defender && king.on_throne == KingCapture::BetweenTwo),
            "captures.pinned-defender needs king.on-throne = \"surrounded\"",
        );
        require(
            !(self.captures.pinned_defender && self.throne.hostile_to_defenders == Hostility::Always),
            "captures.pinned-defender has no effect with throne.hostile-to-defenders = \"always\"",
        );
        require(
            !(self.captures.shield_wall != ShieldWall::Never && self.captures.count == CaptureCount::OneChosen),
            "captures.shield-wall captures a whole row, which captures.count = \"one-chosen\" does not allow",
        );
        require(
            !self.exit_fort || self.escape == Escape::Corners,
            "exit-fort has no effect unless escape = \"corners\": on the edge the king has won already",
        );
    }
}

/// Why a position cannot be the start position of a rule set.
pub(crate) fn start_faults(start: &Position) -> Vec<String> {
    let (size, centre) = (start.size(), start.size().centre());
    let is_symmetric = Symmetry::ALL.into_iter().all(|symmetry| symmetry.position(start) == *start);
    let checks = [
        (start.king() == Some(centre), format!("start has no king on {centre}, expected him there")),
        (!start.attackers().is_empty(), "start has no attackers, expected at least one".to_owned()),
        (
            is_symmetric,
            "start changes if the board is turned or reflected, expected the same pieces in all directions".to_owned(),
        ),
        (!start.occupied().intersects(size.corners()), "start has pieces on the corners, expected none".to_owned()),
    ];
    checks.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
}
