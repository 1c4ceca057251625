//! Compares the ONNX file, run by rten, with the net that learns.

#[path = "engine/played.rs"]
mod played;
#[path = "engine/random.rs"]
mod random;

use played::played_batch;
use random::random_weights;
use rten::{Model, ValueView};
use tablut_kernels::Kernels;
use tablut_net::lines::LineLearner;
use tablut_net::{FEATURES, MOVES_LEFT_UNIT, PLANES, onnx, policy_entries, policy_planes};
use tablut_rules::BoardSize;

/// The three outputs of an ONNX model for a batch, each flattened.
fn run_onnx(bytes: Vec<u8>, width: usize, planes: &[f32], features: &[f32]) -> [Vec<f32>; 3] {
    let model = Model::load(bytes).expect("a model that rten reads");
    let id = |name: &str| model.node_id(name).expect("an input or output of the model");
    let n = features.len() / FEATURES;
    let planes = ValueView::from_shape(&[n, PLANES, width, width], planes).expect("planes");
    let features = ValueView::from_shape(&[n, FEATURES], features).expect("features");
    let inputs = vec![(id("planes"), planes.into()), (id("features"), features.into())];
    let outputs = model.run(inputs, &[id("policy"), id("wdl"), id("moves_left")], None).expect("outputs");
    let outputs: Vec<Vec<f32>> =
        outputs.into_iter().map(|value| value.into_shape_vec::<f32, 2>().expect("rows of f32").1).collect();
    outputs.try_into().expect("three outputs")
}

fn assert_close(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0f32, |m, x| m.max(x.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= 1e-4 * scale, "{what}: {f}, expected {e} (largest {scale})");
    }
}

#[test]
fn another_runtime_computes_what_a_net_learns_from_the_onnx_file() {
    for size in BoardSize::ALL {
        compare(size);
    }
}

fn compare(size: BoardSize) {
    let (weights, mut input) = (random_weights("lines32x2", 23), played_batch(size, 24));
    for (at, index) in input.moves.iter_mut().enumerate().filter(|(at, _)| at % 7 == 0) {
        let squares = size.n_squares();
        index.choice = ((policy_planes(size) - 1) * squares + at % squares) as u16;
    }
    let bytes = onnx::encode(&weights, size, &[("encoding", "2")]);
    let [table, wdl, moves_left] = run_onnx(bytes, size.width(), &input.plane_values(), &input.features);
    let mut net = LineLearner::new(weights.architecture(), Kernels::from_env().expect("a level"));
    net.set_weights(&weights.values());
    let expected = net.forward(&input);
    let mut logits = Vec::new();
    for row in 0..input.n {
        let table = &table[row * policy_entries(size)..][..policy_entries(size)];
        logits.extend(input.moves[input.move_range(row)].iter().map(|index| index.logit(table)));
    }
    assert_close(&logits, &expected.logits, "logits");
    let moves_left: Vec<f32> = moves_left.iter().map(|plies| plies / MOVES_LEFT_UNIT).collect();
    assert_close(&moves_left, &expected.moves_left, "moves left");
    for (wdl, logits) in wdl.chunks_exact(3).zip(expected.wdl.chunks_exact(3)) {
        let sum: f32 = logits.iter().map(|logit| logit.exp()).sum();
        let chances: Vec<f32> = logits.iter().map(|logit| logit.exp() / sum).collect();
        assert_close(wdl, &chances, "win, draw, loss");
    }
}
