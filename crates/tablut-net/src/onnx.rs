//! A net as an ONNX model, for other people's runtimes.
//!
//! The model has two inputs, `planes` `[n, PLANES, 9, 9]` and `features` `[n, FEATURES]`, and three outputs: `policy`
//! `[n, POLICY_ENTRIES]` (the whole policy table, as [`PolicyIndex`](crate::PolicyIndex) numbers it), `wdl` `[n, 3]`
//! (probabilities that the attackers win, that the game is drawn, that the defenders win) and `moves_left` `[n, 1]`
//! (plies). `n` is free. Operators are those of opset 17; the file is written by hand, since its format is small.

mod graph;
mod protobuf;

use graph::Graph;
use protobuf::Message;

use crate::encoding::{FEATURES, PLANES};
use crate::policy::POLICY_ENTRIES;
use crate::shape::NetShape;
use crate::weights::Weights;
use tablut_rules::SIZE;

/// The version of ONNX's file format that is written, that of opset 17.
const IR_VERSION: u64 = 8;
/// The version of ONNX's operators.
const OPSET: u64 = 17;

/// The bytes of an ONNX file that holds the net of `weights`, with `metadata` as the model's properties.
pub fn encode(weights: &Weights, metadata: &[(&str, &str)]) -> Vec<u8> {
    let mut model = Message::default();
    model.varint(1, IR_VERSION);
    model.text(2, "tablut");
    model.text(3, env!("CARGO_PKG_VERSION"));
    model.message(7, &net(weights).finish(&format!("tablut {}", weights.shape())));
    let mut opset = Message::default();
    opset.text(1, "");
    opset.varint(2, OPSET);
    model.message(8, &opset);
    for (key, value) in metadata {
        let mut property = Message::default();
        property.text(1, key);
        property.text(2, value);
        model.message(14, &property);
    }
    model.into_bytes()
}

/// The forward pass. A dense layer on pooled values is written as a 1×1 convolution on one square.
fn net(weights: &Weights) -> Graph {
    let mut graph = Graph::default();
    graph.input("planes", &[PLANES, SIZE, SIZE]);
    graph.input("features", &[FEATURES]);
    for (name, tensor) in weights.iter() {
        let mut dims = tensor.dims.clone();
        if dims.len() == 2 {
            dims.extend([1, 1]);
        }
        graph.tensor(name, &dims, &tensor.data);
    }
    let features = graph.unsqueeze("features");
    let bias = graph.conv(&features, "trunk.features", false);
    let planes = graph.conv("planes", "trunk.input", true);
    let sum = graph.node("Add", &[&planes, &bias]);
    let mut x = graph.node("Relu", &[&sum]);
    for block in 0..weights.shape().blocks {
        x = residual(&mut graph, &x, block);
    }
    heads(&mut graph, &x);
    graph
}

fn residual(graph: &mut Graph, x: &str, block: usize) -> String {
    let name = format!("trunk.block{block}");
    let h = graph.conv(x, &format!("{name}.conv1"), true);
    let h = graph.node("Relu", &[&h]);
    let mut y = graph.conv(&h, &format!("{name}.conv2"), true);
    if NetShape::pools(block) {
        let pooled = graph.pool(&h);
        let bias = graph.conv(&pooled, &format!("{name}.pool"), false);
        y = graph.node("Add", &[&y, &bias]);
    }
    let sum = graph.node("Add", &[x, &y]);
    graph.node("Relu", &[&sum])
}

fn heads(graph: &mut Graph, x: &str) {
    let pooled = graph.pool(x);
    let bias = graph.conv(&pooled, "policy.pool", false);
    let p = graph.conv(x, "policy.conv", true);
    let p = graph.node("Add", &[&p, &bias]);
    let p = graph.node("Relu", &[&p]);
    let table = graph.conv(&p, "policy.out", true);
    let table = graph.node("Flatten", &[&table]);
    graph.output(&table, "policy", POLICY_ENTRIES);

    let v = graph.conv(x, "value.conv", true);
    let v = graph.node("Relu", &[&v]);
    let pooled = graph.pool(&v);
    let h = graph.conv(&pooled, "value.hidden", true);
    let h = graph.node("Relu", &[&h]);
    let wdl = graph.conv(&h, "value.out", true);
    let wdl = graph.node("Flatten", &[&wdl]);
    let wdl = graph.node("Softmax", &[&wdl]);
    graph.output(&wdl, "wdl", 3);

    let left = graph.conv(&h, "moves_left", true);
    let left = graph.node("Softplus", &[&left]);
    let left = graph.node("Flatten", &[&left]);
    graph.tensor("moves_left.unit", &[1], &[crate::engine::MOVES_LEFT_UNIT]);
    let left = graph.node("Mul", &[&left, "moves_left.unit"]);
    graph.output(&left, "moves_left", 1);
}
