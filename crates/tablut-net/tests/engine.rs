//! The CPU engine: the same bits for every instruction set, batch and number of threads, and no allocation.

#[path = "engine/played.rs"]
mod played;
#[path = "engine/random.rs"]
mod random;

use std::sync::Arc;

use played::played_batch;
use random::{random_batch, random_weights};
use tablut_net::{
    Engine, EngineOptions, Inference, InputBatch, Model, NetError, OutputBatch, PolicyIndex, Simd, Weights, encode,
};
use tablut_rules::{BoardSize, Game, MoveList, RULE_SET_NAMES, RuleSet, Rules, Side};

/// Rules of a user, in which the king makes short moves.
const OWN: &str = "base = \"kvasir\"\nname = \"own\"\n[king]\nreach = 2";

/// Every built-in rule set, and one of a user.
fn all_rules() -> Vec<Arc<Rules>> {
    let own = RuleSet::from_toml(OWN).expect("a variant");
    let named = RULE_SET_NAMES.iter().map(|name| Rules::load(name).expect("a built-in rule set"));
    named.chain([Rules::new(own).expect("a variant")]).map(Arc::new).collect()
}

/// At least `n` positions from games of random moves, equally many of each rule set.
fn positions(n: usize, seed: u64) -> InputBatch {
    let (mut batch, mut moves, mut state) = (InputBatch::default(), MoveList::new(), seed);
    let mut random = |n: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize % n
    };
    let all = all_rules();
    for (at, rules) in all.iter().enumerate() {
        while batch.n < n * (at + 1) / all.len() {
            let mut game = Game::new(Arc::clone(rules), Side::Attackers);
            for _ in 0..80 {
                game.legal_moves(&mut moves);
                if game.outcome().is_some() || moves.is_empty() {
                    break;
                }
                encode(&game.situation(&moves), &mut batch);
                let mv = moves[random(moves.len())];
                game.play(mv).expect("a legal move");
            }
        }
    }
    batch
}

fn outputs(weights: &Weights, n_threads: usize, simd: Simd, input: &InputBatch) -> OutputBatch {
    let options = EngineOptions { n_threads, simd: Some(simd) };
    let mut output = OutputBatch::default();
    Engine::with_options(weights, options).expect("a level").infer(input, &mut output).expect("a valid batch");
    output
}

/// The bits of all outputs.
fn bits(output: &OutputBatch) -> Vec<u32> {
    let all = output.logits.iter().chain(output.wdl.as_flattened()).chain(&output.moves_left);
    all.map(|value| value.to_bits()).collect()
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    // On an emulated machine, fewer positions.
    let most = if std::env::var_os("TABLUT_RANDOM_POSITIONS").is_some() { 100 } else { 10_000 };
    for (shape, n) in [("lines32x2", most), ("lines64x1", most / 20), ("lines96x3", most / 100)] {
        let (weights, input) = (random_weights(shape, 3), positions(n, 4));
        let plain = bits(&outputs(&weights, 1, Simd::Plain, &input));
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available() && *simd != Simd::Plain) {
            assert!(bits(&outputs(&weights, 1, simd, &input)) == plain, "{shape}: {simd} differs from plain");
        }
    }
}

#[test]
fn a_row_does_not_depend_on_the_others_or_the_threads() {
    let (weights, input) = (random_weights("lines32x1", 5), positions(300, 6));
    let together = outputs(&weights, 3, Simd::best(), &input);
    assert_eq!(bits(&together), bits(&outputs(&weights, 1, Simd::best(), &input)));
    let mut alone = Engine::new(&weights).expect("a level");
    for row in (0..input.n).rev() {
        let moves = input.move_range(row);
        let own = InputBatch {
            n: 1,
            sizes: vec![input.sizes[row]],
            planes: input.planes[row * tablut_net::PLANES..][..tablut_net::PLANES].to_vec(),
            features: input.features[row * tablut_net::FEATURES..][..tablut_net::FEATURES].to_vec(),
            move_ends: vec![moves.len() as u32],
            moves: input.moves[moves.clone()].to_vec(),
        };
        let mut output = OutputBatch::default();
        alone.infer(&own, &mut output).expect("a valid batch");
        assert_eq!((output.wdl[0], output.moves_left[0]), (together.wdl[row], together.moves_left[row]));
        assert_eq!(output.logits, together.logits[moves]);
    }
}

#[test]
fn more_rules_than_an_engine_remembers_change_nothing() {
    let (weights, mut input) = (random_weights("lines32x1", 10), positions(600, 11));
    // Each row has rules of its own.
    for (row, features) in input.features.chunks_exact_mut(tablut_net::FEATURES).enumerate() {
        features[0] = row as f32 / 600.0;
    }
    let mut engine = Engine::new(&weights).expect("a level");
    let [mut first, mut second] = [(); 2].map(|()| OutputBatch::default());
    engine.infer(&input, &mut first).expect("a valid batch");
    engine.infer(&input, &mut second).expect("a valid batch");
    assert_eq!(bits(&first), bits(&second));
    assert_eq!(bits(&first), bits(&outputs(&weights, 2, Simd::Plain, &input)));
}

#[test]
fn an_evaluation_of_known_lines_allocates_nothing() {
    let (weights, input) = (random_weights("lines32x2", 7), positions(60, 8));
    let (mut engine, mut output) = (Engine::new(&weights).expect("a level"), OutputBatch::default());
    engine.infer(&input, &mut output).expect("a valid batch");
    let counted = allocation_counter::measure(|| engine.infer(&input, &mut output).expect("a valid batch"));
    assert_eq!(counted.count_total, 0);
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1_u8; 100])));
    assert_eq!(counted.count_total, 1);
}

#[test]
fn a_choice_of_capture_adds_its_entry() {
    let mut engine = Engine::new(&random_weights("lines32x1", 8)).expect("a level");
    let mut input = positions(1, 9);
    assert_eq!(input.sizes[0], BoardSize::Nine);
    let [entry, choice] = [84, 32 * 81 + 40];
    let index = |entry, choice| PolicyIndex { entry, choice };
    let none = PolicyIndex::NO_CHOICE;
    input.moves = vec![index(entry, none), index(choice, none), index(entry, choice)];
    input.move_ends = vec![3; input.n];
    let mut output = OutputBatch::default();
    engine.infer(&input, &mut output).expect("a valid batch");
    assert_eq!(output.logits[0] + output.logits[1], output.logits[2]);
}

#[test]
fn an_engine_that_shares_weights_says_the_same_and_leaves_nothing_behind() {
    let mut engine = Engine::new(&random_weights("lines32x1", 1)).expect("a level");
    let mut other = engine.share(2).expect("threads");
    let infer = |engine: &mut Engine, input: &InputBatch| {
        let mut output = OutputBatch::default();
        engine.infer(input, &mut output).expect("a valid batch");
        output
    };
    let (large, small) = (random_batch(33, 2), random_batch(2, 3));
    let first = infer(&mut engine, &small);
    assert_eq!(infer(&mut engine, &large), infer(&mut other, &large));
    assert_eq!(infer(&mut engine, &small), first);
    assert_eq!(infer(&mut engine, &InputBatch::default()), OutputBatch::default());
}

#[test]
fn batches_that_do_not_fit_are_refused() {
    let mut engine = Engine::new(&random_weights("lines32x1", 1)).expect("a level");
    let mut refused = |edit: &dyn Fn(&mut InputBatch)| {
        let mut input = random_batch(2, 4);
        edit(&mut input);
        let error: NetError = engine.infer(&input, &mut OutputBatch::default()).unwrap_err();
        error.to_string()
    };
    let error = refused(&|input| input.planes.truncate(7));
    assert!(error.contains("7 planes"), "{error}");
    let error = refused(&|input| input.moves[0].entry = 41 * 121);
    assert!(error.contains("outside the table of"), "{error}");
    let error = refused(&|input| input.move_ends[0] = input.move_ends[1] + 1);
    assert!(error.contains("moves up to a row"), "{error}");
}

#[test]
fn a_net_of_the_first_encoding_has_its_outputs_on_tabluts_board() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/earlier/all-rules-6.tablut");
    let model = Model::load(file.as_ref()).expect("a net that was trained with the first encoding");
    let output = outputs(&model.weights, 1, Simd::best(), &played_batch(BoardSize::Nine, 1));
    let fold = |sum: u64, bits: &u32| (sum ^ u64::from(*bits)).wrapping_mul(0x100_0000_01b3);
    // The program that had only that encoding gave 2_889_847_800_687_977_546, and so did this one before it rounded the
    // inputs of products in f32 to twelve bits.
    assert_eq!(bits(&output).iter().fold(0xcbf2_9ce4_8422_2325, fold), 8_080_561_809_824_072_384);
}
