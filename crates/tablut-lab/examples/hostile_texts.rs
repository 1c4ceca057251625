//! Measures how long each reader takes for texts of 4 MB that were made to take long. It prints the slowest text of each
//! reader, and fails if one takes more than 200 ms of processor time. Linux only.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use tablut_arena::OpeningBook;
use tablut_arena::puzzles::PuzzleSet;
use tablut_learn::TrainConfig;
use tablut_players::{NamedPlayer, PlayerSpec};
use tablut_rules::{GameText, MoveText, Position, RuleSet, Rules, RulesLine};
use tablut_session::protocol::{Call, MAX_MESSAGE, read_call};
use tablut_session::{PuzzleBook, SavedGame, Session};

const BYTES: usize = 4 << 20;
/// The maximum processor time of a text.
const MOST_MILLIS: f64 = 200.0;

/// The starts of texts. Each is followed by a part that is repeated.
const STARTS: [&str; 12] = [
    "",
    "1. d1-d3 e3-d3\n",
    "[a:b]\n",
    "1. d1-d3 e3-d3 1b.1.1a. ..... e3-f3 ",
    "#rules=kvasir",
    "rules=kvasir&moves=",
    "name = \"a\"\n",
    "[",
    "{",
    "dim:9 start:",
    "net:a@",
    "{\"id\":1,\"do\":\"import\",\"text\":\"",
];

/// The parts of texts that are repeated.
const PARTS: [&str; 58] = [
    "[a:b]\r",
    "[a:b]\n",
    "[a:b]",
    "[a:b]{x}",
    "1.",
    "1. ",
    "1",
    "1a.1.",
    "1a.1.1a. d1-d3 ",
    "d1-d3 ",
    "d1d3",
    "d1 ",
    "d1-d3x",
    "xd4",
    "{x}",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "()",
    "(1. d1-d3)",
    "; x\n",
    ";",
    "\n",
    "\r",
    " ",
    "\t",
    "\u{feff}",
    "\u{200b}",
    "…",
    "....",
    "$1 ",
    "! ",
    "!",
    "?!",
    "The\n",
    "The ",
    "resigns ",
    "/",
    "9/",
    "t",
    "|",
    "esc:e ",
    "a:b ",
    "a=b\n",
    "a.b.",
    "[a]\n",
    "&rules=kvasir",
    "%41",
    ",",
    "\\",
    "\"",
    "\"a\":[",
    "é",
    "0",
    "-",
];

/// A JSON array with as many items as fit, between two texts.
fn items(before: &str, item: &str, after: &str) -> String {
    let n_items = (BYTES - before.len() - after.len()) / (item.len() + 1);
    let list = vec![item; n_items].join(",");
    format!("{before}{list}{after}")
}

/// Texts that do more than to repeat a part.
fn special_texts() -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    let address = "1a.1.".repeat(BYTES / 20);
    texts.push(format!("1. d1-d3\n{address}1a. {}", "e3-d3 d3-e3 ".repeat(BYTES / 20)));
    texts.push("[a:b]".repeat(BYTES / 10) + &"{x}".repeat(BYTES / 6));
    texts.push("[a:b]".repeat(BYTES / 10) + "1. " + &"The\n".repeat(BYTES / 8));
    // A game of two pieces that go to and fro, and two long lines that grow in turn.
    let shuttle = "1. e2-f2 e3-f3 f2-e2 f3-e3 ".repeat(BYTES / 27);
    texts.push(format!("[variant:masters]\n{shuttle}"));
    texts.push(format!("{shuttle}(e2-f2 e3-f3 f2-e2)"));
    // Saved games with reviews of many moves, and with long lists elsewhere.
    let rules = Rules::named("kvasir")?;
    let session = Session::import("1. d1-d3", rules.set()).map_err(anyhow::Error::msg)?;
    let saved = SavedGame::from_json(&session.export(tablut_session::Format::Json).map_err(anyhow::Error::msg)?)?;
    let json = serde_json::to_string(&saved)?;
    let open = json.strip_suffix('}').context("a JSON object")?;
    let review = "\"review\":{\"chances\":[0.1,0.2,0.7],\"simulations\":1";
    for (before, item, after) in [
        (format!("{open},{review},\"best\":[],\"solutions\":["), "\"d1-d3\"", "]}}"),
        (format!("{open},{review},\"best\":["), "\"d1-d3\",\"e3-d3\"", "]}}"),
        (format!("{open},\"positions\":["), "{\"parent\":0,\"move\":\"d1-d3\"}", "]}"),
        (format!("{open},\"other\":["), "[[[]]]", "]}"),
        ("{\"id\":1,\"do\":\"variation\",\"moves\":[".to_owned(), "\"d1-d3\"", "]}"),
        ("{\"id\":1,\"do\":\"find-puzzles\",\"games\":[".to_owned(), "\"\"", "]}"),
        ("{\"board\":[".to_owned(), "[\"EMPTY\"]", "],\"turn\":\"WHITE\"}"),
        ("rules = [".to_owned(), "\"kvasir\"", "]"),
    ] {
        texts.push(items(&before, item, after));
    }
    Ok(texts)
}

type Read = Box<dyn Fn(&str) -> bool>;

fn readers() -> anyhow::Result<Vec<(&'static str, Read)>> {
    let set = RuleSet::named("kvasir")?;
    let rules = Arc::new(Rules::named("kvasir")?);
    Ok(vec![
        ("game's text", Box::new(|text| text.parse::<GameText>().is_ok())),
        ("game of any kind", Box::new(move |text| Session::import(text, &set).is_ok())),
        ("saved game", Box::new(|text| SavedGame::from_json(text).is_ok_and(|saved| saved.session().is_ok()))),
        ("link", Box::new(|text| Session::from_link(text).is_ok())),
        ("move", Box::new(|text| text.parse::<MoveText>().is_ok())),
        ("position", Box::new(|text| text.parse::<Position>().is_ok())),
        ("line of rules", Box::new(|text| text.parse::<RulesLine>().is_ok())),
        ("rule file", Box::new(|text| RuleSet::from_toml(text).is_ok())),
        ("config", Box::new(|text| TrainConfig::parse(text, Path::new("config.toml"), &[]).is_ok())),
        ("player", Box::new(|text| text.parse::<PlayerSpec>().is_ok() || text.parse::<NamedPlayer>().is_ok())),
        ("opening book", Box::new(move |text| OpeningBook::parse(text, &rules).is_ok())),
        ("puzzles", Box::new(|text| PuzzleSet::parse(text).is_ok() || PuzzleBook::parse(text).is_ok())),
        // The server refuses a longer message by its length.
        ("request", Box::new(|text| read_call::<Call>(&text[..text.floor_char_boundary(MAX_MESSAGE)]).is_ok())),
        (
            "contest's frame",
            Box::new(|text| {
                use tablut_protocols::challenge::message::{Action, ChallengeState};
                ChallengeState::read(text, "peer").is_ok() || Action::read(text, "peer").is_ok()
            }),
        ),
    ])
}

/// The processor time of this thread in milliseconds.
fn cpu_millis() -> anyhow::Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanos: f64 = text.split_whitespace().next().context("expected numbers in schedstat")?.parse()?;
    Ok(nanos / 1e6)
}

struct Row {
    name: &'static str,
    read: Read,
    n_read: usize,
    /// The processor time in milliseconds, and the start of the text.
    slowest: (f64, String),
}

fn main() -> anyhow::Result<()> {
    let repeated = STARTS.iter().flat_map(|start| {
        PARTS.iter().map(move |part| (*start).to_owned() + &part.repeat((BYTES - start.len()) / part.len()))
    });
    let row = |(name, read)| Row { name, read, n_read: 0, slowest: (0.0, String::new()) };
    let mut rows: Vec<Row> = readers()?.into_iter().map(row).collect();
    let mut n_texts = 0;
    for text in repeated.chain(special_texts()?) {
        n_texts += 1;
        for row in &mut rows {
            let start = cpu_millis()?;
            row.n_read += usize::from((row.read)(&text));
            let millis = cpu_millis()? - start;
            if millis > row.slowest.0 {
                row.slowest = (millis, text.chars().take(40).collect());
            }
        }
    }
    println!("{n_texts} texts of {} MB for each reader", BYTES >> 20);
    println!("| Reader | Read | Refused | Slowest, ms of processor time | That text |\n|---|---|---|---|---|");
    for Row { name, n_read, slowest: (millis, text), .. } in &rows {
        println!("| {name} | {n_read} | {} | {millis:.0} | `{}` |", n_texts - n_read, text.escape_debug());
    }
    let slowest = rows.iter().map(|row| row.slowest.0).fold(0.0, f64::max);
    ensure!(slowest < MOST_MILLIS, "a text takes {slowest:.0} ms, expected less than {MOST_MILLIS} ms");
    Ok(())
}
