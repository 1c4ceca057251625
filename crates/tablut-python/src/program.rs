//! The program in this process: its commands, its training, and its page.

use crate::callable::{Batch, Message};
use crate::calling_thread::{messages, supervise};
use crate::errors::{runtime_error, value_error};
use crate::json::parsed;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use tablut::CommandError;
use tablut_net::{Inference, InputBatch, NetDevice, NetError, OutputBatch, Weights};

/// Runs the program with these arguments, of which the first is its name, and returns its exit code. `restart` are the words
/// that start it in another process.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, arguments: Vec<OsString>, restart: Vec<OsString>) -> u8 {
    tablut::restart_with(restart);
    py.detach(|| tablut::run(arguments))
}

/// Trains as `tablut train` with these arguments. Calls `on_generation` with the planned number of generations and the
/// metrics of each generation as a dict. Returns the run's folder.
#[pyfunction]
pub(crate) fn train_run(py: Python<'_>, arguments: Vec<OsString>, on_generation: Py<PyAny>) -> PyResult<PathBuf> {
    let (to_caller, receiver) = messages::<(u64, String)>();
    // rayon's global threads would be missing after a fork.
    let threads = rayon::ThreadPoolBuilder::new().build().map_err(runtime_error)?;
    let watch = to_caller.clone();
    let report = move |(generations, metrics): (u64, String)| {
        on_generation.call1(py, (generations, parsed(py, &metrics)?)).map(drop)
    };
    let trained = supervise(py, &[], receiver, &to_caller, report, |cancel| {
        let send = move |generations, metrics: &_| {
            // Sending fails if the run was stopped meanwhile.
            if let Ok(text) = serde_json::to_string(metrics) {
                let _ = watch.send(Message::Part((generations, text)));
            }
        };
        threads.install(|| tablut::train(&arguments, cancel, Box::new(send)))
    })?;
    trained.map_err(|error| match error {
        CommandError::Usage(_) => value_error(error),
        CommandError::Stopped => PyKeyboardInterrupt::new_err(()),
        _ => runtime_error(error),
    })
}

/// Serves the page against the net of a model file until Ctrl-C. If there is an `evaluator`, it takes the place of the
/// net's outputs. `ready` is called with the link.
#[pyfunction]
#[pyo3(signature = (model, evaluator, port, ready))]
pub(crate) fn serve_page(
    py: Python<'_>,
    model: PathBuf,
    evaluator: Option<Py<PyAny>>,
    port: Option<u16>,
    ready: Py<PyAny>,
) -> PyResult<()> {
    let (to_caller, receiver) = messages::<String>();
    let callables: Vec<Py<PyAny>> = evaluator.into_iter().collect();
    let device = CallableDevice { to_caller: to_caller.clone() };
    let device: Option<Arc<dyn NetDevice>> = if callables.is_empty() { None } else { Some(Arc::new(device)) };
    let link = move |link: String| ready.call1(py, (link,)).map(drop);
    let served = supervise(py, &callables, receiver, &to_caller, link, |cancel| {
        let ready = &mut |link: &str| {
            let _ = to_caller.send(Message::Part(link.to_owned()));
        };
        tablut::serve_on(model, device, port, cancel, ready)
    })?;
    served.map_err(runtime_error)
}

/// A device on which every net is a Python callable.
struct CallableDevice {
    to_caller: SyncSender<Message<String>>,
}

impl NetDevice for CallableDevice {
    fn name(&self) -> &'static str {
        "a Python callable"
    }

    fn open(&self, _: &Weights) -> Result<Box<dyn Inference>, NetError> {
        Ok(Box::new(Self { to_caller: self.to_caller.clone() }))
    }
}

impl Inference for CallableDevice {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        output.clear();
        let stopped = |_| NetError::Inference("the evaluator was stopped".to_owned());
        let (answers, answered) = sync_channel(1);
        let batch = Batch { callable: 0, input: input.clone(), answers };
        self.to_caller.send(Message::Batch(batch)).map_err(|error| stopped(error.to_string()))?;
        for evaluation in answered.recv().map_err(|error| stopped(error.to_string()))? {
            output.logits.extend(evaluation.logits);
            output.wdl.push(evaluation.wdl);
            output.moves_left.push(evaluation.moves_left);
        }
        Ok(())
    }
}
