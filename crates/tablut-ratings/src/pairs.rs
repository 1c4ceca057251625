//! The results of pairs of games. Both games of a pair start from one opening, with sides exchanged. A training run
//! rates its nets with such games, against fixed players and against its own earlier nets.

use crate::score::{HalfPoints, Pentanomial, Wdl};
use serde::{Deserialize, Serialize};

/// Pairs counted by both results: `counts[a][d]` is how often the first player scored `a` half points as attackers and
/// `d` as defenders.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PairTable {
    /// Rows by half points with the attackers, columns by half points with the defenders.
    pub counts: [[u32; 3]; 3],
}

impl PairTable {
    /// Counts one pair.
    pub fn record(&mut self, as_attackers: HalfPoints, as_defenders: HalfPoints) {
        self.counts[as_attackers as usize][as_defenders as usize] += 1;
    }

    /// The number of pairs.
    pub fn pairs(&self) -> u32 {
        self.counts.iter().flatten().sum()
    }

    /// The first player's results as attackers.
    pub fn as_attackers(&self) -> Wdl {
        let [losses, draws, wins] = self.counts.map(|row| row.iter().sum());
        Wdl { wins, draws, losses }
    }

    /// The first player's results as defenders.
    pub fn as_defenders(&self) -> Wdl {
        let column = |d: usize| self.counts.iter().map(|row| row[d]).sum();
        Wdl { wins: column(2), draws: column(1), losses: column(0) }
    }

    /// Pairs by the half points scored in both games.
    pub fn pentanomial(&self) -> Pentanomial {
        let mut counts = [0; 5];
        for (a, row) in self.counts.iter().enumerate() {
            for (d, n) in row.iter().enumerate() {
                counts[a + d] += n;
            }
        }
        Pentanomial { counts }
    }
}

/// The rating games of one generation. The newest net plays in all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RatedGeneration {
    /// Simulations of each of the nets' moves.
    pub simulations: u32,
    /// Wall time in seconds.
    pub seconds: f64,
    /// The games by rule set and opponent.
    pub matches: Vec<RatedMatch>,
}

/// Pairs of games of the newest net against one opponent under one rule set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RatedMatch {
    /// The rule set's name.
    pub rules: String,
    /// The opponent: the name of a fixed player, `untrained`, or `generation N`.
    pub opponent: String,
    /// The opponent's generation if the opponent is an earlier net of the run, otherwise `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// The pairs, by the newest net's half points.
    pub pairs: PairTable,
    /// Games that were stopped at the ply limit. In `pairs` each is half a point, like a draw.
    pub unfinished: usize,
}

#[cfg(test)]
mod tests {
    use super::PairTable;
    use crate::score::HalfPoints::{Draw, Loss, Win};
    use crate::score::Wdl;

    #[test]
    fn a_table_knows_sides_and_sums() {
        let mut table = PairTable::default();
        for (as_attackers, as_defenders) in [(Win, Loss), (Win, Draw), (Loss, Loss)] {
            table.record(as_attackers, as_defenders);
        }
        assert_eq!(table.as_attackers(), Wdl { wins: 2, draws: 0, losses: 1 });
        assert_eq!(table.as_defenders(), Wdl { wins: 0, draws: 1, losses: 2 });
        assert_eq!(table.pentanomial().counts, [1, 0, 1, 1, 0]);
        assert_eq!(table.pairs(), 3);
    }
}
