//! Reads a line of rules as a rule set.

use std::str::FromStr;

use super::words::{Words, names, shown};
use super::{Kinds, RulesLine, RulesLineError};
use crate::bitboard::Bitboard;
use crate::board::BoardSize;
use crate::position::Position;
use crate::ruleset::{
    CampEntry, CampRules, CaptureCount, CaptureRules, CornerRules, Escape, First, HostileCamps, Hostility, KingCapture,
    KingRules, Landing, Passing, RULE_SET_NAMES, RepetitionResult, RepetitionRules, RuleSet, RuleSetError, ShieldWall,
    ThroneRules, nearest_name, start_faults,
};
use crate::side::Side;

/// The start position and the side to move from a line of rules. The other rules come from the rule set that the record
/// is played under.
pub(crate) fn read_start(line: &str) -> Result<Position, String> {
    let mut words = Words::of(line);
    let size = words.size();
    let first = words.first();
    let start = words.start(first, size);
    match (words.faults.is_empty(), start) {
        (true, Some(start)) => Ok(start),
        _ => Err(words.faults.join("; ")),
    }
}

impl FromStr for RulesLine {
    type Err = RulesLineError;

    /// Reads a line of rules. A rule that does not exist on this board is an error, unless it is about the end of the
    /// game.
    fn from_str(line: &str) -> Result<RulesLine, RulesLineError> {
        let mut words = Words::of(line);
        let size = words.size();
        let first = words.first();
        let start = words.start(first, size);
        let own_start = start.filter(|start| start_faults(start).is_empty());
        let usual = own_start.unwrap_or_else(|| usual_start(size.unwrap_or(BoardSize::Nine)));
        let mut other_endings = Vec::new();
        let set = words.rule_set(usual.with_side_to_move(Side::Attackers), first, &mut other_endings);
        if start.is_some_and(|start| has_strangers(&start, &set)) {
            words.fault("start: a piece on a fortress that it may not enter");
        }
        words.faults.extend(words.values.keys().map(|key| format!("{}: is no rule known here", shown(key))));
        if words.faults.is_empty()
            && let Err(RuleSetError::Contradiction { faults, .. }) = set.check()
        {
            words.faults = faults;
        }
        match (words.faults.is_empty(), start) {
            (true, Some(start)) => Ok(RulesLine { set: built_in(set), start, other_endings }),
            _ => Err(RulesLineError { faults: words.faults }),
        }
    }
}

/// The start position of the first built-in rule set on a board of this size.
fn usual_start(size: BoardSize) -> Position {
    let mut sets = RULE_SET_NAMES.iter().filter_map(|name| RuleSet::named(name).ok());
    sets.find(|set| set.size() == size).expect("a built-in rule set of each size").start
}

/// The built-in rule set with the same rules, or else this one under a free name.
fn built_in(mut set: RuleSet) -> RuleSet {
    let same =
        |known: &RuleSet| *known == RuleSet { name: known.name.clone(), source: known.source.clone(), ..set.clone() };
    if let Some(known) = RULE_SET_NAMES.iter().filter_map(|name| RuleSet::named(name).ok()).find(same) {
        return known;
    }
    if RULE_SET_NAMES.contains(&set.name.as_str()) {
        set.name += "-opentafl";
    }
    set
}

/// Whether a piece stands on a camp that it may not enter.
fn has_strangers(start: &Position, set: &RuleSet) -> bool {
    let barred = match set.camps.entry {
        CampEntry::Anyone => return false,
        CampEntry::Soldiers => start.king_board(),
        _ => start.king_board() | start.defenders(),
    };
    barred.intersects(set.start.attackers())
}

/// The most squares that a piece may move; `None` means any number.
type Speed = Option<u32>;

impl Words<'_> {
    fn rule_set(&mut self, start: Position, first: Side, other_endings: &mut Vec<&'static str>) -> RuleSet {
        let size = start.size();
        for key in ["nj", "cj", "mj", "gj"] {
            // These rules are about pieces that do not exist here.
            self.values.remove(key);
        }
        self.off("kj", "jumping kings");
        self.off("ber", "berserk moves");
        let walls = [("n", ShieldWall::Never), ("w", ShieldWall::Pieces), ("s", ShieldWall::PiecesAndCorners)];
        let shield_wall = self.choice("sw", &walls);
        if !self.choice("swf", &[("y", true), ("n", false)]) && shield_wall != ShieldWall::Never {
            self.fault("swf:n, but here the piece that moves closes the row; expected y");
        }
        let exit_fort = self.choice("efe", &[("n", false), ("y", true)]);
        let encirclement = self.choice("surf", &[("y", true), ("n", false)]);
        let name = nearest_name(self.take("name", "OpenTafl"), "OpenTafl");
        let king = self.take_king_strength();
        let (throne, throne_closes) = self.throne(king, size);
        let (corners, corner_closes) = self.corners(king, size);
        let camps = self.camps(king, &start);
        let mut escape = self.choice("esc", &[("c", Escape::Corners), ("e", Escape::Edge)]);
        if escape == Escape::Edge && camps.entry != CampEntry::Anyone {
            escape = Escape::EdgeOutsideCamps;
        }
        let [on_throne, beside_throne, elsewhere] = king.falls;
        let pinned_defender = self.choice("linc", &[("n", false), ("y", true)]);
        RuleSet {
            name,
            source: "a line of OpenTafl's rules".to_owned(),
            first: match first {
                Side::Attackers => First::Attackers,
                Side::Defenders => First::Defenders,
            },
            start,
            escape,
            exit_fort,
            encirclement,
            no_capture_plies: None,
            max_plies: None,
            // If the throne is always hostile to defenders, pinned defenders need no separate rule.
            captures: CaptureRules {
                count: CaptureCount::All,
                pinned_defender: pinned_defender && throne.hostile_to_defenders != Hostility::Always,
                shield_wall,
            },
            king: KingRules {
                armed: self.take_armed(),
                reach: self.take_reach(size.max_distance() as u32),
                on_throne,
                beside_throne,
                elsewhere,
                throne_closes,
                edge_closes: king.edge_closes,
                corner_closes,
            },
            throne,
            corners,
            camps,
            repetition: self.repetition(other_endings),
        }
    }

    fn take_armed(&mut self) -> bool {
        match self.take("ka", "y") {
            "y" => true,
            "n" => false,
            "a" | "h" => {
                self.fault("ka: kings here capture both as hammer and as anvil or not at all; expected y or n");
                true
            }
            other => {
                self.fault(format!("ka:{}, expected y or n", shown(other)));
                true
            }
        }
    }

    fn repetition(&mut self, other_endings: &mut Vec<&'static str>) -> RepetitionRules {
        let results = [
            ("d", Some(RepetitionResult::Draw)),
            ("i", Some(RepetitionResult::Ignored)),
            ("l", Some(RepetitionResult::MoverLoses)),
            ("w", None),
        ];
        let result = self.choice("tfr", &results).unwrap_or_else(|| {
            other_endings.push("the side that repeats a position wins (tfr:w; a draw here)");
            RepetitionResult::Draw
        });
        RepetitionRules { result, occurrences: 3, start_counts: true }
    }

    /// The king's reach. Soldiers must have no limit.
    fn take_reach(&mut self, most: u32) -> u32 {
        let value = self.take("spd", "-1");
        let list = value.strip_suffix(',').unwrap_or(value);
        let read = |text: &str| -> Option<Speed> {
            match text.parse::<i32>() {
                Ok(-1) => Some(None),
                Ok(squares @ 1..) => Some(u32::try_from(squares).ok().filter(|&n| n < most)),
                _ => None,
            }
        };
        let speeds: Option<Vec<Speed>> = list.split(',').map(read).collect();
        // The order is tcnkmg TCNKMG. Older lines leave out the last one or two of each side.
        let [attacker, defender, king] = match speeds.as_deref() {
            Some(&[all]) => [all; 3],
            Some(&[attackers, defenders]) => [attackers, defenders, defenders],
            Some(
                speeds @ ([_, _, _, _, _, _, _, _]
                | [_, _, _, _, _, _, _, _, _, _]
                | [_, _, _, _, _, _, _, _, _, _, _, _]),
            ) => {
                let side = speeds.len() / 2;
                [speeds[0], speeds[side], speeds[side + 3]]
            }
            _ => {
                self.fault(format!("spd:{}, expected 1, 2, 8, 10 or 12 numbers, -1 for any distance", shown(value)));
                [None; 3]
            }
        };
        if attacker.is_some() || defender.is_some() {
            self.fault(format!("spd:{}, but only the king may have a limit here", shown(value)));
        }
        king.unwrap_or(most)
    }

    fn take_king_strength(&mut self) -> KingStrength {
        use KingCapture::{BetweenTwo, Surrounded};
        let strong = KingStrength { falls: [Surrounded; 3], edge_closes: false };
        let weak = KingStrength { falls: [BetweenTwo; 3], edge_closes: false };
        let choices = [
            ("s", strong),
            ("c", KingStrength { falls: [Surrounded, Surrounded, BetweenTwo], edge_closes: false }),
            ("m", KingStrength { falls: [Surrounded; 3], edge_closes: true }),
            ("w", weak),
            // Older lines use these values.
            ("y", strong),
            ("n", weak),
        ];
        let strength = self.choice("ks", &choices);
        let has_no_throne = self.values.get("cen").is_some_and(|centre| centre.is_empty());
        // The king is strong only on and beside the throne, but there is no throne.
        if has_no_throne && strength.falls[2] == BetweenTwo { weak } else { strength }
    }

    fn throne(&mut self, king: KingStrength, size: BoardSize) -> (ThroneRules, bool) {
        let centre = self.squares("cen");
        let all = "tcnkmTCNKM";
        let entering = self.kinds("cenre", all);
        let passing = self.kinds("cenp", all).and(entering);
        let landing = self.kinds("cens", "K").and(passing);
        let occupied = self.kinds("cenh", "tcnkm");
        let empty = self.kinds("cenhe", all);
        if centre == Some(Bitboard::EMPTY) {
            let never = Hostility::Never;
            let throne = ThroneRules {
                landing: Landing::Anyone,
                passing: Passing::Anyone,
                hostile_to_attackers: never,
                hostile_to_defenders: never,
                hostile_to_king: never,
            };
            return (throne, false);
        }
        if centre.is_some_and(|centre| centre != Bitboard::of(size.centre())) {
            self.fault(format!("cen: expected {} or nothing", size.centre()));
        }
        let passing = match passing {
            Kinds::NONE => Passing::Nobody,
            Kinds::ALL => Passing::Anyone,
            _ => {
                self.fault(format!("cenp:{passing}, expected tTK or nothing"));
                Passing::Anyone
            }
        };
        let surrounded = king.falls[1] == KingCapture::Surrounded;
        if surrounded && occupied.king && landing.defender {
            self.fault("cenh:K with ks:s, c or m and cens:T: a defender on the throne would close a side of the king");
        }
        let throne = ThroneRules {
            landing: self.landing("cens", landing),
            passing,
            hostile_to_attackers: self.hostility("t", occupied.attacker, empty.attacker),
            hostile_to_defenders: self.hostility("T", occupied.defender, empty.defender),
            hostile_to_king: if surrounded { Hostility::Never } else { self.hostility("K", occupied.king, empty.king) },
        };
        (throne, surrounded && empty.king)
    }

    fn hostility(&mut self, kind: &str, occupied: bool, empty: bool) -> Hostility {
        match (occupied, empty) {
            (false, false) => Hostility::Never,
            (false, true) => Hostility::WhenEmpty,
            (true, true) => Hostility::Always,
            (true, false) => {
                self.fault(format!("cenh:{kind} without cenhe:{kind}: no throne here is hostile only when occupied"));
                Hostility::Always
            }
        }
    }

    fn corners(&mut self, king: KingStrength, size: BoardSize) -> (CornerRules, bool) {
        let corners = self.squares("cor");
        let hostile = self.kinds("corh", "tcnkmTCNKM");
        let entering = self.kinds("corre", "tcnkmTCNKM");
        let landing = self.kinds("cors", "K").and(self.kinds("corp", "K")).and(entering);
        if corners == Some(Bitboard::EMPTY) {
            if self.values.get("esc").is_none_or(|escape| *escape == "c") {
                self.fault("cor: names no corners, but the king escapes to them (esc:c)");
            }
            let ordinary = CornerRules { landing: Landing::Anyone, hostile_to_soldiers: false, hostile_to_king: false };
            return (ordinary, false);
        }
        if corners.is_some_and(|corners| corners != size.corners()) {
            self.fault(format!("cor: expected {} or nothing", names(size.corners())));
        }
        if hostile.attacker != hostile.defender {
            self.fault(format!("corh:{hostile}, but corners here are hostile to soldiers of both sides or of none"));
        }
        let between = king.falls[2] == KingCapture::BetweenTwo;
        let rules = CornerRules {
            landing: self.landing("cors", landing),
            hostile_to_soldiers: hostile.attacker,
            hostile_to_king: between && hostile.king,
        };
        // If the edge does not help, a king on the edge beside a corner can never be captured.
        (rules, !between && hostile.king && king.edge_closes)
    }

    fn camps(&mut self, king: KingStrength, start: &Position) -> CampRules {
        if self.squares("dfor").is_some_and(|forts| !forts.is_empty()) {
            self.fault("dfor: defenders have no fortresses here");
        }
        for key in ["dforh", "dforp", "dfors", "dforre"] {
            self.values.remove(key);
        }
        let all = "tcnkmTCNKM";
        let forts = self.squares("afor").unwrap_or(Bitboard::EMPTY);
        let hostile = self.kinds("aforh", "TCNKM");
        let passing = self.kinds("aforp", all).and(self.kinds("aforre", all));
        let entering = self.kinds("afors", all).and(passing);
        let none = HostileCamps::None;
        let ordinary = CampRules {
            entry: CampEntry::Anyone,
            hostile_to_attackers: none,
            hostile_to_defenders: none,
            hostile_to_king: none,
        };
        if forts.is_empty() {
            return ordinary;
        }
        if forts != start.attackers() {
            self.fault("afor: expected the squares on which attackers start, or none");
        }
        if passing != entering {
            self.fault(format!("aforp:{passing} with afors:{entering}, expected the same pieces in both"));
        }
        let entry = match (entering.attacker, entering.defender, entering.king) {
            (true, true, true) => CampEntry::Anyone,
            (true, true, false) => CampEntry::Soldiers,
            (true, false, false) => CampEntry::Attackers,
            (false, ..) => {
                self.fault("aforp, afors, aforre: attackers here may always go back to their fortresses");
                CampEntry::Attackers
            }
            (true, false, true) => {
                self.fault(format!("afors:{entering}, expected tTK, tT or t"));
                CampEntry::Attackers
            }
        };
        if hostile.king && king.falls[2] == KingCapture::Surrounded {
            self.fault("aforh:K with ks:s or m: a fortress never closes a side of a surrounded king here");
        }
        let hostile_if = |is_so: bool| if is_so { HostileCamps::All } else { HostileCamps::None };
        CampRules {
            entry,
            hostile_to_attackers: hostile_if(hostile.attacker),
            hostile_to_defenders: hostile_if(hostile.defender),
            hostile_to_king: hostile_if(hostile.king),
        }
    }
}

/// How the king is captured on the throne, beside it and elsewhere, and whether the edge helps.
#[derive(Copy, Clone)]
struct KingStrength {
    falls: [KingCapture; 3],
    edge_closes: bool,
}
