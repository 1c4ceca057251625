//! A net's architecture as data: its kind, the blocks of its trunk, and the widths of its layers.

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::NetError;
use crate::layers::Parameter;

/// Version of [`Architecture`]'s fields and their meaning.
pub const ARCHITECTURE_VERSION: u32 = 1;

/// Together with the encoding version, this determines a net's tensors and its forward pass.
///
/// There are two kinds. Common architectures have a short name: `b6c64` is a [residual](Residual) net with six blocks of
/// 64 channels, `lines32x2` a [net of lines](LineShape) with 32 channels and two blocks. A config contains the short name,
/// or a table of the fields if there is no short name. A model file always contains all fields as JSON.
///
/// ```
/// let architecture: tablut_net::Architecture = "b2c32".parse()?;
/// assert_eq!(
///     architecture.to_json(),
///     r#"{"version":1,"channels":32,"blocks":["plain","pooled"],"policy":{"channels":32},"value":{"channels":32,"hidden":64}}"#
/// );
/// let architecture: tablut_net::Architecture = "lines32x2".parse()?;
/// assert_eq!(architecture.to_json(), r#"{"version":1,"lines":{"channels":32,"blocks":2}}"#);
/// # Ok::<(), tablut_net::NetError>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq, Hash)]
pub enum Architecture {
    /// Residual blocks of 3×3 convolutions.
    Residual(Residual),
    /// Features of rows and columns, which a program reads from tables, and a few cheap blocks.
    Lines(LineShape),
}

/// A residual net with convolutions: its blocks with their pooling, and the widths of its heads.
#[derive(Clone, Debug, Eq, PartialEq, Hash)]
pub struct Residual {
    channels: usize,
    blocks: Vec<BlockKind>,
    policy: PolicyWidths,
    value: ValueWidths,
}

/// A net of lines. One small network describes each of the 18 rows and columns by itself; a square's features are the
/// sum of its row's and its column's. Blocks of a depthwise 3×3 and a 1×1 convolution follow.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineShape {
    /// Channels of the trunk, a multiple of 32 from 32 to 128.
    pub channels: usize,
    /// Blocks of the trunk, 1 to 8.
    pub blocks: usize,
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

/// The fields of a residual net as they are stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResidualFields {
    version: u32,
    channels: usize,
    blocks: Vec<BlockKind>,
    policy: PolicyWidths,
    value: ValueWidths,
}

/// The fields of a net of lines as they are stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinesFields {
    version: u32,
    lines: LineShape,
}

impl Residual {
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

    fn fields(&self) -> ResidualFields {
        let Self { channels, ref blocks, policy, value } = *self;
        ResidualFields { version: ARCHITECTURE_VERSION, channels, blocks: blocks.clone(), policy, value }
    }

    fn is_standard(&self) -> bool {
        Self::standard(self.blocks.len(), self.channels).is_ok_and(|standard| standard == *self)
    }
}

impl LineShape {
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
}

impl From<Residual> for Architecture {
    fn from(residual: Residual) -> Self {
        Self::Residual(residual)
    }
}

impl From<LineShape> for Architecture {
    fn from(lines: LineShape) -> Self {
        Self::Lines(lines)
    }
}

impl Architecture {
    /// [`Residual::standard`].
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn standard(blocks: usize, channels: usize) -> Result<Self, NetError> {
        Residual::standard(blocks, channels).map(Self::Residual)
    }

    /// The residual architecture, for devices that run no other.
    ///
    /// # Errors
    /// If it is a net of lines.
    pub fn residual(&self) -> Result<&Residual, NetError> {
        match self {
            Self::Residual(residual) => Ok(residual),
            Self::Lines(_) => Err(NetError::OnlyOnCores(self.to_string())),
        }
    }

    /// The layers of a net of lines.
    ///
    /// # Panics
    /// If the net is residual.
    pub fn layers(&self) -> crate::lines::LineLayers {
        match self {
            Self::Residual(_) => panic!("a net of lines"),
            Self::Lines(lines) => lines.layers(),
        }
    }

    /// Every tensor, in the order of the forward pass. A [`ParameterId`](crate::layers::ParameterId) is an index into
    /// this list.
    pub fn tensors(&self) -> Vec<Parameter> {
        match self {
            Self::Residual(residual) => residual.layers().parameters().to_vec(),
            Self::Lines(lines) => lines.layers().parameters().to_vec(),
        }
    }

    /// Number of trained parameters.
    pub fn parameters(&self) -> usize {
        self.tensors().iter().map(Parameter::len).sum()
    }

    /// Additions and multiplications of one evaluation, with convolutions computed directly. Each weight of a layer on
    /// squares counts twice for every square, every other parameter counts twice. A line network counts nothing, because
    /// its outputs are read from tables.
    pub fn operations(&self) -> usize {
        match self {
            Self::Residual(residual) => residual.operations(),
            Self::Lines(lines) => lines.operations(),
        }
    }

    /// All fields as JSON, as in model files.
    pub fn to_json(&self) -> String {
        let text = match self {
            Self::Residual(residual) => serde_json::to_string(&residual.fields()),
            Self::Lines(lines) => serde_json::to_string(&LinesFields { version: ARCHITECTURE_VERSION, lines: *lines }),
        };
        text.expect("numbers and names have a form in JSON")
    }

    /// Reads the output of [`Architecture::to_json`].
    ///
    /// # Errors
    /// If the text has another form or another version, or a field is out of range.
    pub fn from_json(text: &str) -> Result<Self, NetError> {
        let fail = |error: serde_json::Error| NetError::Architecture(format!("{error} in `{text}`"));
        let fields: serde_json::Value = serde_json::from_str(text).map_err(fail)?;
        Self::from_fields(fields, text)
    }

    fn from_fields(fields: serde_json::Value, text: &str) -> Result<Self, NetError> {
        let fail = |error: serde_json::Error| NetError::Architecture(format!("{error} in `{text}`"));
        let checked = |version: u32| match version {
            ARCHITECTURE_VERSION => Ok(()),
            _ => Err(NetError::Architecture(format!(
                "version {version}, this program reads version {ARCHITECTURE_VERSION}"
            ))),
        };
        if fields.get("lines").is_some() {
            let LinesFields { version, lines } = serde_json::from_value(fields).map_err(fail)?;
            checked(version)?;
            return LineShape::new(lines.channels, lines.blocks).map(Self::Lines);
        }
        let fields: ResidualFields = serde_json::from_value(fields).map_err(fail)?;
        checked(fields.version)?;
        Residual::new(fields.channels, fields.blocks, fields.policy, fields.value).map(Self::Residual)
    }
}

/// The short name. For a residual net it is followed by the differences from the standard, as in `b4c32 (pooled 2 3;
/// policy 64; value 48, 64)`.
impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let residual = match self {
            Self::Residual(residual) => residual,
            Self::Lines(LineShape { channels, blocks }) => return f.pad(&format!("lines{channels}x{blocks}")),
        };
        let name = format!("b{}c{}", residual.blocks.len(), residual.channels);
        if residual.is_standard() {
            return f.pad(&name);
        }
        let pooled = residual.blocks.iter().enumerate().filter(|(_, kind)| **kind == BlockKind::Pooled);
        let pooled: Vec<_> = pooled.map(|(block, _)| (block + 1).to_string()).collect();
        let pooled = if pooled.is_empty() { "none".to_owned() } else { pooled.join(" ") };
        let (policy, value) = (residual.policy.channels, residual.value);
        f.pad(&format!("{name} (pooled {pooled}; policy {policy}; value {}, {})", value.channels, value.hidden))
    }
}

impl FromStr for Architecture {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        let numbers = |pair: (&str, &str)| Some([pair.0.parse().ok()?, pair.1.parse().ok()?]);
        let found = if let Some(shape) = text.strip_prefix("lines") {
            let shape = shape.split_once('x').and_then(numbers);
            shape.and_then(|[channels, blocks]| LineShape::new(channels, blocks).ok()).map(Self::Lines)
        } else {
            let shape = text.strip_prefix('b').and_then(|shape| shape.split_once('c')).and_then(numbers);
            shape.and_then(|[blocks, channels]| Self::standard(blocks, channels).ok())
        };
        found.ok_or_else(|| NetError::ArchitectureName(text.to_owned()))
    }
}

impl Serialize for Architecture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Residual(residual) if !residual.is_standard() => residual.fields().serialize(serializer),
            _ => serializer.collect_str(self),
        }
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
                let fields = serde_json::Value::deserialize(MapAccessDeserializer::new(map))?;
                let text = fields.to_string();
                Architecture::from_fields(fields, &text).map_err(M::Error::custom)
            }
        }

        deserializer.deserialize_any(NameOrFields)
    }
}
