//! Endgame tables: the value of every position with few pieces.

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

use tablut_rules::{BoardSize, Position, Rules};

use index::Index;
use standing::Standing;

/// The most slots of a class. A slot takes one byte, so a class takes at most 4 GiB.
const MAX_SLOTS: u128 = 1 << 32;

#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EndgameError {
    #[error("{0}: there are at most {defenders} defenders and {attackers} attackers", defenders = .1.most_defenders(), attackers = .1.most_attackers())]
    TooManyPieces(Material, BoardSize),
    #[error("{material} needs a table of {slots} positions, expected at most {MAX_SLOTS}")]
    TooLarge { material: Material, slots: u128 },
}

/// The solved classes of material under one rule set.
///
/// A class has every position in which each piece stands on a square that it can reach from its start squares on an
/// empty board, and the king stands on no escape square. Some of these positions occur in no game. They are solved as
/// if a game started there.
///
/// A value depends on the board and the side to move only. A side that follows the table comes closer to its win with
/// each of its moves, so no position repeats. A win is therefore certain under every repetition rule, in a game that
/// starts at the position. The tables ignore two rules about history:
///
/// - A limit on the game's length may end the game before the win.
/// - [`EndgameValue::Neither`] means that each side can avoid losing as long as no repetition rule applies. If
///   repetition is a draw, such a position is a draw with best play. If repetition loses for one side, that rule may
///   still decide the game.
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
#[derive(Debug)]
pub struct Endgames {
    rules: Arc<Rules>,
    standing: Standing,
    tables: BTreeMap<Material, table::Table>,
}

impl Endgames {
    pub fn new(rules: Arc<Rules>) -> Self {
        Self { standing: Standing::new(&rules), rules, tables: BTreeMap::new() }
    }

    /// Solves a class of material, and before it every class that captures lead to. It skips classes that are solved.
    ///
    /// # Panics
    /// If a win takes more than 127 plies. The longest known one takes 52.
    pub fn solve(&mut self, material: Material) -> Result<(), EndgameError> {
        let size = self.rules.size();
        if material.defenders > size.most_defenders() || material.attackers > size.most_attackers() {
            return Err(EndgameError::TooManyPieces(material, size));
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

    /// Frees the memory of a class. Larger classes need it to be solved.
    pub fn forget(&mut self, material: Material) {
        self.tables.remove(&material);
    }

    /// The value of a position. It is `None` if the class is not solved, the king is captured or has escaped, or a
    /// piece stands on a square that it cannot reach.
    pub fn value(&self, position: &Position) -> Option<EndgameValue> {
        self.tables.get(&Material::of(position))?.value(position)
    }

    /// The statistics of a class, or `None` if it is not solved.
    pub fn summary(&self, material: Material) -> Option<EndgameSummary> {
        self.tables.get(&material).map(EndgameSummary::of)
    }
}
