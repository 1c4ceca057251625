//! A net as an ONNX model, for other runtimes.
//!
//! A model is for boards of one size. It has two inputs, `planes` `[n, PLANES, width, width]` and `features` `[n, FEATURES]`, and three outputs: `policy`
//! `[n, policy_entries]` (the whole policy table, as [`PolicyIndex`](crate::PolicyIndex) numbers it), `wdl` `[n, 3]`
//! (probabilities that the attackers win, that the game is drawn, that the defenders win) and `moves_left` `[n, 1]`
//! (plies). `n` is free. The operators are those of opset 17. This code writes the format itself, because the model
//! needs only a small part of it.

mod graph;
mod lines;
mod net;

use graph::Graph;
use net::Net;

use tablut_rules::BoardSize;

use crate::features::{FEATURES, PLANES};
use crate::protobuf::Message;
use crate::weights::Weights;

/// The version of ONNX's file format, as for opset 17.
const IR_VERSION: u64 = 8;
const OPSET: u64 = 17;

/// The bytes of an ONNX file with the net of `weights` for boards of this size. `metadata` becomes the model's properties.
pub fn encode(weights: &Weights, size: BoardSize, metadata: &[(&str, &str)]) -> Vec<u8> {
    let mut model = Message::default();
    model.varint(1, IR_VERSION).text(2, "tablut").text(3, env!("CARGO_PKG_VERSION"));
    model.message(7, &net(weights, size).finish(&format!("tablut {}", weights.architecture())));
    model.message(8, Message::default().text(1, "").varint(2, OPSET));
    for (key, value) in metadata {
        model.message(14, Message::default().text(1, key).text(2, value));
    }
    model.into_bytes()
}

fn net(weights: &Weights, size: BoardSize) -> Graph {
    let tensors = weights.architecture().tensors();
    let mut net = Net { graph: Graph::default(), tensors: &tensors, size };
    net.graph.input("planes", &[PLANES, size.width(), size.width()]);
    net.graph.input("features", &[FEATURES]);
    lines::net(&mut net, weights);
    net.graph
}
