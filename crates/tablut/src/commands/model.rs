//! `tablut model`: shows the contents of a model file, writes its card, and exports its net for other programs.

mod card;

pub use card::score as card_score;

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use clap::Subcommand;
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;
use tablut_net::{Card, Model, StatedRules, TrainingSummary, onnx};
use tablut_rules::{BoardSize, shown};

use crate::console::Console;
use crate::layout;
use crate::nets::{load_model, model_name};
use crate::outputs::{Overwrite, write};

/// The actions on model files.
#[derive(Subcommand)]
pub enum ModelCommand {
    /// Print a model file's shape, rule sets and training.
    Info {
        /// The net: a model file, a run's folder for its newest net, or `shipped`.
        model: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
        /// Print only the config of its training: the one in its card, or else that of its run.
        #[arg(long, conflicts_with = "json")]
        config: bool,
    },
    /// Write a card into a model file: the net's origin, scores and weaknesses.
    Card(card::Args),
    /// Write a net's model file, such as that of the net that comes with the program.
    Save {
        /// The net: a model file, a run's folder for its newest net, or `shipped`.
        model: PathBuf,
        /// The file to write.
        file: PathBuf,
        #[command(flatten)]
        overwrite: Overwrite,
    },
    /// Write the net in another format.
    Export {
        /// The net: a model file, a run's folder for its newest net, or `shipped`.
        model: PathBuf,
        /// Write an ONNX file here.
        #[arg(long, value_name = "FILE")]
        onnx: PathBuf,
        /// Squares along one side of the board: 7, 9 or 11. The default is the board of the net's first rule set.
        #[arg(long)]
        width: Option<usize>,
        #[command(flatten)]
        overwrite: Overwrite,
    },
}

#[derive(Serialize)]
struct Info<'a> {
    shape: String,
    parameters: usize,
    rules: Vec<&'a str>,
    rule_sets: &'a [StatedRules],
    training: &'a TrainingSummary,
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    card: Option<&'a Card>,
}

pub fn run(command: &ModelCommand, console: &mut Console) -> anyhow::Result<()> {
    match command {
        ModelCommand::Info { model: path, config: true, .. } => {
            let Model { card, training, .. } = load_model(Some(path))?;
            let configs = [card.map(|card| card.config).unwrap_or_default(), training.config];
            let config = configs.iter().find(|config| !config.is_empty());
            let config = config.with_context(|| {
                format!("{}: it does not contain the config of its training", model_name(Some(path)))
            })?;
            write!(console, "{config}")?;
        }
        ModelCommand::Card(args) => card::run(args, console)?,
        ModelCommand::Info { model, json, .. } => {
            let model = load_model(Some(model))?;
            let shape = model.weights.architecture();
            let info = Info {
                shape: shape.to_string(),
                parameters: shape.parameters(),
                rules: names(&model.rules),
                rule_sets: &model.rules,
                training: &model.training,
                hash: model.weights.hash(),
                card: model.card.as_ref(),
            };
            write!(console, "{}", if *json { serde_json::to_string_pretty(&info)? + "\n" } else { info.text() })?;
        }
        ModelCommand::Save { model, file, overwrite } => {
            overwrite.check(file)?;
            load_model(Some(model))?.save(file)?;
            writeln!(console, "{}", file.display())?;
        }
        ModelCommand::Export { model, onnx: path, width, overwrite } => {
            overwrite.check(path)?;
            let Model { weights, rules, .. } = load_model(Some(model))?;
            let metadata = [("rules", &*names(&rules).join(",")), ("hash", &weights.hash())];
            let own = rules.first().map_or(BoardSize::Nine, |rules| rules.rules().size());
            let size = width.map_or(Ok(own), BoardSize::of_width)?;
            let bytes = onnx::encode(&weights, size, &metadata);
            write(path, &bytes)?;
            writeln!(console, "{} ({})", path.display(), HumanBytes(bytes.len() as u64))?;
        }
    }
    Ok(())
}

fn names(rules: &[StatedRules]) -> Vec<&str> {
    rules.iter().map(StatedRules::name).collect()
}

/// A line for each rule set that differs from the program's rule set with the same name.
fn changes(rules: &[StatedRules]) -> String {
    let line = |rules: &StatedRules| {
        let changes: Vec<String> = rules.changes().iter().map(ToString::to_string).collect();
        let own = "unlike the program's rules of this name";
        (!changes.is_empty()).then(|| format!("             {}: {own}, {}\n", rules.name(), changes.join(", ")))
    };
    rules.iter().filter_map(line).collect()
}

impl Info<'_> {
    /// A line about the net that the training started with, if there was one.
    fn start(&self) -> String {
        let start = self.training.start.as_deref().map(shown);
        start.map_or_else(String::new, |start| {
            format!("start        the net {start}, whose training is not included here\n")
        })
    }

    fn text(&self) -> String {
        let training = self.training;
        format!(
            "shape        {} ({} parameters)\n{}\n{}trained for  {} generations, {} games, {} steps (seed {})\n             \
             {} positions, {} evaluations\n{}plays with   {} simulations a move\nhash         {}\n",
            self.shape,
            HumanCount(self.parameters as u64),
            layout::list("rule sets    ", &self.rules, 13),
            changes(self.rule_sets),
            HumanCount(training.generations),
            HumanCount(training.games),
            HumanCount(training.steps),
            training.seed,
            HumanCount(training.positions),
            HumanCount(training.evaluations),
            self.start(),
            HumanCount(training.play_simulations.into()),
            self.hash
        ) + &self.card.map(card::text).unwrap_or_default()
    }
}
