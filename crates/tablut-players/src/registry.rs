//! Turns the text of any player into a player of matches. No other code does this.

use crate::contestant::Contestant;
use crate::named::NamedPlayer;
use crate::nets::Nets;
use crate::player::PlayerError;
use std::sync::Arc;
use tablut_rules::Rules;

/// Starts another program as a player of games under some rules.
pub type StartProgram = fn(&NamedPlayer, &Arc<Rules>) -> Result<Contestant, PlayerError>;

/// Players of all kinds.
pub struct Registry<'a> {
    nets: &'a Nets,
    start_program: StartProgram,
}

impl<'a> Registry<'a> {
    /// A registry of players without a net, of `nets`, and of programs that `start_program` starts.
    pub fn new(nets: &'a Nets, start_program: StartProgram) -> Self {
        Self { nets, start_program }
    }

    /// The player that `named` describes, for games under `rules`. Programs are started at once.
    pub fn contestant(&self, named: &NamedPlayer, rules: &Arc<Rules>) -> Result<Contestant, PlayerError> {
        let name = named.name();
        if let Some(baseline) = Contestant::baseline(name.clone(), &named.spec) {
            return Ok(baseline);
        }
        if named.spec.model_file().is_none() {
            return (self.start_program)(named, rules);
        }
        match self.nets.search_of(&named.spec) {
            Some(search) => Ok(Contestant::net(name, search)),
            None => Err(PlayerError { name, reason: "its model file was not loaded".to_owned() }),
        }
    }
}
