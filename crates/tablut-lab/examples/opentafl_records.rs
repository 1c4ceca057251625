//! Saves games with variations and comments as records of OpenTafl, and reads OpenTafl's own records.
//!
//! `opentafl_records write DIR` writes twenty games. For each it prints the name, and the numbers of moves in the main
//! line, moves in all variations, and moves with a comment. `experiments/opentafl/java/Records.java` prints the same.
//! `opentafl_records read FILE…` prints the same for any records, without playing their moves.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tablut_rules::{GameText, RULE_SET_NAMES, RuleSet, Rules, Side};
use tablut_session::{Format, Players, Session};

const COMMENTS: [&str; 4] =
    ["a move", "[with] brackets | and a bar", "two\n\n2. d1-d3 paragraphs", "1. begins like a move: 50 %"];

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["write", folder] => write(Path::new(folder)),
        ["read", files @ ..] => {
            for file in files {
                match tablut_rules::decode(std::fs::read(file)?)?.parse::<GameText>() {
                    Ok(game) => tell(Path::new(file), &game),
                    Err(error) => println!("{file} fail {error}"),
                }
            }
            Ok(())
        }
        _ => anyhow::bail!("expected `write DIR` or `read FILE…`"),
    }
}

fn tell(path: &Path, game: &GameText) {
    let comments = game.moves.iter().filter(|mv| !mv.comment.is_empty()).count();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    println!("{name} {} {} {comments}", game.main_line().len(), game.moves.len());
}

fn write(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    let can_write = |name: &&&str| {
        let set = RuleSet::named(name).expect("a built-in rule set");
        GameText::record(&Rules::new(set).expect("sound rules"), &tablut_rules::Position::start(Side::Attackers))
            .is_ok()
    };
    let names: Vec<_> = RULE_SET_NAMES.iter().filter(can_write).collect();
    for number in 0..20 {
        let mut rng = SmallRng::seed_from_u64(number);
        let rules = Arc::new(Rules::named(names[number as usize % names.len()])?);
        let first = rules.set().first.side().unwrap_or(Side::Attackers);
        let mut session = Session::new(rules, first, Players::people());
        let mut seen = BTreeSet::from([session.current()]);
        for line in 0..12 {
            let nodes: Vec<_> = seen.iter().copied().collect();
            session.go_to(*nodes.choose(&mut rng).expect("a position"))?;
            for _ in 0..if line == 0 { 60 } else { 6 } {
                let Ok(moves) = session.moves() else { break };
                session.play(*moves.choose(&mut rng).expect("a game that is not over has moves"))?;
                seen.insert(session.current());
                if rng.random_ratio(1, 3) {
                    session.comment(session.current(), COMMENTS.choose(&mut rng).expect("comments"))?;
                }
            }
        }
        session.comment(tablut_session::Tree::ROOT, "the start [1. of] all")?;
        let text = session.export(Format::Otg).map_err(anyhow::Error::msg)?;
        let path = folder.join(format!("{}-{number}.otg", session.rules().name()));
        std::fs::write(&path, &text)?;
        tell(&path, &text.parse()?);
    }
    Ok(())
}
