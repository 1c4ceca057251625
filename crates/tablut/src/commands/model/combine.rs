//! `tablut model combine`: combines several nets of one shape into a net with specialists.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context, bail};
use tablut_net::{Model, TrainingSummary};

use crate::console::Console;
use crate::layout;
use crate::outputs::Overwrite;

/// Combine a general net and nets for certain rules into one file
#[derive(clap::Args)]
pub struct Args {
    /// The net that plays under all other rules.
    general: PathBuf,
    /// Nets of the same shape, such as those of runs with the key `start`. Each plays under the rules that it was
    /// trained on, and no two may have been trained on the same rules.
    #[arg(required = true, value_name = "SPECIALIST")]
    specialists: Vec<PathBuf>,
    /// Write the model file here.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Reads the nets, and writes the combined one.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    args.overwrite.check(&args.out)?;
    let mut model = Model::load(&args.general)?;
    model.card = None;
    let mut taken: Vec<(String, String)> = Vec::new();
    for path in &args.specialists {
        let own = Model::load(path)?;
        for rules in &own.rules {
            let set = rules.set();
            let (name, file) = (rules.name().to_owned(), path.display().to_string());
            let part = own.weights.for_rules(set);
            let before = model.weights.specialist_for(set).map(str::to_owned);
            let met = taken.iter().find(|(other, _)| *other == name || before.as_deref() == Some(other));
            if let Some((other, first)) = met {
                bail!(
                    "{file}: the net was trained on {name}, but {first} already plays under {other}; expected different rules"
                );
            }
            let combined = model.weights.with_specialist(&name, set, part);
            model.weights = combined.with_context(|| format!("model file {file}"))?;
            if !model.rules.iter().any(|known| known.is(set)) {
                model.rules.retain(|known| known.name() != name);
                model.rules.push(rules.clone());
            }
            taken.push((name, file));
        }
        model.training = sum(&model.training, &own.training);
    }
    model.save(&args.out)?;
    let names: Vec<&str> = model.weights.specialists().collect();
    write!(console, "{}\n{}\n", args.out.display(), layout::list("with own weights for ", &names, 13))?;
    Ok(())
}

/// The sum of the training of a general net and a specialist. The specialist's starting net is the general net, so it
/// counts once.
fn sum(general: &TrainingSummary, own: &TrainingSummary) -> TrainingSummary {
    TrainingSummary {
        generations: general.generations + own.generations,
        games: general.games + own.games,
        positions: general.positions + own.positions,
        evaluations: general.evaluations + own.evaluations,
        steps: general.steps + own.steps,
        ..general.clone()
    }
}
