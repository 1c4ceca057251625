//! Numbers of games by their result.

use std::fmt;
use std::iter::Sum;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::outcome::{Outcome, Reason};
use crate::rules::Rules;
use crate::side::Side;

/// Numbers of games by their result. Every game counts once.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Hash, Serialize, Deserialize)]
pub struct Results {
    /// Games that the attackers won.
    pub attackers: usize,
    /// Games that the rules call a draw.
    pub draws: usize,
    /// Games that the defenders won.
    pub defenders: usize,
    /// Games that were stopped at a ply limit which is no rule of their rule set (clause C10). Nobody knows how they
    /// would have ended.
    pub unfinished: usize,
}

impl Results {
    /// The names of [`Results::counts`].
    pub const NAMES: [&str; 4] = ["attackers", "draws", "defenders", "unfinished"];

    /// One game under `rules` that ended with `outcome` after this number of plies.
    pub fn of_game(rules: &Rules, outcome: Outcome, plies: usize) -> Self {
        let is_rule = rules.set().max_plies.is_some_and(|own| plies >= own as usize);
        match outcome {
            Outcome { winner: Some(side), .. } => Self::won_by(side),
            Outcome { reason: Reason::PlyLimit, .. } if !is_rule => Self { unfinished: 1, ..Self::default() },
            Outcome { .. } => Self { draws: 1, ..Self::default() },
        }
    }

    /// One game that `side` won.
    pub fn won_by(side: Side) -> Self {
        match side {
            Side::Attackers => Self { attackers: 1, ..Self::default() },
            Side::Defenders => Self { defenders: 1, ..Self::default() },
        }
    }

    /// The numbers in the order of [`Results::NAMES`].
    pub const fn counts(&self) -> [usize; 4] {
        [self.attackers, self.draws, self.defenders, self.unfinished]
    }

    /// The shares of all games, 0 to 1, in the order of [`Results::NAMES`]. All are 0 without games.
    pub fn shares(&self) -> [f64; 4] {
        self.counts().map(|n| n as f64 / self.games().max(1) as f64)
    }

    /// The number of all games.
    pub const fn games(&self) -> usize {
        self.finished() + self.unfinished
    }

    /// The number of games that have ended by the rules.
    pub const fn finished(&self) -> usize {
        self.attackers + self.draws + self.defenders
    }

    /// The number of games that `side` won.
    pub const fn won(&self, side: Side) -> usize {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders,
        }
    }
}

impl AddAssign for Results {
    fn add_assign(&mut self, other: Self) {
        self.attackers += other.attackers;
        self.draws += other.draws;
        self.defenders += other.defenders;
        self.unfinished += other.unfinished;
    }
}

impl Sum for Results {
    fn sum<I: Iterator<Item = Self>>(games: I) -> Self {
        let mut sum = Self::default();
        games.for_each(|results| sum += results);
        sum
    }
}

/// Shares in per cent: `attackers 30 %, draws 5 %, defenders 60 %, unfinished 5 %`.
impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [attackers, draws, defenders, unfinished] = self.shares().map(|share| 100.0 * share);
        write!(
            f,
            "attackers {attackers:.0} %, draws {draws:.0} %, defenders {defenders:.0} %, unfinished {unfinished:.0} %"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_limit_that_is_no_rule_leaves_a_game_unfinished() {
        let [free, limited] = ["kvasir", "tartu"].map(|name| Rules::named(name).unwrap());
        let own = limited.set().max_plies.unwrap() as usize;
        let drawn = |reason| Outcome { winner: None, reason };
        let counts = |rules, outcome, plies| Results::of_game(rules, outcome, plies).counts();
        assert_eq!(counts(&free, drawn(Reason::PlyLimit), own), [0, 0, 0, 1]);
        assert_eq!(counts(&limited, drawn(Reason::PlyLimit), own - 1), [0, 0, 0, 1]);
        assert_eq!(counts(&limited, drawn(Reason::PlyLimit), own), [0, 1, 0, 0]);
        assert_eq!(counts(&free, drawn(Reason::Repetition), 9), [0, 1, 0, 0]);
        let won = Outcome { winner: Some(Side::Defenders), reason: Reason::KingEscaped };
        assert_eq!(counts(&free, won, 9), [0, 0, 1, 0]);
    }

    #[test]
    fn shares_are_of_all_games() {
        let finished = Results { attackers: 3, draws: 1, defenders: 4, unfinished: 0 };
        let results: Results = [finished, Results { unfinished: 2, ..Results::default() }].into_iter().sum();
        assert_eq!((results.games(), results.finished(), results.won(Side::Defenders)), (10, 8, 4));
        assert_eq!(results.to_string(), "attackers 30 %, draws 10 %, defenders 40 %, unfinished 20 %");
        assert_eq!(Results::default().shares(), [0.0; 4]);
    }
}
