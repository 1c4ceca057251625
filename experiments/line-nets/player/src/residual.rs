//! The study's residual net as a net of the product.

use std::collections::BTreeMap;

use tablut_net::{NetError, Weights};

use crate::tensors::Tensors;

/// The same weights under the product's names.
pub fn weights(shape: &str, tensors: Tensors) -> Result<Weights, NetError> {
    let renamed = tensors.into_iter().map(|(name, tensor)| {
        let name = match name.split_once('.').expect("a layer and a part") {
            ("input" | "features", _) => format!("trunk.{name}"),
            ("blocks", rest) => format!("trunk.block{rest}"),
            ("policy_conv", part) => format!("policy.conv.{part}"),
            ("policy_pool", part) => format!("policy.pool.{part}"),
            ("policy_out", part) => format!("policy.out.{part}"),
            ("value", "left.weight") => "moves_left.weight".to_owned(),
            ("value", "left.bias") => "moves_left.bias".to_owned(),
            _ => name,
        };
        let dims = tensor.shape().to_vec();
        let tensor = match dims[..] {
            [outputs, inputs, 1, 1] => tensor.into_shape_with_order(vec![outputs, inputs]).expect("as many values"),
            _ => tensor,
        };
        (name, tensor)
    });
    Weights::new(shape.parse()?, renamed.collect::<BTreeMap<_, _>>())
}
