//! A net's architecture: the channels and blocks of its trunk.

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::NetError;
use crate::layers::Parameter;

/// Version of the fields in [`Architecture::to_json`] and of their meaning.
pub const ARCHITECTURE_VERSION: u32 = 1;

/// Together with the encoding version, this determines a net's tensors and its forward pass.
///
/// A net of lines has one small network that describes each of the 18 rows and columns by itself. A square's features are
/// the sum of its row's and its column's. Blocks of a depthwise 3×3 and a 1×1 convolution follow. `lines32x2` is the short
/// name of a net with 32 channels and two blocks. A config contains the short name, a model file the fields as JSON.
///
/// ```
/// let architecture: tablut_net::Architecture = "lines32x2".parse()?;
/// assert_eq!(architecture.to_json(), r#"{"version":1,"lines":{"channels":32,"blocks":2}}"#);
/// # Ok::<(), tablut_net::NetError>(())
/// ```
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub struct Architecture {
    channels: usize,
    blocks: usize,
}

/// The fields as a model file stores them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    version: u32,
    lines: Lines,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    channels: usize,
    blocks: usize,
}

impl Architecture {
    /// The architecture with the short name `lines{channels}x{blocks}`.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn new(channels: usize, blocks: usize) -> Result<Self, NetError> {
        if !(32..=128).contains(&channels) || !channels.is_multiple_of(32) {
            let reason = format!("lines.channels = {channels}: expected a multiple of 32 from 32 to 128");
            return Err(NetError::Architecture(reason));
        }
        if !(1..=8).contains(&blocks) {
            return Err(NetError::Architecture(format!("lines.blocks = {blocks}: expected 1 to 8")));
        }
        Ok(Self { channels, blocks })
    }

    /// Channels of the trunk, a multiple of 32 from 32 to 128.
    pub fn channels(self) -> usize {
        self.channels
    }

    /// Blocks of the trunk, 1 to 8.
    pub fn blocks(self) -> usize {
        self.blocks
    }

    /// Every tensor, in the order of the forward pass. A [`ParameterId`](crate::layers::ParameterId) is an index into
    /// this list.
    pub fn tensors(self) -> Vec<Parameter> {
        self.layers().parameters().to_vec()
    }

    /// Number of trained parameters.
    pub fn parameters(self) -> usize {
        self.tensors().iter().map(Parameter::len).sum()
    }

    /// All fields as JSON, as in model files.
    pub fn to_json(self) -> String {
        let Self { channels, blocks } = self;
        let fields = Fields { version: ARCHITECTURE_VERSION, lines: Lines { channels, blocks } };
        serde_json::to_string(&fields).expect("numbers have a form in JSON")
    }

    /// Reads the output of [`Architecture::to_json`].
    ///
    /// # Errors
    /// If the text has another form or another version, a field is out of range, or the net is residual.
    pub fn from_json(text: &str) -> Result<Self, NetError> {
        let fail = |error: serde_json::Error| NetError::Architecture(format!("{error} in `{text}`"));
        let fields: serde_json::Value = serde_json::from_str(text).map_err(fail)?;
        if let (Some(blocks), Some(channels)) = (fields["blocks"].as_array(), fields["channels"].as_u64()) {
            return Err(NetError::Residual(format!("b{}c{channels}", blocks.len())));
        }
        let Fields { version, lines } = serde_json::from_value(fields).map_err(fail)?;
        if version != ARCHITECTURE_VERSION {
            let reason = format!("version {version}, this program reads version {ARCHITECTURE_VERSION}");
            return Err(NetError::Architecture(reason));
        }
        Self::new(lines.channels, lines.blocks)
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("lines{}x{}", self.channels, self.blocks))
    }
}

impl FromStr for Architecture {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        let numbers = |shape: &str, between| -> Option<[usize; 2]> {
            let (first, second) = shape.split_once(between)?;
            Some([first.parse().ok()?, second.parse().ok()?])
        };
        if text.strip_prefix('b').is_some_and(|shape| numbers(shape, 'c').is_some()) {
            return Err(NetError::Residual(text.to_owned()));
        }
        let shape = text.strip_prefix("lines").and_then(|shape| numbers(shape, 'x'));
        let found = shape.and_then(|[channels, blocks]| Self::new(channels, blocks).ok());
        found.ok_or_else(|| NetError::ArchitectureName(text.to_owned()))
    }
}

tablut_rules::serde_as_text!(Architecture);
