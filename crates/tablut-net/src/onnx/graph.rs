//! Nodes, tensors, inputs and outputs of an ONNX graph.

use crate::protobuf::Message;

/// `TensorProto.DataType`.
const FLOAT: u64 = 1;
const INT64: u64 = 7;
/// `AttributeProto.AttributeType`, and the field that holds the value.
const INT: (u64, u64) = (2, 3);
const INTS: (u64, u64) = (7, 8);

/// A graph that is being built. Each value has the name of its node.
#[derive(Default)]
pub(super) struct Graph {
    message: Message,
    n_nodes: usize,
}

impl Graph {
    /// Declares an input `[n, dims]`, with `n` free.
    pub fn input(&mut self, name: &str, dims: &[usize]) {
        self.message.message(11, &value_info(name, dims));
    }

    /// Declares `value` as the output `name` `[n, width]`.
    pub fn output(&mut self, value: &str, name: &str, width: usize) {
        self.message.message(1, Message::default().text(1, value).text(2, name).text(4, "Identity"));
        self.message.message(12, &value_info(name, &[width]));
    }

    pub fn tensor(&mut self, name: &str, dims: &[usize], data: &[f32]) {
        let bytes: Vec<u8> = data.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, dims, FLOAT, &bytes);
    }

    fn constant(&mut self, name: &str, dims: &[usize], data_type: u64, bytes: &[u8]) {
        let mut tensor = Message::default();
        for &dim in dims {
            tensor.varint(1, dim as u64);
        }
        tensor.varint(2, data_type).text(8, name).bytes(9, bytes);
        self.message.message(5, &tensor);
    }

    /// Adds a node with default attributes and returns the name of its value.
    pub fn node(&mut self, operator: &str, inputs: &[&str]) -> String {
        self.node_with(operator, inputs, &[])
    }

    fn node_with(&mut self, operator: &str, inputs: &[&str], attributes: &[Message]) -> String {
        let value = format!("{}.{}", operator.to_lowercase(), self.n_nodes);
        self.n_nodes += 1;
        let mut node = Message::default();
        for input in inputs {
            node.text(1, input);
        }
        node.text(2, &value).text(3, &value).text(4, operator);
        for attribute in attributes {
            node.message(5, attribute);
        }
        self.message.message(1, &node);
        value
    }

    /// The convolution of `x` by a tensor `[outputs, inputs / groups, height, width]`, padded with zeros to keep the size.
    pub fn convolution(&mut self, x: &str, window: Window, weight: &str, bias: Option<&str>) -> String {
        let inputs: Vec<_> = [x, weight].into_iter().chain(bias).collect();
        let Window { height, width, groups } = window;
        let mut attributes = vec![
            attribute("kernel_shape", INTS, &[height, width]),
            attribute("pads", INTS, &[height / 2, width / 2, height / 2, width / 2]),
        ];
        if groups > 1 {
            attributes.push(attribute("group", INT, &[groups]));
        }
        self.node_with("Conv", &inputs, &attributes)
    }

    /// Adds a constant tensor of one dimension.
    pub fn integers(&mut self, name: &str, values: impl IntoIterator<Item = i64>) {
        let (mut n, mut bytes) = (0, Vec::new());
        for value in values {
            n += 1;
            bytes.extend(value.to_le_bytes());
        }
        self.constant(name, &[n], INT64, &bytes);
    }

    /// The places `at` of `x` along `axis`.
    pub fn gather(&mut self, x: &str, axis: u64, at: impl IntoIterator<Item = i64>) -> String {
        let name = format!("places.{}", self.n_nodes);
        self.integers(&name, at);
        self.node_with("Gather", &[x, &name], &[attribute("axis", INT, &[axis])])
    }

    /// The values one after another along `axis`.
    pub fn concat(&mut self, values: &[&str], axis: u64) -> String {
        self.node_with("Concat", values, &[attribute("axis", INT, &[axis])])
    }

    /// Rows as columns: `[n, channels, 9, 9]` with the last two dimensions exchanged.
    pub fn turned(&mut self, x: &str) -> String {
        self.node_with("Transpose", &[x], &[attribute("perm", INTS, &[0, 1, 3, 2])])
    }

    /// `x` with other dimensions after the first.
    pub fn reshape(&mut self, x: &str, dims: &[i64]) -> String {
        let name = format!("dims.{}", self.n_nodes);
        self.integers(&name, [0].into_iter().chain(dims.iter().copied()));
        self.node("Reshape", &[x, &name])
    }

    /// The sum of `x` over `axis`, which disappears.
    pub fn sum_over(&mut self, x: &str, axis: i64) -> String {
        let name = format!("axis.{}", self.n_nodes);
        self.integers(&name, [axis]);
        self.node_with("ReduceSum", &[x, &name], &[attribute("keepdims", INT, &[0])])
    }

    /// The means of `x` over all squares, followed by the maxima, `[n, 2 * channels, 1, 1]`.
    pub fn pool(&mut self, x: &str) -> String {
        let mean = self.node("GlobalAveragePool", &[x]);
        let max = self.node("GlobalMaxPool", &[x]);
        self.concat(&[&mean, &max], 1)
    }

    /// `x` `[n, width]` as `[n, width, 1, 1]`.
    pub fn unsqueeze(&mut self, x: &str) -> String {
        let name = format!("axes.{}", self.n_nodes);
        self.integers(&name, [2, 3]);
        self.node("Unsqueeze", &[x, &name])
    }

    pub fn finish(mut self, name: &str) -> Message {
        self.message.text(2, name);
        self.message
    }
}

/// The size of a convolution's window. Each of the groups of channels is a convolution of its own.
#[derive(Copy, Clone)]
pub(super) struct Window {
    pub height: u64,
    pub width: u64,
    pub groups: u64,
}

impl Window {
    /// A window of all channels.
    pub fn new(height: u64, width: u64) -> Self {
        Self { height, width, groups: 1 }
    }
}

/// An `AttributeProto` of one number or several.
fn attribute(name: &str, (kind, field): (u64, u64), values: &[u64]) -> Message {
    let mut attribute = Message::default();
    attribute.text(1, name);
    for &value in values {
        attribute.varint(field, value);
    }
    attribute.varint(20, kind);
    attribute
}

/// A `ValueInfoProto` of f32 `[n, dims]`.
fn value_info(name: &str, dims: &[usize]) -> Message {
    let mut shape = Message::default();
    shape.message(1, Message::default().text(2, "n"));
    for &dim in dims {
        shape.message(1, Message::default().varint(1, dim as u64));
    }
    let mut kind = Message::default();
    kind.message(1, Message::default().varint(1, FLOAT).message(2, &shape));
    let mut info = Message::default();
    info.text(1, name).message(2, &kind);
    info
}
