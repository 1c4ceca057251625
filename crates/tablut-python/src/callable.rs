//! Python callables as evaluators. They receive batches as arrays and return policy and value.

use crate::encoding::planes_array;
use crate::errors::{type_error, value_error};
use numpy::ndarray::{ArrayViewD, Axis};
use numpy::{IntoPyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::mpsc::{SyncSender, sync_channel};
use tablut_net::{FEATURES, InputBatch, encode, policy_entries};
use tablut_rules::BoardSize;
use tablut_search::{Chances, EvaluateError, Evaluation, Evaluator, Situation};

/// The tolerance for rounding in values and in sums of probabilities.
const TOLERANCE: f32 = 1e-3;

/// Positions for a callable.
pub(crate) struct Batch {
    /// The index of the callable.
    pub(crate) callable: usize,
    pub(crate) input: InputBatch,
    pub(crate) answers: SyncSender<Vec<Evaluation>>,
}

/// An evaluator that sends its batches to the thread that calls the callable.
pub(crate) struct CallableEvaluator<T> {
    /// The index of the callable.
    pub(crate) callable: usize,
    pub(crate) to_caller: SyncSender<Message<T>>,
}

impl<T: Send> Evaluator for CallableEvaluator<T> {
    fn evaluate(&mut self, queries: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        if queries.is_empty() {
            return Ok(Vec::new());
        }
        let mut input = InputBatch::default();
        for query in queries {
            encode(&query.borrowed(), &mut input);
        }
        let (answers, answered) = sync_channel(1);
        let stopped = || EvaluateError::new("the evaluator was stopped");
        let batch = Batch { callable: self.callable, input, answers };
        self.to_caller.send(Message::Batch(batch)).map_err(|_| stopped())?;
        answered.recv().map_err(|_| stopped())
    }
}

/// A message from the threads of the work to the calling thread.
pub(crate) enum Message<T> {
    Batch(Batch),
    Part(T),
    Done,
}

impl Batch {
    /// Calls the callable, once for each size of board, and sends the answers. Returns an exception of the callable unchanged.
    pub(crate) fn answer(self, py: Python<'_>, callables: &[Py<PyAny>]) -> PyResult<()> {
        let Self { callable, input, answers } = self;
        let mut found: Vec<(usize, Evaluation)> = Vec::with_capacity(input.n);
        for part in input.parts() {
            let planes = planes_array(py, &part.input, 1.0_f32)?;
            let features = part.input.features.clone().into_pyarray(py).reshape([part.input.n, FEATURES])?;
            let result = callables[callable].bind(py).call1((planes, features))?;
            found.extend(part.rows.iter().copied().zip(evaluations(&result, part.size, &part.input)?));
        }
        found.sort_by_key(|(row, _)| *row);
        // Sending fails if the search was stopped meanwhile.
        let _ = answers.send(found.into_iter().map(|(_, evaluation)| evaluation).collect());
        Ok(())
    }
}

fn evaluations(result: &Bound<'_, PyAny>, size: BoardSize, input: &InputBatch) -> PyResult<Vec<Evaluation>> {
    let form = "expected a tuple (policy, value) or (policy, value, moves_left)";
    // ONNX Runtime returns a list.
    let parts = match result.cast::<PyList>() {
        Ok(list) => list.to_tuple(),
        Err(_) => result.cast::<PyTuple>().cloned().map_err(|_| {
            let kind = result.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
            type_error(format!("the evaluator returned {kind}: {form}"))
        })?,
    };
    if !(2..=3).contains(&parts.len()) {
        return Err(type_error(format!("the evaluator returned a tuple of {}: {form}", parts.len())));
    }
    let n = input.n;
    let policy = floats(&parts.get_item(0)?, "policy", &[&[n, policy_entries(size)]])?;
    let value = floats(&parts.get_item(1)?, "value", &[&[n], &[n, 1], &[n, 3]])?;
    let moves_left = match parts.len() {
        3 => Some(floats(&parts.get_item(2)?, "moves_left", &[&[n], &[n, 1]])?),
        _ => None,
    };
    let (policy, value) = (policy.as_array(), value.as_array());
    let moves_left = moves_left.as_ref().map(PyReadonlyArrayDyn::as_array);
    let evaluation = |row: usize| {
        let moves_left = moves_left.as_ref().map_or(0.0, |moves_left| first_of(moves_left, row));
        if !moves_left.is_finite() || moves_left < 0.0 {
            return Err(value_error(format!("the evaluator's moves_left[{row}] is {moves_left}: expected 0 or more")));
        }
        Ok(Evaluation { logits: logits(&policy, row, input)?, wdl: chances(&value, row)?, moves_left })
    };
    (0..n).map(evaluation).collect()
}

/// An array of floats with one of these shapes. Other float types are converted to f32.
fn floats<'py>(object: &Bound<'py, PyAny>, name: &str, shapes: &[&[usize]]) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let array = object.py().import("numpy")?.call_method1("asarray", (object,))?;
    let untyped = array.cast::<PyUntypedArray>()?;
    if !shapes.contains(&untyped.shape()) {
        let expected: Vec<String> = shapes.iter().map(|shape| shape_text(shape)).collect();
        return Err(value_error(format!(
            "the evaluator's {name} has the shape {}: expected {}",
            shape_text(untyped.shape()),
            expected.join(" or ")
        )));
    }
    if let Ok(array) = array.cast::<PyArrayDyn<f32>>() {
        return Ok(array.readonly());
    }
    let dtype = untyped.dtype();
    if dtype.getattr("kind")?.extract::<String>()? != "f" {
        return Err(type_error(format!("the evaluator's {name} has the dtype {dtype}: expected float32")));
    }
    let array = array.call_method1("astype", ("float32",))?;
    Ok(array.cast::<PyArrayDyn<f32>>()?.readonly())
}

fn shape_text(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn logits(policy: &ArrayViewD<'_, f32>, row: usize, input: &InputBatch) -> PyResult<Vec<f32>> {
    let table = policy.index_axis(Axis(0), row);
    let table = table.as_standard_layout();
    let table = table.as_slice().expect("it has the standard layout");
    let logits: Vec<f32> = input.moves[input.move_range(row)].iter().map(|index| index.logit(table)).collect();
    match logits.iter().find(|logit| !logit.is_finite()) {
        None => Ok(logits),
        Some(logit) => Err(value_error(format!(
            "the evaluator's policy[{row}] is {logit} for a legal move: expected finite logits"
        ))),
    }
}

/// The number of a row of an array `[n]` or `[n, 1]`.
fn first_of(array: &ArrayViewD<'_, f32>, row: usize) -> f32 {
    if array.ndim() == 1 { array[[row]] } else { array[[row, 0]] }
}

/// The chances of a row: three probabilities, or a value without draws.
fn chances(value: &ArrayViewD<'_, f32>, row: usize) -> PyResult<[f32; 3]> {
    if value.ndim() == 1 || value.shape()[1] == 1 {
        let value = first_of(value, row);
        if !value.is_finite() || value.abs() > 1.0 + TOLERANCE {
            return Err(value_error(format!(
                "the evaluator's value[{row}] is {value}: expected −1 (the defenders win) to 1 (the attackers win)"
            )));
        }
        let Chances { attackers, draw, defenders } = Chances::new(value, 0.0);
        return Ok([attackers, draw, defenders]);
    }
    let wdl = [0, 1, 2].map(|place| value[[row, place]]);
    let is_good = wdl.iter().all(|chance| (-TOLERANCE..=1.0 + TOLERANCE).contains(chance));
    if !is_good || (wdl.iter().sum::<f32>() - 1.0).abs() > TOLERANCE {
        return Err(value_error(format!(
            "the evaluator's value[{row}] is {wdl:?}: expected the probabilities of an attackers' win, a draw and a \
             defenders' win, which sum to 1"
        )));
    }
    Ok(wdl)
}
