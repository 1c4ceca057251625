//! Explains a rule set in words, from its data.

use std::fmt;

use crate::ruleset::{
    CampEntry, CaptureCount, Escape, First, HostileCamps, Hostility, KingCapture, Landing, Passing, RepetitionResult,
    RuleSet, ShieldWall,
};

/// One section of an explanation: a title and sentences.
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize)]
pub struct Topic {
    /// What the sentences are about.
    pub title: &'static str,
    /// Complete sentences, in reading order.
    pub sentences: Vec<String>,
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        self.sentences.iter().try_for_each(|sentence| writeln!(f, "  - {sentence}"))
    }
}

impl RuleSet {
    /// The rules in words, for players. The sections cover everything that the data decides.
    pub fn explain(&self) -> Vec<Topic> {
        vec![
            Topic { title: "Beginning and aim", sentences: self.explain_aim() },
            Topic { title: "Moving", sentences: self.explain_moving() },
            Topic { title: "Capturing soldiers", sentences: self.explain_captures() },
            Topic { title: "Capturing the king", sentences: self.explain_king() },
            Topic { title: "Other ends", sentences: self.explain_ends() },
        ]
    }

    /// The whole explanation as text: the name, the source of the rules, and [`RuleSet::explain`].
    pub fn explanation(&self) -> String {
        let topics: String = self.explain().iter().map(ToString::to_string).collect();
        format!("{} ({})\n{topics}", self.name, self.source)
    }

    fn explain_aim(&self) -> Vec<String> {
        let first = match self.first {
            First::Attackers => "The attackers move first.",
            First::Defenders => "The defenders move first.",
            First::Drawn => "The side that moves first is chosen at random before each game.",
        };
        let escape = match self.escape {
            Escape::Edge => "any square of the board's edge",
            Escape::Corners => "one of the four corners",
            Escape::EdgeOutsideCamps => "a square of the board's edge that is not a camp",
        };
        let start = &self.start;
        let numbers = [start.attackers().len(), start.defenders().len()];
        let mut sentences = vec![
            format!(
                "The board has {} squares. {} attackers play against a king with {} defenders. The start position, rows \
                 from the top: {}.",
                self.size(),
                numbers[0],
                numbers[1],
                start.rows()
            ),
            first.to_owned(),
            format!("The defenders win when their king lands on {escape}."),
            "The attackers win when they capture the king.".to_owned(),
        ];
        if self.exit_fort {
            sentences.push(
                "The defenders also win with an exit fort: their king stands on the edge and can move, and the \
                 attackers cannot come to stand beside him, however many moves they make."
                    .to_owned(),
            );
        }
        if self.encirclement {
            sentences.push(
                "The attackers also win by encirclement: neither a defender nor the king can reach the edge, because \
                 attackers stand in every way."
                    .to_owned(),
            );
        }
        sentences
    }

    fn explain_moving(&self) -> Vec<String> {
        let mut sentences = vec!["Pieces move any distance along a row or a column, over empty squares.".to_owned()];
        if (self.king.reach as usize) < self.size().max_distance() {
            let squares = if self.king.reach == 1 { "square" } else { "squares" };
            sentences.push(format!("The king moves at most {} {squares} at a time.", self.king.reach));
        }
        let (landing, passing) = (self.throne.landing, self.throne.passing);
        sentences.push(match (landing, passing) {
            (Landing::Anyone, Passing::Anyone) => "The middle square is open to every piece.".to_owned(),
            _ => format!("After the king has left the throne, {} it, and {} over it.", lands(landing), passes(passing)),
        });
        match self.corners.landing {
            Landing::Nobody => sentences.push("No piece may land on a corner.".to_owned()),
            Landing::King => sentences.push("Only the king may land on a corner.".to_owned()),
            Landing::Anyone => {}
        }
        match self.camps.entry {
            CampEntry::Anyone => {}
            CampEntry::Soldiers => sentences.push("The king may not land on a camp or pass over one.".to_owned()),
            CampEntry::Attackers => {
                sentences.push("The king and the defenders may not land on a camp or pass over one.".to_owned());
            }
            CampEntry::AttackersWithin => sentences.push(
                "Only an attacker that stands on a camp may land on camps or pass over them, and only within its group. \
                 Once it has left the group, it may not return to a camp."
                    .to_owned(),
            ),
        }
        sentences
    }

    fn explain_captures(&self) -> Vec<String> {
        let mut sentences = vec![
            "A soldier is captured when an enemy moves next to it and another captor stands directly opposite. \
             Moving between two enemies is safe."
                .to_owned(),
            if self.king.armed {
                "The king captures like a soldier.".to_owned()
            } else {
                "The king takes no part in captures.".to_owned()
            },
            match self.captures.count {
                CaptureCount::All => "A move captures all pieces that it surrounds.".to_owned(),
                CaptureCount::OneChosen => {
                    "If a move surrounds several pieces, the mover chooses one to capture and names it: d1-d3xd4."
                        .to_owned()
                }
            },
        ];
        let throne = [("attackers", self.throne.hostile_to_attackers), ("defenders", self.throne.hostile_to_defenders)];
        for (whom, hostility) in throne {
            let when = match hostility {
                Hostility::Never => continue,
                Hostility::WhenEmpty => "while empty",
                Hostility::Always => "empty or not",
            };
            sentences.push(format!("The throne, {when}, counts as the second captor of {whom}."));
        }
        if self.corners.hostile_to_soldiers {
            sentences.push("A corner counts as the second captor of soldiers of both sides.".to_owned());
        }
        let camps = [("attackers", self.camps.hostile_to_attackers), ("defenders", self.camps.hostile_to_defenders)];
        sentences.extend(camps.into_iter().filter_map(|(whom, hostile)| camps_as_captors(hostile, whom)));
        if self.captures.pinned_defender {
            sentences.push(
                "With the king on the throne between three attackers and one defender, that defender is captured by \
                 an attacker that moves to the square beyond it."
                    .to_owned(),
            );
        }
        let closing = match self.captures.shield_wall {
            ShieldWall::Never => None,
            ShieldWall::Pieces => Some("an enemy at each end"),
            ShieldWall::PiecesAndCorners => Some("an enemy at each end, or an enemy at one and a corner at the other"),
        };
        sentences.extend(closing.map(|closing| {
            format!(
                "Shield wall: neighbouring soldiers on the edge are captured together when each has an enemy in front \
                 of it and the row has {closing}. The enemy that moved must stand at an end. A king in the row is not \
                 captured."
            )
        }));
        sentences.push("The edge of the board does not count as a captor of soldiers.".to_owned());
        sentences
    }

    fn explain_king(&self) -> Vec<String> {
        let king = &self.king;
        let places = [
            ("on the throne", king.on_throne, false),
            ("next to the throne", king.beside_throne, king.throne_closes),
            ("elsewhere", king.elsewhere, false),
        ];
        let mut sentences = Vec::new();
        let same = king.on_throne == king.elsewhere && king.beside_throne == king.elsewhere && !king.throne_closes;
        if same {
            sentences.push(format!("The king is captured {}, wherever he stands.", manner(king.elsewhere, false)));
        } else {
            for (place, how, throne_closes) in places {
                sentences.push(format!("The king {place} is captured {}.", manner(how, throne_closes)));
            }
        }
        // If the king escapes on the edge, he is never captured there, so the edge cannot help to surround him.
        let edge_closes = king.edge_closes && self.escape == Escape::Corners;
        let closing = match (edge_closes, king.corner_closes) {
            (true, true) => Some("The board's edge or a corner takes the place of one of the four attackers."),
            (true, false) => Some(
                "The board's edge takes the place of one of the four attackers. A corner does not, so a king next to \
                 a corner is safe.",
            ),
            (false, true) => Some("A corner takes the place of one of the four attackers."),
            (false, false) => None,
        };
        sentences.extend(closing.map(str::to_owned));
        if self.throne.hostile_to_king != Hostility::Never {
            sentences.push("The empty throne counts as the second captor of the king.".to_owned());
        }
        if self.corners.hostile_to_king {
            sentences.push("A corner counts as the second captor of the king.".to_owned());
        }
        sentences.extend(camps_as_captors(self.camps.hostile_to_king, "the king"));
        sentences
    }

    fn explain_ends(&self) -> Vec<String> {
        let mut sentences = vec!["A side that has no legal move on its turn loses.".to_owned()];
        let nth = match self.repetition.occurrences {
            2 => "second".to_owned(),
            3 => "third".to_owned(),
            n => format!("{n}th"),
        };
        let start = if self.repetition.start_counts { "" } else { " The position at the start is not counted." };
        let consequence = match self.repetition.result {
            RepetitionResult::Ignored => None,
            RepetitionResult::Draw => Some("the game is a draw."),
            RepetitionResult::MoverLoses => Some("the side whose move repeated it loses."),
            RepetitionResult::DefendersLose => Some("the defenders lose."),
            RepetitionResult::AggressorLoses => Some(
                "the aggressor loses. Only the moves since the previous occurrence count. A side had no choice if it \
                 faced a threat to win at once before each of its moves. If only one side had a choice, that side is \
                 the aggressor. If both had a choice, the side whose move repeated the position loses. If neither had \
                 a choice, the game is a draw.",
            ),
        };
        match consequence {
            None => sentences.push("Positions may be repeated.".to_owned()),
            Some(text) => sentences
                .push(format!("When a position, with the same side to move, occurs for the {nth} time, {text}{start}")),
        }
        if let Some(plies) = self.no_capture_plies {
            sentences.push(format!("The game is a draw after {plies} plies in a row without a capture."));
        }
        if let Some(plies) = self.max_plies {
            sentences.push(format!("The game is a draw after {plies} plies."));
        }
        sentences
    }
}

fn lands(landing: Landing) -> &'static str {
    match landing {
        Landing::Nobody => "no piece may land on",
        Landing::King => "only the king may land on",
        Landing::Anyone => "every piece may land on",
    }
}

fn passes(passing: Passing) -> &'static str {
    match passing {
        Passing::Nobody => "no piece may pass",
        Passing::Anyone => "every piece may pass",
    }
}

fn manner(how: KingCapture, throne_closes: bool) -> &'static str {
    match (how, throne_closes) {
        (KingCapture::BetweenTwo, _) => "like a soldier, between two captors on opposite sides",
        (KingCapture::Surrounded, true) => "by attackers on the other three sides, with the empty throne as the fourth",
        (KingCapture::Surrounded, false) => "by attackers on all four sides",
    }
}

fn camps_as_captors(camps: HostileCamps, whom: &str) -> Option<String> {
    let camps = match camps {
        HostileCamps::None => return None,
        HostileCamps::AllButEdgeMiddles => "Every camp except the middle one of each edge",
        HostileCamps::All => "Every camp",
    };
    Some(format!("{camps}, empty or not, counts as the second captor of {whom}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::RULE_SET_NAMES;

    fn words(set: &RuleSet) -> String {
        set.explain().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_words_follow_the_data() {
        let kvasir = RuleSet::named("kvasir").expect("a built-in rule set");
        assert!(words(&kvasir).contains("The throne, empty or not, counts as the second captor of attackers."));
        assert!(words(&kvasir).contains("The throne, while empty, counts as the second captor of defenders."));
        let sentence = "The board's edge takes the place";
        let has = |name: &str| words(&RuleSet::named(name).expect("a built-in rule set")).contains(sentence);
        assert!(has("masters") && !has("masters-edge"));
        let peaceful = RuleSet::from_toml("base = \"kvasir\"\n[throne]\nhostile-to-attackers = \"never\"");
        assert!(!words(&peaceful.expect("a variant")).contains("captor of attackers"));
    }

    /// All values of every clause, by the clause's key in a rule file.
    const CLAUSES: [(&str, &str, &[&str]); 28] = [
        ("", "first", &["'attackers'", "'defenders'", "'drawn'"]),
        ("", "escape", &["'edge'", "'corners'", "'edge-outside-camps'"]),
        ("", "exit-fort", &["true", "false"]),
        ("", "encirclement", &["true", "false"]),
        ("", "no-capture-plies", &["100", "200"]),
        ("", "max-plies", &["300", "400"]),
        ("throne", "landing", &["'nobody'", "'king'", "'anyone'"]),
        ("throne", "passing", &["'nobody'", "'anyone'"]),
        ("throne", "hostile-to-attackers", &["'never'", "'when-empty'", "'always'"]),
        ("throne", "hostile-to-defenders", &["'never'", "'when-empty'", "'always'"]),
        // A king beside the throne does not stand on it, so the throne is empty: `always` equals `when-empty`.
        ("throne", "hostile-to-king", &["'never'", "'when-empty'"]),
        ("corners", "landing", &["'nobody'", "'king'", "'anyone'"]),
        ("corners", "hostile-to-soldiers", &["true", "false"]),
        ("corners", "hostile-to-king", &["true", "false"]),
        ("camps", "entry", &["'anyone'", "'soldiers'", "'attackers'", "'attackers-within'"]),
        ("camps", "hostile-to-attackers", &["'none'", "'all-but-edge-middles'", "'all'"]),
        ("camps", "hostile-to-defenders", &["'none'", "'all-but-edge-middles'", "'all'"]),
        ("camps", "hostile-to-king", &["'none'", "'all-but-edge-middles'", "'all'"]),
        ("king", "armed", &["true", "false"]),
        ("king", "reach", &["1", "4", "8"]),
        ("king", "on-throne", &["'between-two'", "'surrounded'"]),
        ("king", "beside-throne", &["'between-two'", "'surrounded'"]),
        ("king", "elsewhere", &["'between-two'", "'surrounded'"]),
        ("captures", "count", &["'all'", "'one-chosen'"]),
        ("captures", "pinned-defender", &["true", "false"]),
        ("captures", "shield-wall", &["'never'", "'pieces'", "'pieces-and-corners'"]),
        ("repetition", "result", &["'ignored'", "'draw'", "'mover-loses'", "'aggressor-loses'", "'defenders-lose'"]),
        ("repetition", "occurrences", &["2", "3"]),
    ];

    /// Clauses that matter only under some rule sets, each with such a rule set.
    const SOMETIMES: [(&str, &str, &str); 4] = [
        ("kvasir", "king", "throne-closes"),
        ("masters", "king", "edge-closes"),
        ("masters", "king", "corner-closes"),
        ("kvasir", "repetition", "start-counts"),
    ];

    fn variant(base: &str, table: &str, key: &str, value: &str) -> Option<String> {
        let table = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
        RuleSet::from_toml(&format!("base = '{base}'\n{table}{key} = {value}")).ok().map(|set| words(&set))
    }

    #[test]
    fn every_clause_is_in_the_words() {
        let mut compared = 0;
        for base in RULE_SET_NAMES {
            for (table, key, values) in CLAUSES {
                // Skip values that contradict the rest of the rule set.
                let texts: Vec<String> = values.iter().filter_map(|value| variant(base, table, key, value)).collect();
                for (nth, text) in texts.iter().enumerate() {
                    assert!(!texts[..nth].contains(text), "{base}: [{table}] {key} is not in the words:\n{text}");
                    compared += nth;
                }
            }
        }
        assert!(compared > 300, "only {compared} pairs of variants are rules");
        for (base, table, key) in SOMETIMES {
            let text = |value| variant(base, table, key, value).expect("either value is a rule here");
            assert_ne!(text("true"), text("false"), "{base}: [{table}] {key} is not in the words");
        }
    }

    #[test]
    fn rule_sets_that_play_differently_read_differently() {
        let mut texts: Vec<String> =
            RULE_SET_NAMES.iter().map(|name| words(&RuleSet::named(name).expect("a built-in rule set"))).collect();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), RULE_SET_NAMES.len());
    }
}
