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
        /// What earlier games of the person have shown, in percent from −150 to 200, for a level that keeps games close: 0 for
        /// its usual strength, more if the person needs an easier opponent, and less if a harder one.
        #[serde(default, skip_serializing_if = "is_usual")]
        ease: i16,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_usual(ease: &i16) -> bool {
    *ease == 0
}

impl Controller {
    /// The computer with the level or custom player of this name and the host's first net.
    pub fn computer(name: impl Into<String>) -> Self {
        Self::Computer { name: name.into(), net: 0, ease: 0 }
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

/// The secrets of a game between two people with a seat each. The interface that first shows a side's secret takes the
/// seat with a key of its own, and only this key can sit there again. All other interfaces can only watch.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct Seats {
    pub attackers: String,
    pub defenders: String,
    /// The keys of the seats that are taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attackers_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    defenders_key: Option<String>,
}

/// The longest key of a seat, in bytes.
const MAX_KEY: usize = 64;

impl Seats {
    pub fn new(attackers: String, defenders: String) -> Self {
        Self { attackers, defenders, attackers_key: None, defenders_key: None }
    }

    pub fn is_taken(&self, side: Side) -> bool {
        match side {
            Side::Attackers => self.attackers_key.is_some(),
            Side::Defenders => self.defenders_key.is_some(),
        }
    }

    pub fn are_taken(&self) -> bool {
        self.is_taken(Side::Attackers) && self.is_taken(Side::Defenders)
    }

    /// Takes the seat with this secret, or sits there again.
    pub(crate) fn sit(&mut self, secret: &str, key: &str) -> Result<Side, String> {
        let side = self.side_of(secret).ok_or("the link's secret is not that of a seat in this game")?;
        if key.len() > MAX_KEY {
            return Err(format!("a key of {} bytes, expected at most {MAX_KEY}", key.len()));
        }
        let kept = match side {
            Side::Attackers => &mut self.attackers_key,
            Side::Defenders => &mut self.defenders_key,
        };
        if kept.get_or_insert_with(|| key.to_owned()) != key {
            return Err("somebody else has this seat; you can only watch".to_owned());
        }
        Ok(side)
    }

    pub fn side_of(&self, secret: &str) -> Option<Side> {
        match secret {
            secret if secret == self.attackers => Some(Side::Attackers),
            secret if secret == self.defenders => Some(Side::Defenders),
            _ => None,
        }
    }
}

/// What a person with a seat can offer the other one.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offer {
    Draw,
    /// The last move of the side that offers leaves the game, and the answer to it.
    TakeBack,
    /// Another game, with the sides changed.
    Rematch,
}

/// An offer that the other side has not answered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct OfferView {
    pub side: Side,
    pub what: Offer,
}
