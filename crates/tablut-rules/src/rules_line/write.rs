//! Writes a rule set as a line of rules.

use super::words::names;
use super::{Kinds, WordedRules};
use crate::position::Position;
use crate::ruleset::{
    CampEntry, CaptureCount, Escape, HostileCamps, Hostility, KingCapture, Landing, Passing, RepetitionResult, RuleSet,
    ShieldWall,
};
use crate::side::Side;

impl RuleSet {
    /// The rule set as an OpenTafl line of rules with a start position.
    ///
    /// # Errors
    /// If the line cannot express rules that change moves or captures. The error lists their keys.
    pub fn to_opentafl(&self, start: &Position) -> Result<WordedRules, Vec<&'static str>> {
        let missing = self.inexpressible();
        if !missing.is_empty() {
            return Err(missing);
        }
        let mut words = vec![
            format!("dim:{}", self.size().width()),
            format!("name:{}", word_of(&self.name)),
            format!("esc:{}", if self.escape == Escape::Corners { "c" } else { "e" }),
            format!("surf:{}", yes_or_no(self.encirclement)),
            format!("atkf:{}", yes_or_no(start.side_to_move() == Side::Attackers)),
            format!("tfr:{}", self.threefold()),
            format!("ka:{}", yes_or_no(self.king.armed)),
            format!("ks:{}", self.king_strength().unwrap_or("s")),
        ];
        let reach = self.king.reach;
        if (reach as usize) < self.size().max_distance() {
            words.push(format!("spd:-1,-1,-1,-1,-1,-1,-1,-1,-1,{reach},-1,-1"));
        }
        words.extend(self.corner_words());
        words.extend(self.throne_words());
        words.extend(self.camp_words());
        if self.captures.pinned_defender {
            words.push("linc:y".to_owned());
        }
        match self.captures.shield_wall {
            ShieldWall::Never => {}
            ShieldWall::Pieces => words.push("sw:w".to_owned()),
            ShieldWall::PiecesAndCorners => words.push("sw:s".to_owned()),
        }
        if self.exit_fort {
            words.push("efe:y".to_owned());
        }
        words.push(format!("start:{}", start.to_opentafl()));
        Ok(WordedRules { line: words.join(" "), other_endings: self.other_endings() })
    }

    fn threefold(&self) -> &'static str {
        match self.repetition.result {
            RepetitionResult::Ignored => "i",
            RepetitionResult::MoverLoses => "l",
            RepetitionResult::Draw | RepetitionResult::AggressorLoses | RepetitionResult::DefendersLose => "d",
        }
    }

    /// How the king is captured on the throne, beside it and elsewhere, if the format has a word for it.
    fn king_strength(&self) -> Option<&'static str> {
        let king = &self.king;
        match (king.on_throne, king.beside_throne, king.elsewhere) {
            (KingCapture::BetweenTwo, KingCapture::BetweenTwo, KingCapture::BetweenTwo) => Some("w"),
            (KingCapture::Surrounded, KingCapture::Surrounded, KingCapture::BetweenTwo) => Some("c"),
            (KingCapture::Surrounded, KingCapture::Surrounded, KingCapture::Surrounded) => {
                Some(if king.edge_closes { "m" } else { "s" })
            }
            _ => None,
        }
    }

    fn corner_words(&self) -> [String; 3] {
        let corners = &self.corners;
        let king = match self.king.elsewhere {
            KingCapture::BetweenTwo => corners.hostile_to_king,
            KingCapture::Surrounded => self.king.corner_closes,
        };
        let soldiers = corners.hostile_to_soldiers;
        let hostile = Kinds { attacker: soldiers, defender: soldiers, king };
        let landing = Kinds::landing(corners.landing);
        [format!("corh:{hostile}"), format!("corp:{landing}"), format!("cors:{landing}")]
    }

    fn throne_words(&self) -> [String; 4] {
        let throne = &self.throne;
        let king = match (self.king.beside_throne, self.king.throne_closes) {
            (KingCapture::BetweenTwo, _) => throne.hostile_to_king,
            (KingCapture::Surrounded, true) => Hostility::WhenEmpty,
            (KingCapture::Surrounded, false) => Hostility::Never,
        };
        let hostile = |is_so: fn(Hostility) -> bool| Kinds {
            attacker: is_so(throne.hostile_to_attackers),
            defender: is_so(throne.hostile_to_defenders),
            king: is_so(king),
        };
        let passing = match throne.passing {
            Passing::Nobody => Kinds::NONE,
            Passing::Anyone => Kinds::ALL,
        };
        [
            format!("cenh:{}", hostile(|h| h == Hostility::Always)),
            format!("cenhe:{}", hostile(|h| h != Hostility::Never)),
            format!("cenp:{passing}"),
            format!("cens:{}", Kinds::landing(throne.landing)),
        ]
    }

    fn camp_words(&self) -> Vec<String> {
        let camps = &self.camps;
        let all = |hostile: HostileCamps| hostile == HostileCamps::All;
        let hostile = Kinds {
            attacker: all(camps.hostile_to_attackers),
            defender: all(camps.hostile_to_defenders),
            king: all(camps.hostile_to_king),
        };
        let entry = match camps.entry {
            CampEntry::Anyone => Kinds::ALL,
            CampEntry::Soldiers => Kinds { king: false, ..Kinds::ALL },
            CampEntry::Attackers | CampEntry::AttackersWithin => Kinds { attacker: true, ..Kinds::NONE },
        };
        if entry == Kinds::ALL && hostile == Kinds::NONE {
            return Vec::new();
        }
        vec![
            format!("afor:{}", names(self.start.attackers())),
            format!("aforh:{hostile}"),
            format!("aforp:{entry}"),
            format!("afors:{entry}"),
        ]
    }

    /// The keys that change moves or captures and that the format cannot express.
    fn inexpressible(&self) -> Vec<&'static str> {
        let (camps, throne) = (&self.camps, &self.throne);
        let checks = [
            // In OpenTafl, pieces may land only on squares that they may pass.
            ("throne.passing", throne.passing == Passing::Anyone || throne.landing == Landing::Nobody),
            ("camps.entry", camps.entry != CampEntry::AttackersWithin),
            ("camps.hostile-to-attackers", camps.hostile_to_attackers != HostileCamps::AllButEdgeMiddles),
            ("camps.hostile-to-defenders", camps.hostile_to_defenders != HostileCamps::AllButEdgeMiddles),
            ("camps.hostile-to-king", camps.hostile_to_king != HostileCamps::AllButEdgeMiddles),
            ("king.elsewhere", self.king_strength().is_some()),
            ("captures.count", self.captures.count == CaptureCount::All),
        ];
        keys_that_fail(&checks)
    }

    /// The keys that change only the end of the game and that the format cannot express.
    fn other_endings(&self) -> Vec<&'static str> {
        let repetition = &self.repetition;
        let matters = repetition.result != RepetitionResult::Ignored;
        let checks = [
            (
                "repetition.result",
                !matches!(repetition.result, RepetitionResult::AggressorLoses | RepetitionResult::DefendersLose),
            ),
            ("repetition.occurrences", !matters || repetition.occurrences == 3),
            ("repetition.start-counts", !matters || repetition.start_counts),
            ("no-capture-plies", self.no_capture_plies.is_none()),
            ("max-plies", self.max_plies.is_none()),
        ];
        keys_that_fail(&checks)
    }
}

fn word_of(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_graphic() && c != ':' { c } else { '_' }).collect()
}

fn keys_that_fail(checks: &[(&'static str, bool)]) -> Vec<&'static str> {
    checks.iter().filter(|(_, holds)| !holds).map(|(key, _)| *key).collect()
}

const fn yes_or_no(value: bool) -> &'static str {
    if value { "y" } else { "n" }
}
