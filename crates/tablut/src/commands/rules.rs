//! `tablut rules`: lists the rule sets, or explains one.

use std::io::Write as _;

use anyhow::anyhow;
use serde::Serialize;
use tablut_rules::{RULE_SET_NAMES, RuleSet, Rules, RulesLine, Side, Topic};

use crate::console::{Console, Voice};
use crate::hints;
use crate::layout::wrapped;

/// List the rule sets, or explain one
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule set to explain, by name, TOML file or OpenTafl's line of rules (dim:9 …) [default: list all]
    #[arg(value_name = "R")]
    rules: Option<String>,
    /// Print JSON: the rule set's data and its explanation, or an array of all rule sets
    #[arg(long)]
    json: bool,
    /// Print the rule set as a TOML file
    #[arg(long, requires = "rules", conflicts_with = "json")]
    toml: bool,
    /// Print the rule set as OpenTafl's line of rules
    #[arg(long, requires = "rules", conflicts_with_all = ["json", "toml"])]
    opentafl: bool,
}

/// A rule set's data with its explanation.
#[derive(Serialize)]
struct Explained {
    #[serde(flatten)]
    set: RuleSet,
    explanation: Vec<Topic>,
}

impl Explained {
    fn new(set: RuleSet) -> Explained {
        Explained { explanation: set.explain(), set }
    }
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    match (&args.rules, args.json) {
        (Some(name), json) => {
            let set = load(name, console.voice)?;
            if json {
                writeln!(console, "{}", serde_json::to_string_pretty(&Explained::new(set))?)?;
            } else if args.toml {
                write!(console, "{}", set.to_toml())?;
            } else if args.opentafl {
                print_opentafl(&set, console)?;
            } else {
                explain(&set, console)?;
            }
        }
        (None, true) => {
            let sets: Result<Vec<RuleSet>, _> = RULE_SET_NAMES.iter().map(|name| RuleSet::named(name)).collect();
            let all: Vec<Explained> = sets?.into_iter().map(Explained::new).collect();
            writeln!(console, "{}", serde_json::to_string_pretty(&all)?)?;
        }
        (None, false) => list(console)?,
    }
    Ok(())
}

/// A rule set by name, file or line of rules.
fn load(name: &str, voice: Voice) -> anyhow::Result<RuleSet> {
    if !name.starts_with("dim:") {
        // Compiling checks the rules of a user's file.
        return Ok(Rules::load(name)?.set().clone());
    }
    let line: RulesLine = name.parse()?;
    for ending in &line.other_endings {
        voice.say(format_args!("note: left out, because rule sets here cannot express it: {ending}"));
    }
    if line.start != line.set.start.with_side_to_move(line.start.side_to_move()) {
        voice.say(format_args!("note: left out, because rule sets here do not include it: the start {}", line.start));
    }
    Ok(line.set)
}

fn print_opentafl(set: &RuleSet, console: &mut Console) -> anyhow::Result<()> {
    let start = set.start.with_side_to_move(set.first.side().unwrap_or(Side::Attackers));
    let worded = set
        .to_opentafl(&start)
        .map_err(|keys| anyhow!("OpenTafl's line of rules cannot express {}'s {}", set.name, keys.join(", ")))?;
    for key in worded.other_endings {
        console.voice.say(format_args!(
            "note: OpenTafl's line of rules cannot express {}'s {key}; moves and captures are the same",
            set.name
        ));
    }
    if set.first.side().is_none() {
        console
            .voice
            .say("note: OpenTafl's line of rules cannot express a random first side; in this line the attackers begin");
    }
    writeln!(console, "{}", worded.line)?;
    Ok(())
}

fn explain(set: &RuleSet, console: &mut Console) -> anyhow::Result<()> {
    write!(console, "{}", wrapped(&format!("{}\nSource: {}\n", set.name, set.source)))?;
    for topic in set.explain() {
        write!(console, "\n{}", wrapped(&topic.to_string()))?;
    }
    Ok(())
}

fn list(console: &mut Console) -> anyhow::Result<()> {
    for name in RULE_SET_NAMES {
        let set = RuleSet::named(name)?;
        let first = match set.first.side() {
            Some(side) => format!("{side} first"),
            None => "random side first".to_owned(),
        };
        writeln!(console, "{name:<27}{first}")?;
        write!(console, "{}", wrapped(&format!("  {}", set.source)))?;
    }
    writeln!(console, "\n`{}` explains a rule set.", hints::command(["rules", "NAME"]))?;
    Ok(())
}
