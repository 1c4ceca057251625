//! A net as an ONNX model, for other runtimes.
//!
//! The model has two inputs, `planes` `[n, PLANES, 9, 9]` and `features` `[n, FEATURES]`, and three outputs: `policy`
//! `[n, POLICY_ENTRIES]` (the whole policy table, as [`PolicyIndex`](crate::PolicyIndex) numbers it), `wdl` `[n, 3]`
//! (probabilities that the attackers win, that the game is drawn, that the defenders win) and `moves_left` `[n, 1]`
//! (plies). `n` is free. The operators are those of opset 17. This code writes the format itself, because the model
//! needs only a small part of it.

mod graph;
mod lines;
mod protobuf;
mod residual;

use graph::{Graph, Window};
use protobuf::Message;

use crate::architecture::Architecture;
use crate::features::{FEATURES, PLANES};
use crate::layers::{Linear, MOVES_LEFT_UNIT, Parameter, ParameterId, ValueHead};
use crate::weights::Weights;
use tablut_rules::SIZE;

/// The version of ONNX's file format, as for opset 17.
const IR_VERSION: u64 = 8;
/// The version of ONNX's operators.
const OPSET: u64 = 17;

/// The bytes of an ONNX file with the net of `weights`. `metadata` becomes the model's properties.
pub fn encode(weights: &Weights, metadata: &[(&str, &str)]) -> Vec<u8> {
    let mut model = Message::default();
    model.varint(1, IR_VERSION).text(2, "tablut").text(3, env!("CARGO_PKG_VERSION"));
    model.message(7, &net(weights).finish(&format!("tablut {}", weights.architecture())));
    model.message(8, Message::default().text(1, "").varint(2, OPSET));
    for (key, value) in metadata {
        model.message(14, Message::default().text(1, key).text(2, value));
    }
    model.into_bytes()
}

/// The forward pass, layer by layer.
fn net(weights: &Weights) -> Graph {
    let tensors = weights.architecture().tensors();
    let mut net = Net { graph: Graph::default(), tensors: &tensors };
    net.graph.input("planes", &[PLANES, SIZE, SIZE]);
    net.graph.input("features", &[FEATURES]);
    match weights.architecture() {
        Architecture::Residual(residual) => residual::net(&mut net, residual, weights),
        Architecture::Lines(architecture) => lines::net(&mut net, *architecture, weights),
    }
    net.graph
}

/// A graph that is being built, and the tensors that its layers name.
struct Net<'a> {
    graph: Graph,
    tensors: &'a [Parameter],
}

impl Net<'_> {
    fn name(&self, id: ParameterId) -> String {
        self.tensors[id.index()].name.clone()
    }

    /// Adds a tensor of the weights. A dense layer on pooled values is a 1×1 convolution on one square.
    fn tensor(&mut self, parameter: &Parameter, values: &[f32]) {
        let mut dims = parameter.dims.clone();
        if dims.len() == 2 {
            dims.extend([1, 1]);
        }
        self.graph.tensor(&parameter.name, &dims, values);
    }

    fn linear(&mut self, x: &str, layer: &Linear) -> String {
        let (weight, bias) = (self.name(layer.weight), layer.bias.map(|id| self.name(id)));
        self.graph.convolution(x, Window::new(1, 1), &weight, bias.as_deref())
    }

    fn add(&mut self, x: &str, y: &str) -> String {
        self.graph.node("Add", &[x, y])
    }

    fn relu(&mut self, x: &str) -> String {
        self.graph.node("Relu", &[x])
    }

    /// The outputs of the value head from its activations on the squares.
    fn value(&mut self, v: &str, value: &ValueHead) {
        let pooled = self.graph.pool(v);
        let h = self.linear(&pooled, &value.hidden);
        let h = self.relu(&h);
        let wdl = self.linear(&h, &value.out);
        let wdl = self.graph.node("Flatten", &[&wdl]);
        let wdl = self.graph.node("Softmax", &[&wdl]);
        self.graph.output(&wdl, "wdl", 3);

        let left = self.linear(&h, &value.moves_left);
        let left = self.graph.node("Softplus", &[&left]);
        let left = self.graph.node("Flatten", &[&left]);
        self.graph.tensor("moves_left.unit", &[1], &[MOVES_LEFT_UNIT]);
        let left = self.graph.node("Mul", &[&left, "moves_left.unit"]);
        self.graph.output(&left, "moves_left", 1);
    }
}
