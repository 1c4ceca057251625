//! Results of the games of a generation that differed from ordinary self-play, by kind.

use serde::{Deserialize, Serialize};
use tablut_rules::Side;

use crate::notes::GameNotes;

/// Games by their result.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Endings {
    /// Games that the attackers won.
    pub attackers_won: usize,
    /// Drawn games.
    pub drawn: usize,
    /// Games that the defenders won.
    pub defenders_won: usize,
}

/// The results of a rule set's games by kind.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpecialStatistics {
    /// Games with equal searches. Only these games show how even the rule set is.
    pub ordinary: Endings,
    /// Games with unequal searches.
    #[serde(skip_serializing_if = "is_default")]
    pub uneven: UnevenGames,
}

/// Games with unequal searches.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnevenGames {
    /// Simulations of a search of the attackers and of the defenders.
    pub simulations: [u32; 2],
    /// Their results.
    #[serde(flatten)]
    pub results: Endings,
}

impl Endings {
    /// The number of games.
    pub fn games(&self) -> usize {
        self.attackers_won + self.drawn + self.defenders_won
    }

    /// The games that `side` won.
    pub fn won(&self, side: Side) -> usize {
        match side {
            Side::Attackers => self.attackers_won,
            Side::Defenders => self.defenders_won,
        }
    }

    /// Counts a game with this winner.
    pub fn count(&mut self, winner: Option<Side>) {
        *match winner {
            Some(Side::Attackers) => &mut self.attackers_won,
            None => &mut self.drawn,
            Some(Side::Defenders) => &mut self.defenders_won,
        } += 1;
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            attackers_won: self.attackers_won + other.attackers_won,
            drawn: self.drawn + other.drawn,
            defenders_won: self.defenders_won + other.defenders_won,
        }
    }
}

impl SpecialStatistics {
    /// Counts a game in each of its kinds.
    pub(super) fn count(&mut self, notes: &GameNotes, winner: Option<Side>) {
        match notes.simulations {
            None => self.ordinary.count(winner),
            Some(simulations) => {
                self.uneven.simulations = simulations;
                self.uneven.results.count(winner);
            }
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
