//! Endgames: what is certain of all positions with few pieces.

mod index;
mod material;
mod retrograde;
mod standing;
mod summary;
mod table;

pub use material::{Material, MaterialError};
pub use summary::{EndgameCounts, EndgameSummary};
pub use table::EndgameValue;

use std::collections::BTreeMap;
use std::sync::Arc;

use tablut_rules::{N_ATTACKERS, N_DEFENDERS, Position, Rules};

use index::Index;
use standing::Standing;

/// The most slots of a class. Each takes two bytes, so a class takes 4 GiB at most.
const MAX_SLOTS: u128 = 1 << 31;

/// The material is out of reach.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EndgameError {
    /// The game has fewer pieces.
    #[error("{0}: there are at most {N_DEFENDERS} defenders and {N_ATTACKERS} attackers")]
    TooManyPieces(Material),
    /// The table would not fit into memory.
    #[error("{material} needs a table of {slots} positions; {MAX_SLOTS} are the most")]
    TooLarge {
        /// The material.
        material: Material,
        /// The positions that the table would hold.
        slots: u128,
    },
}

/// Solved classes of material under one rule set.
///
/// A class has every position in which each piece stands on a square that it could reach in a game if it were alone on
/// the board, and the king stands on no escape square. Some of these positions occur in no game; they are solved as if
/// a game began there.
///
/// Values are about the board alone. A side that plays to the table comes closer to its win with each of its moves, so
/// on the way no position occurs twice. A win is therefore certain under every rule of repetition, in a game that begins
/// at the position. Two kinds of history are outside the tables:
///
/// - A limit on length ends the game earlier, if the win takes longer.
/// - [`EndgameValue::Neither`] means that each side can avoid losing for as long as no rule of repetition speaks. Where
///   repetition is a draw, such a position is a draw with best play. Where it loses for one side, the position is *not
///   decided by force without repetition*: the rule may still decide it.
///
/// ```
/// use std::sync::Arc;
/// use tablut_lab::{EndgameValue, Endgames, Material};
/// use tablut_rules::{Rules, Side};
///
/// let mut endgames = Endgames::new(Arc::new(Rules::named("tartu")?));
/// endgames.solve(Material { defenders: 0, attackers: 1 })?;
/// // The attacker moves to c1 and captures the king between itself and the corner.
/// let value = endgames.value(&"2t6/9/9/9/9/9/9/9/1K7 a".parse()?);
/// assert_eq!(value, Some(EndgameValue::Win { winner: Side::Attackers, plies: 1 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Endgames {
    rules: Arc<Rules>,
    standing: Standing,
    tables: BTreeMap<Material, table::Table>,
}

impl Endgames {
    /// Nothing is solved yet.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self { standing: Standing::new(&rules), rules, tables: BTreeMap::new() }
    }

    /// Solves a class of material, and before it every class that captures lead to. What is solved already is kept.
    pub fn solve(&mut self, material: Material) -> Result<(), EndgameError> {
        if material.defenders > N_DEFENDERS || material.attackers > N_ATTACKERS {
            return Err(EndgameError::TooManyPieces(material));
        }
        let slots = Index::slots_of(&self.standing, material);
        if slots > MAX_SLOTS {
            return Err(EndgameError::TooLarge { material, slots });
        }
        for defenders in 0..=material.defenders {
            for attackers in 0..=material.attackers {
                let material = Material { defenders, attackers };
                if !self.tables.contains_key(&material) {
                    let index = Index::new(&self.standing, material);
                    self.tables.insert(material, retrograde::solve(&self.rules, index, &self.tables));
                }
            }
        }
        Ok(())
    }

    /// The value of a position, or `None` if its class is not solved or does not have it: the king is captured or has
    /// escaped, or a piece stands where it never could.
    pub fn value(&self, position: &Position) -> Option<EndgameValue> {
        let material = Material { defenders: position.defenders().len(), attackers: position.attackers().len() };
        self.tables.get(&material)?.value(position)
    }

    /// What can be said of a solved class, or `None` if it is not solved.
    pub fn summary(&self, material: Material) -> Option<EndgameSummary> {
        self.tables.get(&material).map(EndgameSummary::of)
    }
}
