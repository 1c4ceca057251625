//! The forward pass of a net of lines as a graph, in f32. The line network is a convolution over all rows of the board at
//! once, and over the rows of the turned board for the columns.

use std::ops::Range;

use super::graph::Window;
use super::net::Net;
use crate::features::{FEATURES, PLANES};
use crate::layers::{Linear, Values};
use crate::lines::{ADDED_PLANES, DISTANCES, ENDS, Entry, LINE_WIDTH, LineBlock, LineLayers, MoveEntry};
use crate::lines::{PAIR, PAIR_SCALE, SPECIAL_PLANES, TAPS, TOP, entries, place_rows};
use crate::policy::policy_entries;
use crate::weights::Weights;

/// Numbers of a square for one direction of moves.
const BOTH: usize = 2 * PAIR;

pub(super) fn net(net: &mut Net<'_>, weights: &Weights) {
    let layers = weights.architecture().layers();
    let c = layers.channels;
    add_tensors(net, &layers, &weights.values());
    let rows = line_network(net, &layers, "planes");
    let turned = net.graph.turned("planes");
    let columns = line_network(net, &layers, &turned);
    let columns = net.graph.turned(&columns);
    let mut sum = net.graph.convolution("planes", Window::new(1, 1), "trunk.planes", None);
    let features = net.graph.unsqueeze("features");
    let terms = [part(net, &rows, 0..c), part(net, &columns, 0..c), net.linear(&features, &layers.features)];
    for term in terms {
        sum = net.add(&sum, &term);
    }
    let mut x = clip(net, &sum);
    for block in &layers.blocks {
        x = run(net, block, c, &x);
    }
    let policy = policy(net, &layers, &x, [&rows, &columns]);
    net.graph.output(&policy, "policy", policy_entries(net.size));
    let v = net.linear(&x, &layers.value.conv);
    let v = clip(net, &v);
    net.value(&v, &layers.value);
}

/// Adds the weights, some of them in the form of the graph's layers.
fn add_tensors(net: &mut Net<'_>, layers: &LineLayers, values: &Values<'_>) {
    let (c, line) = (layers.channels, &layers.line);
    let mut own = vec![line.places, line.rules.weight, layers.side, layers.added.weight];
    own.extend(line.pairs.iter().flatten().map(|layer| layer.weight));
    own.extend(layers.blocks.iter().map(|block| block.depthwise));
    own.extend([layers.pair_shift, layers.distance]);
    for (parameter, values) in layers.parameters().iter().zip(values.iter()) {
        if !own.iter().any(|&id| layers.parameter(id).name == parameter.name) {
            net.tensor(parameter, values);
        }
    }
    // All features, of which the last has no weight here.
    let rules = values.get(line.rules.weight).chunks_exact(line.rules.inputs);
    let rules: Vec<f32> = rules.flat_map(|row| row.iter().copied().chain([0.0])).collect();
    net.graph.tensor("line.rules.weight", &[LINE_WIDTH, FEATURES, 1, 1], &rules);
    let (places, size) = (values.get(line.places), net.size);
    let (width, squares) = (size.width(), size.n_squares());
    for side in 0..2 {
        let value = |at: usize| {
            let (channel, row, column) = (at / squares, at % squares / width, at % width);
            let rows = place_rows(side, row.min(width - 1 - row), size, column);
            rows.map(|row| places[row * LINE_WIDTH + channel]).iter().sum()
        };
        let map: Vec<f32> = (0..LINE_WIDTH * squares).map(value).collect();
        net.graph.tensor(&format!("line.places.{side}"), &[1, LINE_WIDTH, width, width], &map);
    }
    for layer in line.pairs.iter().flatten() {
        let weights = values.get(layer.weight);
        let value = |at: usize| {
            let (output, input, tap) = (at / (LINE_WIDTH * TAPS), at / TAPS % LINE_WIDTH, at % TAPS);
            weights[(output * TAPS + tap) * LINE_WIDTH + input]
        };
        let along: Vec<f32> = (0..weights.len()).map(value).collect();
        net.graph.tensor(&net.name(layer.weight), &[LINE_WIDTH, LINE_WIDTH, 1, TAPS], &along);
    }
    let (side, added) = (values.get(layers.side), values.get(layers.added.weight));
    let mut planes = vec![0.0; c * PLANES];
    for (channel, row) in planes.chunks_exact_mut(PLANES).enumerate() {
        (row[3], row[4]) = (side[channel], side[c + channel]);
        row[ADDED_PLANES].copy_from_slice(&added[channel * ADDED_PLANES.len()..][..ADDED_PLANES.len()]);
    }
    net.graph.tensor("trunk.planes", &[c, PLANES, 1, 1], &planes);
    for block in &layers.blocks {
        let weights = values.get(block.depthwise);
        let turned: Vec<f32> = (0..9 * c).map(|at| weights[at % 9 * c + at / 9]).collect();
        net.graph.tensor(&net.name(block.depthwise), &[c, 1, 3, 3], &turned);
    }
    net.graph.tensor("policy.shift", &[1, BOTH, 1], values.get(layers.pair_shift));
    net.graph.tensor("policy.distance", &[2, DISTANCES], values.get(layers.distance));
    net.graph.tensor("policy.scale", &[1], &[PAIR_SCALE]);
    net.graph.tensor("zero", &[], &[0.0]);
    net.graph.tensor("top", &[], &[TOP]);
}

fn part(net: &mut Net<'_>, x: &str, channels: Range<usize>) -> String {
    net.graph.gather(x, 1, channels.map(|channel| channel as i64))
}

fn clip(net: &mut Net<'_>, x: &str) -> String {
    net.graph.node("Clip", &[x, "zero", "top"])
}

/// What the rows of a board say about their squares, `[n, outputs, width, width]`.
fn line_network(net: &mut Net<'_>, layers: &LineLayers, planes: &str) -> String {
    let line = &layers.line;
    let shown = (0..3).chain(SPECIAL_PLANES).map(|plane| plane as i64);
    let shown = net.graph.gather(planes, 1, shown);
    let mut x = net.linear(&shown, &line.squares);
    let features = net.graph.unsqueeze("features");
    let rules = net.linear(&features, &line.rules);
    x = net.add(&x, &rules);
    for side in 0..2 {
        let moves = part(net, planes, 3 + side..4 + side);
        let places = net.graph.node("Mul", &[&moves, &format!("line.places.{side}")]);
        x = net.add(&x, &places);
    }
    let along = |net: &mut Net<'_>, x: &str, layer: &Linear| {
        let x = net.relu(x);
        let (weight, bias) = (net.name(layer.weight), layer.bias.map(|id| net.name(id)));
        net.graph.convolution(&x, Window::new(1, TAPS as u64), &weight, bias.as_deref())
    };
    for [first, second] in &line.pairs {
        let h = along(net, &x, first);
        let change = along(net, &h, second);
        x = net.add(&x, &change);
    }
    let x = net.relu(&x);
    net.linear(&x, &line.out)
}

fn run(net: &mut Net<'_>, block: &LineBlock, channels: usize, x: &str) -> String {
    let pooled = net.graph.pool(x);
    let bias = net.linear(&pooled, &block.pool);
    let [weight, own] = [block.depthwise, block.depthwise_bias].map(|id| net.name(id));
    let window = Window { groups: channels as u64, ..Window::new(3, 3) };
    let h = net.graph.convolution(x, window, &weight, Some(&own));
    let h = net.add(&h, &bias);
    let h = clip(net, &h);
    let change = net.linear(&h, &block.pointwise);
    let sum = net.add(x, &change);
    clip(net, &sum)
}

/// The policy table, `[n, policy_entries]`.
fn policy(net: &mut Net<'_>, layers: &LineLayers, x: &str, [rows, columns]: [&str; 2]) -> String {
    let (c, squares) = (layers.channels, net.size.n_squares());
    let pair = net.linear(x, &layers.pair);
    let pooled = net.graph.pool(x);
    let bias = net.linear(&pooled, &layers.pair_pool);
    let pair = net.add(&pair, &bias);
    let directions = [(0..BOTH, rows, columns), (BOTH..2 * BOTH, columns, rows)].map(|(own, along, across)| {
        let terms = [part(net, along, c..c + BOTH), part(net, across, c + BOTH..c + 2 * BOTH)];
        let mut sum = part(net, &pair, own);
        for term in terms {
            sum = net.add(&sum, &term);
        }
        let vectors = net.relu(&sum);
        net.graph.reshape(&vectors, &[BOTH as i64, squares as i64])
    });
    let both = net.graph.concat(&[&directions[0], &directions[1]], 2);
    let both = net.add(&both, "policy.shift"); // [n, BOTH, 2 * squares]
    let ends = [rows, columns].map(|x| {
        let ends = part(net, x, c + 2 * BOTH..c + 2 * BOTH + ENDS);
        net.graph.reshape(&ends, &[(ENDS * squares) as i64])
    });
    let ends = net.graph.concat(&[&ends[0], &ends[1]], 1); // [n, 2 * ENDS * squares]
    let all = entries(net.size);
    let moves: Vec<&MoveEntry> = all
        .iter()
        .filter_map(|entry| match entry {
            Entry::Move(entry) => Some(entry),
            Entry::Choice(_) => None,
        })
        .collect();
    let vectors = |net: &mut Net<'_>, channels: Range<usize>, place: fn(&MoveEntry) -> usize| {
        let vectors = part(net, &both, channels);
        net.graph.gather(&vectors, 2, moves.iter().map(|entry| place(entry) as i64))
    };
    let from = vectors(net, 0..PAIR, |entry| entry.from);
    let to = vectors(net, PAIR..BOTH, |entry| entry.to);
    let product = net.graph.node("Mul", &[&from, &to]);
    let product = net.graph.sum_over(&product, 1);
    let product = net.graph.node("Mul", &[&product, "policy.scale"]);
    let end = |entry: &&MoveEntry| {
        let direction = entry.from / squares * ENDS * squares;
        (direction + entry.end % ENDS * squares + entry.from % squares) as i64
    };
    let ends = net.graph.gather(&ends, 1, moves.iter().map(end));
    let flat = net.graph.node("Flatten", &["planes"]);
    let side = net.graph.gather(&flat, 1, [3, 4].map(|plane| (plane * squares) as i64));
    let distance = net.graph.node("MatMul", &[&side, "policy.distance"]);
    let distance = net.graph.gather(&distance, 1, moves.iter().map(|entry| entry.distance as i64));
    let logits = net.add(&product, &ends);
    let logits = net.add(&logits, &distance);
    let choice = net.linear(x, &layers.choice);
    let choice = net.graph.reshape(&choice, &[squares as i64]);
    net.graph.concat(&[&logits, &choice], 1)
}
