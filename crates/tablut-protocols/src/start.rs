//! Other programs as players in matches: engines with our line protocol, OpenTafl engines, and clients for the Tablut
//! Challenge.

use crate::challenge::RULES;
use crate::challenge::host::{ChallengeSide, takes_port};
use crate::engine_protocol::host::{EngineProgram, EngineSide};
use crate::opentafl::host::{OpenTaflSide, rules_line};
use crate::program::Program;
use std::sync::Arc;
use tablut_players::{Contestant, Demand, Fault, NamedPlayer, Player, PlayerError, PlayerSpec};
use tablut_rules::{Game, Rules, Side};

/// The program that `named` describes, for games under `rules`. Engines are started at once, to check that they work.
pub fn start_program(named: &NamedPlayer, rules: &Arc<Rules>) -> Result<Contestant, PlayerError> {
    let name = named.name();
    match &named.spec {
        PlayerSpec::Engine { command, limit } => {
            let program = Arc::new(EngineProgram::new(Program::new(&name, command)?, *limit, rules)?);
            // The engine is kept for the first game.
            try_out(&mut EngineSide::new(program.clone()), rules, &name)?;
            let sit = move |_: &_, _, _| Box::new(EngineSide::new(program.clone())) as Box<_>;
            Ok(Contestant::new(name, None, Demand::OwnThread, sit))
        }
        PlayerSpec::OpenTafl { command, seconds } => {
            let program = Arc::new(Program::new(&name, command)?);
            let seconds = *seconds;
            rules_line(rules, &rules.start(Side::Attackers)).map_err(|reason| program.error(reason))?;
            try_out(&mut OpenTaflSide::new(program.clone(), Side::Attackers, seconds), rules, &name)?;
            let sit = move |_: &_, side, _| Box::new(OpenTaflSide::new(program.clone(), side, seconds)) as Box<_>;
            Ok(Contestant::new(name, None, Demand::OwnThread, sit))
        }
        PlayerSpec::Challenge { command, seconds } => {
            let program = Arc::new(Program::new(&name, command)?);
            let seconds = *seconds;
            if Rules::named(RULES).is_ok_and(|contest| contest.set() != rules.set()) {
                let reason = format!("the Challenge is played by the rules {RULES}, not {}", rules.name());
                return Err(program.error(reason));
            }
            // A Challenge client plays as soon as it starts, so it is not tried. Without its own port it uses the
            // contest's port.
            let demand = if takes_port(&program.command) { Demand::OwnThread } else { Demand::OneAtATime };
            let sit = move |_: &_, side, _| Box::new(ChallengeSide::new(program.clone(), side, seconds)) as Box<_>;
            Ok(Contestant::new(name, None, demand, sit))
        }
        _ => Err(PlayerError { name, reason: "expected a player that is another program".to_owned() }),
    }
}

fn try_out(player: &mut dyn Player, rules: &Arc<Rules>, name: &str) -> Result<(), PlayerError> {
    let game = Game::new(rules.clone(), Side::Attackers);
    loop {
        match player.begin(&game) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(Fault::Fatal(error)) => return Err(error),
            Err(Fault::Forfeit(reason)) => return Err(PlayerError { name: name.to_owned(), reason }),
        }
    }
}
