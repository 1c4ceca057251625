//! A net as an ONNX model, for other runtimes.
//!
//! The model has two inputs, `planes` `[n, PLANES, 9, 9]` and `features` `[n, FEATURES]`, and three outputs: `policy`
//! `[n, POLICY_ENTRIES]` (the whole policy table, as [`PolicyIndex`](crate::PolicyIndex) numbers it), `wdl` `[n, 3]`
//! (probabilities that the attackers win, that the game is drawn, that the defenders win) and `moves_left` `[n, 1]`
//! (plies). `n` is free. The operators are those of opset 17. This code writes the format itself, because the model
//! needs only a small part of it.

mod graph;
mod protobuf;

use graph::Graph;
use protobuf::Message;

use crate::features::{FEATURES, PLANES};
use crate::layers::{Convolution, Layers, Linear, MOVES_LEFT_UNIT, ParameterId};
use crate::policy::POLICY_ENTRIES;
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
    let layers = weights.architecture().layers();
    let mut net = Net { graph: Graph::default(), layers: &layers };
    net.graph.input("planes", &[PLANES, SIZE, SIZE]);
    net.graph.input("features", &[FEATURES]);
    let values = weights.values(&layers);
    for (id, parameter) in layers.ids().zip(layers.parameters()) {
        // A dense layer on pooled values is a 1×1 convolution on one square.
        let mut dims = parameter.dims.clone();
        if dims.len() == 2 {
            dims.extend([1, 1]);
        }
        net.graph.tensor(&parameter.name, &dims, values.get(id));
    }
    let trunk = net.trunk();
    net.heads(&trunk);
    net.graph
}

struct Net<'a> {
    graph: Graph,
    layers: &'a Layers,
}

impl Net<'_> {
    fn name(&self, id: ParameterId) -> &str {
        &self.layers.parameter(id).name
    }

    fn convolution(&mut self, x: &str, layer: &Convolution) -> String {
        let [weight, bias] = [layer.weight, layer.bias].map(|id| self.name(id).to_owned());
        self.graph.convolution(x, 3, &weight, Some(&bias))
    }

    fn linear(&mut self, x: &str, layer: &Linear) -> String {
        let (weight, bias) = (self.name(layer.weight).to_owned(), layer.bias.map(|id| self.name(id).to_owned()));
        self.graph.convolution(x, 1, &weight, bias.as_deref())
    }

    fn add(&mut self, x: &str, y: &str) -> String {
        self.graph.node("Add", &[x, y])
    }

    fn relu(&mut self, x: &str) -> String {
        self.graph.node("Relu", &[x])
    }

    fn trunk(&mut self) -> String {
        let layers = self.layers;
        let features = self.graph.unsqueeze("features");
        let bias = self.linear(&features, &layers.features);
        let planes = self.convolution("planes", &layers.input);
        let sum = self.add(&planes, &bias);
        let mut x = self.relu(&sum);
        for block in &layers.blocks {
            let h = self.convolution(&x, &block.conv1);
            let h = self.relu(&h);
            let mut y = self.convolution(&h, &block.conv2);
            if let Some(pool) = &block.pool {
                let pooled = self.graph.pool(&h);
                let bias = self.linear(&pooled, pool);
                y = self.add(&y, &bias);
            }
            let sum = self.add(&x, &y);
            x = self.relu(&sum);
        }
        x
    }

    fn heads(&mut self, x: &str) {
        let (policy, value) = (&self.layers.policy, &self.layers.value);
        let pooled = self.graph.pool(x);
        let bias = self.linear(&pooled, &policy.pool);
        let p = self.linear(x, &policy.conv);
        let p = self.add(&p, &bias);
        let p = self.relu(&p);
        let table = self.linear(&p, &policy.out);
        let table = self.graph.node("Flatten", &[&table]);
        self.graph.output(&table, "policy", POLICY_ENTRIES);

        let v = self.linear(x, &value.conv);
        let v = self.relu(&v);
        let pooled = self.graph.pool(&v);
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
