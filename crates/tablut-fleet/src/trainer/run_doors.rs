//! The doors of a run whose games are played by workers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tablut_games::{
    CancelToken, Counters, DoorError, GameOrder, GameRecord, GameSource, MakeInference, NetSink, PlayedGames,
};
use tablut_net::Model;

use super::fleet_trainer::FleetTrainer;
use super::shared::Command;
use crate::order::Order;
use crate::probe::probe;

/// Where the games of a run come from: its workers.
pub struct FleetGames<'a> {
    fleet: &'a FleetTrainer,
    make_inference: MakeInference<'a>,
    /// What the probe gives here for searches of so many simulations, once it has been asked for.
    probe: Option<(u32, String)>,
}

/// Where the nets of a run go: to the broker, for its workers.
pub struct FleetNets<'a> {
    fleet: &'a FleetTrainer,
}

impl FleetNets<'_> {
    /// The door of `fleet`.
    pub fn new(fleet: &FleetTrainer) -> FleetNets<'_> {
        FleetNets { fleet }
    }
}

impl NetSink for FleetNets<'_> {
    fn publish(&mut self, _generation: u64, model: &Model) -> Result<(), DoorError> {
        let weights = Arc::new(model.weights.clone());
        self.fleet.send(Command::Net(weights.hash(), weights))
    }
}

impl<'a> FleetGames<'a> {
    /// The door of `fleet`. `make_inference` is for the probe, and for the games that are played again to see whether workers
    /// are honest.
    pub fn new(fleet: &'a FleetTrainer, make_inference: MakeInference<'a>) -> Self {
        Self { fleet, make_inference, probe: None }
    }
}

impl GameSource for FleetGames<'_> {
    fn begin(&mut self, order: &GameOrder) -> Result<(), DoorError> {
        let simulations = order.simulations;
        let order = Order::from(order.clone());
        let spec = self.fleet.spec(&order);
        if self.fleet.has_begun(&spec) {
            return Ok(());
        }
        let probe = match &self.probe {
            Some((of, known)) if *of == simulations => known.clone(),
            _ => {
                let here = probe(&spec, |weights| (self.make_inference)(weights));
                let here = here.map_err(|error| DoorError::Other(Box::new(error)))?;
                self.probe.insert((simulations, here)).1.clone()
            }
        };
        let all: Vec<usize> = (0..order.games()).collect();
        self.fleet.begin(spec, &order, probe, &all)
    }

    fn collect(
        &mut self,
        order: &GameOrder,
        counters: &Counters,
        cancel: &CancelToken,
        on_game: &(dyn Fn(&GameRecord) + Sync),
    ) -> Result<PlayedGames, DoorError> {
        self.begin(order)?;
        self.fleet.collect(&Order::from(order.clone()), self.make_inference, cancel, &mut |game, evaluations| {
            counters.evaluations.fetch_add(evaluations, Ordering::Relaxed);
            on_game(game);
        })
    }

    fn kept(&mut self, generation: u64) -> Result<(), DoorError> {
        self.fleet.kept(generation)
    }
}
