//! Contradictions in a rule set: values that exclude each other, or that can never apply.

use super::{
    CampEntry, EXPECTED_NAME, Escape, HostileCamps, Hostility, KingCapture, Landing, RepetitionResult, RuleSet,
    RuleSetError, is_rule_set_name,
};
use crate::board::MAX_DISTANCE;
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
        let reach = self.king.reach;
        require(
            (1..=MAX_DISTANCE as u32).contains(&reach),
            &format!("king.reach = {reach}, expected 1 to {MAX_DISTANCE}"),
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
    }
}
