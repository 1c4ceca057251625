//! Plays random games under our rules and under OpenTafl's own rules engine, and compares them ply by ply.
//!
//! ```text
//! sh experiments/opentafl/build.sh OpenTafl out
//! cargo run --release -p tablut-lab --example opentafl_rules -- out/oracle [--games N] [--seed S]
//! ```
//!
//! It plays every rule set that can be written as a line of rules. It also plays the games that OpenTafl knows for this
//! board, both from their line of rules and from OpenTafl's code. Half of the games start from the start position, half
//! from a random one. It compares the legal moves, the captures, the board and the winner. A game ends at the first
//! difference. The exit code is 1 if `experiments/opentafl/README.md` does not explain a difference.

mod chance;
mod oracle;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;

use chance::{Random, Taste, scatter};
use oracle::{Answer, End, Oracle};
use tablut_rules::{
    Bitboard, Game, Move, MoveList, Outcome, Position, RULE_SET_NAMES, Reason, RepetitionResult, Rules, RulesLine,
    Side, Square,
};

/// Games of more plies are left unfinished.
const MAX_PLIES: u32 = 300;

/// The number of variants that OpenTafl has in its code.
const N_VARIANTS: usize = 3;

/// A rule set that both programs know.
struct Subject {
    name: String,
    /// The command that selects it in OpenTafl: `rules LINE` or `variant N`.
    command: String,
    line: String,
    rules: Arc<Rules>,
    start: Position,
}

/// The kinds of compared facts.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Ord, PartialOrd)]
enum Kind {
    Moves,
    Captures,
    KingFalls,
    KingEscapes,
    Repetition,
    NoMoves,
    Encirclement,
    ExitFort,
    Length,
}

/// The first difference: its kind, whether it is known, and a description.
struct Difference {
    kind: Kind,
    is_known: bool,
    story: String,
}

/// Counts over the games of one subject.
#[derive(Default)]
struct Tally {
    games: usize,
    plies: u32,
    unfinished: usize,
    agreed: BTreeMap<Kind, u32>,
    known: BTreeMap<Kind, u32>,
    unexplained: BTreeMap<Kind, u32>,
    /// The first difference of each kind.
    stories: BTreeMap<(bool, Kind), String>,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the comparison. Returns whether every difference is known.
fn run() -> Result<bool, String> {
    let usage = || "usage: opentafl_rules ORACLE_COMMAND [--games N] [--seed S]".to_owned();
    let mut args = std::env::args().skip(1);
    let mut oracle = Oracle::start(&args.next().ok_or_else(usage)?)?;
    let (mut games, mut seed) = (200, 1);
    while let Some(flag) = args.next() {
        let number = args.next().and_then(|value| value.parse().ok()).ok_or_else(usage)?;
        match flag.as_str() {
            "--games" => games = number,
            "--seed" => seed = number,
            _ => return Err(usage()),
        }
    }
    let mut tallies = Vec::new();
    for subject in subjects(&mut oracle)? {
        let mut tally = Tally::default();
        for game in 0..games {
            let mut random = Random(seed << 32 | game);
            play(&subject, game as usize, &mut oracle, &mut random, &mut tally)?;
        }
        tallies.push((subject.name, tally));
    }
    report(&tallies);
    Ok(tallies.iter().all(|(_, tally)| tally.unexplained.is_empty()))
}

/// All games that both programs know. Games that only one of them knows are listed on standard error.
fn subjects(oracle: &mut Oracle) -> Result<Vec<Subject>, String> {
    let mut subjects = Vec::new();
    for name in RULE_SET_NAMES {
        let rules = Rules::named(name).map_err(|error| error.to_string())?;
        let start = rules.start(rules.set().first.side().unwrap_or(Side::Attackers));
        match rules.set().to_opentafl(&start) {
            Ok(worded) => {
                let (command, rules) = (format!("rules {}", worded.line), Arc::new(rules));
                check_echo(&worded.line, &oracle.begin(&command)?)?;
                subjects.push(Subject { name: name.to_owned(), command, line: worded.line, rules, start });
            }
            Err(keys) => eprintln!("{name} cannot be written as a line: {}", keys.join(", ")),
        }
    }
    for variant in 0..N_VARIANTS {
        let as_code = format!("variant {variant}");
        let line = oracle.begin(&as_code)?;
        match line.parse::<RulesLine>() {
            Ok(RulesLine { set, start, .. }) => {
                let as_line = format!("rules {line}");
                check_echo(&line, &oracle.begin(&as_line)?)?;
                let name = format!("OpenTafl's {}", set.name);
                let rules = Arc::new(Rules::new(set).map_err(|error| error.to_string())?);
                for (name, command) in [(name.clone(), as_line), (format!("{name}, its code"), as_code)] {
                    subjects.push(Subject { name, command, line: line.clone(), rules: Arc::clone(&rules), start });
                }
            }
            Err(error) => eprintln!("OpenTafl's {as_code} is refused: {line}\n  {error}"),
        }
    }
    Ok(subjects)
}

/// Checks that the line that OpenTafl writes has the same meaning as the line that it was given. OpenTafl sends the
/// written line to its engines.
fn check_echo(line: &str, echo: &str) -> Result<(), String> {
    match (line.parse::<RulesLine>(), echo.parse::<RulesLine>()) {
        (Ok(given), Ok(echoed)) if given == echoed => Ok(()),
        (Err(error), _) | (_, Err(error)) => Err(format!("{line}\n{echo}\n{error}")),
        _ => Err(format!("{line}\nis written back by OpenTafl with another meaning:\n{echo}")),
    }
}

/// Plays one game in both programs.
fn play(
    subject: &Subject,
    number: usize,
    oracle: &mut Oracle,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), String> {
    oracle.begin(&subject.command)?;
    // One game of each kind in eight.
    let [is_scattered, escapes, shuffles] = [0, 1, 2].map(|bit| number >> bit & 1 == 1);
    let taste = Taste { stays: !escapes, back_percent: if shuffles { 80 } else { 5 } };
    let mut game = loop {
        let start = if is_scattered { scatter(&subject.rules, random) } else { subject.start };
        let game = Game::from_position(Arc::clone(&subject.rules), start).map_err(|error| error.to_string())?;
        if game.outcome().is_none() {
            oracle.set_up(&start)?;
            break game;
        }
    };
    tally.games += 1;
    let mut legal = MoveList::new();
    while game.outcome().is_none() {
        if game.ply() == MAX_PLIES {
            tally.unfinished += 1;
            return Ok(());
        }
        game.legal_moves(&mut legal);
        if let Some(difference) = compare_moves(&game, &legal, &oracle.moves()?) {
            tally.note(difference);
            return Ok(());
        }
        let mv = taste.choose(&game, &legal, random);
        let before = *game.position();
        let Some(answer) = oracle.play(before.side_to_move(), mv)? else {
            return Err(format!("OpenTafl lists {mv} as legal and refuses it, in {before}"));
        };
        let applied = game.play(mv).map_err(|error| error.to_string())?;
        tally.plies += 1;
        if let Some((kind, is_known)) = compare(subject, &before, applied.captured, &game, &answer) {
            let story = format!(
                "{before}, {mv}: {} captured and {}; OpenTafl: {} and {}",
                squares(applied.captured),
                game.outcome().map_or("the game continues".to_owned(), |outcome| outcome.to_string()),
                squares(answer.captured),
                end_text(answer.end)
            );
            tally.note(Difference { kind, is_known, story });
            return Ok(());
        }
    }
    if let Some(outcome) = game.outcome() {
        *tally.agreed.entry(kind_of(outcome)).or_default() += 1;
    }
    Ok(())
}

fn compare_moves(game: &Game, legal: &MoveList, theirs: &[Move]) -> Option<Difference> {
    let ours: BTreeSet<_> = legal.iter().copied().collect();
    let theirs: BTreeSet<_> = theirs.iter().copied().collect();
    let odd: Vec<String> = ours.symmetric_difference(&theirs).map(ToString::to_string).collect();
    let story = || format!("{}: legal in one program only: {}", game.position(), odd.join(" "));
    (!odd.is_empty()).then(|| Difference { kind: Kind::Moves, is_known: false, story: story() })
}

/// How a move's two results differ, and whether that is known.
fn compare(
    subject: &Subject,
    before: &Position,
    captured: Bitboard,
    game: &Game,
    answer: &Answer,
) -> Option<(Kind, bool)> {
    let odd = Bitboard::from_bits(captured.bits() ^ answer.captured.bits());
    if odd == before.king_board() {
        return Some((Kind::KingFalls, before.king().is_some_and(|king| reads_hostility_off_defenders(subject, king))));
    }
    if !odd.is_empty() || answer.position != *game.position() {
        return Some((Kind::Captures, false));
    }
    match (game.outcome(), answer.end) {
        (None, End::None) => None,
        (Some(outcome), end) if end_of(outcome) == end => None,
        (Some(outcome), end) => {
            let kind = kind_of(outcome);
            let is_known = match kind {
                Kind::Repetition => loses_by_repetition(subject),
                // In OpenTafl the attackers do not lose this way. The defenders do only if no square next to them is
                // empty.
                Kind::NoMoves | Kind::Length => end == End::None,
                _ => false,
            };
            Some((kind, is_known))
        }
        (None, End::Win(Side::Attackers)) if is_hemmed_in(&answer.position) => Some((Kind::NoMoves, true)),
        (None, End::Win(Side::Attackers)) => Some((Kind::Encirclement, !subject.line.contains(" surf:n "))),
        (None, End::Win(Side::Defenders)) => Some((Kind::KingEscapes, false)),
        (None, End::Draw) => Some((Kind::Repetition, false)),
    }
}

fn end_of(outcome: Outcome) -> End {
    outcome.winner.map_or(End::Draw, End::Win)
}

/// Whether a side loses by repetition. The line of rules cannot express that the aggressor or the defenders lose, and
/// OpenTafl handles the mover's loss differently.
fn loses_by_repetition(subject: &Subject) -> bool {
    let result = subject.rules.set().repetition.result;
    !matches!(result, RepetitionResult::Ignored | RepetitionResult::Draw)
}

fn kind_of(outcome: Outcome) -> Kind {
    match outcome.reason {
        Reason::KingCaptured => Kind::KingFalls,
        Reason::KingEscaped => Kind::KingEscapes,
        Reason::Repetition | Reason::Aggressor => Kind::Repetition,
        Reason::NoMoves => Kind::NoMoves,
        Reason::Encirclement => Kind::Encirclement,
        Reason::ExitFort => Kind::ExitFort,
        _ => Kind::Length,
    }
}

/// Whether the king stands next to a square that the line makes hostile to him or to defenders, but not to both.
fn reads_hostility_off_defenders(subject: &Subject, king: Square) -> bool {
    let beside = Bitboard::of(king).neighbours();
    let differ = |key: &str| {
        let word = subject.line.split(' ').find_map(|word| word.strip_prefix(key));
        word.is_some_and(|kinds| kinds.contains('K') != kinds.contains('T'))
    };
    let size = subject.rules.size();
    (beside.contains(size.centre()) && (differ("cenhe:") || differ("cenh:")))
        || (beside.intersects(size.corners()) && differ("corh:"))
        || (beside.intersects(subject.rules.camps()) && differ("aforh:"))
}

/// Whether no square next to a piece of the defenders is empty.
fn is_hemmed_in(position: &Position) -> bool {
    let empty = position.size().board() - position.occupied();
    !position.pieces(Side::Defenders).neighbours().intersects(empty)
}

impl Tally {
    fn note(&mut self, difference: Difference) {
        let Difference { kind, is_known, story } = difference;
        let counts = if is_known { &mut self.known } else { &mut self.unexplained };
        *counts.entry(kind).or_default() += 1;
        self.stories.entry((is_known, kind)).or_insert(story);
    }
}

fn report(tallies: &[(String, Tally)]) {
    println!(
        "\n| game | games | plies | king falls | escapes | repetition | no moves | encirclement | exit fort | unfinished | known differences | others |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|");
    for (name, tally) in tallies {
        let agreed = |kind: Kind| tally.agreed.get(&kind).copied().unwrap_or_default();
        let list = |counts: &BTreeMap<Kind, u32>| -> String {
            let counts: Vec<String> = counts.iter().map(|(kind, n)| format!("{n} {}", kind_text(*kind))).collect();
            if counts.is_empty() { "–".to_owned() } else { counts.join(", ") }
        };
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            tally.games,
            tally.plies,
            agreed(Kind::KingFalls),
            agreed(Kind::KingEscapes),
            agreed(Kind::Repetition),
            agreed(Kind::NoMoves),
            agreed(Kind::Encirclement),
            agreed(Kind::ExitFort),
            tally.unfinished,
            list(&tally.known),
            list(&tally.unexplained)
        );
    }
    println!("\nThe first differences of each kind:");
    for (name, tally) in tallies {
        for ((is_known, kind), story) in &tally.stories {
            let mark = if *is_known { "" } else { "NOT EXPLAINED: " };
            println!("{mark}{name}, {}: {story}", kind_text(*kind));
        }
    }
}

fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::Moves => "moves",
        Kind::Captures => "captures",
        Kind::KingFalls => "king's fall",
        Kind::KingEscapes => "king's escape",
        Kind::Repetition => "repetition",
        Kind::NoMoves => "no moves",
        Kind::Encirclement => "encirclement",
        Kind::ExitFort => "exit fort",
        Kind::Length => "length",
    }
}

fn squares(squares: Bitboard) -> String {
    let names: Vec<String> = squares.iter().map(|square| square.to_string()).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(" ") }
}

fn end_text(end: End) -> String {
    match end {
        End::None => "the game continues".to_owned(),
        End::Draw => "a draw".to_owned(),
        End::Win(winner) => format!("{winner} win"),
    }
}
