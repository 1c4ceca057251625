//! A net's architecture as data: the blocks of the trunk with their pooling, and the widths of the heads.

use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::NetError;

/// Version of [`Architecture`]'s fields and their meaning.
pub const ARCHITECTURE_VERSION: u32 = 1;

/// Together with the encoding version, this determines a net's tensors and its forward pass.
///
/// Common architectures have a short name. `b6c64` has six residual blocks of 64 channels, every second one pooled, and
/// the [standard](Architecture::standard) heads. A config contains the short name, or a table of the fields if there is
/// no short name. A model file always contains all fields as JSON.
///
/// ```
/// let architecture: tablut_net::Architecture = "b2c32".parse()?;
/// assert_eq!(
///     architecture.to_json(),
///     r#"{"version":1,"channels":32,"blocks":["plain","pooled"],"policy":{"channels":32},"value":{"channels":32,"hidden":64}}"#
/// );
/// # Ok::<(), tablut_net::NetError>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq, Hash)]
pub struct Architecture {
    channels: usize,
    blocks: Vec<BlockKind>,
    policy: PolicyWidths,
    value: ValueWidths,
}

/// A residual block of two 3×3 convolutions.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockKind {
    /// Only the convolutions.
    Plain,
    /// The mean and maximum of each channel between the convolutions are fed into a bias of the second one.
    Pooled,
}

/// Widths of the policy head.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyWidths {
    /// Channels of its 1×1 convolution, a multiple of 16 from 16 to 512.
    pub channels: usize,
}

/// Widths of the value head.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueWidths {
    /// Channels of its 1×1 convolution, a multiple of 16 from 16 to 512.
    pub channels: usize,
    /// Width of its hidden layer, a multiple of 16 from 16 to 512.
    pub hidden: usize,
}

/// The fields as they are stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    version: u32,
    channels: usize,
    blocks: Vec<BlockKind>,
    policy: PolicyWidths,
    value: ValueWidths,
}

impl Architecture {
    /// An architecture with these `blocks` (1 to 64), `channels` of the trunk (a multiple of 16 from 16 to 512), and
    /// widths of the heads.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn new(
        channels: usize,
        blocks: Vec<BlockKind>,
        policy: PolicyWidths,
        value: ValueWidths,
    ) -> Result<Self, NetError> {
        let widths = [
            ("channels", channels),
            ("policy.channels", policy.channels),
            ("value.channels", value.channels),
            ("value.hidden", value.hidden),
        ];
        for (name, width) in widths {
            if !(16..=512).contains(&width) || !width.is_multiple_of(16) {
                let reason = format!("{name} = {width}: expected a multiple of 16 from 16 to 512");
                return Err(NetError::Architecture(reason));
            }
        }
        if !(1..=64).contains(&blocks.len()) {
            return Err(NetError::Architecture(format!("{} blocks: expected 1 to 64", blocks.len())));
        }
        Ok(Self { channels, blocks, policy, value })
    }

    /// The architecture with the short name `b{blocks}c{channels}`. Every second block is pooled, starting with the
    /// second one. The policy head is as wide as the trunk, and the value head has 32 channels and 64 hidden units.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn standard(blocks: usize, channels: usize) -> Result<Self, NetError> {
        let kinds = (0..blocks.min(65)).map(|block| [BlockKind::Plain, BlockKind::Pooled][block % 2]);
        Self::new(channels, kinds.collect(), PolicyWidths { channels }, ValueWidths { channels: 32, hidden: 64 })
            .map_err(|_| NetError::ArchitectureName(format!("b{blocks}c{channels}")))
    }

    /// Channels of the trunk.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The trunk's residual blocks.
    pub fn blocks(&self) -> &[BlockKind] {
        &self.blocks
    }

    /// Widths of the policy head.
    pub fn policy(&self) -> PolicyWidths {
        self.policy
    }

    /// Widths of the value head.
    pub fn value(&self) -> ValueWidths {
        self.value
    }

    /// All fields as JSON, as in model files.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.fields()).expect("numbers and names have a form in JSON")
    }

    /// Reads the output of [`Architecture::to_json`].
    ///
    /// # Errors
    /// If the text has another form or another version, or a field is out of range.
    pub fn from_json(text: &str) -> Result<Self, NetError> {
        let fields: Fields =
            serde_json::from_str(text).map_err(|error| NetError::Architecture(format!("{error} in `{text}`")))?;
        fields.try_into()
    }

    fn fields(&self) -> Fields {
        Fields {
            version: ARCHITECTURE_VERSION,
            channels: self.channels,
            blocks: self.blocks.clone(),
            policy: self.policy,
            value: self.value,
        }
    }

    fn is_standard(&self) -> bool {
        Self::standard(self.blocks.len(), self.channels).is_ok_and(|standard| standard == *self)
    }
}

impl TryFrom<Fields> for Architecture {
    type Error = NetError;

    fn try_from(fields: Fields) -> Result<Self, NetError> {
        if fields.version != ARCHITECTURE_VERSION {
            return Err(NetError::Architecture(format!(
                "version {}, this program reads version {ARCHITECTURE_VERSION}",
                fields.version
            )));
        }
        Self::new(fields.channels, fields.blocks, fields.policy, fields.value)
    }
}

/// The short name, followed by the differences from the standard, as in `b4c32 (pooled 2 3; policy 64; value 48, 64)`.
impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("b{}c{}", self.blocks.len(), self.channels);
        if self.is_standard() {
            return f.pad(&name);
        }
        let pooled = self.blocks.iter().enumerate().filter(|(_, kind)| **kind == BlockKind::Pooled);
        let pooled: Vec<_> = pooled.map(|(block, _)| (block + 1).to_string()).collect();
        let pooled = if pooled.is_empty() { "none".to_owned() } else { pooled.join(" ") };
        let (policy, value) = (self.policy.channels, self.value);
        f.pad(&format!("{name} (pooled {pooled}; policy {policy}; value {}, {})", value.channels, value.hidden))
    }
}

impl FromStr for Architecture {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        let parse = || {
            let (blocks, channels) = text.strip_prefix('b')?.split_once('c')?;
            Some((blocks.parse().ok()?, channels.parse().ok()?))
        };
        let (blocks, channels) = parse().ok_or_else(|| NetError::ArchitectureName(text.to_owned()))?;
        Self::standard(blocks, channels).map_err(|_| NetError::ArchitectureName(text.to_owned()))
    }
}

impl Serialize for Architecture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_standard() { serializer.collect_str(self) } else { self.fields().serialize(serializer) }
    }
}

impl<'de> Deserialize<'de> for Architecture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrFields;

        impl<'de> Visitor<'de> for NameOrFields {
            type Value = Architecture;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a net's short name, such as b6c64, or a table of its architecture")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Architecture, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Architecture, M::Error> {
                let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
                fields.try_into().map_err(M::Error::custom)
            }
        }

        deserializer.deserialize_any(NameOrFields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_read_what_they_write() {
        for text in ["b2c32", "b4c64", "b10c128"] {
            let architecture: Architecture = text.parse().unwrap();
            assert_eq!(architecture.to_string(), text);
            assert_eq!(serde_json::to_string(&architecture).unwrap(), format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Architecture>(&format!("\"{text}\"")).unwrap(), architecture);
        }
    }

    #[test]
    fn a_bad_name_is_refused_with_its_text() {
        for text in ["", "b6", "6x64", "b0c64", "b6c60", "b6c64x", "b6c1024", "b99999999999c64"] {
            let error = text.parse::<Architecture>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn every_field_is_written_and_read_back() {
        let blocks = vec![BlockKind::Pooled, BlockKind::Plain, BlockKind::Pooled];
        let (policy, value) = (PolicyWidths { channels: 64 }, ValueWidths { channels: 16, hidden: 48 });
        let architecture = Architecture::new(48, blocks, policy, value).unwrap();
        assert_eq!(architecture.to_string(), "b3c48 (pooled 1 3; policy 64; value 16, 48)");
        assert_eq!(Architecture::from_json(&architecture.to_json()).unwrap(), architecture);
        let written = serde_json::to_string(&architecture).unwrap();
        assert_eq!(written, architecture.to_json());
        assert_eq!(serde_json::from_str::<Architecture>(&written).unwrap(), architecture);
        let standard: Architecture = "b3c48".parse().unwrap();
        assert_ne!(standard, architecture);
        assert_eq!(Architecture::from_json(&standard.to_json()).unwrap(), standard);
    }

    #[test]
    fn faulty_fields_are_refused_with_the_reason() {
        let json = "b1c16".parse::<Architecture>().unwrap().to_json();
        let check = |from: &str, to: &str, expected: &str| {
            assert!(json.contains(from));
            let error = Architecture::from_json(&json.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("\"version\":1", "\"version\":2", "version 2, this program reads version 1");
        check("\"channels\":16", "\"channels\":24", "channels = 24");
        check("\"hidden\":64", "\"hidden\":8", "value.hidden = 8");
        check("plain", "dense", "`dense`");
        check("\"value\"", "\"worth\"", "`worth`");
        check("[\"plain\"]", "[]", "0 blocks");
    }
}
