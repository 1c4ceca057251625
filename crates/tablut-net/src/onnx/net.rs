//! A graph that is being built from a net's layers.

use tablut_rules::BoardSize;

use super::graph::{Graph, Window};
use crate::layers::{Linear, MOVES_LEFT_UNIT, Parameter, ParameterId};
use crate::lines::ValueHead;

/// A graph that is being built, and the tensors that its layers name.
pub(super) struct Net<'a> {
    pub graph: Graph,
    pub tensors: &'a [Parameter],
    pub size: BoardSize,
}

impl Net<'_> {
    pub fn name(&self, id: ParameterId) -> String {
        self.tensors[id.index()].name.clone()
    }

    /// Adds a tensor of the weights. A dense layer on pooled values is a 1×1 convolution on one square.
    pub fn tensor(&mut self, parameter: &Parameter, values: &[f32]) {
        let mut dims = parameter.dims.clone();
        if dims.len() == 2 {
            dims.extend([1, 1]);
        }
        self.graph.tensor(&parameter.name, &dims, values);
    }

    pub fn linear(&mut self, x: &str, layer: &Linear) -> String {
        let (weight, bias) = (self.name(layer.weight), layer.bias.map(|id| self.name(id)));
        self.graph.convolution(x, Window::new(1, 1), &weight, bias.as_deref())
    }

    pub fn add(&mut self, x: &str, y: &str) -> String {
        self.graph.node("Add", &[x, y])
    }

    pub fn relu(&mut self, x: &str) -> String {
        self.graph.node("Relu", &[x])
    }

    /// The outputs of the value head from its activations on the squares.
    pub fn value(&mut self, v: &str, value: &ValueHead) {
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
