//! A run's verdict, matches and ratings as JSON, for programs.

use serde_json::{Value, json};

use crate::metrics::spent;
use crate::rated::{by_generation, most_telling};
use crate::run_files::RunFiles;
use crate::words::{headline, measured};

/// The verdict, the matches that it is based on, and the rating of each generation with its 95 % interval and the work so
/// far.
pub fn run_json(run: &RunFiles) -> Value {
    let headline = headline(run);
    let ratings = by_generation(&run.lines, None, None);
    let rating = |(generation, rating, games): &(u64, tablut_ratings::Rating, u32)| {
        let spent = run.lines.iter().zip(spent(&run.lines)).find(|(line, _)| line.generation == *generation);
        let spent = spent.map(|found| found.1).unwrap_or_default();
        json!({
            "generation": generation,
            "elo": rating.elo,
            "low": rating.low,
            "high": rating.high,
            "games": games,
            "evaluations": spent.evaluations,
            "hours": spent.hours,
            "core_hours": spent.core_hours,
        })
    };
    json!({
        "name": run.name,
        "folder": run.folder,
        "generations": run.lines.len(),
        "verdict": { "answer": headline.answer, "stronger": headline.stronger, "next": headline.next },
        "matches": measured(run).map(|found| found.report.matches.clone()).unwrap_or_default(),
        "anchor": most_telling(&run.lines, None),
        "ratings": ratings.iter().map(rating).collect::<Vec<_>>(),
    })
}
