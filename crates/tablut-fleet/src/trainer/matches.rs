//! Matches whose games are played by workers.

use tablut_arena::{GameResult, MatchConfig, MatchOutcome, MatchProgress, WantedGames, collect_match};
use tablut_games::{CancelToken, DoorError, FleetReport, MakeInference};
use tablut_players::{NamedPlayer, Nets};

use super::fleet_trainer::FleetTrainer;
use crate::counted_game::game_result;
use crate::error::FleetError;
use crate::order::{MatchOrder, Order};
use crate::probe::probe;

/// A match of a tournament.
#[derive(Copy, Clone)]
pub struct FleetMatch<'a> {
    /// Its place among the tournament's matches, from 0.
    pub number: u64,
    /// How it is played.
    pub config: &'a MatchConfig,
    /// Who meets whom.
    pub players: [&'a NamedPlayer; 2],
    /// The players' nets.
    pub nets: &'a Nets,
}

/// Where the games of a tournament come from: its workers.
pub struct FleetMatches<'a> {
    fleet: &'a FleetTrainer,
    make_inference: MakeInference<'a>,
    /// What the workers did, match by match.
    pub reports: Vec<FleetReport>,
}

impl<'a> FleetMatches<'a> {
    /// The matches of `fleet`. `make_inference` is for the probe, and for the games that are played again to see whether
    /// workers are honest.
    pub fn new(fleet: &'a FleetTrainer, make_inference: MakeInference<'a>) -> Self {
        Self { fleet, make_inference, reports: Vec::new() }
    }

    /// Has the games of a match played that are not among `earlier`. The result is that of
    /// [`tablut_arena::resume_match`], to the game.
    pub fn play(
        &mut self,
        pairing: &FleetMatch<'_>,
        earlier: Vec<(usize, GameResult)>,
        cancel: &CancelToken,
        on_game: impl Fn(&MatchProgress<'_>) + Sync,
    ) -> Result<MatchOutcome, FleetError> {
        let FleetMatch { number, config, players, nets } = *pairing;
        let names = players.map(NamedPlayer::name);
        collect_match(config, names, earlier, cancel, on_game, |wanted| {
            let order = Order::Match(Box::new(MatchOrder::new(number, config, players, nets, wanted.openings)?));
            self.games(&order, wanted)
        })
    }

    /// Has the wanted games played; whether all were.
    fn games(&mut self, order: &Order, wanted: &WantedGames<'_>) -> Result<bool, FleetError> {
        let spec = self.fleet.spec(order);
        let probe = probe(&spec, |weights| (self.make_inference)(weights))?;
        self.fleet.begin(spec, order, probe, &wanted.games).map_err(reason)?;
        let deliver = &mut |game: &tablut_games::GameRecord, _| {
            (wanted.deliver)(game.index as usize, &game_result(game));
        };
        let played = match self.fleet.collect(order, self.make_inference, &wanted.cancel, deliver) {
            Ok(played) => {
                self.reports.extend(played.fleet);
                true
            }
            Err(DoorError::Stopped) => false,
            Err(error) => return Err(reason(error)),
        };
        // Those of a match that somebody stopped stay at the broker, and count when it goes on.
        let was_settled = !played && !wanted.was_stopped();
        if played || was_settled {
            self.fleet.close(order.generation()).map_err(reason)?;
        }
        Ok(played)
    }
}

/// What a door said, in the fleet's words.
fn reason(error: DoorError) -> FleetError {
    match error {
        DoorError::Stopped => FleetError::Stopped,
        DoorError::Other(error) => match error.downcast::<FleetError>() {
            Ok(error) => *error,
            Err(other) => FleetError::message("match", other),
        },
        other => FleetError::message("match", other),
    }
}
