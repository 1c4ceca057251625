//! `tablut bench puzzles`: measures how many puzzles a search solves.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, bail};
use serde::Serialize;
use tablut_arena::puzzles::{DISTANCES, DistanceReport, PuzzleSet, SolveConfig, SolveReport, solve};
use tablut_net::{Engine, NetEvaluator};
use tablut_players::SearchOptions;
use tablut_search::{Evaluator, SearchConfig, UniformEvaluator};

use crate::console::Console;
use crate::layout;
use crate::nets::{load_model, model_name};

/// Measure how many puzzles a search solves, and check its proofs.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Files of puzzles
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The net for the search: a model file, a run's folder, or `shipped` [default: no net, with equal chances of all
    /// moves and results]
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

#[derive(Serialize)]
struct Solved<'a> {
    model: Option<&'a Path>,
    simulations: u32,
    search: String,
    sets: Vec<SolvedSet>,
    all: SolveReport,
}

#[derive(Serialize)]
struct SolvedSet {
    rules: String,
    #[serde(flatten)]
    report: SolveReport,
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let sets = args.files.iter().map(|path| PuzzleSet::read(path)).collect::<Result<Vec<_>, _>>()?;
    let engine = match &args.model {
        Some(path) => {
            let model = load_model(Some(path))?;
            let engine = Engine::new(&model.weights).with_context(|| model_name(Some(path)))?;
            Some(Mutex::new(engine))
        }
        None => None,
    };
    let make_evaluator = || -> Box<dyn Evaluator> {
        match &engine {
            Some(engine) => {
                let engine = engine.lock().expect("sharing an engine does not panic");
                let share = engine.share(1).expect("one thread is the calling one");
                Box::new(NetEvaluator::new(Box::new(share)))
            }
            None => Box::new(UniformEvaluator),
        }
    };
    let options = args.search.clone().unwrap_or_default();
    let config =
        SolveConfig { search: options.apply(SearchConfig::for_play()), simulations: args.simulations, seed: args.seed };
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

/// The shares of solved puzzles, one line for each rule set.
fn table(solved: &[SolvedSet], all: &SolveReport) -> String {
    let distances = DISTANCES.map(|distance| distance.to_string());
    let header = ["moves to win".to_owned()].into_iter().chain(distances).chain(["all".to_owned()]);
    let mut rows: Vec<Vec<String>> = vec![header.collect()];
    let cell = |of: &DistanceReport| {
        let share = |n: u32| 100.0 * f64::from(n) / f64::from(of.puzzles.max(1));
        match of.puzzles {
            0 => "–".to_owned(),
            _ => format!("{:.0} / {:.0}", share(of.solved), share(of.proven)),
        }
    };
    let together = (solved.len() > 1).then_some(("all", all));
    for (name, report) in solved.iter().map(|set| (set.rules.as_str(), &set.report)).chain(together) {
        let cells = report.by_distance.iter().chain([&report.all]).map(cell);
        rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
    }
    let DistanceReport { puzzles, solved, .. } = all.all;
    format!(
        "Solved / win proven, in per cent\n\n{}\n{puzzles} puzzles: {solved} solved.\n\
         Proofs: {} confirmed by the exhaustive solver, {} too long to check, {} contradicted.\n",
        layout::table(&rows),
        all.confirmed,
        all.unchecked,
        all.contradicted.len()
    )
}
