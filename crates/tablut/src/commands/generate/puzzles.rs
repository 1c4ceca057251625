//! `tablut generate puzzles`: finds positions with a proven win in self-play.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context, bail};
use tablut_arena::puzzles::{DISTANCES, Mine, PuzzleSet, mine};
use tablut_games::SHIPPED;
use tablut_net::NetPool;
use tablut_net::StatedRules;
use tablut_rules::{Rules, Side};

use crate::console::Console;
use crate::interrupt::{Interrupted, cancelled_by_interrupt};
use crate::nets::{add_net, load_model, model_name, rules_for};
use crate::outputs::Overwrite;
use crate::progress::Progress;

/// Find puzzles in a net's self-play, and write one file for each rule set
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The net that plays the games: a model file, a run's folder, or `shipped` [default: shipped]
    #[arg(default_value = SHIPPED, hide_default_value = true)]
    model: PathBuf,
    /// Rule sets, by name or TOML file, separated by commas [default: those that the net was trained on]
    #[arg(long, value_name = "R", value_delimiter = ',')]
    rules: Vec<String>,
    /// Puzzles per rule set: a quarter with each distance from 2 to 5 moves, half for each side. If the games have too
    /// few of a kind, there are more of the others
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count)]
    count: usize,
    /// Maximum number of games for each rule set
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Simulations per move in the games
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Seed. The same seed gives the same puzzles
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the files, which are named like `kvasir.jsonl`
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let model = load_model(Some(&args.model))?;
    let trained: Vec<String> = model.rules.iter().map(|rules| rules.name().to_owned()).collect();
    let names = if args.rules.is_empty() { &trained } else { &args.rules };
    if names.is_empty() {
        bail!("{} has no rule sets: expected --rules", model_name(Some(&args.model)));
    }
    let all_rules = names.iter().map(|name| rules_for(Some(name), Some(&args.model), &model, console.voice));
    let all_rules = all_rules.collect::<anyhow::Result<Vec<_>>>()?;
    let path = |rules: &Rules| args.out.join(format!("{}.jsonl", rules.name()));
    all_rules.iter().try_for_each(|rules| args.overwrite.check(&path(rules)))?;
    let mut nets = NetPool::default();
    add_net(&mut nets, &args.model)?;
    let cancel = cancelled_by_interrupt()?;
    let settings = Mine { count: args.count, max_games: args.games, simulations: args.simulations, seed: args.seed };
    for (name, rules) in names.iter().zip(all_rules) {
        let what = format!("Puzzles under the {} rules", rules.name());
        let progress = Progress::new(console.voice, what, "puzzles", 0, args.count as u64);
        let show = |found: usize, games: u64| progress.show(found as u64, &format!("{games} games searched"));
        let mined = mine(&rules, &nets, &settings, &cancel, &show);
        drop(progress);
        if mined.is_err() && cancel.is_cancelled() {
            console.voice.say("Stopped. The file of these puzzles was not written, because it is not complete.");
            return Err(Interrupted::now().into());
        }
        let (puzzles, games) = mined.with_context(|| format!("rules {name}"))?;
        let path = path(&rules);
        let (net, simulations, seed) = (model.weights.hash(), args.simulations, args.seed);
        let set = PuzzleSet { rules: StatedRules::of(&rules), net, simulations, seed, games, puzzles };
        set.write(&path)?;
        writeln!(console, "{} ({} puzzles from {games} games; {})", path.display(), set.puzzles.len(), kinds(&set))?;
    }
    Ok(())
}

/// The numbers of puzzles for the attackers and the defenders at each distance, and whether these are equal shares.
fn kinds(set: &PuzzleSet) -> String {
    let of = |distance: u32| {
        let puzzles = set.puzzles.iter().filter(|puzzle| puzzle.distance == distance);
        let (attackers, defenders): (Vec<_>, Vec<_>) =
            puzzles.partition(|puzzle| puzzle.position.side_to_move() == Side::Attackers);
        (attackers.len(), defenders.len())
    };
    let kinds: Vec<_> = DISTANCES.map(of).collect();
    let share = set.puzzles.len() / (2 * kinds.len());
    let equal = kinds.iter().all(|kind| *kind == (share, share));
    let counts: Vec<_> = kinds.iter().map(|(attackers, defenders)| format!("{attackers}/{defenders}")).collect();
    let note = if equal {
        String::new()
    } else {
        format!(", because the games have too few of some kinds for {share} of each")
    };
    let (least, most) = DISTANCES.into_inner();
    format!("attackers/defenders at distances {least} to {most}: {}{note}", counts.join(" "))
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count) if count > 0 && count <= 8000 && count.is_multiple_of(8) => Ok(count),
        _ => Err("expected a multiple of 8 from 8 to 8000".to_owned()),
    }
}
