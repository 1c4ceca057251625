//! The model card: information for the users of a net.

use serde::{Deserialize, Serialize};

/// The maximum number of bytes of a card as JSON.
const MAX_BYTES: usize = 64 << 10;

/// Information about a net for its users, in addition to the rules and the training in the model file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Card {
    /// What the net is and what it is for, in a sentence or two.
    pub about: String,
    /// The licence.
    pub licence: String,
    /// The commit of the program that trained it.
    pub commit: String,
    /// The machine that trained it, and how long it took.
    pub hardware: String,
    /// The net's weaknesses.
    pub weaknesses: Vec<String>,
    /// The command that measured the scores.
    pub command: String,
    /// Its scores against other players.
    pub scores: Vec<CardScore>,
    /// The whole config of its training as TOML.
    pub config: String,
}

/// A score against another player under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardScore {
    /// The rule set's name.
    pub rules: String,
    /// How the net played: what follows the `@` in a player's text, such as `128` or `100ms`.
    pub play: String,
    /// The other player's text.
    pub opponent: String,
    /// Games.
    pub games: u32,
    /// The share of points, 0 to 1.
    pub score: CardInterval,
    /// The share of points with the attackers.
    pub as_attackers: CardInterval,
    /// The share of points with the defenders.
    pub as_defenders: CardInterval,
    /// The difference in Elo, or `None` if one player won every game.
    pub elo: Option<CardInterval>,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardInterval {
    /// The number.
    pub mean: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Card {
    /// Reads a card from JSON and [checks](Card::check) it.
    pub(crate) fn from_json(json: &str) -> Result<Self, String> {
        let card: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        card.check().map(|()| card)
    }

    /// Checks the size of the card and its texts, because programs print them.
    ///
    /// # Errors
    /// If the card has more than 64 KiB, or a text has control characters other than line breaks.
    pub fn check(&self) -> Result<(), String> {
        let bytes = serde_json::to_string(self).map_err(|error| error.to_string())?.len();
        if bytes > MAX_BYTES {
            return Err(format!("{bytes} bytes, expected at most {MAX_BYTES}"));
        }
        let scores = self.scores.iter().flat_map(|score| [&score.rules, &score.play, &score.opponent]);
        let texts = [&self.about, &self.licence, &self.commit, &self.hardware, &self.command, &self.config];
        let strange = |text: &&String| text.chars().any(|c| c.is_control() && c != '\n');
        match texts.into_iter().chain(&self.weaknesses).chain(scores).find(strange) {
            Some(text) => Err(format!("the text {text:?} has control characters")),
            None => Ok(()),
        }
    }
}
