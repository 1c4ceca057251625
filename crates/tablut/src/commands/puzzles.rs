//! `tablut puzzles`: positions with a proven win, found in self-play, and how many a search solves.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Subcommand;
use serde::Serialize;
use tablut_net::{Engine, Model, NetEvaluator, Precision, StatedRules};
use tablut_players::{Nets, SearchOptions};
use tablut_puzzles::{DistanceReport, Mine, PuzzleSet, SolveConfig, SolveReport, mine, solve};
use tablut_rules::Rules;
use tablut_search::{Evaluator, SearchConfig, UniformEvaluator};

use crate::console::Console;
use crate::interrupt::{Interrupted, cancelled_by_interrupt};
use crate::layout;
use crate::nets::{SHIPPED, add_net, load_model, model_name, rules_for};
use crate::outputs::Overwrite;
use crate::progress::Progress;

/// Find positions with a proven win, or measure a search on them.
#[derive(Debug, Subcommand)]
pub enum Puzzles {
    /// Find puzzles in a net's games against itself: one file for each rule set
    Make(Make),
    /// Run a search on puzzles, and check all its proofs
    Solve(Solve),
}

/// Arguments of `tablut puzzles make`.
#[derive(clap::Args, Debug)]
pub struct Make {
    /// The model file whose net plays the games [default: the net that comes with the program]
    #[arg(default_value = SHIPPED, hide_default_value = true)]
    model: PathBuf,
    /// Rule sets, by name or TOML file, separated by commas [default: those that the net was trained on]
    #[arg(long, value_name = "R", value_delimiter = ',')]
    rules: Vec<String>,
    /// Puzzles per rule set: a quarter of each distance of 1 to 4 moves, half of each side if the games allow it
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count)]
    count: usize,
    /// Maximum number of games
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Simulations per move in the games
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Seed; the same seed gives the same puzzles
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the files, such as `kvasir.jsonl`
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Arguments of `tablut puzzles solve`.
#[derive(clap::Args, Debug)]
pub struct Solve {
    /// Files of puzzles
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The model file of the net for the search [default: no net, all moves and results equally likely]
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Simulations for each puzzle
    #[arg(long, value_name = "N", default_value_t = 800, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    simulations: u32,
    /// Changes to the search settings of matches, such as `puct` or `gumbel=32,solver=threats`
    #[arg(long, value_name = "OPTIONS")]
    search: Option<SearchOptions>,
    /// Seed of the search
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Makes or solves.
pub fn run(command: &Puzzles, console: &mut Console) -> anyhow::Result<()> {
    match command {
        Puzzles::Make(args) => make(args, console),
        Puzzles::Solve(args) => solve_files(args, console),
    }
}

fn make(args: &Make, console: &mut Console) -> anyhow::Result<()> {
    let model = load_model(Some(&args.model))?;
    let trained: Vec<String> = model.rules.iter().map(|rules| rules.name().to_owned()).collect();
    let names = if args.rules.is_empty() { &trained } else { &args.rules };
    if names.is_empty() {
        bail!("{} names no rule set: expected --rules", model_name(Some(&args.model)));
    }
    let all_rules = names.iter().map(|name| rules_for(Some(name), Some(&args.model), &model, console.voice));
    let all_rules = all_rules.collect::<anyhow::Result<Vec<_>>>()?;
    let path = |rules: &Rules| args.out.join(format!("{}.jsonl", rules.name()));
    all_rules.iter().try_for_each(|rules| args.overwrite.check(&path(rules)))?;
    let mut nets = Nets::default();
    add_net(&mut nets, &args.model, Precision::F32)?;
    let cancel = cancelled_by_interrupt()?;
    let settings = Mine { count: args.count, max_games: args.games, simulations: args.simulations, seed: args.seed };
    for (name, rules) in names.iter().zip(all_rules) {
        let what = format!("Puzzles under the {} rules", rules.name());
        let progress = Progress::new(console.voice, what, "puzzles", 0, args.count as u64);
        let show = |found: usize, games: u64| progress.show(found as u64, &format!("{games} games looked through"));
        let mined = mine(&rules, &nets, &settings, &cancel, &show);
        drop(progress);
        if mined.is_err() && cancel.is_cancelled() {
            console.voice.say("Stopped: a file of puzzles is written only when it is whole.");
            return Err(Interrupted::now().into());
        }
        let (puzzles, games) = mined.with_context(|| format!("rules {name}"))?;
        let path = path(&rules);
        let (net, simulations, seed) = (model.weights.hash(), args.simulations, args.seed);
        let set = PuzzleSet { rules: StatedRules::of(&rules), net, simulations, seed, games, puzzles };
        set.write(&path)?;
        writeln!(console, "{} ({} puzzles from {games} games; {})", path.display(), set.puzzles.len(), sides(&set))?;
    }
    Ok(())
}

/// How many puzzles are the attackers' at each distance.
fn sides(set: &PuzzleSet) -> String {
    let of = |distance: u32| {
        let puzzles = set.puzzles.iter().filter(|puzzle| puzzle.distance == distance);
        let (attackers, defenders): (Vec<_>, Vec<_>) =
            puzzles.partition(|puzzle| puzzle.position.side_to_move() == tablut_rules::Side::Attackers);
        format!("{}/{}", attackers.len(), defenders.len())
    };
    format!("attackers'/defenders' by distance {}", (1..=4).map(of).collect::<Vec<_>>().join(" "))
}

/// What `--json` prints.
#[derive(Serialize)]
struct Solved<'a> {
    model: Option<&'a Path>,
    simulations: u32,
    search: String,
    sets: Vec<SolvedSet>,
    all: SolveReport,
}

/// One file's report.
#[derive(Serialize)]
struct SolvedSet {
    rules: String,
    #[serde(flatten)]
    report: SolveReport,
}

fn solve_files(args: &Solve, console: &mut Console) -> anyhow::Result<()> {
    let sets = args.files.iter().map(|path| PuzzleSet::read(path)).collect::<Result<Vec<_>, _>>()?;
    let engine = match &args.model {
        Some(path) => {
            let model = Model::load(path)?;
            let engine = Engine::new(&model.weights).with_context(|| format!("model file {}", path.display()))?;
            Some(std::sync::Mutex::new(engine))
        }
        None => None,
    };
    let make_evaluator = || -> Box<dyn Evaluator> {
        match &engine {
            Some(engine) => {
                let engine = engine.lock().expect("sharing an engine does not panic");
                let share = engine.share(1).expect("one thread is the caller's own");
                Box::new(NetEvaluator::new(Box::new(share)))
            }
            None => Box::new(UniformEvaluator),
        }
    };
    let options = args.search.clone().unwrap_or_default();
    if let Some(precision) = options.precision {
        bail!("--search precision={precision}: expected settings of the search; puzzles are solved in f32");
    }
    let config = SolveConfig { search: options.apply(SearchConfig::for_play(args.simulations)), seed: args.seed };
    let mut solved = Vec::new();
    let mut all = SolveReport::default();
    for set in &sets {
        let rules = set.rules.rules();
        let report = solve(&rules, &set.puzzles, &config, &make_evaluator)?;
        all = all.with(report.clone());
        solved.push(SolvedSet { rules: rules.name().to_owned(), report });
    }
    if args.json {
        let search = options.to_string().trim_start_matches(',').to_owned();
        let model = args.model.as_deref();
        let solved = Solved { model, simulations: args.simulations, search, sets: solved, all: all.clone() };
        writeln!(console, "{}", serde_json::to_string(&solved)?)?;
    } else {
        write!(console, "{}", table(&solved, &all))?;
    }
    if !all.contradicted.is_empty() {
        bail!("{} proofs of the search are false: {}", all.contradicted.len(), all.contradicted.join("; "));
    }
    Ok(())
}

/// Shares of the puzzles solved, one line for each rule set.
fn table(solved: &[SolvedSet], all: &SolveReport) -> String {
    let header = ["moves to win", "1", "2", "3", "4", "all"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let cell = |of: &DistanceReport| {
        let share = |n: u32| 100.0 * f64::from(n) / f64::from(of.puzzles.max(1));
        match of.puzzles {
            0 => "–".to_owned(),
            _ => format!("{:.0} / {:.0}", share(of.winning), share(of.proven)),
        }
    };
    let together = (solved.len() > 1).then_some(("all", all));
    for (name, report) in solved.iter().map(|set| (set.rules.as_str(), &set.report)).chain(together) {
        let cells = report.by_distance.iter().chain([&report.all]).map(cell);
        rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
    }
    let DistanceReport { puzzles, shortest, winning, .. } = all.all;
    format!(
        "Per cent played / per cent proven\n\n{}\n{puzzles} puzzles: {winning} won, {shortest} of them the shortest way.\n\
         Proofs: {} confirmed by the exhaustive solver, {} too long to check, {} contradicted.\n",
        layout::table(&rows),
        all.confirmed,
        all.unchecked,
        all.contradicted.len()
    )
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count) if count > 0 && count <= 8000 && count.is_multiple_of(8) => Ok(count),
        _ => Err("expected a multiple of 8 from 8 to 8000".to_owned()),
    }
}
