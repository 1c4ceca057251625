//! Distributes a batch among threads, a few rows at a time.

use std::ops::Range;
use std::sync::Mutex;

use crate::batch::{InputBatch, OutputBatch};
use crate::error::NetError;

/// Some rows of a batch, and the buffers for their outputs.
pub(super) struct Share<'a> {
    pub rows: Range<usize>,
    pub logits: &'a mut [f32],
    pub wdl: &'a mut [[f32; 3]],
    pub moves_left: &'a mut [f32],
}

pub(super) struct Threads {
    /// All threads except the calling one, or `None` for an engine on one thread.
    pool: Option<rayon::ThreadPool>,
    count: usize,
}

impl Threads {
    pub fn new(count: usize) -> Result<Self, NetError> {
        let count = count.max(1);
        let pool = (count > 1)
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(count - 1).build())
            .transpose()
            .map_err(|error| NetError::Inference(format!("cannot start {count} threads: {error}")))?;
        Ok(Self { pool, count })
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `evaluate` until every row of `input` is done. Each call has at most `most` rows. Each thread has its own
    /// workspace.
    pub fn run<W, F>(
        &self,
        workspaces: &mut [W],
        most: usize,
        input: &InputBatch,
        output: &mut OutputBatch,
        evaluate: F,
    ) where
        W: Send,
        F: Fn(&mut W, Share<'_>) + Sync,
    {
        // The shares have equal sizes, and each thread gets the same number of them.
        let n_shares = input.n.div_ceil(most).next_multiple_of(self.count).max(1);
        let rest = Mutex::new(Rest {
            input,
            first: 0,
            size: input.n.div_ceil(n_shares),
            logits: &mut output.logits,
            wdl: &mut output.wdl,
            moves_left: &mut output.moves_left,
        });
        let work = |workspace: &mut W| {
            // A poisoned lock means that the evaluation of another thread panicked. That panic is propagated anyway.
            while let Some(share) = rest.lock().ok().and_then(|mut rest| rest.take()) {
                evaluate(workspace, share);
            }
        };
        match (&self.pool, workspaces) {
            (Some(pool), [mine, others @ ..]) => pool.in_place_scope(|scope| {
                for workspace in others {
                    scope.spawn(|_| work(workspace));
                }
                work(mine);
            }),
            (None, [mine, ..]) => work(mine),
            (_, []) => {}
        }
    }
}

/// The rows that no thread has taken yet.
struct Rest<'a> {
    input: &'a InputBatch,
    first: usize,
    size: usize,
    logits: &'a mut [f32],
    wdl: &'a mut [[f32; 3]],
    moves_left: &'a mut [f32],
}

impl<'a> Rest<'a> {
    /// The next rows, or `None` if all are taken.
    fn take(&mut self) -> Option<Share<'a>> {
        let rows = self.first..(self.first + self.size).min(self.input.n);
        if rows.is_empty() {
            return None;
        }
        let moves = self.input.moves_of_rows(&rows).len();
        self.first = rows.end;
        Some(Share {
            logits: self.logits.split_off_mut(..moves)?,
            wdl: self.wdl.split_off_mut(..rows.len())?,
            moves_left: self.moves_left.split_off_mut(..rows.len())?,
            rows,
        })
    }
}
