//! Who plays each side.

use crate::level::Level;
use serde::{Deserialize, Serialize};
use tablut_rules::Side;

#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Controller {
    Person,
    Computer {
        /// The name of a level or of one of the host's custom players.
        name: String,
        /// Index of the host's net that it plays with.
        #[serde(default)]
        net: usize,
    },
}

impl Controller {
    /// The computer with the level or custom player of this name and the host's first net.
    pub fn computer(name: impl Into<String>) -> Self {
        Self::Computer { name: name.into(), net: 0 }
    }

    /// The computer's level. `None` for a person and for a custom player.
    pub fn level(&self) -> Option<&'static Level> {
        match self {
            Self::Person => None,
            Self::Computer { name, .. } => Level::named(name),
        }
    }

    pub fn is_person(&self) -> bool {
        *self == Self::Person
    }
}

#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Players {
    pub attackers: Controller,
    pub defenders: Controller,
}

impl Players {
    pub fn people() -> Self {
        Self { attackers: Controller::Person, defenders: Controller::Person }
    }

    pub fn of(&self, side: Side) -> &Controller {
        match side {
            Side::Attackers => &self.attackers,
            Side::Defenders => &self.defenders,
        }
    }

    pub fn are_computers(&self) -> bool {
        !self.attackers.is_person() && !self.defenders.is_person()
    }
}

/// The secrets of a game between two people with a seat each. An interface with a side's secret plays that side. An
/// interface without a secret can only watch.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Seats {
    pub attackers: String,
    pub defenders: String,
}

impl Seats {
    pub fn side_of(&self, secret: &str) -> Option<Side> {
        match secret {
            secret if secret == self.attackers => Some(Side::Attackers),
            secret if secret == self.defenders => Some(Side::Defenders),
            _ => None,
        }
    }
}
