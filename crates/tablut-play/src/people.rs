//! Which sides people play.

use clap::ValueEnum;
use tablut_session::{Seat, Seats};

/// Which sides people play; the computer plays the others.
#[derive(Copy, Clone, Debug, Eq, PartialEq, ValueEnum)]
pub enum People {
    /// You play the attackers.
    Attackers,
    /// You play the defenders.
    Defenders,
    /// You play both sides.
    Both,
    /// You watch.
    Neither,
}

impl People {
    /// The seats of such a game, with `opponent` on the sides that people do not play.
    pub fn seats(self, opponent: &Seat) -> Seats {
        let seat = |is_person| if is_person { Seat::Person } else { opponent.clone() };
        Seats {
            attackers: seat(matches!(self, Self::Attackers | Self::Both)),
            defenders: seat(matches!(self, Self::Defenders | Self::Both)),
        }
    }

    /// Who plays at a board with these seats.
    pub fn at(seats: &Seats) -> Self {
        match (seats.attackers.is_person(), seats.defenders.is_person()) {
            (true, true) => Self::Both,
            (true, false) => Self::Attackers,
            (false, true) => Self::Defenders,
            (false, false) => Self::Neither,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_say_who_plays() {
        for people in People::value_variants() {
            assert_eq!(People::at(&people.seats(&Seat::computer("club"))), *people);
        }
    }
}
