//! The messages between a host and an interface, as JSON. The crate's README describes them and all their fields.

use crate::clock::TimeControl;
use crate::exercise::{Judgement, LessonStep};
use crate::form::RuleCheck;
use crate::grade::{GradeScale, SideReviews};
use crate::level::LevelInfo;
use crate::player::{Offer, Players};
use crate::puzzle::PuzzleCounts;
use crate::record::Format;
use crate::report::GameEnding;
use crate::results::{ExperimentView, FoundPuzzle, LensRow, Mistake, RefutationView};
use crate::teaching::{TaughtNet, TrainingGame, TrainingView};
use crate::thinking::Analysis;
use crate::tree::{NodeId, NodeValue};
use crate::view::{RulesView, State};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tablut_rules::{Move, RuleSet, Rules, Side, Square, json_fault};

pub const PROTOCOL: u32 = 3;

/// The largest request that a server reads, in bytes.
pub const MAX_MESSAGE: usize = 256 << 10;

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Call {
    /// Chosen by the interface. [`Event::Done`] and [`Event::Refused`] repeat it.
    pub id: u64,
    #[serde(flatten)]
    pub request: Request,
}

/// Reads a [`Call`] or a type that contains one. If the text is not valid, returns the event that refuses it.
pub fn read_call<C: DeserializeOwned>(text: &str) -> Result<C, Event> {
    serde_json::from_str(text).map_err(|error| {
        // Only the number, because a tree of a long text takes much time and memory.
        let re = serde_json::from_str::<Numbered>(text).map_or(0, |call| call.id);
        Event::Refused { re, error: format!("not a request: {}", json_fault(&error)) }
    })
}

/// A call of which only the number is read.
#[derive(Deserialize)]
struct Numbered {
    id: u64,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Request {
    /// Opens a new game, which replaces the current one for this interface. `first` is the side that moves first. It
    /// must agree with the rules, unless they draw the side. Without `players` two people play. With `seats` each of
    /// two people has a seat, and all other interfaces can only watch. With `clock` their time is limited. With
    /// `pauses_on_blunders` the computer does not reply to a person's blunder until [`Request::MoveNow`].
    New {
        rules: RequestedRules,
        first: Option<Side>,
        players: Option<Players>,
        seats: Option<bool>,
        pauses_on_blunders: Option<bool>,
        clock: Option<TimeControl>,
    },
    /// Takes the seat with this secret, for this interface. The seat then belongs to `key`, which the interface chooses.
    Sit {
        seat: String,
        #[serde(default)]
        key: String,
    },
    /// Opens the host's game of this name.
    Open { game: String },
    /// Opens a new game from text: JSON, OTG, moves, a position or a link.
    Import { text: String, players: Option<Players> },
    /// Opens a new game from a list of pieces.
    SetUp { rules: RequestedRules, pieces: BTreeMap<Square, String>, side: Side },
    /// Opens a new game from the current position, with the same rules.
    PlayOn { players: Players },
    /// Opens a copy of the game to study it from the current position: both sides are the person's own.
    Study,
    /// Opens one of the host's puzzles: the one with index `number` among those with a win in `distance` moves of the
    /// side to move.
    Puzzle { rules: String, distance: Option<u32>, number: usize },
    /// Opens a puzzle from a saved game: a position in which the side to move has a short win.
    OwnPuzzle { game: String, node: NodeId },
    /// Opens a new game with a step of the lesson about the current rules as an exercise.
    Lesson { step: usize },
    /// Makes a move.
    Play {
        #[serde(rename = "move")]
        mv: String,
    },
    /// Plays moves from the current position as a variation. The computer does not answer the last one.
    Variation { moves: Vec<Move> },
    /// Goes back to a person's turn.
    TakeBack,
    /// Goes one move back.
    Back,
    /// Goes one move forward.
    Forward,
    /// Goes to a position of the tree.
    GoTo { node: NodeId },
    /// The computer moves for the side to move, even if a person plays this side.
    MoveNow,
    /// A side resigns. Without `side` it is the only person's side, or the side to move.
    Resign { side: Option<Side> },
    /// A side of a game with seats offers something. If the other side has offered the same, it is accepted.
    Offer { side: Side, what: Offer },
    /// A side declines the other side's offer, or withdraws its own.
    Decline { side: Side },
    /// Ends the game if the time of the side to move is up.
    Flag,
    /// Changes the players.
    Players { players: Players },
    /// Removes a position and everything after it.
    Remove { node: NodeId },
    /// Makes the line to a position the main line.
    Promote { node: NodeId },
    /// Writes a comment on a position.
    Comment { node: NodeId, text: String },
    /// Switches the analysis on or off. While it is on, every new position is analysed by this net, by default the first.
    Analyse {
        on: bool,
        #[serde(default)]
        net: usize,
    },
    /// Asks for the computer's advice.
    Hint,
    /// Asks what the opponent would do if it were its turn.
    Threat,
    /// Starts a review of the current line.
    Review,
    /// Starts the review's exercise with this index.
    Exercise { index: usize },
    /// Answers the exercise or puzzle.
    Try {
        #[serde(rename = "move")]
        mv: String,
    },
    /// Asks for the solution of the exercise or puzzle.
    Solve,
    /// Leaves the exercise or puzzle. The current position does not change.
    Leave,
    /// Asks for one level of the proof of a result: the level of the position after `moves`.
    Refute { moves: Vec<Move> },
    /// Asks for the analysis of the current position by the net of each checkpoint of the run.
    Checkpoints,
    /// Looks for puzzles in saved games.
    FindPuzzles { games: Vec<String> },
    /// Asks for these saved games as one file.
    ExportGames { games: Vec<String> },
    /// Adds saved games to the host's: a list of them in JSON, as in the file of [`Request::ExportGames`]. Those that are
    /// among `games` already are skipped.
    ImportGames { text: String, games: Vec<String> },
    /// Analyses the current position under each rule set.
    Lens,
    /// Checks whether a form's values are valid rules.
    CheckRules { set: Value },
    /// The net plays itself under the form's rules. `games` is the number of games at each strength.
    Experiment { set: Value, games: u32 },
    /// Teaches a new net these rules for a number of seconds, or without a limit.
    Teach { rules: RequestedRules, seconds: Option<u32> },
    /// Teaches the net of an earlier run for this number of further seconds, or without a limit.
    TeachOn { run: String, seconds: Option<u32> },
    /// Stops a run, or removes it from the queue. What it has learnt stays.
    StopTeaching { run: String },
    /// Asks for the list of runs. From then on this interface receives [`Event::Training`] and [`Event::TrainingGame`].
    TaughtNets,
    /// Asks for the state of a run.
    ShowTaught { run: String },
    /// Deletes a run that is not in progress.
    ForgetTaught { run: String },
    /// Asks for the model file of a run's newest net.
    DownloadNet { run: String },
    /// Stops the review, the lens, the experiment, the checkpoints and the search for puzzles.
    Stop,
    /// Asks for the game, the position or the rules as a file.
    Export { format: Format },
    /// Asks for the link that contains rules, position and moves.
    Link,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestedRules {
    Name(String),
    Toml(String),
}

impl Request {
    /// Whether the request is about the nets that a host teaches, which needs no game.
    pub fn is_about_teaching(&self) -> bool {
        matches!(
            self,
            Self::Teach { .. }
                | Self::TeachOn { .. }
                | Self::StopTeaching { .. }
                | Self::TaughtNets
                | Self::ShowTaught { .. }
                | Self::ForgetTaught { .. }
                | Self::DownloadNet { .. }
        )
    }
}

impl RequestedRules {
    pub fn compiled(&self) -> Result<Arc<Rules>, String> {
        let set = match self {
            Self::Name(name) => RuleSet::named(name),
            Self::Toml(text) => RuleSet::from_toml(text),
        };
        set.and_then(Rules::new).map(Arc::new).map_err(|error| error.to_string())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Event {
    /// The first event: everything that can be chosen.
    Hello(Box<Hello>),
    /// The game of this name is open. The events that follow are about it.
    Game { game: String },
    /// The rules of the game.
    Rules(Box<RulesView>),
    /// The state of the game.
    State(Box<State>),
    /// The secrets of the seats, for the interface that has begun the game.
    Seats { attackers: String, defenders: String },
    /// The seat that this interface has taken.
    Seat { side: Side },
    /// Who has the seats of a game with seats.
    Presence { attackers: Presence, defenders: Presence },
    /// Both people want another game: its name, and the secret of this interface's seat there.
    Rematch { game: String, seat: String },
    /// The computer starts or stops thinking about its move.
    Thinking { on: bool },
    /// The result of an analysis so far. `done` is set in the last one.
    Analysis { node: NodeId, analysis: Box<Analysis>, done: bool },
    /// The best move of the opponent if it were its turn.
    Threat { node: NodeId, analysis: Box<Analysis> },
    /// The computer's advice, and what the move is good for in words. A quiet move has no words.
    Hint {
        node: NodeId,
        #[serde(rename = "move")]
        mv: Move,
        words: String,
    },
    /// A position's value.
    Value { node: NodeId, value: NodeValue },
    /// The progress of a review: `done` of `of` positions.
    ReviewProgress { done: usize, of: usize },
    /// The result of a review of `positions` positions, without the solutions, and the scale of its grades.
    Review { mistakes: Vec<Mistake>, positions: usize, accuracy: Box<SideReviews>, scale: GradeScale },
    /// An exercise has begun. `index` is its index in the review, `None` for a puzzle or lesson.
    Exercise { index: Option<usize>, task: String, lesson: Option<Box<LessonStep>> },
    /// The exercise was left.
    ExerciseLeft,
    /// The verdict on an answer, or the solution.
    Judgement(Box<Judgement>),
    /// The current position under one rule set.
    Lens(Box<LensRow>),
    /// The lens has finished.
    LensDone,
    /// The check of a form's values.
    RuleCheck(Box<RuleCheck>),
    /// The results of an experiment so far. `done` is set in the last one.
    Experiment { experiment: Box<ExperimentView>, done: bool },
    /// One level of a proof, with the known replies.
    Refutation(Box<RefutationView>),
    /// The analysis of a position by the net of the checkpoint with this index.
    CheckpointAnalysis { node: NodeId, checkpoint: usize, analysis: Box<Analysis> },
    /// Puzzles found so far, without their solutions. `looked` of `of` games have been searched.
    FoundPuzzles { puzzles: Vec<FoundPuzzle>, looked: usize, of: usize },
    /// The state of a run that teaches a net.
    Training(Box<TrainingView>),
    /// A game that the newest net of a run has played against itself.
    TrainingGame(Box<TrainingGame>),
    /// The runs of this host, the latest first. A host has a limit for their sum of `bytes`. `refused` says why this
    /// interface cannot teach.
    TaughtNets { runs: Vec<TaughtNet>, bytes: u64, most_bytes: u64, refused: Option<String> },
    /// A model file with a name for it.
    NetFile { name: String, base64: String },
    /// The game, the position or the rules as the text of a file, with a name for it.
    Export { format: Format, name: String, text: String },
    /// The games that were added.
    ImportedGames { games: Vec<GameEntry> },
    /// The part of the link after `#`.
    Link { fragment: String },
    /// The request with the id `re` has succeeded.
    Done { re: u64 },
    /// The request with the id `re` has failed. `re` is 0 if there is no such request.
    Refused { re: u64, error: String },
}

/// A saved game for a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameEntry {
    pub game: String,
    pub rules: String,
    pub players: Players,
    pub plies: u32,
    pub ending: Option<GameEnding>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// Nobody has taken the seat.
    Free,
    /// Whoever has taken the seat shows the game.
    Here,
    Away,
}

impl Event {
    pub fn end(re: u64, result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::Done { re },
            Err(error) => Self::Refused { re, error },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hello {
    pub protocol: u32,
    pub version: String,
    /// The boards, the smallest first.
    pub boards: Vec<BoardInfo>,
    pub rule_sets: Vec<RuleSetInfo>,
    pub levels: Vec<LevelInfo>,
    /// The nets. The first one plays unless another is chosen.
    pub nets: Vec<String>,
    /// Information about these nets, one object for each: name, shape, parameters, rules, training, hash,
    /// card.
    pub about_nets: Vec<Value>,
    /// The checkpoints of a run, the earliest first. Empty if the host has no run.
    pub checkpoints: Vec<String>,
    pub trains: bool,
    /// The path of a page about a training run, relative to this page.
    pub run_page: Option<String>,
    pub puzzles: Vec<PuzzleCounts>,
    /// The form of a rule set's clauses: groups of fields, as in `rule_form.json`.
    pub form: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardInfo {
    /// Squares along one side.
    pub size: usize,
    /// The name of the game that is played most on this board.
    pub title: &'static str,
    /// The pieces at the start of the usual rules, as rows from the top.
    pub start: String,
    /// The rule set that is offered first.
    pub rules: &'static str,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleSetInfo {
    pub name: String,
    pub title: String,
    pub source: String,
    /// Squares along one side of its board.
    pub size: usize,
    /// The clauses as in a rule file, with the start position.
    pub set: Value,
    /// Whether the side that moves first is drawn.
    pub drawn: bool,
    pub summary: String,
}
