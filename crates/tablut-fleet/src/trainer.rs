//! The trainer's side: the sources of games for a run and for matches. A thread talks to the broker.

mod fleet_trainer;
mod progress;
mod sources;
mod state;
mod trainer_loop;

pub use fleet_trainer::FleetTrainer;
pub use sources::{FleetGames, FleetMatch, FleetMatches, FleetNets};
pub use state::{FleetStatus, TrainerOptions};
