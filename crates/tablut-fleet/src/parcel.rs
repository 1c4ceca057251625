//! What comes back: parcels of games, each a header in JSON and the games as frames of a file of records.
//!
//! Layout, all numbers little-endian: length of the header (u32), the header (JSON, [`ParcelHeader`]); then for each game
//! the evaluations that it took (u64), the length of its frame (u32), the frame.

use serde::{Deserialize, Serialize};
use tablut_games::{GameRecord, pack_game, unpack_game};

use crate::error::FleetError;
use crate::wire::{OrderSpec, WIRE_VERSION};

/// Where games come from, and of what order they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParcelHeader {
    /// [`WIRE_VERSION`].
    pub version: u32,
    /// The run's id.
    pub run: String,
    /// The generation.
    pub generation: u64,
    /// The order's id.
    pub order: String,
    /// Hash of the rules that were played.
    pub rules: String,
    /// Hash of the net that played; of a match, of both.
    pub net: String,
    /// What the probe gave on the worker's machine.
    pub probe: String,
    /// The worker's name.
    pub worker: String,
    /// The worker's threads.
    pub threads: usize,
    /// How often the job has been handed out, this time included.
    pub delivered: u64,
    /// Calls of the net since the worker's last parcel.
    pub batches: u64,
    /// Microseconds inside the net since the worker's last parcel, summed over its threads.
    pub evaluator_micros: u64,
    /// How many games follow.
    pub games: usize,
    /// The object of the object store that holds the parcel, when it is too large for a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
}

/// A game and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct ParcelGame {
    /// The game.
    pub game: GameRecord,
    /// Evaluations by the net.
    pub evaluations: u64,
}

/// Games of one order, played by one worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Parcel {
    /// Where they come from.
    pub header: ParcelHeader,
    /// The games.
    pub games: Vec<ParcelGame>,
}

impl Parcel {
    /// Packs `games` into parcels of at most `max_bytes`; a game that is larger has a parcel of its own.
    pub fn pack(header: &ParcelHeader, games: &[ParcelGame], max_bytes: usize) -> Result<Vec<Vec<u8>>, FleetError> {
        let mut parcels = Vec::new();
        let (mut body, mut n) = (Vec::new(), 0);
        let room = max_bytes.saturating_sub(header.to_bytes().len() + 64);
        let mut close = |body: &mut Vec<u8>, n: &mut usize| {
            // What was counted since the last parcel is counted once.
            let counted = if parcels.is_empty() { header.clone() } else { header.clone().uncounted() };
            let mut bytes = ParcelHeader { games: std::mem::take(n), ..counted }.to_bytes();
            bytes.append(body);
            parcels.push(bytes);
        };
        for ParcelGame { game, evaluations } in games {
            let frame = pack_game(game).map_err(|reason| FleetError::message("game", reason))?;
            if n > 0 && body.len() + frame.len() + 12 > room {
                close(&mut body, &mut n);
            }
            body.extend(evaluations.to_le_bytes());
            body.extend((frame.len() as u32).to_le_bytes());
            body.extend(frame);
            n += 1;
        }
        if n > 0 {
            close(&mut body, &mut n);
        }
        Ok(parcels)
    }

    /// Reads the header of a parcel; what comes after it is looked at by [`Parcel::unpack`].
    pub fn header(bytes: &[u8]) -> Result<ParcelHeader, FleetError> {
        Ok(read_header(bytes)?.0)
    }

    /// Reads a parcel of games that are at most `max_game_bytes` long when unpacked.
    pub fn unpack(bytes: &[u8], max_game_bytes: usize) -> Result<Self, FleetError> {
        let wrong = |reason: String| FleetError::message("parcel", reason);
        let (header, mut rest) = read_header(bytes)?;
        let mut games = Vec::new();
        while !rest.is_empty() {
            let (evaluations, after) = rest.split_first_chunk().ok_or_else(|| wrong("cut short".to_owned()))?;
            let (length, after) = after.split_first_chunk().ok_or_else(|| wrong("cut short".to_owned()))?;
            let length = u32::from_le_bytes(*length) as usize;
            let (frame, after) = after.split_at_checked(length).ok_or_else(|| wrong("cut short".to_owned()))?;
            let game = unpack_game(frame, max_game_bytes).map_err(|error| wrong(format!("game: {error}")))?;
            games.push(ParcelGame { game, evaluations: u64::from_le_bytes(*evaluations) });
            rest = after;
        }
        if games.len() != header.games {
            return Err(wrong(format!("{} games, its header says {}", games.len(), header.games)));
        }
        Ok(Self { header, games })
    }
}

impl ParcelHeader {
    /// The header of games of `order`, by a worker that says who it is and how it plays afterwards.
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
        let json = serde_json::to_vec(self).expect("every field has a form in JSON");
        let mut bytes = (json.len() as u32).to_le_bytes().to_vec();
        bytes.extend(json);
        bytes
    }

    /// The header of a message that only names the object where the parcel is.
    pub(crate) fn pointing_to(self, object: String) -> Vec<u8> {
        Self { object: Some(object), games: 0, ..self }.to_bytes()
    }

    fn uncounted(self) -> Self {
        Self { batches: 0, evaluator_micros: 0, delivered: 1, ..self }
    }
}

fn read_header(bytes: &[u8]) -> Result<(ParcelHeader, &[u8]), FleetError> {
    let wrong = |reason: String| FleetError::message("parcel", reason);
    let (length, rest) = bytes.split_first_chunk().ok_or_else(|| wrong("cut short".to_owned()))?;
    let length = u32::from_le_bytes(*length) as usize;
    let (json, rest) = rest.split_at_checked(length).ok_or_else(|| wrong("cut short".to_owned()))?;
    let header: ParcelHeader = serde_json::from_slice(json).map_err(|error| wrong(error.to_string()))?;
    if header.version != WIRE_VERSION {
        return Err(wrong(format!("version {}, this program speaks version {WIRE_VERSION}", header.version)));
    }
    Ok((header, rest))
}
