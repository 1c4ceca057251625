//! Nets of the first encoding, which knew only Tablut's board. They have the same outputs there as before.

use std::collections::BTreeMap;

use crate::lines::{DISTANCES_AHEAD, DISTANCES_FROM_EDGE, DISTANCES_FROM_END, LINE_WIDTH};
use crate::weights::Tensor;

/// Squares of a line, and the places that the net had for them.
const SQUARES: usize = 9;
/// Other squares of a line, in which a move ends.
const ENDS: usize = SQUARES - 1;
/// Features of the rules, of which there are more now.
const RULE_FEATURES: usize = 41;

/// Brings tensors into the form of the present encoding. Those of other sizes than expected are left as they are.
pub fn convert(tensors: &mut BTreeMap<String, Tensor>) {
    for (name, tensor) in tensors {
        let dims = tensor.shape().to_vec();
        let values: Vec<f32> = tensor.iter().copied().collect();
        let new = match (name.as_str(), &dims[..]) {
            ("line.places", [len]) if *len == 2 * DISTANCES_FROM_EDGE * SQUARES * LINE_WIDTH => places(&values),
            ("line.rules.weight" | "trunk.features.weight", [_, inputs]) if *inputs <= RULE_FEATURES + 1 => {
                features(&values, *inputs)
            }
            ("line.out.weight", [rows, inputs]) if *rows > ENDS => ends(&values, *inputs),
            ("line.out.bias", [rows]) if *rows > ENDS => ends(&values, 1),
            _ => continue,
        };
        let dims = match dims[..] {
            [rows, _] if name.as_str() != "line.out.weight" => vec![rows, new.len() / rows],
            [_, inputs] => vec![new.len() / inputs, inputs],
            _ => vec![new.len()],
        };
        *tensor = Tensor::from_shape_vec(dims, new).expect("whole rows");
    }
}

/// A vector for each place becomes one for the distance from the first square, or one for that from the last.
fn places(values: &[f32]) -> Vec<f32> {
    let mut new = Vec::new();
    for line in values.chunks_exact(SQUARES * LINE_WIDTH) {
        for end in 0..2 {
            for distance in 0..DISTANCES_FROM_END {
                let place = if end == 0 { distance } else { SQUARES - 1 - distance };
                // One end alone has the vector of a square, the first one that of the middle square.
                if distance < SQUARES / 2 || (end == 0 && place == SQUARES / 2) {
                    new.extend_from_slice(&line[place * LINE_WIDTH..][..LINE_WIDTH]);
                } else {
                    new.extend([0.0; LINE_WIDTH]);
                }
            }
        }
    }
    new
}

/// New features of the rules are 0 under the rules that the net knows, and have no weight.
fn features(values: &[f32], inputs: usize) -> Vec<f32> {
    let added = crate::features::RULE_FEATURES - RULE_FEATURES;
    let rows = values.chunks_exact(inputs);
    rows.flat_map(|row| {
        let (rules, plies) = row.split_at(inputs.min(RULE_FEATURES));
        rules.iter().copied().chain(std::iter::repeat_n(0.0, added)).chain(plies.iter().copied())
    })
    .collect()
}

/// A row for each other square of the line becomes one for its distance from the edge ahead, in both directions.
fn ends(values: &[f32], width: usize) -> Vec<f32> {
    let (others, ends) = values.split_at(values.len() - ENDS * width);
    let mut new = others.to_vec();
    new.extend_from_slice(ends);
    for ahead in 0..DISTANCES_AHEAD {
        new.extend_from_slice(&ends[(ENDS - 1 - ahead) * width..][..width]);
    }
    new
}
