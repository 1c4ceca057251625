//! The results of a run's games: everything that a person reads has the same four numbers.

use std::fs;

use serde_json::Value;

use crate::run_folder::said;

const CONFIG: &str = "rules = [\"kvasir\"]\nshape = \"lines32x1\"\n[schedule]\ngenerations = 1\ngames = 20\n\
                      simulations = [[0, 4]]\n[selfplay]\nmax_plies = 40\n[learning]\nbatch_size = 16\n\
                      draws_per_position = 0.1\n[evaluation]\ngames = 0\n";

#[test]
fn a_run_with_unfinished_games_has_the_same_results_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tiny.toml"), CONFIG).unwrap();
    let printed = said(folder.path(), &["train", "tiny.toml", "--plain"], 0);
    let metrics = fs::read_to_string(folder.path().join("runs/tiny/metrics.jsonl")).unwrap();
    let line: Value = serde_json::from_str(&metrics).unwrap();
    let names = ["attackers", "draws", "defenders", "unfinished"];
    let counts = names.map(|name| line["selfplay"]["results"][name].as_u64().expect(name));
    let [attackers, draws, defenders, unfinished] = counts;
    assert!(unfinished > 0 && attackers + defenders > 0 && counts.iter().sum::<u64>() == 20, "{counts:?}");

    // One game of twenty is 5 %.
    let shares = names.iter().zip(counts).map(|(name, n)| format!("{name} {} %", 5 * n));
    let shares = shares.collect::<Vec<_>>().join(", ");
    assert!(printed.contains(&shares), "{shares}: {printed}");
    let info = said(folder.path(), &["data", "info", "runs/tiny"], 0);
    assert!(info.contains(&shares), "{shares}: {info}");
    let info = said(folder.path(), &["data", "info", "runs/tiny/games/gen-00000.games"], 0);
    let numbers = format!("attackers {attackers}, draws {draws}, defenders {defenders}, unfinished {unfinished}");
    assert!(info.contains(&numbers), "{numbers}: {info}");

    let summary = said(folder.path(), &["report", "runs/tiny"], 0);
    let finished = format!("of {} finished games", 20 - unfinished);
    assert!(summary.contains(&finished) && summary.contains(&format!("{unfinished} game")), "{summary}");
    let page = fs::read_to_string(folder.path().join("runs/tiny/report.html")).unwrap();
    assert!(page.contains(&format!("results under kvasir: {shares}")), "{shares}");

    let table = said(folder.path(), &["data", "export", "metrics", "runs/tiny"], 0);
    let mut rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let (header, row) = (rows.next().unwrap(), rows.next().unwrap());
    for (name, n) in names.iter().zip(counts) {
        let column = header.iter().position(|column| column == name).unwrap();
        assert_eq!(row[column], n.to_string(), "{name}");
    }
}
