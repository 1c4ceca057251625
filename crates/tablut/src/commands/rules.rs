//! `tablut rules`: the rule sets, and one of them in words.

use serde::Serialize;
use tablut_rules::{RULE_SET_NAMES, RuleSet, Rules};

/// List the rule sets, or explain one
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule set to explain, by name or TOML file; without it all are listed
    #[arg(value_name = "R")]
    rules: Option<String>,
    /// Print JSON: the rule set's data with its explanation, or an array of them
    #[arg(long)]
    json: bool,
}

/// A rule set's data with what it says in words.
#[derive(Serialize)]
struct Explained {
    #[serde(flatten)]
    set: RuleSet,
    explanation: Vec<ExplainedTopic>,
}

#[derive(Serialize)]
struct ExplainedTopic {
    title: &'static str,
    sentences: Vec<String>,
}

impl Explained {
    fn new(set: RuleSet) -> Explained {
        let topics = set.explain().into_iter();
        let explanation = topics.map(|t| ExplainedTopic { title: t.title, sentences: t.sentences }).collect();
        Explained { set, explanation }
    }
}

/// Lists or explains.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match (&args.rules, args.json) {
        (Some(name), json) => {
            // Compiling checks what a user's file says.
            let set = Rules::load(name)?.set().clone();
            if json {
                println!("{}", serde_json::to_string_pretty(&Explained::new(set))?);
            } else {
                explain(&set);
            }
        }
        (None, true) => {
            let sets: Result<Vec<RuleSet>, _> = RULE_SET_NAMES.iter().map(|name| RuleSet::named(name)).collect();
            let all: Vec<Explained> = sets?.into_iter().map(Explained::new).collect();
            println!("{}", serde_json::to_string_pretty(&all)?);
        }
        (None, false) => list()?,
    }
    Ok(())
}

fn explain(set: &RuleSet) {
    println!("{}\nSource: {}\n", set.name, set.source);
    for topic in set.explain() {
        println!("{topic}");
    }
}

fn list() -> anyhow::Result<()> {
    for name in RULE_SET_NAMES {
        let set = RuleSet::named(name)?;
        let first = match set.first.side() {
            Some(side) => format!("{side} first"),
            None => "first drawn".to_owned(),
        };
        println!("{name:<26} {first:<16} {}", set.source);
    }
    println!("\n`tablut rules NAME` explains one.");
    Ok(())
}
