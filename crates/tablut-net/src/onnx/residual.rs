//! The forward pass of a residual net as a graph.

use super::graph::Window;
use super::net::Net;
use crate::architecture::Residual;
use crate::layers::{Convolution, Layers};
use crate::policy::POLICY_ENTRIES;
use crate::weights::Weights;

/// Adds the net's tensors, nodes and outputs.
pub(super) fn net(net: &mut Net<'_>, residual: &Residual, weights: &Weights) {
    let layers = residual.layers();
    for (parameter, values) in layers.parameters().iter().zip(weights.values().iter()) {
        net.tensor(parameter, values);
    }
    let trunk = trunk(net, &layers);
    let policy = &layers.policy;
    let pooled = net.graph.pool(&trunk);
    let bias = net.linear(&pooled, &policy.pool);
    let p = net.linear(&trunk, &policy.conv);
    let p = net.add(&p, &bias);
    let p = net.relu(&p);
    let table = net.linear(&p, &policy.out);
    let table = net.graph.node("Flatten", &[&table]);
    net.graph.output(&table, "policy", POLICY_ENTRIES);
    let v = net.linear(&trunk, &layers.value.conv);
    let v = net.relu(&v);
    net.value(&v, &layers.value);
}

fn trunk(net: &mut Net<'_>, layers: &Layers) -> String {
    let features = net.graph.unsqueeze("features");
    let bias = net.linear(&features, &layers.features);
    let planes = convolution(net, "planes", &layers.input);
    let sum = net.add(&planes, &bias);
    let mut x = net.relu(&sum);
    for block in &layers.blocks {
        let h = convolution(net, &x, &block.conv1);
        let h = net.relu(&h);
        let mut y = convolution(net, &h, &block.conv2);
        if let Some(pool) = &block.pool {
            let pooled = net.graph.pool(&h);
            let bias = net.linear(&pooled, pool);
            y = net.add(&y, &bias);
        }
        let sum = net.add(&x, &y);
        x = net.relu(&sum);
    }
    x
}

fn convolution(net: &mut Net<'_>, x: &str, layer: &Convolution) -> String {
    let [weight, bias] = [layer.weight, layer.bias].map(|id| net.name(id));
    net.graph.convolution(x, Window::new(3, 3), &weight, Some(&bias))
}
