//! The shape of a net: how many residual blocks, how wide, and the size of its heads.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::encoding::{FEATURES, PLANES};
use crate::error::NetError;
use crate::policy::POLICY_PLANES;

/// Sizes that, with the encoding version, determine every tensor of a net.
///
/// Written `b6c64`: six residual blocks of 64 channels.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NetShape {
    /// Number of residual blocks, 1 to 64; each is two 3×3 convolutions, and every odd one pools.
    pub blocks: usize,
    /// Channels of the trunk and of the policy head, a multiple of 16 from 16 to 512.
    pub channels: usize,
    /// Channels of the value head's 1×1 convolution.
    pub value_channels: usize,
    /// Width of the value head's hidden layer.
    pub value_hidden: usize,
}

impl NetShape {
    /// The shape with `blocks` and `channels` and the standard value head (32 channels, 64 hidden).
    pub fn new(blocks: usize, channels: usize) -> Result<Self, NetError> {
        let in_range = (1..=64).contains(&blocks) && (16..=512).contains(&channels);
        if !in_range || !channels.is_multiple_of(16) {
            return Err(NetError::Shape(format!("b{blocks}c{channels}")));
        }
        Ok(Self { blocks, channels, value_channels: 32, value_hidden: 64 })
    }

    /// Whether block `index` adds a bias from global pooling: every odd block does.
    pub const fn pools(index: usize) -> bool {
        index % 2 == 1
    }

    /// Name and dimensions of every tensor, in a fixed order (the order of the forward pass).
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let (c, v, h) = (self.channels, self.value_channels, self.value_hidden);
        let mut specs = Specs::default();
        specs.layer("trunk.input", &[c, PLANES, 3, 3]);
        specs.weight("trunk.features.weight", &[c, FEATURES], FEATURES);
        for block in 0..self.blocks {
            specs.layer(&format!("trunk.block{block}.conv1"), &[c, c, 3, 3]);
            specs.layer(&format!("trunk.block{block}.conv2"), &[c, c, 3, 3]);
            if Self::pools(block) {
                specs.weight(&format!("trunk.block{block}.pool.weight"), &[c, 2 * c], 2 * c);
            }
        }
        specs.layer("policy.conv", &[c, c]);
        specs.weight("policy.pool.weight", &[c, 2 * c], 2 * c);
        specs.layer("policy.out", &[POLICY_PLANES, c]);
        specs.layer("value.conv", &[v, c]);
        specs.layer("value.hidden", &[h, 2 * v]);
        specs.layer("value.out", &[3, h]);
        specs.layer("moves_left", &[1, h]);
        specs.0
    }

    /// Number of trained parameters.
    pub fn parameters(&self) -> usize {
        self.tensors().iter().map(TensorSpec::len).sum()
    }
}

/// Name, dimensions and fan-in of one tensor of a net.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TensorSpec {
    /// The tensor's name in the model file, such as `trunk.block0.conv1.weight`.
    pub name: String,
    /// Dimensions, outermost first; data is row-major.
    pub dims: Vec<usize>,
    /// Inputs summed into one output, 0 for a bias: what initialisation scales by.
    pub fan_in: usize,
}

impl TensorSpec {
    /// Number of elements.
    #[expect(clippy::len_without_is_empty, reason = "no tensor of a net is empty")]
    pub fn len(&self) -> usize {
        self.dims.iter().product()
    }
}

#[derive(Default)]
struct Specs(Vec<TensorSpec>);

impl Specs {
    fn weight(&mut self, name: &str, dims: &[usize], fan_in: usize) {
        self.0.push(TensorSpec { name: name.to_owned(), dims: dims.to_vec(), fan_in });
    }

    fn layer(&mut self, name: &str, dims: &[usize]) {
        self.weight(&format!("{name}.weight"), dims, dims[1..].iter().product());
        self.weight(&format!("{name}.bias"), &dims[..1], 0);
    }
}

impl fmt::Display for NetShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}c{}", self.blocks, self.channels)
    }
}

impl FromStr for NetShape {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        let parse = || {
            let (blocks, channels) = text.strip_prefix('b')?.split_once('c')?;
            Some((blocks.parse().ok()?, channels.parse().ok()?))
        };
        let (blocks, channels) = parse().ok_or_else(|| NetError::Shape(text.to_owned()))?;
        Self::new(blocks, channels)
    }
}

impl TryFrom<String> for NetShape {
    type Error = NetError;

    fn try_from(text: String) -> Result<Self, NetError> {
        text.parse()
    }
}

impl From<NetShape> for String {
    fn from(shape: NetShape) -> Self {
        shape.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_read_what_they_write() {
        for text in ["b2c32", "b4c64", "b10c128"] {
            assert_eq!(text.parse::<NetShape>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_bad_shape_is_refused_with_its_text() {
        for text in ["", "b6", "6x64", "b0c64", "b6c60", "b6c64x", "b6c1024"] {
            let error = text.parse::<NetShape>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn only_odd_blocks_have_a_pooling_tensor() {
        let tensors = NetShape::new(3, 16).unwrap().tensors();
        let pools: Vec<_> = tensors.iter().filter(|t| t.name.contains("block") && t.name.contains("pool")).collect();
        assert_eq!(pools.len(), 1);
        assert_eq!(pools[0].name, "trunk.block1.pool.weight");
        assert_eq!(pools[0].dims, [16, 32]);
    }
}
