//! The messages with a worker's games: a header in JSON, and the games as in a file of records.
//!
//! A message has the length of the header (u32, little-endian), the header (JSON, [`ResultHeader`]), and the games'
//! frames.

use serde::{Deserialize, Serialize};
use tablut_games::{GameRecord, pack_game, unpack_game};

use crate::error::FleetError;
use crate::wire::{OrderSpec, WIRE_VERSION};

/// The worker and the order of the games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultHeader {
    /// [`WIRE_VERSION`].
    pub version: u32,
    pub run: String,
    pub generation: u64,
    pub order: String,
    pub rules: String,
    /// Hashes of the nets, joined by `+`.
    pub net: String,
    /// Hash of the probe on the worker's machine.
    pub probe: String,
    pub worker: String,
    pub threads: usize,
    /// The number of times that the broker has delivered the job, including this time.
    pub delivered: u64,
    /// Calls of the net since the worker's last message.
    pub batches: u64,
    /// Microseconds inside the net since the worker's last message, summed over its threads.
    pub evaluator_micros: u64,
    /// Number of games in the message.
    pub games: usize,
    /// The object in the object store that contains the games, if they are too large for a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
}

/// Games of one order, played by one worker.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultMessage {
    pub header: ResultHeader,
    pub games: Vec<GameRecord>,
}

impl ResultMessage {
    /// Packs `games` into messages of at most `max_bytes`. A larger game gets its own larger message.
    pub fn pack(header: &ResultHeader, games: &[GameRecord], max_bytes: usize) -> Result<Vec<Vec<u8>>, FleetError> {
        let mut messages = Vec::new();
        let (mut body, mut n) = (Vec::new(), 0);
        let room = max_bytes.saturating_sub(header.to_bytes().len() + 64);
        let mut close = |body: &mut Vec<u8>, n: &mut usize| {
            // The counters go into the first message only.
            let counted = match messages.len() {
                0 => header.clone(),
                _ => ResultHeader { batches: 0, evaluator_micros: 0, delivered: 1, ..header.clone() },
            };
            let mut bytes = ResultHeader { games: std::mem::take(n), ..counted }.to_bytes();
            bytes.append(body);
            messages.push(bytes);
        };
        for game in games {
            let frame = pack_game(game).map_err(|reason| FleetError::message("game", reason))?;
            if n > 0 && body.len() + frame.len() > room {
                close(&mut body, &mut n);
            }
            body.extend(frame);
            n += 1;
        }
        if n > 0 {
            close(&mut body, &mut n);
        }
        Ok(messages)
    }

    pub fn header(bytes: &[u8]) -> Result<ResultHeader, FleetError> {
        Ok(read_header(bytes)?.0)
    }

    /// Reads a message of at most `max_games` games of at most `max_game_bytes` each when unpacked. `check` checks each
    /// game before the next one is unpacked, and games must have rising indices. So a small message cannot fill the
    /// memory.
    pub fn unpack(
        bytes: &[u8],
        [max_games, max_game_bytes]: [usize; 2],
        check: impl Fn(&GameRecord) -> Result<(), String>,
    ) -> Result<Self, String> {
        let (header, mut rest) = read_header(bytes).map_err(|error| error.to_string())?;
        if header.games > max_games {
            return Err(format!("{} games, expected at most {max_games}", header.games));
        }
        let mut games: Vec<GameRecord> = Vec::new();
        while !rest.is_empty() {
            if games.len() == header.games {
                return Err(format!("more games than the {} of the header", header.games));
            }
            let (game, after) = unpack_game(rest, max_game_bytes).map_err(|error| format!("game: {error}"))?;
            check(&game)?;
            // A worker sends the games of a job in the order of their indices.
            if games.last().is_some_and(|last| last.index >= game.index) {
                return Err(format!("game {} is not in the order of the games' indices", game.index));
            }
            games.push(game);
            rest = after;
        }
        if games.len() != header.games {
            return Err(format!("{} games, expected the {} of the header", games.len(), header.games));
        }
        Ok(Self { header, games })
    }
}

impl ResultHeader {
    /// The header for games of `order`. The worker fills in the other fields.
    pub fn of(order: &OrderSpec) -> Self {
        Self {
            version: WIRE_VERSION,
            run: order.run.clone(),
            generation: order.generation,
            order: order.id(),
            rules: order.rules_hash(),
            net: order.net_hashes(),
            ..Self::default()
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let json = serde_json::to_vec(self).expect("every field can be written as JSON");
        let mut bytes = (json.len() as u32).to_le_bytes().to_vec();
        bytes.extend(json);
        bytes
    }

    /// The bytes of a message that only names the object with the games.
    pub(crate) fn pointing_to(self, object: String) -> Vec<u8> {
        Self { object: Some(object), games: 0, ..self }.to_bytes()
    }
}

fn read_header(bytes: &[u8]) -> Result<(ResultHeader, &[u8]), FleetError> {
    let wrong = |reason: String| FleetError::message("result", reason);
    let (length, rest) = bytes.split_first_chunk().ok_or_else(|| wrong("cut short".to_owned()))?;
    let length = u32::from_le_bytes(*length) as usize;
    let (json, rest) = rest.split_at_checked(length).ok_or_else(|| wrong("cut short".to_owned()))?;
    let header: ResultHeader = serde_json::from_slice(json).map_err(|error| wrong(error.to_string()))?;
    if header.version != WIRE_VERSION {
        return Err(wrong(format!("version {}, expected {WIRE_VERSION}", header.version)));
    }
    Ok((header, rest))
}
