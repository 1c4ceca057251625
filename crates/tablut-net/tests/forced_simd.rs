//! `TABLUT_SIMD` forces the instruction set. This test program runs itself once for every level, with the variable set.

#[path = "engine/random.rs"]
mod random;

use std::process::{Command, Output};

use random::{random_batch, random_weights};
use tablut_net::{Engine, EngineOptions, Inference, OutputBatch, Simd};

/// Runs the test `evaluates_at_the_level_in_force` of this program in a process with the variable set to `level`.
fn run_at(level: &str) -> Output {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "evaluates_at_the_level_in_force", "--nocapture"])
        .env("TABLUT_SIMD", level)
        .output()
        .expect("the program starts")
}

#[test]
fn evaluates_at_the_level_in_force() {
    let weights = random_weights("lines32x1", 51);
    let mut engine = match Engine::new(&weights) {
        Ok(engine) => engine,
        Err(error) => panic!("refused: {error}"),
    };
    println!("level {}", engine.simd());
    let input = random_batch(5, 52);
    let mut output = OutputBatch::default();
    engine.infer(&input, &mut output).expect("a valid batch");
    let options = EngineOptions { simd: Some(Simd::Plain), ..EngineOptions::default() };
    let mut expected = OutputBatch::default();
    Engine::with_options(&weights, options)
        .expect("every machine has it")
        .infer(&input, &mut expected)
        .expect("the same");
    assert_eq!(output, expected);
}

#[test]
fn every_level_of_the_machine_can_be_forced_and_is_right() {
    for simd in Simd::ALL {
        let output = run_at(&simd.to_string());
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), simd.is_available(), "{text}");
        let expected = if simd.is_available() { format!("level {simd}") } else { format!("has no {simd}") };
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn an_unknown_level_is_refused_by_name() {
    let output = run_at("sse9");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("`sse9`"), "{text}");
}
