//! Runs the page's experiment with rules from the command line: the shipped net plays itself under a rule set, with
//! clauses changed as in the page's form. The program prints the result as a JSON line. `experiments/workshop` compares
//! the results with matches.
//!
//! `workshop NAME GAMES [KEY=VALUE…]`, such as `workshop kvasir 150 escape=corners`.

use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tablut_games::shipped_net;
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_rules::{RuleSet, Rules};
use tablut_session::form::RuleCheck;
use tablut_session::{Experiment, Step, Work};

/// Sets a value of the form. `job` is `KEY=VALUE`, with dots between the parts of the key.
fn change(set: &mut Value, job: &str) -> Result<(), String> {
    let (key, value) = job.split_once('=').ok_or(format!("{job}: expected KEY=VALUE"))?;
    let path = format!("/{}", key.replace('.', "/"));
    let place = set.pointer_mut(&path).ok_or(format!("{key}: no such clause"))?;
    *place = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, games, changes @ ..] = arguments.as_slice() else {
        return Err("expected NAME GAMES [KEY=VALUE…]".into());
    };
    let mut set = serde_json::to_value(RuleSet::named(name)?)?;
    for job in changes {
        change(&mut set, job)?;
    }
    if !changes.is_empty() {
        set["name"] = Value::from(format!("my-{name}"));
    }
    let rules = Arc::new(Rules::new(RuleCheck::read(&set)?)?);
    let bytes = shipped_net().ok_or("this program was built without its net")?;
    let engine = Engine::new(&Model::from_bytes(bytes)?.weights)?;
    let mut evaluator = NetEvaluator::new(Box::new(engine));
    let mut experiment = Experiment::new(rules.clone(), games.parse()?, 1);
    while !matches!(experiment.step(&mut evaluator, Duration::ZERO)?, Step::Done(_)) {}
    println!("{}", serde_json::to_string(&experiment.view())?);
    eprintln!("{}", rules.set().to_toml());
    Ok(())
}
