//! The trainer's handling of a result. It unpacks and checks the games, and counts or refuses them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;

use super::{Fetched, TrainerLoop};
use crate::checks::{check, max_game_bytes};
use crate::result_message::{ResultHeader, ResultMessage};
use crate::wire::read_result_subject;

/// The maximum number of results that wait for their objects.
const MAX_WAITING: usize = 64;
/// After this many refused results a worker is ignored.
const MAX_REFUSED: usize = 8;

impl TrainerLoop {
    pub(super) async fn take(&mut self, message: &async_nats::jetstream::Message) {
        let mut sequence = 0;
        if let Ok(info) = message.info() {
            sequence = info.stream_sequence;
            self.last = self.last.max(sequence);
            self.shared.lock().status.lag = info.pending;
        }
        let Some((generation, id)) = read_result_subject(&message.subject) else { return };
        if !self.is_wanted(generation, id) {
            return;
        }
        let bytes = &message.payload;
        self.broker.note_reading(&self.options.run, sequence).await;
        match ResultMessage::header(bytes) {
            Err(error) => self.refuse(generation, "an unnamed worker", &error.to_string()),
            Ok(header) if self.shared.lock().distrusted.contains(&header.worker) => {}
            Ok(mut header) => {
                if let Some(object) = header.object.take() {
                    self.fetch(sequence, generation, header, object).await;
                } else {
                    let result = self.open(generation, &header, bytes);
                    self.count(generation, &header.worker, bytes.len(), result);
                }
            }
        }
        self.broker.note_reading(&self.options.run, 0).await;
    }

    fn is_wanted(&self, generation: u64, id: &str) -> bool {
        self.shared.lock().orders.get(&generation).is_some_and(|order| order.id == id)
    }

    /// Starts to fetch the object with a result's games. It contains one game, because a worker uses objects only for a
    /// game that is too large for a message.
    async fn fetch(&mut self, sequence: u64, generation: u64, header: ResultHeader, object: String) {
        let checked = match self.shared.lock().orders.get(&generation) {
            // The header and the packed game together are smaller than twice the unpacked game.
            Some(progress) => progress.check_header(&header).map(|()| 2 * max_game_bytes(&progress.order)),
            None => return,
        };
        let max_bytes = match checked {
            Ok(max_bytes) => max_bytes,
            Err(reason) => return self.refuse(generation, &header.worker, &reason),
        };
        while self.fetches.len() >= MAX_WAITING {
            if let Some(fetched) = self.fetches.next().await {
                self.fetched(fetched).await;
            }
        }
        let (broker, fetching) = (self.broker.clone(), Arc::clone(&self.fetching));
        self.fetches.push(Box::pin(async move {
            let _permit = fetching.acquire().await;
            let bytes = broker.object("fetching games", &object, max_bytes).await;
            Fetched { sequence, generation, header, object, bytes }
        }));
    }

    /// Handles a result whose games were in an object.
    pub(super) async fn fetched(&mut self, fetched: Fetched) {
        let Fetched { sequence, generation, header, object, bytes } = fetched;
        let is_distrusted = self.shared.lock().distrusted.contains(&header.worker);
        // An object that does not exist has already been read. If it was lost, its games are handed out again.
        let Some(bytes) = bytes.transpose().filter(|_| self.is_wanted(generation, &header.order) && !is_distrusted)
        else {
            return;
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => return self.refuse(generation, &header.worker, &error.to_string()),
        };
        self.broker.note_reading(&self.options.run, sequence).await;
        let result = self.open(generation, &header, &bytes).and_then(|result| {
            let is_theirs = result.header.worker == header.worker;
            is_theirs.then_some(result).ok_or_else(|| "the object contains another worker's games".to_owned())
        });
        let is_done = result.is_ok();
        self.count(generation, &header.worker, bytes.len(), result);
        self.broker.note_reading(&self.options.run, 0).await;
        if is_done {
            // An object that cannot be removed expires after a week.
            let _ = self.broker.remove_object(&object).await;
        }
    }

    fn open(&self, generation: u64, header: &ResultHeader, bytes: &[u8]) -> Result<ResultMessage, String> {
        let order = match self.shared.lock().orders.get(&generation) {
            Some(progress) => progress.check_header(header).map(|()| Arc::clone(&progress.order))?,
            None => return Err("its generation is complete".to_owned()),
        };
        let most = [order.spec.games, max_game_bytes(&order)];
        ResultMessage::unpack(bytes, most, |game| check(&order, game))
    }

    /// Counts the games of a result of `n_bytes`, or refuses it.
    fn count(&mut self, generation: u64, worker: &str, n_bytes: usize, result: Result<ResultMessage, String>) {
        let counted = result.and_then(|result| {
            let mut state = self.shared.lock();
            let lag = state.status.lag;
            let Some(progress) = state.orders.get_mut(&generation) else { return Ok(()) };
            progress.report.lag = progress.report.lag.max(lag);
            progress.take(result, n_bytes)
        });
        match counted {
            Ok(()) => self.shared.change.notify_all(),
            Err(reason) => self.refuse(generation, worker, &reason),
        }
    }

    /// Refuses a result. Its games are still missing.
    fn refuse(&mut self, generation: u64, worker: &str, reason: &str) {
        let n_refused = self.refused.entry(worker.to_owned()).or_default();
        *n_refused += 1;
        let n_refused = *n_refused;
        let mut state = self.shared.lock();
        if let Some(progress) = state.orders.get_mut(&generation) {
            progress.report.refused += 1;
        }
        if n_refused == MAX_REFUSED {
            state.distrusted.insert(worker.to_owned());
        }
        drop(state);
        if n_refused == 1 {
            (self.log)(&format!("refused a result of {worker}: {reason}"));
        } else if n_refused == MAX_REFUSED {
            (self.log)(&format!("worker {worker} is ignored from now on; revoke its credentials"));
        }
        self.check_soon(Duration::from_secs(1));
    }
}
