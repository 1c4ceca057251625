//! The line of rules of an OTG record: `dim:9 esc:e … start:/…/`.

use crate::position::Position;
use crate::ruleset::{
    CampEntry, CaptureCount, Escape, HostileCamps, Hostility, KingCapture, Landing, Passing, RepetitionResult, RuleSet,
};
use crate::side::Side;
use crate::{MAX_DISTANCE, SIZE};

/// The start position and side that a line of rules gives. The other rules are those of the rule set that
/// the record is played by.
pub(super) fn read_rules_line(line: &str) -> Result<Position, String> {
    let mut first = Side::Attackers;
    let mut start = None;
    let mut words = line.split_whitespace();
    let size = words.next().unwrap_or_default();
    if size.strip_prefix("dim:").and_then(|n| n.parse().ok()) != Some(SIZE) {
        let size: String = size.chars().take(20).collect();
        return Err(format!("{size}, expected dim:{SIZE}"));
    }
    for word in words {
        match word.split_once(':') {
            Some(("atkf", "y")) => first = Side::Attackers,
            Some(("atkf", "n")) => first = Side::Defenders,
            Some(("atkf", other)) => return Err(format!("atkf:{other}, expected y or n")),
            Some(("start", position)) => start = Some(position),
            Some(_) => {}
            None => return Err(format!("{word:?}, expected a rule such as esc:e")),
        }
    }
    let start = start.ok_or("no start position, expected start:/…/")?;
    if !start.starts_with('/') {
        return Err(format!("start:{start}, expected rows between slashes"));
    }
    Position::read(start, Some(first)).map_err(|error| error.to_string())
}

impl RuleSet {
    /// The rule set as `OpenTafl`'s line of rules, from a start position; or the keys that it has no words
    /// for.
    pub fn to_opentafl(&self, start: &Position) -> Result<String, Vec<&'static str>> {
        let missing = self.inexpressible();
        if !missing.is_empty() {
            return Err(missing);
        }
        let yes = |value: bool| if value { "y" } else { "n" };
        let soldiers = |to_attackers: bool, to_defenders: bool| {
            format!("{}{}", if to_attackers { "t" } else { "" }, if to_defenders { "T" } else { "" })
        };
        let lands = |landing: Landing| match landing {
            Landing::Nobody => "",
            Landing::King => "K",
            Landing::Anyone => "tTK",
        };
        let throne = &self.throne;
        let hostile = |at_least: fn(Hostility) -> bool| {
            let king = if at_least(throne.hostile_to_king) { "K" } else { "" };
            soldiers(at_least(throne.hostile_to_attackers), at_least(throne.hostile_to_defenders)) + king
        };
        let corner_king = if self.corners.hostile_to_king { "K" } else { "" };
        let corner_soldiers = if self.corners.hostile_to_soldiers { "tT" } else { "" };
        let words = [
            format!("dim:{SIZE}"),
            format!("esc:{}", if self.escape == Escape::Corners { "c" } else { "e" }),
            "surf:n".to_owned(),
            format!("atkf:{}", yes(start.side_to_move() == Side::Attackers)),
            format!(
                "tfr:{}",
                match self.repetition.result {
                    RepetitionResult::Ignored => "i",
                    RepetitionResult::MoverLoses => "l",
                    RepetitionResult::Draw | RepetitionResult::AggressorLoses => "d",
                }
            ),
            format!("ka:{}", yes(self.king.armed)),
            format!("ks:{}", yes(self.king.elsewhere == KingCapture::Surrounded)),
            format!("corh:{corner_soldiers}{corner_king}"),
            format!("cenh:{}", hostile(|h| h == Hostility::Always)),
            format!("cenhe:{}", hostile(|h| h != Hostility::Never)),
            format!("corp:{}", lands(self.corners.landing)),
            format!("cenp:{}", if throne.passing == Passing::Anyone { "tTK" } else { "" }),
            format!("cors:{}", lands(self.corners.landing)),
            format!("cens:{}", lands(throne.landing)),
            format!("start:{}", start.to_opentafl()),
        ];
        Ok(words.join(" "))
    }

    /// The keys whose values the format has no words for.
    fn inexpressible(&self) -> Vec<&'static str> {
        let (camps, king) = (&self.camps, &self.king);
        let plain_camps = camps.entry == CampEntry::Anyone
            && [camps.hostile_to_attackers, camps.hostile_to_defenders, camps.hostile_to_king]
                .iter()
                .all(|&hostile| hostile == HostileCamps::None);
        // On the edge a king who escapes there never stands, so what it closes says nothing.
        let edge_matters = self.escape == Escape::Corners;
        let repetition = &self.repetition;
        let checks = [
            ("escape", self.escape != Escape::EdgeOutsideCamps),
            ("camps", plain_camps),
            ("king.reach", king.reach == MAX_DISTANCE as u32),
            ("king.elsewhere", king.on_throne == king.elsewhere && king.beside_throne == king.elsewhere),
            ("king.throne-closes", !king.throne_closes),
            ("king.edge-closes", !(edge_matters && king.edge_closes)),
            ("king.corner-closes", !king.corner_closes),
            ("captures.count", self.captures.count == CaptureCount::All),
            ("captures.pinned-defender", !self.captures.pinned_defender),
            ("repetition.result", repetition.result != RepetitionResult::AggressorLoses),
            ("repetition.occurrences", repetition.occurrences == 3),
            ("repetition.start-counts", repetition.start_counts),
            ("no-capture-plies", self.no_capture_plies.is_none()),
            ("max-plies", self.max_plies.is_none()),
        ];
        checks.into_iter().filter(|(_, expressible)| !expressible).map(|(key, _)| key).collect()
    }
}
