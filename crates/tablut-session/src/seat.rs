//! Who plays a side.

use crate::level::Level;
use serde::{Deserialize, Serialize};
use tablut_rules::Side;

/// Who makes a side's moves.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Seat {
    /// A person.
    Person,
    /// The computer.
    Computer {
        /// A level's name, or what the host calls a player of its own.
        player: String,
        /// Which of the host's nets thinks.
        #[serde(default)]
        net: usize,
    },
}

impl Seat {
    /// The computer at a level, with the host's first net.
    pub fn computer(player: impl Into<String>) -> Self {
        Self::Computer { player: player.into(), net: 0 }
    }

    /// The level, if the computer sits here and its player is one.
    pub fn level(&self) -> Option<&'static Level> {
        match self {
            Self::Person => None,
            Self::Computer { player, .. } => Level::named(player),
        }
    }

    /// Whether a person sits here.
    pub fn is_person(&self) -> bool {
        *self == Self::Person
    }
}

/// Both sides' players.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Seats {
    /// Who plays the attackers.
    pub attackers: Seat,
    /// Who plays the defenders.
    pub defenders: Seat,
}

impl Seats {
    /// A person on each side.
    pub fn people() -> Self {
        Self { attackers: Seat::Person, defenders: Seat::Person }
    }

    /// A person on `side`, against `opponent`.
    pub fn person_on(side: Side, opponent: Seat) -> Self {
        match side {
            Side::Attackers => Self { attackers: Seat::Person, defenders: opponent },
            Side::Defenders => Self { attackers: opponent, defenders: Seat::Person },
        }
    }

    /// Who plays a side.
    pub fn of(&self, side: Side) -> &Seat {
        match side {
            Side::Attackers => &self.attackers,
            Side::Defenders => &self.defenders,
        }
    }

    /// Whether nobody at all sits at the board.
    pub fn is_watched(&self) -> bool {
        !self.attackers.is_person() && !self.defenders.is_person()
    }
}
