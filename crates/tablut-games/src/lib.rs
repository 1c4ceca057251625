//! Many games at once over batched evaluators.
//!
//! - [`run_tasks`], [`Task`]: the executor that keeps all cores and full batches busy.
//! - [`NetEvaluator`]: lets a search ask a net.

mod executor;
mod net_evaluator;

pub use executor::{Concurrency, Counters, Request, RunError, Task, run_tasks};
pub use net_evaluator::NetEvaluator;
