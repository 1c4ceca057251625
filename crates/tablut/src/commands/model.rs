//! `tablut model info` and `tablut model export`: what is in a model file, and the same net for other programs.

use std::path::PathBuf;

use anyhow::Context;
use clap::Subcommand;
use serde::Serialize;
use tablut_net::{Model, TrainingSummary, durable, onnx};

/// What to do with a model file.
#[derive(Subcommand)]
pub enum ModelCommand {
    /// Print a model file's shape, rule sets and training.
    Info {
        /// The model file.
        model: PathBuf,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Write the net in another format.
    Export {
        /// The model file.
        model: PathBuf,
        /// Write an ONNX file here.
        #[arg(long, value_name = "FILE")]
        onnx: PathBuf,
    },
}

/// What `--json` prints.
#[derive(Serialize)]
struct Info<'a> {
    shape: String,
    parameters: usize,
    rules: &'a [String],
    training: &'a TrainingSummary,
    hash: String,
}

/// Prints or writes.
pub fn run(command: &ModelCommand) -> anyhow::Result<()> {
    match command {
        ModelCommand::Info { model, json } => {
            let model = Model::load(model)?;
            let shape = model.weights.architecture();
            let info = Info {
                shape: shape.to_string(),
                parameters: shape.parameters(),
                rules: &model.rules,
                training: &model.training,
                hash: model.weights.hash(),
            };
            print!("{}", if *json { serde_json::to_string_pretty(&info)? + "\n" } else { info.text() });
        }
        ModelCommand::Export { model, onnx: path } => {
            let model = Model::load(model)?;
            let metadata = [("rules", model.rules.join(",")), ("hash", model.weights.hash())];
            let bytes = onnx::encode(&model.weights, &metadata.each_ref().map(|(key, value)| (*key, value.as_str())));
            durable::write(path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
            println!("{} ({} bytes)", path.display(), bytes.len());
        }
    }
    Ok(())
}

impl Info<'_> {
    fn text(&self) -> String {
        let training = self.training;
        format!(
            "shape        {} ({} parameters)\nrule sets    {}\ntrained for  {} generations, {} games, {} positions, {} \
             evaluations, {} steps (seed {})\nplays with   {} simulations a move\nhash         {}\n",
            self.shape,
            self.parameters,
            self.rules.join(", "),
            training.generations,
            training.games,
            training.positions,
            training.evaluations,
            training.steps,
            training.seed,
            training.play_simulations,
            self.hash
        )
    }
}
