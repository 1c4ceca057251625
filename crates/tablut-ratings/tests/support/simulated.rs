//! Players of known strength, for testing ratings and sequential tests.

use crate::elo::expected_score;
use crate::pairs::PairTable;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// Two players and their openings.
#[derive(Copy, Clone, Debug)]
pub struct SimulatedMatch {
    /// How much stronger the first player is, in Elo points.
    pub strength: f64,
    /// The advantage of playing the attackers, in Elo points.
    pub advantage: f64,
    /// How much an opening favours one side, in Elo points. Half of the openings favour each side.
    pub tilt: f64,
    /// Draws per win of one of two equal players.
    pub draw_weight: f64,
}

/// The chances to lose, draw and win for a player who is `elo` points stronger. The mean score is Elo's, and the chance
/// of a draw is `draw_weight` times the geometric mean of the others.
pub fn game_chances(elo: f64, draw_weight: f64) -> [f64; 3] {
    let score = expected_score(elo);
    let (mut low, mut high) = (0.0, 2.0 * score.min(1.0 - score));
    for _ in 0..100 {
        let draw = f64::midpoint(low, high);
        if draw * draw < draw_weight * draw_weight * (score - draw / 2.0) * (1.0 - score - draw / 2.0) {
            low = draw;
        } else {
            high = draw;
        }
    }
    [1.0 - score - low / 2.0, low, score - low / 2.0]
}

impl SimulatedMatch {
    /// The chances of the nine results of a pair, as in [`PairTable`].
    pub fn pair_chances(&self) -> [[f64; 3]; 3] {
        let mut chances = [[0.0; 3]; 3];
        for side in [self.advantage + self.tilt, self.advantage - self.tilt] {
            let as_attackers = game_chances(self.strength + side, self.draw_weight);
            let as_defenders = game_chances(self.strength - side, self.draw_weight);
            for (row, a) in chances.iter_mut().zip(as_attackers) {
                for (cell, d) in row.iter_mut().zip(as_defenders) {
                    *cell += a * d / 2.0;
                }
            }
        }
        chances
    }

    /// The chances of 0 to 4 half points in a pair.
    pub fn half_point_chances(&self) -> [f64; 5] {
        let mut chances = [0.0; 5];
        for (a, row) in self.pair_chances().iter().enumerate() {
            for (d, chance) in row.iter().enumerate() {
                chances[a + d] += chance;
            }
        }
        chances
    }

    /// The same match between players whose mean score is the expected one at `elo` Elo points. Openings that favour a
    /// side move scores towards a half, so that score needs a larger strength than `elo`.
    #[must_use]
    pub fn with_score_of(&self, elo: f64) -> Self {
        let (mut low, mut high) = (-10_000.0, 10_000.0);
        for _ in 0..80 {
            let strength = f64::midpoint(low, high);
            let chances = Self { strength, ..*self }.half_point_chances();
            let mean: f64 = chances.iter().enumerate().map(|(k, p)| p * k as f64 / 4.0).sum();
            if mean < expected_score(elo) {
                low = strength;
            } else {
                high = strength;
            }
        }
        Self { strength: low, ..*self }
    }

    /// Plays `n_pairs` pairs.
    pub fn play(&self, n_pairs: u32, rng: &mut ChaCha8Rng) -> PairTable {
        let chances = self.pair_chances();
        let mut table = PairTable::default();
        for _ in 0..n_pairs {
            let cell = pick(chances.as_flattened(), rng);
            table.counts[cell / 3][cell % 3] += 1;
        }
        table
    }

    /// The expected result of this many pairs, rounded to whole pairs.
    pub fn expected(&self, n_pairs: u32) -> PairTable {
        let count = |chance: f64| (chance * f64::from(n_pairs)).round() as u32;
        PairTable { counts: self.pair_chances().map(|row| row.map(count)) }
    }
}

/// An index drawn with the given chances, which sum to one.
pub fn pick(chances: &[f64], rng: &mut ChaCha8Rng) -> usize {
    let mut left: f64 = rng.random();
    let drawn = chances.iter().position(|p| {
        left -= p;
        left < 0.0
    });
    drawn.unwrap_or(chances.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::SimulatedMatch;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    #[test]
    fn tilted_openings_split_pairs_and_leave_the_score() {
        let even = SimulatedMatch { strength: 0.0, advantage: 0.0, tilt: 0.0, draw_weight: 0.0 };
        assert_eq!(even.half_point_chances(), [0.25, 0.0, 0.5, 0.0, 0.25]);
        let tilted = SimulatedMatch { tilt: 400.0, ..even };
        assert!(tilted.half_point_chances()[2] > 0.8);
        let stronger = SimulatedMatch { tilt: 400.0, draw_weight: 1.0, ..even }.with_score_of(100.0);
        let chances = stronger.half_point_chances();
        let mean: f64 = chances.iter().enumerate().map(|(k, p)| p * k as f64 / 4.0).sum();
        assert!((mean - 0.640_065).abs() < 1e-6 && stronger.strength > 150.0, "{mean} {stronger:?}");
        let table = stronger.play(50_000, &mut ChaCha8Rng::seed_from_u64(1));
        let score = table.pentanomial().estimate();
        assert!((score.mean - mean).abs() < 0.005 && table.pairs() == 50_000, "{score:?}");
        assert_eq!(even.expected(100).counts, [[25, 0, 25], [0, 0, 0], [25, 0, 25]]);
    }
}
