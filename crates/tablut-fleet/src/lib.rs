//! Self-play and matches on many machines, over NATS with its persistent streams (`JetStream`).
//!
//! A trainer hands out jobs, each a range of games of one generation or match. Workers play them on all cores of their
//! machines and send the games back. A game depends only on its order and its index, so a run with any number of
//! workers gives the same bits as a run on one machine.
//!
//! In reading order: [`Connection`] connects to a broker. An [`Order`] contains the games to play. [`OrderSpec`] and
//! [`Job`] are its messages, and [`ResultMessage`] has a worker's games. [`FleetTrainer`] is a trainer's connection.
//! [`FleetGames`] and [`FleetMatches`] are its sources of games. [`work`] is a worker. [`probe()`] shows whether two
//! machines compute the same bits.

mod broker;
mod checks;
mod connection;
mod error;
mod job_size;
mod order;
mod probe;
mod result_message;
mod trainer;
mod wire;
mod worker;

pub use broker::{JOBS, RESULTS};
pub use connection::{Connection, Credentials, Log, Tls};
pub use error::FleetError;
pub use order::{Order, OrderedWork};
pub use probe::probe;
pub use result_message::{ResultHeader, ResultMessage};
pub use trainer::FleetTrainer;
pub use trainer::sources::{FleetGames, FleetMatches};
pub use trainer::state::{FleetStatus, TrainerOptions};
pub use wire::{
    Heartbeat, Job, NetSpec, OrderSpec, OrderedPlayer, WIRE_VERSION, WorkSpec, job_subject, result_subject,
};
pub use worker::{WorkerOptions, WorkerSummary, work};
