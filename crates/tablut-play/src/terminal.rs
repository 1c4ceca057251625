//! The terminal: reads lines, writes the board and what happens. Works on any reader and writer.

use crate::board_text::{Ink, Style, board_text, legend_text};
use crate::events::{Alarm, MoveReport};
use crate::input::{HELP, Input};
use crate::session::{People, Session, SessionError};
use crate::thinker::{MoveOpinion, Opinion};
use std::fmt::Write as _;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use tablut_net::durable;
use tablut_rules::{Move, Side, Square};
use tablut_search::Proof;

/// Bytes of one line that are looked at; what follows is taken as another line.
const MAX_LINE_BYTES: u64 = 4096;
/// Moves that `eval` lists.
const MAX_OPINIONS: usize = 8;

/// How the terminal looks.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct TerminalStyle {
    /// Colours and symbols.
    pub text: Style,
    /// Whether to show a prompt before each line that is read.
    pub prompt: bool,
}

/// Plays `session` until the player leaves or the input ends. Nothing that is typed ends the program with an error; only
/// failures of `input` and `output` do.
pub fn run_terminal(
    session: &mut Session,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    style: TerminalStyle,
) -> io::Result<()> {
    let mut terminal = Terminal { session, output, style };
    terminal.greet()?;
    loop {
        while terminal.session.is_computers_turn() {
            match terminal.session.computer_move() {
                Ok(report) => terminal.show_move(&report)?,
                Err(error) => return terminal.say(&format!("{error}; the game cannot go on")),
            }
        }
        let over = terminal.session.game().outcome().is_some();
        if over && terminal.session.people() == People::Neither {
            return Ok(());
        }
        terminal.prompt(over)?;
        let Some(line) = read_line(input)? else {
            let plies = terminal.session.game().ply();
            return terminal.say(&format!("End of input; the game was left after ply {plies}."));
        };
        match line.parse() {
            Ok(Input::Quit) => return Ok(()),
            Ok(input) => terminal.obey(input)?,
            Err(error) => terminal.say(&error.to_string())?,
        }
    }
}

/// The next line, without its end; none at the end of the input. Bytes that are no UTF-8 come as replacement characters.
fn read_line(input: &mut dyn BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input.take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// A session with somewhere to write to.
struct Terminal<'a> {
    session: &'a mut Session,
    output: &'a mut dyn Write,
    style: TerminalStyle,
}

impl Terminal<'_> {
    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{}", text.trim_end())
    }

    fn greet(&mut self) -> io::Result<()> {
        let you = match self.session.people() {
            People::Attackers => "You play the attackers.",
            People::Defenders => "You play the defenders.",
            People::Both => "You play both sides.",
            People::Neither => "The computer plays itself.",
        };
        let name = self.session.game().rules().name().to_owned();
        self.say(&format!("Tablut, {name} rules. {you} `help` lists the commands."))?;
        let legend = legend_text(self.session.game().rules(), self.style.text);
        self.say(&legend)?;
        self.show_board()
    }

    fn prompt(&mut self, over: bool) -> io::Result<()> {
        if !self.style.prompt {
            return self.output.flush();
        }
        let side = self.session.game().position().side_to_move();
        if over {
            write!(self.output, "game over> ")?;
        } else {
            write!(self.output, "{side}> ")?;
        }
        self.output.flush()
    }

    fn show_board(&mut self) -> io::Result<()> {
        let game = self.session.game();
        let last = game.moves().next_back();
        let text = board_text(game.rules(), game.position(), last, self.style.text);
        writeln!(self.output)?;
        self.say(&text)?;
        let (ply, side) = (self.session.game().ply(), self.session.game().position().side_to_move());
        if self.session.game().outcome().is_none() {
            self.say(&format!("ply {ply}, {side} to move"))?;
        }
        Ok(())
    }

    fn obey(&mut self, input: Input) -> io::Result<()> {
        match input {
            Input::Empty | Input::Quit => Ok(()),
            Input::Move(mv) => {
                let result = self.session.play(mv);
                self.after_move(result)
            }
            Input::Go => {
                let result = self.session.computer_move();
                self.after_move(result)
            }
            Input::Moves(square) => self.list_moves(square),
            Input::Undo => match self.session.undo() {
                Ok(plies) => {
                    self.say(&format!("took back {plies} {}", if plies == 1 { "move" } else { "moves" }))?;
                    self.show_board()
                }
                Err(error) => self.say(&error.to_string()),
            },
            Input::Hint => match self.session.opinion() {
                Ok(opinion) => self.say(&hint_text(&opinion)),
                Err(error) => self.say(&error.to_string()),
            },
            Input::Eval => match self.session.opinion() {
                Ok(opinion) => self.say(&opinion_text(&opinion)),
                Err(error) => self.say(&error.to_string()),
            },
            Input::Board => self.show_board(),
            Input::Rules => {
                let text = self.session.game().rules().set().explanation();
                self.say(&text)
            }
            Input::Position => {
                let text = self.session.game().position().to_string();
                self.say(&text)
            }
            Input::History => {
                let text = history_text(&self.session.history(), self.session.game().start().side_to_move());
                self.say(&text)
            }
            Input::Save(path) => self.save(&path),
            Input::Help => self.say(HELP),
        }
    }

    fn after_move(&mut self, result: Result<MoveReport, SessionError>) -> io::Result<()> {
        match result {
            Ok(report) => self.show_move(&report),
            Err(error) => self.say(&error.to_string()),
        }
    }

    fn show_move(&mut self, report: &MoveReport) -> io::Result<()> {
        self.show_board()?;
        let style = self.style.text;
        let mut text = format!("{} {}", report.side, report.mv);
        for (square, piece) in &report.captured {
            let _ = write!(text, ", captures the {piece} on {square}");
        }
        self.say(&text)?;
        match report.alarm {
            Some(Alarm::Raichi) => self.say(&style.paint(Ink::Alarm, "Raichi! The king has a way out."))?,
            Some(Alarm::Tuichi) => self.say(&style.paint(Ink::Alarm, "Tuichi! The king has more than one way out."))?,
            None => {}
        }
        match (report.outcome, report.occurrences) {
            (Some(outcome), _) => {
                let text = match outcome.winner {
                    Some(side) => format!("The {side} win: {}.", outcome.reason),
                    None => format!("The game is a draw: {}.", outcome.reason),
                };
                self.say(&style.paint(Ink::King, &text))
            }
            (None, 0) => Ok(()),
            (None, 1) => self.say("This position has come up once before."),
            (None, n) => self.say(&format!("This position has come up {n} times before.")),
        }
    }

    fn list_moves(&mut self, square: Option<Square>) -> io::Result<()> {
        let moves = match square {
            Some(square) => self.session.moves_from(square),
            None => self.session.moves(),
        };
        match moves {
            Ok(moves) => self.say(&moves_text(&moves)),
            Err(error) => self.say(&error.to_string()),
        }
    }

    fn save(&mut self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&self.session.saved()).map_err(io::Error::other)? + "\n";
        match durable::write(path, text.as_bytes()) {
            Ok(()) => self.say(&format!("saved to {}", path.display())),
            Err(error) => self.say(&format!("cannot write {}: {error}", path.display())),
        }
    }
}

/// Moves by the piece that makes them, one line each.
fn moves_text(moves: &[Move]) -> String {
    let mut text = String::new();
    for (place, mv) in moves.iter().enumerate() {
        let same_piece = place > 0 && moves[place - 1].from == mv.from;
        text.push_str(if same_piece { " " } else { "\n" });
        let _ = write!(text, "{mv}");
    }
    text.trim_start().to_owned() + &format!("\n{} moves", moves.len())
}

fn history_text(moves: &[Move], first: Side) -> String {
    if moves.is_empty() {
        return "no moves yet".to_owned();
    }
    let mut text = format!("{first} first:");
    for (place, pair) in moves.chunks(2).enumerate() {
        let _ = write!(text, "\n{:>3}.", place + 1);
        for mv in pair {
            let _ = write!(text, " {mv}");
        }
    }
    text
}

fn hint_text(opinion: &Opinion) -> String {
    opinion.best_move().map_or_else(|| "there is no move".to_owned(), |mv| format!("hint: {mv}"))
}

/// A position's value in words, and the moves that were looked at most.
fn opinion_text(opinion: &Opinion) -> String {
    match opinion {
        Opinion::Net { value, proven, simulations, moves } => {
            let mut text = format!("{} after {simulations} simulations", chances_text(*value));
            if let Some(proof) = proven {
                let _ = write!(text, "\nproven: {}", proof_text(*proof));
            }
            let _ = write!(text, "\n{:<11} {:>6}  {:>6}  attackers", "move", "visits", "policy");
            moves.iter().take(MAX_OPINIONS).for_each(|opinion| text.push_str(&opinion_line(opinion)));
            text
        }
        Opinion::Engine { score, wins_in_plies, depth, moves } => {
            let standing = match wins_in_plies {
                Some((side, plies)) => format!("the {side} win within {plies} plies"),
                None => format!("attackers {:+.1} defenders' worth", f64::from(*score) / 100.0),
            };
            let moves: Vec<String> = moves.iter().take(MAX_OPINIONS).map(ToString::to_string).collect();
            format!("{standing}, by the hand-written engine at {depth} plies\nbest: {}", moves.join(" "))
        }
    }
}

fn opinion_line(opinion: &MoveOpinion) -> String {
    let proof = opinion.proven.map_or(String::new(), |proof| format!("  {}", proof_text(proof)));
    format!(
        "\n{:<11} {:>6}  {:>4.1} %  {:>7.0} %{proof}",
        opinion.mv.to_string(),
        opinion.visits,
        100.0 * opinion.prior,
        50.0 * (1.0 + opinion.value)
    )
}

/// A value between −1 and 1 as the two sides' chances.
fn chances_text(value: f32) -> String {
    let attackers = 50.0 * (1.0 + value);
    format!("attackers {attackers:.0} %, defenders {:.0} %", 100.0 - attackers)
}

fn proof_text(proof: Proof) -> String {
    match proof.winner {
        Some(side) => format!("the {side} win within {} plies", proof.plies),
        None => "a draw".to_owned(),
    }
}
