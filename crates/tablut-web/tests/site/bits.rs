//! The engine in node finds what `TABLUT_SIMD=plain tablut analyze --json` finds, to the bit.

use super::host::site;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use tablut_games::shipped_net;
use tablut_net::{Engine, EngineOptions, Model, NetEvaluator, Simd};
use tablut_play::PositionReport;
use tablut_rules::{Game, MoveList, Position, Rules, Side};
use tablut_search::Limit;

/// The rule sets.
const RULES: [&str; 5] = ["kvasir", "masters", "imperial", "tartu", "ashton"];
const POSITIONS: usize = 10;
/// Few enough for Gumbel's method, and enough for PUCT.
const SIMULATIONS: [u32; 2] = [64, 600];
const LINES: usize = 5;

/// Positions of a game of moves that follow from `stride` alone.
fn positions(rules: &Arc<Rules>, stride: usize) -> Vec<Position> {
    let first = rules.set().first.side().unwrap_or(Side::Attackers);
    let mut game = Game::new(rules.clone(), first);
    let (mut moves, mut found) = (MoveList::new(), Vec::new());
    while game.outcome().is_none() && found.len() < POSITIONS {
        if game.ply().is_multiple_of(3) {
            found.push(*game.position());
        }
        game.legal_moves(&mut moves);
        game.play_trusted(moves[(game.ply() as usize * stride + stride) % moves.len()]);
    }
    found
}

/// What must be equal: not the priors, which the report of the program takes from another place.
fn compared(report: &Value) -> Value {
    let line = |line: &Value| json!([line["moves"], line["visits"], line["chances"], line["proven"], line["words"]]);
    let lines: Vec<Value> = report["lines"].as_array().expect("lines").iter().map(line).collect();
    json!([report["best"], report["value"], report["chances"], report["proven"], report["simulations"], lines])
}

/// JavaScript writes 1.0 as 1.
fn with_floats(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(values) => values.into_iter().map(with_floats).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, with_floats(value))).collect(),
        other => other,
    }
}

#[test]
fn fifty_positions_give_the_values_of_the_program() {
    let Some(site) = site() else { return };
    let model = Model::from_bytes(shipped_net().expect("the tests are built with the net")).unwrap();
    let (mut orders, mut expected) = (String::new(), Vec::new());
    for name in RULES {
        let rules = Arc::new(Rules::named(name).unwrap());
        let positions = (1..40).map(|stride| positions(&rules, stride)).find(|found| found.len() == POSITIONS);
        for (index, position) in positions.expect("a long game").into_iter().enumerate() {
            let simulations = SIMULATIONS[usize::from(index + 1 == POSITIONS)];
            let order = json!({"rules": {"name": name}, "position": position.to_string(), "simulations": simulations, "lines": LINES});
            orders += &order.to_string();
            orders.push('\n');
            let options = EngineOptions { simd: Some(Simd::Plain), ..EngineOptions::default() };
            let evaluator = NetEvaluator::new(Box::new(Engine::with_options(&model.weights, options).unwrap()));
            let game = Game::from_position(rules.clone(), position).unwrap();
            let limit = Limit::of_simulations(simulations);
            let report = PositionReport::new(Box::new(evaluator), &game, limit, LINES).unwrap();
            expected.push((format!("{name} {position}"), serde_json::to_string(&report.search).unwrap()));
        }
    }
    assert_eq!(expected.len(), 50);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site/report.mjs");
    let mut node = Command::new("node").arg(script).arg(site).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let node = node.as_mut().expect("node starts");
    node.stdin.take().expect("a pipe").write_all(orders.as_bytes()).expect("node reads the orders");
    let output = std::io::read_to_string(node.stdout.take().expect("a pipe")).expect("node writes text");
    assert!(node.wait().expect("node ends").success());
    let found: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).expect("a report")).collect();
    assert_eq!(found.len(), expected.len());
    for ((place, expected), found) in expected.iter().zip(&found) {
        let expected = serde_json::from_str(expected).expect("a report");
        assert_eq!(with_floats(compared(found)), with_floats(compared(&expected)), "{place}");
    }
}
