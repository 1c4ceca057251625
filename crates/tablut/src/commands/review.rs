//! `tablut analyze --game`: a game with its mistakes, and what was better.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, bail};
use tablut_net::{KnownRules, NetEvaluator, Precision, StatedRules, rules_of_file};
use tablut_play::{read_game, write_game};
use tablut_session::{Review, Tree};

use super::replay::USUAL_RULES;
use crate::console::Console;
use crate::nets::{DeviceArgs, load_model, load_rules, model_name, told};
use crate::outputs::Overwrite;
use crate::progress::Progress;

/// A review to make.
pub struct Order<'a> {
    /// The file of the game.
    pub game: &'a Path,
    /// The model file; none means the net that comes with the program.
    pub model: Option<&'a Path>,
    /// The rules of a game that names none.
    pub rules: Option<&'a str>,
    /// Simulations at each position.
    pub simulations: u32,
    /// Where the game is written with its comments.
    pub out: Option<&'a Path>,
    /// Whether that file may be there already.
    pub overwrite: Overwrite,
    /// Where the net runs.
    pub device: DeviceArgs,
}

/// Reviews, prints the game with its comments, and writes it.
pub fn run(args: &Order<'_>, console: &mut Console) -> anyhow::Result<()> {
    if let Some(out) = args.out {
        args.overwrite.check(out)?;
        if let Some(other) = ending(out).filter(|ending| ["otg", "svg"].contains(ending)) {
            bail!("cannot write {}: comments have no place in .{other}, expected .json or .txt", out.display());
        }
    }
    let rules = load_rules(args.rules.unwrap_or(USUAL_RULES))?;
    let mut session = read_game(args.game, rules.set(), false).map_err(anyhow::Error::msg)?.session;
    // The game as it was played, wherever in it or beside it the file says that somebody was.
    let end = session.tree().main_line().last().copied().unwrap_or(Tree::ROOT);
    session.go_to(end)?;
    let model = load_model(args.model)?;
    let net = model_name(args.model);
    let known = [KnownRules { net: &net, rules: &model.rules }];
    let game = args.game.display().to_string();
    told(rules_of_file(&game, &StatedRules::of(session.rules()), &known), console.voice);
    let inference = args.device.processor()?.inference_in(&model.weights, 1, Precision::F32);
    let mut evaluator = NetEvaluator::new(inference.with_context(|| net.clone())?);
    let n_positions = session.tree().main_line().len() as u64;
    let progress = Progress::new(console.voice, "reviewing", "positions", 0, n_positions);
    let report = Review::run(&mut session, args.simulations, 0, &mut evaluator, &mut || progress.advance())?;
    drop(progress);
    let reviewer = format!("{net} with {} simulations at each position", args.simulations);
    session.annotate(&report, &reviewer)?;
    writeln!(console, "{}", session.to_text().trim_end())?;
    if let Some(out) = args.out {
        write_game(out, &session, true).map_err(anyhow::Error::msg)?;
        let hint = if ending(out) == Some("txt") { "" } else { ". The page opens it: Share, Open" };
        console.voice.say(format_args!("The game is {}{hint}", out.display()));
    }
    Ok(())
}

fn ending(path: &Path) -> Option<&str> {
    path.extension().and_then(|ending| ending.to_str())
}
