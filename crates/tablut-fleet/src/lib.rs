//! Self-play and matches on many machines, over NATS with its persistent streams (`JetStream`).
//!
//! A trainer hands out jobs, each a range of games of one generation or match; workers play them on all cores of their machines
//! and send the games back. A game is a function of its job and its number, so a run over workers that come and go ends
//! with the bits of a run alone.
//!
//! In reading order: [`Connection`] reaches a broker; [`Order`] is what is handed out, [`OrderSpec`] and [`Job`] how it travels,
//! [`Parcel`] what comes back; [`FleetTrainer`] is a trainer's connection, [`FleetGames`] and [`FleetNets`] a run's two doors over
//! it, [`FleetMatches`] plays matches; [`work`] is a worker. [`probe()`] shows whether two machines compute the same bits.

mod broker;
mod checks;
mod connection;
mod counted_game;
mod error;
mod job_size;
mod notes;
mod order;
mod parcel;
mod probe;
mod trainer;
mod wire;
mod worker;

pub use broker::{JOBS, RESULTS};
pub use connection::{Connection, Credentials, Tls};
pub use error::FleetError;
pub use job_size::{Fleet, job_size};
pub use notes::Notes;
pub use order::{MatchOrder, Order};
pub use parcel::{Parcel, ParcelGame, ParcelHeader};
pub use probe::probe;
pub use trainer::{FleetGames, FleetMatch, FleetMatches, FleetNets, FleetStatus, FleetTrainer, TrainerOptions};
pub use wire::{
    Heartbeat, Job, NetSpec, OpeningText, OrderSpec, OrderedPlayer, WIRE_VERSION, WorkSpec, job_subject, result_subject,
};
pub use worker::{WorkerOptions, WorkerSummary, work};
