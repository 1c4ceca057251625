//! The trainer's side: the doors of a run and of matches, behind which a thread talks to the broker.

mod duty;
mod fleet_trainer;
mod job_messages;
mod ledger;
mod matches;
mod run_doors;
mod shared;

pub use fleet_trainer::FleetTrainer;
pub use matches::{FleetMatch, FleetMatches};
pub use run_doors::{FleetGames, FleetNets};
pub use shared::{FleetStatus, TrainerOptions};
