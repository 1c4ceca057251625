//! The start position of a rule set as the rows of a position's text, without the side to move.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

use crate::position::Position;
use crate::side::Side;

pub(super) fn tablut() -> Position {
    Position::start(Side::Attackers)
}

pub(super) fn is_tablut(start: &Position) -> bool {
    start.with_side_to_move(Side::Attackers) == tablut()
}

pub(super) fn serialize<S: Serializer>(start: &Position, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&start.rows())
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
    let rows = String::deserialize(deserializer)?;
    let start = Position::read(&rows, Some(Side::Attackers)).map_err(|error| error.with_key("start"));
    start.map(|start| start.with_side_to_move(Side::Attackers)).map_err(D::Error::custom)
}
