//! Games.

use crate::action::{action_of, move_of, n_actions};
use crate::encoding::{batch_dict, batch_of, index_array, indices_array, symmetry};
use crate::errors::{illegal_move, type_error, value_error};
use crate::items::Items;
use crate::rules::{PyRules, RulesArgument, side};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use std::sync::Arc;
use tablut_net::{PLANES, PolicyIndex};
use tablut_rules::{Bitboard, Game, Move, MoveList, Outcome, Position, Rules, Square, Symmetry};
use tablut_search::Situation;
use tablut_session::board_text::{Style, board_text};
use tablut_session::picture;

/// How a game ended.
#[pyclass(eq, frozen, name = "Outcome", module = "tablut")]
#[derive(PartialEq)]
pub(crate) struct PyOutcome {
    pub(crate) outcome: Outcome,
}

#[pymethods]
impl PyOutcome {
    /// `"attackers"`, `"defenders"`, or `None` for a draw.
    #[getter]
    fn winner(&self) -> Option<String> {
        self.outcome.winner.map(|side| side.to_string())
    }

    /// `"king-captured"`, `"king-escaped"`, `"no-moves"`, `"repetition"`, `"aggressor"`, `"no-captures"` or
    /// `"ply-limit"`.
    #[getter]
    fn reason(&self) -> &'static str {
        self.outcome.reason.name()
    }

    fn __repr__(&self) -> String {
        format!("<Outcome: {}>", self.outcome)
    }

    fn __str__(&self) -> String {
        self.outcome.to_string()
    }
}

/// A game: a position with its history.
///
/// Moves are texts such as `"d1-d3"`, or `"d1-d3xd4"` to choose the captured piece, or action numbers. Positions are
/// texts such as `"3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a"`. Games can be pickled and copied. Use a game
/// in one thread at a time.
#[pyclass(name = "Game", module = "tablut")]
pub(crate) struct PyGame {
    pub(crate) game: Game,
}

impl PyGame {
    fn moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.game.legal_moves(&mut moves);
        moves
    }

    /// The query for an evaluation. After the end of the game it has no moves.
    fn situation(&self) -> Situation {
        self.game.owned_situation(&self.moves())
    }

    /// Fails if the game is over. `name` is the game's name in the message.
    pub(crate) fn expect_open(&self, name: impl FnOnce() -> String) -> PyResult<()> {
        match self.game.outcome() {
            None => Ok(()),
            Some(outcome) => Err(value_error(format!("{} is over: {outcome}", name()))),
        }
    }

    fn read(&self, mv: &Bound<'_, PyAny>) -> PyResult<Move> {
        if let Ok(text) = mv.cast::<PyString>() {
            return self.game.rules().read_move(self.game.position(), text.to_cow()?.as_ref()).map_err(illegal_move);
        }
        let action = mv
            .extract::<usize>()
            .map_err(|_| type_error(format!("move {mv}: expected a text such as \"d1-d3\", or an action number")))?;
        move_of(self.game.position().size(), action).filter(|_| action < n_actions(self.game.rules())).ok_or_else(
            || illegal_move(format!("action {action} is no move under the rules {}", self.game.rules().name())),
        )
    }
}

#[pymethods]
impl PyGame {
    #[new]
    #[pyo3(signature = (rules=None, position=None, *, first=None, moves=None, max_plies=None))]
    fn new(
        rules: Option<RulesArgument>,
        position: Option<&str>,
        first: Option<&str>,
        moves: Option<Items<String>>,
        max_plies: Option<u32>,
    ) -> PyResult<Self> {
        let rules = RulesArgument::or_usual(rules)?;
        let moves = moves.map_or_else(Vec::new, |moves| moves.0);
        let first_move = moves.first().map(String::as_str);
        let position = rules.opening_of(side(first)?, position, first_move).map_err(value_error)?;
        let mut game = begin(rules, position, max_plies)?;
        for (place, text) in moves.iter().enumerate() {
            let ply = place + 1;
            let mv = game.rules().read_move(game.position(), text);
            let played = mv.and_then(|mv| Ok(game.play(mv)?));
            played.map_err(|error| illegal_move(format!("ply {ply}: {error}")))?;
        }
        Ok(Self { game })
    }

    /// Creates the game again, for `pickle` and `copy`.
    #[classmethod]
    #[pyo3(name = "_restore")]
    fn restore(
        _class: &Bound<'_, PyType>,
        rules: RulesArgument,
        position: &str,
        moves: Items<String>,
        max_plies: Option<u32>,
    ) -> PyResult<Self> {
        Self::new(Some(rules), Some(position), None, Some(moves), max_plies)
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules { rules: self.game.rules().clone() }
    }

    /// The current position as text.
    #[getter]
    fn position(&self) -> String {
        self.game.position().to_string()
    }

    /// The position at the start of the game as text.
    #[getter]
    fn start(&self) -> String {
        self.game.start().to_string()
    }

    /// The side to move: `"attackers"` or `"defenders"`.
    #[getter]
    fn side_to_move(&self) -> String {
        self.game.position().side_to_move().to_string()
    }

    /// The number of plies played.
    #[getter]
    fn ply(&self) -> u32 {
        self.game.ply()
    }

    /// The moves played, in order.
    #[getter]
    fn history(&self) -> Vec<String> {
        self.game.moves().map(|mv| mv.to_string()).collect()
    }

    /// How the game ended, or `None` if it is not over.
    #[getter]
    fn outcome(&self) -> Option<PyOutcome> {
        self.game.outcome().map(|outcome| PyOutcome { outcome })
    }

    /// The number of the king's escape routes, 0 to 4. It is 0 if the game is over.
    #[getter]
    fn routes(&self) -> u32 {
        self.game.routes()
    }

    /// The number of earlier occurrences of the position that count under the repetition rule.
    #[getter]
    fn occurrences(&self) -> u32 {
        self.game.occurrences()
    }

    /// The number of plies since the last capture.
    #[getter]
    fn plies_since_capture(&self) -> u32 {
        self.game.plies_since_capture()
    }

    /// The ply at which the game is a draw, or `None`.
    #[getter]
    fn max_plies(&self) -> Option<u32> {
        self.game.max_plies()
    }

    /// The legal moves as texts, ordered by from square, direction, distance and choice. Empty if the game is over.
    fn legal_moves(&self) -> Vec<String> {
        self.moves().iter().map(ToString::to_string).collect()
    }

    /// The actions of the legal moves in the order of `legal_moves`, i64 `[k]`.
    ///
    /// Without a choice of captures an action is the move's policy entry, on Tablut's board 0 to 2591. If the mover
    /// chooses what to capture, 2592 · (1 + d) is added (1176 on 7 × 7 squares, 4840 on 11 × 11), with the direction d from
    /// the destination to the captured piece: north 0, east 1, south 2, west 3.
    fn legal_actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        index_array(py, self.moves().iter().map(|&mv| action_of(self.game.position().size(), mv)))
    }

    /// 1 for every legal action and 0 for the others, i8 `[rules.n_actions]`.
    fn action_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        let mut mask = vec![0; n_actions(self.game.rules())];
        for &mv in &self.moves() {
            mask[action_of(self.game.position().size(), mv)] = 1;
        }
        mask.into_pyarray(py)
    }

    /// The action of a legal move.
    fn action(&self, mv: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mv = self.read(mv)?;
        self.game.rules().check_legal(self.game.position(), mv).map_err(illegal_move)?;
        Ok(action_of(self.game.position().size(), mv))
    }

    /// The text of an action's move, legal or not.
    fn move_text(&self, action: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(self.read(action)?.to_string())
    }

    /// Plays a move and returns the names of the captured squares. It raises `IllegalMoveError` if the move is illegal
    /// or the game is over.
    fn play(&mut self, mv: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        if let Some(outcome) = self.game.outcome() {
            return Err(illegal_move(format!("{mv} is illegal: the game is over ({outcome})")));
        }
        let mv = self.read(mv)?;
        let mut captured: Vec<Square> = self.game.play(mv).map_err(illegal_move)?.captured.iter().collect();
        captured.sort_by_key(|square| (square.column(), square.row()));
        Ok(captured.iter().map(ToString::to_string).collect())
    }

    /// Takes back the last move and returns it.
    fn undo(&mut self) -> PyResult<String> {
        let undone = self.game.undo().map(|mv| mv.to_string());
        undone.ok_or_else(|| value_error("there is no move to take back"))
    }

    /// A game with the same position and history.
    fn copy(&self) -> Self {
        Self { game: self.game.clone() }
    }

    /// The game on the board transformed by one of the eight symmetries, 0 to 7. 0 is the identity.
    fn transformed(&self, symmetry: usize) -> PyResult<Self> {
        let symmetry = self::symmetry(symmetry)?;
        let size = self.game.rules().size();
        let start = symmetry.position(self.game.start());
        let mut game = begin(self.game.rules().clone(), start, self.game.max_plies())?;
        for mv in self.game.moves() {
            game.play(symmetry.mv(size, mv)).map_err(illegal_move)?;
        }
        Ok(Self { game })
    }

    /// The pieces, i8 `[width, width]`: 0 no piece, 1 an attacker, 2 a defender, 3 the king. The first row
    /// is row 1.
    fn board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let size = self.game.position().size();
        let mut board = vec![0; size.n_squares()];
        write_board(self.game.position(), &mut board);
        board.into_pyarray(py).reshape([size.width(), size.width()])
    }

    /// The net's input planes, f32 `[16, width, width]`, each value 0 or 1. `symmetry` transforms the board.
    #[pyo3(signature = (symmetry=0))]
    fn planes<'py>(&self, py: Python<'py>, symmetry: usize) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let batch = batch_of(&[self.situation()], self::symmetry(symmetry)?);
        let width = self.game.position().size().width();
        batch.plane_values().into_pyarray(py).reshape([PLANES, width, width])
    }

    /// The net's features, f32 `[48]`, each from -1 to 1.
    fn features<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        batch_of(&[self.situation()], Symmetry::Identity).features.into_pyarray(py)
    }

    /// The policy indices of the legal moves, u16 `[k, 2]`: the entry, and the entry of the chosen capture or 65535.
    #[pyo3(signature = (symmetry=0))]
    fn policy_index<'py>(&self, py: Python<'py>, symmetry: usize) -> PyResult<Bound<'py, PyArray2<u16>>> {
        let (symmetry, size) = (self::symmetry(symmetry)?, self.game.position().size());
        let indices: Vec<_> =
            self.moves().iter().map(|&mv| PolicyIndex::of(size, mv).transformed(size, symmetry)).collect();
        indices_array(py, &indices)
    }

    /// The board as text, with row 1 at the bottom. The squares of the last move are in brackets.
    #[pyo3(signature = (*, ascii=false, colour=false))]
    fn text(&self, ascii: bool, colour: bool) -> String {
        let style = Style { colour, unicode: !ascii };
        board_text(self.game.rules(), self.game.position(), self.game.moves().last(), style)
    }

    /// The board as an SVG picture.
    fn svg(&self) -> String {
        picture::svg(self.game.rules(), self.game.position(), self.game.moves().last())
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __str__(&self) -> String {
        self.text(false, false)
    }

    fn __repr__(&self) -> String {
        let state = match self.game.outcome() {
            None => format!("{} to move", self.game.position().side_to_move()),
            Some(outcome) => outcome.to_string(),
        };
        format!("<Game: {}, ply {}, {state}>", self.game.rules().name(), self.game.ply())
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyDict>) -> Self {
        self.copy()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Restored)> {
        let again = py.get_type::<Self>().getattr("_restore")?;
        Ok((again, (self.rules(), self.start(), self.history(), self.game.max_plies())))
    }
}

pub(crate) fn begin(rules: Arc<Rules>, start: Position, max_plies: Option<u32>) -> PyResult<Game> {
    let game = Game::from_position(rules, start).map_err(value_error)?;
    Ok(match max_plies {
        Some(max_plies) => game.with_max_plies(max_plies),
        None => game,
    })
}

type Restored = (PyRules, String, Vec<String>, Option<u32>);

/// Writes the pieces of a position: 1 an attacker, 2 a defender, 3 the king. The board must contain zeros.
pub(crate) fn write_board(position: &Position, board: &mut [i8]) {
    let size = position.size();
    let mut write = |squares: Bitboard, piece: i8| squares.iter().for_each(|square| board[size.place(square)] = piece);
    write(position.attackers(), 1);
    write(position.defenders(), 2);
    write(position.king_board(), 3);
}

/// The games as a dict of arrays for a net: `planes` f32 `[n, 16, width, width]`, `features` f32 `[n, 48]`, `moves` u16
/// `[m, 2]` with the policy indices of all legal moves, `move_ends` u32 `[n]` with the end of each game's moves.
/// `symmetry` transforms the boards. All games must have boards of one size.
#[pyfunction]
#[pyo3(signature = (games, symmetry=0))]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    games: Items<PyRef<'py, PyGame>>,
    symmetry: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let Items(games) = games;
    let symmetry = self::symmetry(symmetry)?;
    let situations: Vec<Situation> = games.iter().map(|game| game.situation()).collect();
    drop(games);
    let batch = py.detach(|| batch_of(&situations, symmetry));
    batch_dict(py, batch)
}
