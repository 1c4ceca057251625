//! Material: the number of pieces of each side, without the king.

use std::fmt;
use std::str::FromStr;

use tablut_rules::Position;

/// The number of soldiers on the board. The king is always there.
///
/// Its text is the number of defenders, `v`, and the number of attackers. `1v3` is a king and one defender against
/// three attackers.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Material {
    /// The defenders without the king.
    pub defenders: usize,
    pub attackers: usize,
}

impl Material {
    pub(super) fn of(position: &Position) -> Self {
        Self { defenders: position.defenders().len(), attackers: position.attackers().len() }
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.defenders, self.attackers)
    }
}

#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{text:?} is not material, expected the numbers of defenders and attackers, such as 1v3")]
pub struct MaterialError {
    text: String,
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Self, MaterialError> {
        let error = || MaterialError { text: text.chars().take(40).collect() };
        let (defenders, attackers) = text.split_once('v').ok_or_else(error)?;
        let count = |digits: &str| digits.parse().map_err(|_| error());
        Ok(Self { defenders: count(defenders)?, attackers: count(attackers)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip_and_others_are_refused() {
        let material: Material = "1v3".parse().unwrap();
        assert_eq!(material, Material { defenders: 1, attackers: 3 });
        assert_eq!(material.to_string(), "1v3");
        for text in ["", "1", "v", "1v", "v3", "1v3v", "-1v3", "1 v 3"] {
            assert!(text.parse::<Material>().is_err(), "{text:?}");
        }
    }
}
