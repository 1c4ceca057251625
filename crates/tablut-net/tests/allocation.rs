//! Checks that an evaluation on one thread does not allocate if the outputs have enough capacity.

#[path = "engine/random.rs"]
mod random;

use random::{random_batch, random_weights};
use tablut_net::{Engine, Inference, OutputBatch};

#[test]
fn an_evaluation_allocates_nothing() {
    let weights = random_weights("b3c32", 1);
    let (first, second) = (random_batch(40, 2), random_batch(17, 3));
    let mut engine = Engine::new(&weights).expect("a level");
    let mut output = OutputBatch::default();
    engine.infer(&first, &mut output).expect("a valid batch");
    let counted = allocation_counter::measure(|| {
        for batch in [&second, &first] {
            engine.infer(batch, &mut output).expect("a valid batch");
        }
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1_u8; 100])));
    assert_eq!(counted.count_total, 1);
}
