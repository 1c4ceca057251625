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
use tablut_kernels::{Bf16Kernels, Bf16Vectors};
use tablut_net::layers::Arithmetic;
use tablut_net::{
    Architecture, BlockKind, Engine, EngineOptions, Inference, InputBatch, NetError, OutputBatch, PolicyIndex,
    PolicyWidths, Precision, Residual, Simd, ValueWidths, Weights,
};

/// Every instruction set of this machine.
fn levels() -> impl Iterator<Item = Simd> {
    Simd::ALL.into_iter().filter(|simd| simd.is_available())
}

fn engine(weights: &Weights, n_threads: usize, simd: Simd) -> Engine {
    let options = EngineOptions { n_threads, simd: Some(simd), ..EngineOptions::default() };
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

/// The kinds of bf16.
const BF16: [Precision; 2] = [Precision::Bf16Avx512, Precision::Bf16Amx];

/// The engine in a kind of bf16, if the machine supports it.
fn bf16(weights: &Weights, precision: Precision, n_threads: usize) -> Option<Engine> {
    let options = EngineOptions { n_threads, precision, ..EngineOptions::default() };
    match Engine::with_options(weights, options) {
        Ok(engine) => {
            assert_eq!(engine.precision(), precision.chosen().expect("it runs"));
            Some(engine)
        }
        Err(error) => {
            assert!(!precision.is_available() && error.to_string().contains("use f32"), "{error}");
            eprintln!("skipped: this machine has no {precision}");
            None
        }
    }
}

#[test]
fn outputs_in_bf16_are_near_the_definitions() {
    for precision in BF16 {
        for shape in ["b2c32", "b4c64", "b3c48", "b10c128"] {
            let weights = random_weights(shape, 31);
            let Some(engine) = bf16(&weights, precision, 1) else { continue };
            assert_near(engine, &weights, &format!("{shape} {precision}"));
        }
    }
}

#[test]
fn outputs_in_bf16_without_its_instructions_are_near_the_definitions() {
    let (policy, value) = (PolicyWidths { channels: 16 }, ValueWidths { channels: 48, hidden: 32 });
    let other = Architecture::from(
        Residual::new(48, vec![BlockKind::Pooled, BlockKind::Plain], policy, value).expect("in range"),
    );
    for architecture in ["b2c32".parse().expect("a name"), "b3c48".parse().expect("a name"), other] {
        let weights = random_weights_of(&architecture, 31);
        let kinds = [
            Arithmetic::Bf16(Bf16Kernels::without_registers()),
            Arithmetic::Bf16Points(Bf16Vectors::without_vectors()),
        ];
        for arithmetic in kinds {
            let engine = Engine::with_arithmetic(&weights, arithmetic).expect("a level");
            let what = format!("{architecture} {}", engine.precision());
            assert_near(engine, &weights, &what);
        }
    }
}

/// Asserts that an engine in bf16 gives roughly the results of the definition.
fn assert_near(mut engine: Engine, weights: &Weights, what: &str) {
    let input = random_batch(3, 32);
    let (output, expected) = (infer(&mut engine, &input), definition::infer(weights, &input));
    let scale = expected.logits.iter().fold(0f32, |m, x| m.max(x.abs()));
    for (f, e) in output.logits.iter().zip(&expected.logits) {
        assert!((f - e).abs() <= 0.02 * scale, "{what}: logit {f}, expected {e} (largest {scale})");
    }
    for (f, e) in output.wdl.as_flattened().iter().zip(expected.wdl.as_flattened()) {
        assert!((f - e).abs() <= 0.05, "{what}: probability {f}, expected {e}");
    }
}

#[test]
fn bits_in_bf16_do_not_depend_on_the_batch_or_the_threads() {
    for precision in BF16 {
        let weights = random_weights("b3c64", 41);
        let engines = [1, 3].map(|n_threads| bf16(&weights, precision, n_threads));
        let [Some(mut one), Some(mut three)] = engines else { continue };
        let input = random_batch(37, 42);
        let all = infer(&mut one, &input);
        assert_eq!(infer(&mut three, &input), all, "{precision}");
        let rows = [36, 0, 17, 17, 5];
        let chosen = select(&input, &rows);
        let some = infer(&mut one, &chosen);
        for (place, &row) in rows.iter().enumerate() {
            assert_eq!(bits(&chosen, &some, place), bits(&input, &all, row), "{precision} row {row}");
        }
    }
}

#[test]
fn bf16_is_refused_at_a_lower_instruction_set() {
    for precision in BF16 {
        let options = EngineOptions { precision, simd: Some(Simd::Plain), n_threads: 1 };
        let error = Engine::with_options(&random_weights("b1c16", 1), options).err().expect("refused");
        assert!(error.to_string().contains("use f32"), "{error}");
    }
}
