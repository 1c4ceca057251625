//! Compares the CPU engine with the net's definition, at every instruction set, shape, batch size and number of
//! threads.

#[path = "engine/definition.rs"]
mod definition;
#[path = "engine/played.rs"]
mod played;
#[path = "engine/random.rs"]
mod random;

use played::played_batch;
use proptest::prelude::*;
use random::{random_batch, random_weights, random_weights_of};
use tablut_net::{
    Architecture, BlockKind, Engine, EngineOptions, Inference, InputBatch, NetError, OutputBatch, PolicyIndex,
    PolicyWidths, Residual, Simd, ValueWidths, Weights,
};

/// Every instruction set of this machine.
fn levels() -> impl Iterator<Item = Simd> {
    Simd::ALL.into_iter().filter(|simd| simd.is_available())
}

fn engine(weights: &Weights, n_threads: usize, simd: Simd) -> Engine {
    let options = EngineOptions { n_threads, simd: Some(simd) };
    Engine::with_options(weights, options).expect("an available level")
}

fn infer(engine: &mut Engine, input: &InputBatch) -> OutputBatch {
    let mut output = OutputBatch::default();
    engine.infer(input, &mut output).expect("a valid batch");
    output
}

/// Asserts that every value is within 1e-4 of the expected one, relative to the largest magnitude of all.
fn assert_close<'a>(found: impl IntoIterator<Item = &'a f32>, expected: impl IntoIterator<Item = &'a f32>, what: &str) {
    let (found, expected): (Vec<_>, Vec<_>) = (found.into_iter().collect(), expected.into_iter().collect());
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0f32, |m, x| m.max(x.abs()));
    for (f, e) in found.iter().zip(&expected) {
        assert!((*f - *e).abs() <= 1e-4 * scale, "{what}: {f}, expected {e} (largest {scale})");
    }
}

#[test]
fn outputs_are_the_definitions_for_every_shape_and_instruction_set() {
    for shape in ["b2c32", "b4c32", "b4c64", "b6c64", "b10c128", "b3c48"] {
        let weights = random_weights(shape, 11);
        let input = random_batch(3, 12);
        let expected = definition::infer(&weights, &input);
        for simd in levels() {
            let output = infer(&mut engine(&weights, 1, simd), &input);
            let what = |output: &str| format!("{shape} {simd} {output}");
            assert_close(&output.logits, &expected.logits, &what("logits"));
            assert_close(output.wdl.as_flattened(), expected.wdl.as_flattened(), &what("win, draw, loss"));
            assert_close(&output.moves_left, &expected.moves_left, &what("moves left"));
        }
    }
}

#[test]
fn outputs_are_the_definitions_on_positions_of_every_rule_set() {
    let input = played_batch(7);
    for shape in ["b2c32", "b4c32", "b4c64"] {
        let weights = random_weights(shape, 61);
        let expected = definition::infer(&weights, &input);
        let output = infer(&mut Engine::new(&weights).expect("a level"), &input);
        assert_close(&output.logits, &expected.logits, shape);
        assert_close(output.wdl.as_flattened(), expected.wdl.as_flattened(), shape);
        assert_close(&output.moves_left, &expected.moves_left, shape);
    }
}

#[test]
fn outputs_are_the_definitions_for_heads_and_pooling_of_any_kind() {
    let input = random_batch(5, 14);
    let (policy, value) = (PolicyWidths { channels: 48 }, ValueWidths { channels: 16, hidden: 32 });
    for blocks in [vec![BlockKind::Plain; 3], vec![BlockKind::Pooled; 2], vec![BlockKind::Pooled, BlockKind::Plain]] {
        let architecture = Architecture::from(Residual::new(32, blocks, policy, value).expect("widths in range"));
        let weights = random_weights_of(&architecture, 13);
        let expected = definition::infer(&weights, &input);
        for simd in levels() {
            let output = infer(&mut engine(&weights, 1, simd), &input);
            let what = format!("{architecture} {simd}");
            assert_close(&output.logits, &expected.logits, &what);
            assert_close(output.wdl.as_flattened(), expected.wdl.as_flattened(), &what);
            assert_close(&output.moves_left, &expected.moves_left, &what);
        }
    }
}

/// The rows of `input` that `rows` names, in that order.
fn select(input: &InputBatch, rows: &[usize]) -> InputBatch {
    let mut out = InputBatch { n: rows.len(), ..InputBatch::default() };
    let (planes, features) = (input.planes.len() / input.n, input.features.len() / input.n);
    for &row in rows {
        out.planes.extend_from_slice(&input.planes[row * planes..][..planes]);
        out.features.extend_from_slice(&input.features[row * features..][..features]);
        out.moves.extend_from_slice(&input.moves[input.move_range(row)]);
        out.move_ends.push(out.moves.len() as u32);
    }
    out
}

/// A row's outputs as bits.
fn bits(input: &InputBatch, output: &OutputBatch, row: usize) -> Vec<u32> {
    let logits = &output.logits[input.move_range(row)];
    logits.iter().chain(&output.wdl[row]).chain([&output.moves_left[row]]).map(|x| x.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn bits_do_not_depend_on_the_batch_the_order_or_the_threads(
        seed in 0u64..1000,
        n in 1usize..40,
        n_threads in 1usize..4,
        rows in prop::collection::vec(0usize..40, 1..50),
    ) {
        let weights = random_weights("b2c32", seed);
        let input = random_batch(n, seed + 1);
        let rows: Vec<usize> = rows.into_iter().map(|row| row % n).collect();
        let chosen = select(&input, &rows);
        for simd in levels() {
            let all = infer(&mut engine(&weights, 1, simd), &input);
            let some = infer(&mut engine(&weights, n_threads, simd), &chosen);
            for (place, &row) in rows.iter().enumerate() {
                prop_assert_eq!(bits(&chosen, &some, place), bits(&input, &all, row), "{} row {}", simd, row);
            }
        }
    }
}

#[test]
fn all_instruction_sets_that_fuse_give_the_same_bits() {
    let weights = random_weights("b2c64", 5);
    let input = random_batch(9, 6);
    let outputs: Vec<_> =
        levels().filter(|simd| simd.is_fused()).map(|simd| infer(&mut engine(&weights, 1, simd), &input)).collect();
    if outputs.len() < 2 {
        eprintln!("skipped: this machine does not have both AVX2 and AVX-512");
    }
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn an_engine_that_shares_weights_says_the_same_and_leaves_nothing_behind() {
    let mut engine = Engine::new(&random_weights("b2c32", 1)).expect("a level");
    let mut other = engine.share(2).expect("threads");
    let (large, small) = (random_batch(33, 2), random_batch(2, 3));
    let first = infer(&mut engine, &small);
    assert_eq!(infer(&mut engine, &large), infer(&mut other, &large));
    assert_eq!(infer(&mut engine, &small), first);
    assert_eq!(infer(&mut engine, &InputBatch::default()), OutputBatch::default());
}

#[test]
fn a_choice_of_capture_adds_its_entry() {
    let mut engine = Engine::new(&random_weights("b2c32", 8)).expect("a level");
    let mut input = random_batch(1, 9);
    let [entry, choice] = [1234, 32 * 81 + 40];
    let index = |entry, choice| PolicyIndex { entry, choice };
    let none = PolicyIndex::NO_CHOICE;
    input.moves = vec![index(entry, none), index(choice, none), index(entry, choice)];
    input.move_ends = vec![3];
    let logits = infer(&mut engine, &input).logits;
    assert_eq!(logits[0] + logits[1], logits[2]);
}

#[test]
fn batches_that_do_not_fit_are_refused() {
    let mut engine = Engine::new(&random_weights("b2c32", 1)).expect("a level");
    let refused = |engine: &mut Engine, edit: &dyn Fn(&mut InputBatch)| {
        let mut input = random_batch(2, 4);
        edit(&mut input);
        let error: NetError = engine.infer(&input, &mut OutputBatch::default()).unwrap_err();
        error.to_string()
    };
    let error = refused(&mut engine, &|input| input.planes.truncate(7));
    assert!(error.contains("7 planes"), "{error}");
    let error = refused(&mut engine, &|input| input.moves[0].entry = 33 * 81);
    assert!(error.contains("2673"), "{error}");
    let error = refused(&mut engine, &|input| input.move_ends[0] = input.move_ends[1] + 1);
    assert!(error.contains("moves up to a row"), "{error}");
}

#[test]
fn a_fresh_net_favours_nobody_and_expects_few_draws() {
    let weights = Weights::initial(&"b4c32".parse().expect("a name"), 3);
    let output = infer(&mut Engine::new(&weights).expect("a level"), &random_batch(4, 1));
    for wdl in output.wdl {
        assert!((wdl[0] - wdl[2]).abs() < 0.4 && (0.01..0.15).contains(&wdl[1]), "{wdl:?}");
    }
}
