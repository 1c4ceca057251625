//! What a host and an interface say to each other, as JSON. `docs/protocol.md` describes it.

use crate::form::{Group, RuleCheck};
use crate::level::LevelInfo;
use crate::puzzle::PuzzleCounts;
use crate::record::Format;
use crate::seat::Seats;
use crate::thinking::Analysis;
use crate::training::TrainingView;
use crate::tree::NodeId;
use crate::value::NodeValue;
use crate::view::{PieceName, RulesView, State};
use crate::work::{ExperimentView, Find, Judgement, LensRow, Mistake, RefutationView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use tablut_rules::{Move, Side, Square};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// A request with the number by which its answer is known.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Call {
    /// Chosen by the interface; [`Event::Done`] and [`Event::Refused`] name it.
    pub id: u32,
    /// What is asked for.
    #[serde(flatten)]
    pub request: Request,
}

/// What an interface asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Request {
    /// A new game takes the place of the present one for this interface.
    New {
        /// The rules.
        rules: RulesAsked,
        /// Who moves first, where the rules draw it.
        first: Option<Side>,
        /// Who plays; two people where it is missing.
        seats: Option<Seats>,
    },
    /// A game that the host has.
    Open {
        /// Its name.
        game: String,
    },
    /// A new game from text: JSON, OTG, moves, a position or a link.
    Import {
        /// The text.
        text: String,
        /// Who plays; two people where it is missing.
        seats: Option<Seats>,
    },
    /// A new game from a position that was set up.
    SetUp {
        /// The rules.
        rules: RulesAsked,
        /// What stands where.
        pieces: BTreeMap<Square, PieceName>,
        /// Who is to move.
        side: Side,
    },
    /// A new game from the present position, with the same rules.
    PlayOn {
        /// Who plays.
        seats: Seats,
    },
    /// A puzzle of the host's.
    Puzzle {
        /// The rule set.
        rules: String,
        /// Moves to the win.
        distance: Option<u32>,
        /// Which one, counted from 0.
        number: usize,
    },
    /// A puzzle of a person's own: a position of a saved game in which the side to move has a short win.
    OwnPuzzle {
        /// The game.
        game: String,
        /// The position.
        node: NodeId,
    },
    /// A move, as text.
    Play {
        /// The move.
        #[serde(rename = "move")]
        mv: String,
    },
    /// Moves from the present position as a variation to look at; the computer does not answer the last one.
    Variation {
        /// The moves.
        moves: Vec<Move>,
    },
    /// Back to a person's turn.
    TakeBack,
    /// One move back.
    Back,
    /// One move forward.
    Forward,
    /// To a position of the tree.
    GoTo {
        /// The position.
        node: NodeId,
    },
    /// The computer moves for the side to move, whoever plays it.
    MoveNow,
    /// A side gives up: the one to move where the interface does not say.
    Resign {
        /// The side.
        side: Option<Side>,
    },
    /// Other players.
    Seats {
        /// Who plays.
        seats: Seats,
    },
    /// A position and all that follows it are removed.
    Remove {
        /// The position.
        node: NodeId,
    },
    /// The line to a position becomes the main one.
    Promote {
        /// The position.
        node: NodeId,
    },
    /// A comment.
    Comment {
        /// The position.
        node: NodeId,
        /// The text.
        text: String,
    },
    /// Analysis of the present position, now and after every move, until it is switched off.
    Analyse {
        /// On or off.
        on: bool,
    },
    /// The computer's advice: its move at full strength, once.
    Hint,
    /// What the opponent would do if it were its turn.
    Threat,
    /// A review of the line that the game is on.
    Review,
    /// One of the review's exercises.
    Exercise {
        /// Which one, counted from 0.
        index: usize,
    },
    /// An answer to the exercise or puzzle.
    Try {
        /// The move.
        #[serde(rename = "move")]
        mv: String,
    },
    /// The solution of the exercise or puzzle.
    Solve,
    /// Leaves the exercise or puzzle; its position stays.
    Leave,
    /// The proof of a result, one level of it: of the present position, or of the one after some moves.
    Refute {
        /// The moves.
        moves: Vec<Move>,
    },
    /// The present position as each checkpoint of the host's run sees it.
    Glances,
    /// Puzzles in saved games.
    FindPuzzles {
        /// The games' names.
        games: Vec<String>,
    },
    /// The present position under all rule sets.
    Lens,
    /// Whether the values of the form make rules.
    CheckRules {
        /// The values.
        set: Value,
    },
    /// The net plays itself under the form's rules.
    Experiment {
        /// The values.
        set: Value,
        /// Games at each strength.
        games: u32,
    },
    /// A net is trained from nothing on the form's rules for a few minutes.
    Train {
        /// The values.
        set: Value,
    },
    /// Ends the training.
    StopTraining,
    /// Ends what goes on in the background: review, lens, experiment, glances, the search for puzzles.
    Stop,
    /// The game as a text or picture.
    Export {
        /// Which.
        format: Format,
    },
    /// The link that carries rules, position and moves.
    Link,
}

/// Rules by name or in full.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RulesAsked {
    /// A built-in set.
    Name(String),
    /// A rule file's text.
    Toml(String),
}

/// What a host tells.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Event {
    /// Sent first: what there is to choose from.
    Hello(Box<Hello>),
    /// A game is open; what follows is about it.
    Game {
        /// The name by which the host knows it.
        game: String,
    },
    /// The rules of the game.
    Rules(Box<RulesView>),
    /// The game as it stands.
    State(Box<State>),
    /// The computer begins to think about its move, or ends.
    Thinking {
        /// Which.
        on: bool,
    },
    /// What an analysis sees so far.
    Analysis {
        /// The position.
        node: NodeId,
        /// What is seen.
        analysis: Box<Analysis>,
        /// Whether it has ended.
        done: bool,
    },
    /// What the opponent would do if it were its turn.
    Threat {
        /// The position.
        node: NodeId,
        /// What the opponent would do.
        analysis: Box<Analysis>,
    },
    /// The computer's advice.
    Hint {
        /// The position.
        node: NodeId,
        /// The move.
        #[serde(rename = "move")]
        mv: Move,
    },
    /// A position's value.
    Value {
        /// The position.
        node: NodeId,
        /// What a search found.
        value: NodeValue,
    },
    /// How far a review is.
    ReviewProgress {
        /// Positions looked at.
        done: usize,
        /// Positions in all.
        of: usize,
    },
    /// What a review found, without the solutions.
    Review {
        /// The mistakes.
        mistakes: Vec<Mistake>,
        /// Positions looked at.
        positions: usize,
    },
    /// An exercise has begun.
    Exercise {
        /// Which of the review's; none for a puzzle.
        index: Option<usize>,
        /// What is asked for.
        task: String,
    },
    /// The exercise was left.
    ExerciseLeft,
    /// What an answer is worth, or the solution.
    Judgement(Box<Judgement>),
    /// The present position under a rule set.
    Lens(Box<LensRow>),
    /// All rule sets have been looked at.
    LensDone,
    /// Whether the form's values make rules.
    RuleCheck(Box<RuleCheck>),
    /// How an experiment stands.
    Experiment {
        /// The counts.
        experiment: Box<ExperimentView>,
        /// Whether it has ended.
        done: bool,
    },
    /// One level of a proof, as far as it is known; comes again until `done`.
    Refutation(Box<RefutationView>),
    /// The present position as a checkpoint of the host's run sees it.
    Glance {
        /// The position.
        node: NodeId,
        /// Which of the checkpoints.
        checkpoint: usize,
        /// What its net sees.
        analysis: Box<Analysis>,
    },
    /// Puzzles found in saved games.
    FoundPuzzles {
        /// The puzzles, without their solutions.
        puzzles: Vec<Find>,
        /// Games looked through.
        looked: usize,
        /// Games in all.
        of: usize,
    },
    /// How a training stands.
    Training(Box<TrainingView>),
    /// The game as a text or picture.
    Export {
        /// Which.
        format: Format,
        /// A name for its file.
        name: String,
        /// The text.
        text: String,
    },
    /// The link's fragment.
    Link {
        /// What belongs after `#`.
        fragment: String,
    },
    /// A request has been met.
    Done {
        /// Its number.
        re: u32,
    },
    /// A request cannot be met.
    Refused {
        /// Its number; 0 where none could be read.
        re: u32,
        /// Why not.
        error: String,
    },
}

/// What there is to choose from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The program's version.
    pub version: String,
    /// The rule sets.
    pub rule_sets: Vec<RuleSetInfo>,
    /// The levels.
    pub levels: Vec<LevelInfo>,
    /// The nets, the first of which plays unless another is named.
    pub nets: Vec<String>,
    /// What these nets are, one object each: name, shape, parameters, rules, training, hash, card.
    pub about_nets: Vec<serde_json::Value>,
    /// The checkpoints of a run, the earliest first, where the host has been given one.
    pub checkpoints: Vec<String>,
    /// Whether the host can train a net.
    pub trains: bool,
    /// The puzzles.
    pub puzzles: Vec<PuzzleCounts>,
    /// The workshop's form.
    pub form: Vec<Group>,
}

/// A rule set that can be chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleSetInfo {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// Its values, for the form.
    pub set: Value,
    /// Whether who moves first is drawn.
    pub drawn: bool,
    /// What sets it apart, in a line.
    pub summary: String,
}
