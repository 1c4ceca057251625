//! Work on other threads, while the calling thread calls Python callables and checks Python's signals.
//!
//! Callables run on the thread that called this package, so that they have this thread's settings, such as
//! `torch.no_grad()`. Ctrl-C raises `KeyboardInterrupt` in this thread, and the work stops.

use crate::callable::Message;
use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use tablut_games::CancelToken;

/// The maximum time between two checks of Python's signals.
const PATIENCE: Duration = Duration::from_millis(20);

/// The most messages that wait for the calling thread. Further ones keep their threads waiting, so that games of self-play
/// do not pile up.
const WAITING: usize = 64;

/// A channel to the calling thread.
pub(crate) fn messages<T>() -> (SyncSender<Message<T>>, Receiver<Message<T>>) {
    sync_channel(WAITING)
}

/// The next message, or `None` if there is none within `PATIENCE`. Checks signals first.
pub(crate) fn next_message<T: Send>(
    py: Python<'_>,
    receiver: &mut Receiver<Message<T>>,
) -> PyResult<Option<Message<T>>> {
    py.check_signals()?;
    match py.detach(move || receiver.recv_timeout(PATIENCE)) {
        Ok(message) => Ok(Some(message)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Ok(Some(Message::Done)),
    }
}

/// Runs `work` on another thread and returns its result. Meanwhile the calling thread calls the callables for the
/// evaluators of `to_caller`, and `on_part` for each part. If one of them raises an exception, or Ctrl-C is pressed, cancels
/// the work and returns the exception.
pub(crate) fn supervise<P: Send, T: Send>(
    py: Python<'_>,
    callables: &[Py<PyAny>],
    mut receiver: Receiver<Message<P>>,
    to_caller: &SyncSender<Message<P>>,
    mut on_part: impl FnMut(P) -> PyResult<()>,
    work: impl FnOnce(&CancelToken) -> T + Send,
) -> PyResult<T> {
    let cancel = CancelToken::new();
    std::thread::scope(|scope| {
        let at_work = scope.spawn(|| {
            let result = work(&cancel);
            let _ = to_caller.send(Message::Done);
            result
        });
        let failure = loop {
            let step = next_message(py, &mut receiver).and_then(|message| match message {
                Some(Message::Batch(batch)) => batch.answer(py, callables).map(|()| false),
                Some(Message::Done) => Ok(true),
                Some(Message::Part(part)) => on_part(part).map(|()| false),
                // A panic ends the work without a message.
                None => Ok(at_work.is_finished()),
            });
            match step {
                Ok(true) => break None,
                Ok(false) => {}
                Err(error) => break Some(error),
            }
        };
        if failure.is_some() {
            cancel.cancel();
        }
        // This drops batches that wait for answers, so that their threads continue.
        drop(receiver);
        let joined = py.detach(|| at_work.join());
        match (failure, joined) {
            (Some(error), _) => Err(error),
            (None, Ok(result)) => Ok(result),
            (None, Err(panic)) => std::panic::resume_unwind(panic),
        }
    })
}
