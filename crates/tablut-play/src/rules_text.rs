//! A rule set in a player's words.

use std::fmt::Write as _;
use tablut_rules::{
    CampEntry, CaptureCount, Escape, HostileCamps, Hostility, KingCapture, Landing, MAX_DISTANCE, Passing,
    RepetitionResult, RuleSet, Side,
};

/// The rules, one line for each that a player must know.
pub fn rules_text(set: &RuleSet) -> String {
    let mut text = format!("{} ({})\n", set.name, set.source);
    let mut line = |content: String| {
        let _ = writeln!(text, "- {content}");
    };
    line(match set.first.side() {
        Some(side) => format!("The {side} move first."),
        None => "Who moves first is drawn.".to_owned(),
    });
    line("Pieces move along rows and columns, any distance, over empty squares.".to_owned());
    line(escape(set).to_owned());
    line(
        "A soldier is captured between two enemies, the one that moves among them; moving between two is safe."
            .to_owned(),
    );
    if set.captures.count == CaptureCount::OneChosen {
        line("A move that surrounds several pieces captures one of them: d1-d3xd4 names it.".to_owned());
    }
    throne(set).into_iter().for_each(&mut line);
    corners_and_camps(set).into_iter().for_each(&mut line);
    king(set).into_iter().for_each(&mut line);
    repetition(set).into_iter().for_each(&mut line);
    text
}

fn escape(set: &RuleSet) -> &'static str {
    match set.escape {
        Escape::Edge => "The king escapes to any square of the edge, and the defenders win.",
        Escape::Corners => "The king escapes to a corner, and the defenders win.",
        Escape::EdgeOutsideCamps => {
            "The king escapes to any square of the edge that is no camp, and the defenders win."
        }
        _ => "The king escapes to the marked squares, and the defenders win.",
    }
}

fn throne(set: &RuleSet) -> Vec<String> {
    let throne = &set.throne;
    let mut lines = Vec::new();
    let landing = match throne.landing {
        Landing::Nobody => "nobody may land on it again",
        Landing::King => "only the king may land on it",
        _ => "anyone may land on it",
    };
    let passing = match throne.passing {
        Passing::Nobody => "nobody passes over it",
        _ => "every piece may pass over it while it is empty",
    };
    let ordinary = throne.landing == Landing::Anyone && throne.passing == Passing::Anyone;
    lines.push(if ordinary {
        "The middle square is an ordinary one.".to_owned()
    } else {
        format!("The throne: {landing}; {passing}.")
    });
    for (who, hostility) in
        [(Side::Attackers, throne.hostile_to_attackers), (Side::Defenders, throne.hostile_to_defenders)]
    {
        match hostility {
            Hostility::WhenEmpty => lines.push(format!("The empty throne helps to capture {who}.")),
            Hostility::Always => lines.push(format!("The throne helps to capture {who}, with the king on it too.")),
            _ => {}
        }
    }
    lines
}

fn corners_and_camps(set: &RuleSet) -> Vec<String> {
    let mut lines = Vec::new();
    if set.corners.landing == Landing::King {
        lines.push("Only the king may land on a corner.".to_owned());
    }
    if set.corners.hostile_to_soldiers {
        lines.push("A corner helps to capture soldiers.".to_owned());
    }
    match set.camps.entry {
        CampEntry::Soldiers => lines.push("The king may not enter a camp.".to_owned()),
        CampEntry::Attackers => lines.push("Only attackers may enter or pass a camp.".to_owned()),
        CampEntry::AttackersWithin => {
            lines.push("Only attackers that have not left their camp may move within it.".to_owned());
        }
        _ => {}
    }
    if set.camps.hostile_to_defenders != HostileCamps::None {
        lines.push("Camps help to capture.".to_owned());
    }
    lines
}

fn king(set: &RuleSet) -> Vec<String> {
    let king = &set.king;
    let mut lines = Vec::new();
    let how = |capture| match capture {
        KingCapture::BetweenTwo => "between two attackers",
        _ => "by attackers on all sides",
    };
    let armed = if king.armed { "The king captures like a soldier." } else { "The king does not capture." };
    lines.push(armed.to_owned());
    if (king.reach as usize) < MAX_DISTANCE {
        lines.push(format!("He moves at most {} squares at a time.", king.reach));
    }
    lines.push(format!(
        "He is captured {} on the throne, {} beside it, {} elsewhere.",
        how(king.on_throne),
        how(king.beside_throne),
        how(king.elsewhere)
    ));
    for (closes, what) in [
        (king.throne_closes, "The empty throne"),
        (king.edge_closes, "The board's edge"),
        (king.corner_closes, "A corner"),
    ] {
        if closes {
            lines.push(format!("{what} closes a side of him like an attacker."));
        }
    }
    lines
}

fn repetition(set: &RuleSet) -> Vec<String> {
    let n = set.repetition.occurrences;
    let mut lines = match set.repetition.result {
        RepetitionResult::Draw => vec![format!("A position that occurs {n} times is a draw.")],
        RepetitionResult::MoverLoses => vec![format!("Who brings a position about {n} times loses.")],
        RepetitionResult::AggressorLoses => {
            vec![format!("When a position occurs {n} times, the side that could have chosen otherwise loses.")]
        }
        _ => Vec::new(),
    };
    lines.push("A side without a legal move loses.".to_owned());
    if let Some(plies) = set.no_capture_plies {
        lines.push(format!("{plies} plies without a capture are a draw."));
    }
    if let Some(plies) = set.max_plies {
        lines.push(format!("The {plies}th ply ends the game as a draw."));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::rules_text;
    use tablut_rules::{RULE_SET_NAMES, Rules};

    #[test]
    fn every_rule_set_is_told_apart_from_the_others() {
        let texts: Vec<String> = RULE_SET_NAMES.map(|name| rules_text(Rules::named(name).unwrap().set())).to_vec();
        for (i, text) in texts.iter().enumerate() {
            assert!(text.lines().count() >= 9, "{text}");
            let body = |text: &str| text.lines().skip(1).collect::<Vec<_>>().join("\n");
            for other in &texts[..i] {
                assert_ne!(body(text), body(other));
            }
        }
    }

    #[test]
    fn imperial_names_its_peculiarities() {
        let text = rules_text(Rules::named("imperial").unwrap().set());
        assert!(text.contains("drawn") && text.contains("at most 4 squares") && text.contains("d1-d3xd4"), "{text}");
    }
}
