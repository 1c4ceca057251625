//! The sources of games that workers play: for a run and for matches.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tablut_arena::{MatchConfig, MatchOutcome, MatchProgress, WantedGames, collect_match};
use tablut_games::{
    CancelToken, Counters, FleetReport, GameOrder, GameRecord, GameSource, GameSourceError, MakeInference, PlayedGames,
};
use tablut_net::{Model, NetPool};
use tablut_players::NamedPlayer;

use super::FleetTrainer;
use super::state::Command;
use crate::error::FleetError;
use crate::order::Order;
use crate::probe::probe;

/// The games of a run, played by workers.
pub struct FleetGames<'a> {
    fleet: &'a FleetTrainer,
    make_inference: MakeInference<'a>,
    /// The last probe on this machine, with the number of simulations of its searches.
    probe: Option<(u32, String)>,
}

impl<'a> FleetGames<'a> {
    /// The games of the workers of `fleet`. `make_inference` creates the net for the probe and for the games that are
    /// played again.
    pub fn new(fleet: &'a FleetTrainer, make_inference: MakeInference<'a>) -> Self {
        Self { fleet, make_inference, probe: None }
    }
}

impl GameSource for FleetGames<'_> {
    fn begin(&mut self, order: &GameOrder) -> Result<(), GameSourceError> {
        let simulations = order.simulations;
        let order = Order::of_generation(self.fleet.run(), order.clone());
        if self.fleet.has_begun(&order.spec) {
            return Ok(());
        }
        let probe = match &self.probe {
            Some((probed, known)) if *probed == simulations => known.clone(),
            _ => {
                let here = probe(&order.spec, self.make_inference)?;
                self.probe.insert((simulations, here)).1.clone()
            }
        };
        let all: Vec<usize> = (0..order.spec.games).collect();
        Ok(self.fleet.begin(order, probe, &all)?)
    }

    fn collect(
        &mut self,
        order: &GameOrder,
        counters: &Counters,
        cancel: &CancelToken,
        on_game: &(dyn Fn(&GameRecord) + Sync),
    ) -> Result<PlayedGames, GameSourceError> {
        self.begin(order)?;
        Ok(self.fleet.collect(order.generation, self.make_inference, cancel, &|game| {
            counters.evaluations.fetch_add(game.evaluations, Ordering::Relaxed);
            on_game(game);
        })?)
    }

    fn stored(&mut self, generation: u64) -> Result<(), GameSourceError> {
        Ok(self.fleet.send(Command::Stored(generation))?)
    }

    fn publish(&mut self, model: &Model) -> Result<(), GameSourceError> {
        let weights = Arc::new(model.weights.clone());
        Ok(self.fleet.send(Command::Net(weights.hash(), weights))?)
    }
}

/// The games of a tournament, played by workers.
pub struct FleetMatches<'a> {
    fleet: &'a FleetTrainer,
    make_inference: MakeInference<'a>,
    config: &'a MatchConfig,
    nets: &'a NetPool,
    pub reports: Vec<FleetReport>,
}

impl<'a> FleetMatches<'a> {
    /// The games of the workers of `fleet`, with the settings `config` and between players that use `nets`.
    /// `make_inference` creates the nets for the probe and for the games that are played again.
    pub fn new(
        fleet: &'a FleetTrainer,
        make_inference: MakeInference<'a>,
        config: &'a MatchConfig,
        nets: &'a NetPool,
    ) -> Self {
        Self { fleet, make_inference, config, nets, reports: Vec::new() }
    }

    /// Lets workers play the games of match `number` of the tournament, from 0, that are not among `earlier`. The games
    /// are the same as those of [`tablut_arena::play_match`].
    pub fn play(
        &mut self,
        number: u64,
        players: [&NamedPlayer; 2],
        earlier: Vec<GameRecord>,
        cancel: &CancelToken,
        on_game: impl Fn(&MatchProgress<'_>) + Sync,
    ) -> Result<MatchOutcome, FleetError> {
        let (config, nets) = (self.config, self.nets);
        let names = players.map(NamedPlayer::name);
        collect_match(config, names, earlier, cancel, on_game, |wanted| {
            self.games(Order::of_match(self.fleet.run(), number, config, players, nets, wanted.openings)?, wanted)
        })
    }

    /// Lets workers play the wanted games. Returns whether all were played.
    fn games(&mut self, order: Order, wanted: &WantedGames<'_>) -> Result<bool, FleetError> {
        let generation = order.spec.generation;
        let probe = probe(&order.spec, self.make_inference)?;
        self.fleet.begin(order, probe, &wanted.games)?;
        let played = match self.fleet.collect(generation, self.make_inference, &wanted.cancel, &wanted.deliver) {
            Ok(played) => {
                self.reports.extend(played.fleet);
                true
            }
            Err(FleetError::Stopped) => false,
            Err(error) => return Err(error),
        };
        // The games of a match that the user stopped stay at the broker for the next start.
        if played || !wanted.stop.is_cancelled() {
            self.fleet.close(generation)?;
        }
        Ok(played)
    }
}
