//! Games as text, for people and as OpenTafl's records, in both directions.

use crate::player::Players;
use crate::saved::SavedGame;
use crate::session::{MAX_NODES, Session};
use crate::tree::{Tree, lines_first};
use crate::words;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;
use tablut_rules::{GameText, GameTextError, MoveText, RuleSet, Rules, WrittenMove};

#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Text for people, with rules, numbered moves and the result.
    Text,
    Otg,
    Json,
    Svg,
    Toml,
}

impl Session {
    /// The current line in a format.
    pub fn export(&self, format: Format) -> Result<String, String> {
        match format {
            Format::Text => Ok(self.to_text()),
            Format::Otg => self.to_otg(),
            Format::Json => Ok(SavedGame { seats: None, ..self.saved() }.to_json()),
            Format::Svg => {
                let last = self.node().report.as_ref().map(|report| report.mv);
                Ok(crate::picture::svg(self.rules(), self.game().position(), last))
            }
            Format::Toml => Ok(self.rules().set().to_toml()),
        }
    }

    /// The current line as text for people. [`Session::import`] can read it.
    pub fn to_text(&self) -> String {
        let line = self.tree().line(self.current());
        let mut text = format!("Tablut, {} rules\n", self.rules().name());
        if self.has_own_start() {
            let _ = writeln!(text, "Position: {}", self.start());
        }
        if let Some(root) = line.first().and_then(|id| self.tree().node(*id)).filter(|root| !root.comment.is_empty()) {
            let _ = writeln!(text, "{{{}}}", in_braces(&root.comment));
        }
        let moves = line.iter().filter_map(|id| Some((self.tree().node(*id)?, self.tree().mv(*id)?)));
        for (index, (node, mv)) in moves.enumerate() {
            if index % 2 == 0 {
                let _ = write!(text, "{}{}.", if index == 0 { "\n" } else { "" }, index / 2 + 1);
            }
            let _ = write!(text, " {mv}");
            if !node.comment.is_empty() {
                let _ = write!(text, " {{{}}}", in_braces(&node.comment));
            }
            if index % 2 == 1 {
                text.push('\n');
            }
        }
        text = text.trim_end().to_owned() + "\n";
        let end = *line.last().expect("a line has its root");
        let mut last = self.clone();
        if last.go_to(end).is_ok()
            && let Some(ending) = last.ending()
        {
            let _ = writeln!(text, "\n{}.", words::capitalize(&words::ending(ending)));
        }
        text
    }

    fn to_otg(&self) -> Result<String, String> {
        let mut walk = self.clone();
        let mut record = GameText::record(self.rules(), self.start())
            .map_err(|error| format!("{error}; export the moves as text or the whole game as JSON instead"))?;
        let mut places = HashMap::from([(Tree::ROOT, None)]);
        // The main line comes first: the first move after a position continues it.
        let mut waiting = vec![Tree::ROOT];
        while let Some(id) = waiting.pop() {
            let node = self.tree().node(id).ok_or("the tree has lost a position")?;
            if let (Some(parent), Some(mv)) = (node.parent, self.tree().mv(id)) {
                walk.go_to(parent)?;
                let text = MoveText::of(self.rules(), walk.game().position(), mv);
                record.moves.push(WrittenMove { parent: places[&parent], text, comment: node.comment.clone() });
                places.insert(id, Some(record.moves.len() - 1));
            }
            waiting.extend(node.children.iter().rev());
        }
        let start = self.tree().node(Tree::ROOT).map_or("", |root| root.comment.as_str());
        if !start.is_empty() {
            record.tags.push(("start-comment".to_owned(), start.to_owned()));
        }
        walk.go_to(*self.tree().main_line().last().expect("a line has its root"))?;
        record.end(walk.ending().map(|ending| (ending.winner, words::ending(ending))));
        Ok(record.to_string())
    }

    /// Reads a saved game's JSON, an OpenTafl record, a link, a position, a rule file, or moves in any notation. `rules`
    /// are used if the text contains none.
    pub fn import(text: &str, rules: &RuleSet) -> Result<Self, String> {
        Self::read(text, rules, false)
    }

    pub fn import_under(text: &str, rules: &RuleSet) -> Result<Self, String> {
        Self::read(text, rules, true)
    }

    fn read(text: &str, rules: &RuleSet, always: bool) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("nothing to read, expected a game, a position or moves".to_owned());
        }
        // A text in braces is JSON if a key follows the first brace. Otherwise it is a comment.
        if text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']) || rest.is_empty()) {
            let mut saved = SavedGame::from_json(text).map_err(|error| error.to_string())?;
            if always {
                saved.rules = rules.clone();
            }
            saved.seats = None;
            // The clock of a game that is not over runs only in the game itself.
            saved.clock = saved.clock.filter(|_| saved.winner.is_some());
            return saved.session().map_err(|error| error.to_string());
        }
        let fragment = text.split_once('#').map_or("", |(_, fragment)| fragment);
        if fragment.contains("rules=") || fragment.contains("toml=") {
            return Self::from_link(fragment);
        }
        if text.starts_with("rules=") {
            return Self::from_link(text);
        }
        if let Some(set) = rule_file(text)? {
            return Self::of_moves(set, None, &[]);
        }
        let game: GameText = text.parse().map_err(|error: GameTextError| error.to_string())?;
        if game.moves.is_empty() && game.start.is_none() {
            let shown = words::shorten(text);
            return Err(format!("{shown:?} contains no game, expected moves such as d1-d3, a position, OTG or JSON"));
        }
        let own = if always { None } else { game.rule_set().map_err(|error| error.to_string())? };
        Self::of_text(&game, own.unwrap_or_else(|| rules.clone()))
    }

    /// All variations of a game. Tags that a session cannot store become part of the comment on the start.
    fn of_text(game: &GameText, set: RuleSet) -> Result<Self, String> {
        let found = game.moves.len();
        if found >= MAX_NODES {
            return Err(format!("{found} moves with those of variations, expected fewer than {MAX_NODES}"));
        }
        let rules = Arc::new(Rules::new(set).map_err(|error| error.to_string())?);
        let start = game.start_under(&rules);
        let mut session = Self::from_position(rules.clone(), start, Players::people())?;
        let line = game.main_line();
        let mut ids = vec![Tree::ROOT; found];
        for index in lines_first(game.moves.iter().map(|mv| mv.parent)) {
            let written = &game.moves[index];
            session.back_to(written.parent.map_or(Tree::ROOT, |parent| ids[parent]))?;
            let ply = session.game().ply() + 1;
            let mv = match session.ending() {
                Some(_) => Err(format!("{} is illegal: the game is over", written.text)),
                None => rules.match_move(session.game().position(), &written.text).map_err(|error| error.to_string()),
            };
            let place = if line.contains(&index) { "" } else { "in a variation, " };
            session.play(mv.map_err(|reason| format!("{place}ply {ply}: {reason}"))?)?;
            session.comment(session.current(), &written.comment)?;
            ids[index] = session.current();
        }
        session.go_to(line.last().map_or(Tree::ROOT, |&last| ids[last]))?;
        let to_move = session.game().position().side_to_move();
        let resigned = if game.resigned { Some(to_move) } else { game.resignation() };
        if let (Some(side), None) = (resigned, session.ending()) {
            session.resign(side)?;
        }
        let claimed = game.winner();
        if let (Some(claimed), Some(ending)) = (claimed, session.ending())
            && claimed != ending.winner
        {
            let result = game.tag("result").unwrap_or_default();
            return Err(format!(
                "the tag result is {result}, but after the last move {}; correct the tag or the moves, or choose the rules",
                words::ending(ending)
            ));
        }
        // A result that the moves do not show is kept, such as that of a game which was broken off.
        let is_shown = claimed.is_none() || session.ending().is_some();
        let others = game.tags.iter().filter(|(name, _)| match name.as_str() {
            "variant" => false,
            "result" | "termination" => !is_shown,
            _ => true,
        });
        let comment = others.map(|(name, value)| match name.as_str() {
            "start-comment" => value.clone(),
            name => format!("{name}: {value}"),
        });
        session.comment(Tree::ROOT, &comment.collect::<Vec<_>>().join("\n"))?;
        Ok(session)
    }
}

/// The rules of a rule file. `None` if the text is something else. The first line of a TOML file that is not a comment
/// assigns a key; no other text that is read here begins in this way.
fn rule_file(text: &str) -> Result<Option<RuleSet>, String> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let key = first.and_then(|line| line.split_once('=')).map_or("", |(key, _)| key.trim());
    let is_key = !key.is_empty() && key.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'-');
    if is_key { RuleSet::from_toml(text).map(Some).map_err(|error| one_line(&error.to_string())) } else { Ok(None) }
}

/// An error without the lines that quote the text.
fn one_line(error: &str) -> String {
    let is_quote = |line: &&str| line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').starts_with('|');
    let lines: Vec<&str> = error.lines().filter(|line| !is_quote(line)).map(str::trim).collect();
    lines.join(", ").replace("TOML parse error at ", "")
}

fn in_braces(comment: &str) -> String {
    comment.replace('{', "(").replace('}', ")").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::Side;

    fn session(name: &str) -> Session {
        let rules = Arc::new(Rules::named(name).unwrap());
        let first = rules.set().first.side().unwrap_or(Side::Attackers);
        let mut session = Session::new(rules, first, Players::people());
        for index in [3, 5, 7, 11, 13] {
            let moves = session.moves().unwrap();
            session.play(moves[index % moves.len()]).unwrap();
        }
        session
    }

    #[test]
    fn faults_of_rules_are_told_in_one_line() {
        let kvasir = RuleSet::named("kvasir").unwrap();
        let fault = |text| Session::import(text, &kvasir).unwrap_err();
        assert_eq!(fault("size = foo"), "the text is no rule set: line 1, column 8, invalid boolean, expected `false`");
        assert!(
            fault("rules=foo").starts_with("no rule set \"foo\", expected one of piecepack,"),
            "{}",
            fault("rules=foo")
        );
        assert!(Session::import("rules=masters&moves=d1-d3", &kvasir).is_ok());
    }

    #[test]
    fn texts_records_and_saved_games_are_read_back() {
        let other = RuleSet::named("tartu").unwrap();
        for (name, formats) in [
            ("kvasir", &[Format::Text, Format::Otg, Format::Json][..]),
            ("masters-edge", &[Format::Text, Format::Otg, Format::Json]),
            ("brandubh", &[Format::Text, Format::Otg, Format::Json]),
            ("copenhagen", &[Format::Text, Format::Otg, Format::Json]),
            ("imperial", &[Format::Text, Format::Json]),
        ] {
            for format in formats {
                let mut session = session(name);
                let here = session.current();
                session.comment(here, "a {brave} move").unwrap();
                let text = session.export(*format).unwrap();
                let read = Session::import(&text, &other).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
                assert_eq!((read.history(), read.rules().set()), (session.history(), session.rules().set()), "{text}");
            }
        }
        assert!(session("imperial").export(Format::Otg).unwrap_err().contains("captures.count"));
    }

    #[test]
    fn a_record_keeps_variations_comments_and_a_resignation() {
        let mut session = session("kvasir");
        let end = session.current();
        for (undone, comment) in [(2, "first | [of two]"), (1, "two\n\n2. d1-d3 lines"), (3, "")] {
            session.go_to(end).unwrap();
            (0..undone).for_each(|_| session.undo().unwrap());
            for index in [40, 20, 3] {
                let moves = session.moves().unwrap();
                session.play(moves[index % moves.len()]).unwrap();
                session.comment(session.current(), comment).unwrap();
            }
        }
        session.comment(Tree::ROOT, "before the first move").unwrap();
        session.go_to(end).unwrap();
        let side = session.game().position().side_to_move().opponent();
        session.resign(side).unwrap();
        let text = session.export(Format::Otg).unwrap();
        let read =
            Session::import(&text, &RuleSet::named("tartu").unwrap()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read.export(Format::Otg).unwrap(), text);
        assert_eq!((read.tree().len(), read.history()), (session.tree().len(), session.history()));
        assert_eq!((read.node().resigned, read.ending()), (Some(side), session.ending()));
        let comments = |session: &Session| {
            let mut found: Vec<String> = session.tree().iter().map(|(_, node)| node.comment.clone()).collect();
            found.sort();
            found
        };
        let expected =
            comments(&session).into_iter().map(|text| text.replace('[', "(").replace(']', ")").replace('|', "/"));
        assert_eq!(comments(&read), expected.collect::<Vec<_>>());
    }

    #[test]
    fn tags_without_a_place_become_the_comment_on_the_start() {
        let read =
            Session::import("[event: a tournament]\n[attackers:A]\n\n1. d1-d3", &RuleSet::named("kvasir").unwrap());
        let comment = read.unwrap().tree().node(Tree::ROOT).unwrap().comment.clone();
        assert_eq!(comment, "event: a tournament\nattackers: A");
    }

    #[test]
    fn a_result_is_checked_against_the_moves_and_otherwise_kept() {
        let set = RuleSet::named("kvasir").unwrap();
        let read = |text: &str| Session::import(text, &set);
        let error = read("[result:-1]\n1. d1-d3 ---").unwrap_err();
        assert!(error.contains("the tag result is -1, but after the last move the attackers win"), "{error}");
        assert!(read("[result:1]\n1. d1-d3 ---").unwrap().ending().is_some());
        assert!(read("[result:?]\n1. d1-d3 ---").is_ok());
        let broken_off = read("[result:0]\n[termination:by agreement]\n1. d1-d3").unwrap();
        let comment = broken_off.tree().node(Tree::ROOT).unwrap().comment.clone();
        assert_eq!((broken_off.ending(), comment.as_str()), (None, "result: 0\ntermination: by agreement"));
        let saved = read("1. d1-d3 ---").unwrap().export(Format::Json).unwrap();
        let other = saved.replace("\"winner\": \"attackers\"", "\"winner\": \"defenders\"");
        assert!(other != saved && read(&other).unwrap_err().contains("the winner is defenders"), "{other}");
    }

    #[test]
    fn lines_of_many_moves_are_read_in_any_order() {
        let set = RuleSet::named("masters").unwrap();
        // Two lines that grow in turn, in a text and in a saved game.
        let turn = |n: usize| {
            format!("{n}. e2-f2 e3-f3\n1a.1.{n}a. e2-d2 e3-d3\n{0}. f2-e2 f3-e3\n1a.1.{0}a. d2-e2 d3-e3\n", n + 1)
        };
        let text = turn(1);
        let session = Session::import(&text, &set).unwrap();
        assert_eq!(session.tree().len(), 9);
        let json = session.export(Format::Json).unwrap();
        let again = Session::import(&json, &set).unwrap();
        assert_eq!(again.export(Format::Json).unwrap(), json);
        let many = format!("1. e2-f2 {}", "(e2-d2) ".repeat(2000));
        assert!(Session::import(&many, &set).unwrap_err().contains("2001 moves with those of variations"));
    }

    #[test]
    fn an_exported_rule_file_begins_a_game_under_its_rules() {
        let mut set = RuleSet::named("imperial").unwrap();
        set.king.reach = 2;
        "my-own".clone_into(&mut set.name);
        let rules = Arc::new(Rules::new(set.clone()).unwrap());
        let text = Session::new(rules, Side::Attackers, Players::people()).export(Format::Toml).unwrap();
        let read = Session::import(&text, &RuleSet::named("kvasir").unwrap()).unwrap();
        assert_eq!((read.rules().set(), read.tree().len()), (&set, 1));
        let faulty = text.replace("name = ", "name = 3 # ");
        assert!(Session::import(&faulty, &set).unwrap_err().contains("rule set"));
        let game = Session::import("[comment:\nname = x]\n1. d1-d3", &RuleSet::named("kvasir").unwrap()).unwrap();
        assert_eq!(game.tree().len(), 2, "a line of a comment is not a rule file");
    }

    #[test]
    fn what_is_no_game_is_told() {
        let set = RuleSet::named("kvasir").unwrap();
        for (text, part) in [
            ("", "nothing to read"),
            ("hello", "\"hello\" is no move"),
            ("[a:b]", "contains no game"),
            ("1. d1-d9", "ply 1"),
            ("{\"format\": 1}", "not a saved game"),
        ] {
            let error = Session::import(text, &set).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        let position = Session::import("9/9/9/9/2K5t/9/9/9/4t3t d", &set).unwrap();
        assert_eq!(position.start().to_string(), "9/9/9/9/2K5t/9/9/9/4t3t d");
    }
}
