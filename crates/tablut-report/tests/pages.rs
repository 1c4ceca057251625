//! Report pages are complete, small and safe: for runs with evaluations, runs with games, several runs, and nearly empty
//! ones.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tablut_arena::{EvaluationReport, MatchReport};
use tablut_games::{
    CancelToken, Concurrency, Counters, GenerationMetrics, RecordFile, RuleSetStatistics, SelfPlayConfig, SelfPlayGame,
    game_rng, run_tasks, write_records,
};
use tablut_ratings::{HalfPoints, PairTable};
use tablut_report::{
    DisplayedGame, LIVE_PATH, Live, RunFiles, SNAPSHOT_PATH, headline, live_page, report_page, snapshot_page, warnings,
};
use tablut_rules::{Results, Rules};
use tablut_search::{Evaluator, SelfPlaySearch, UniformEvaluator};

/// A match of a hundred pairs: won twice, one game each, lost twice.
fn played(opponent: &str, [won, split, lost]: [u32; 3]) -> MatchReport {
    let mut pairs = PairTable::default();
    (0..won).for_each(|_| pairs.record(HalfPoints::Win, HalfPoints::Win));
    (0..split).for_each(|_| pairs.record(HalfPoints::Loss, HalfPoints::Win));
    (0..lost).for_each(|_| pairs.record(HalfPoints::Loss, HalfPoints::Loss));
    let players = ["net:gen-00009.safetensors@128", opponent].map(str::to_owned);
    MatchReport { rules: "kvasir".to_owned(), players, complete: true, ..MatchReport::of_pairs(pairs) }
}

/// A run of ten generations with a final match.
fn evaluated() -> RunFiles {
    let line = |generation| {
        let mut line = GenerationMetrics { generation, ..GenerationMetrics::default() };
        let results = Results { attackers: 40, draws: 10, defenders: 120, unfinished: 30 };
        (line.selfplay.games, line.selfplay.results, line.selfplay.seconds) = (200, results, 5.0);
        line.learning.loss.policy = 4.0 - 0.1 * generation as f32;
        line.rule_sets = vec![RuleSetStatistics { rules: "kvasir".into(), games: 200, results, ..Default::default() }];
        line
    };
    let matches = vec![played("untrained", [100, 0, 0]), played("alphabeta:2", [30, 54, 16])];
    let evaluation = EvaluationReport { rules: "kvasir".into(), simulations: 128, matches, ..Default::default() };
    RunFiles { lines: (0..10).map(line).collect(), evaluation: Some(evaluation), ..RunFiles::default() }
}

/// Checks that a page loads nothing, that it has no links except to `pages`, and that its tags are closed.
fn check_with_links(page: &str, pages: &[&str]) {
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    for forbidden in ["<script", "src=", "@import", "url(", "NaN", " inf", "javascript:"] {
        assert!(!page.contains(forbidden), "the page contains {forbidden}");
    }
    for link in page.split("href=\"").skip(1) {
        let target = link.split('"').next().unwrap();
        assert!(target.starts_with('#') || pages.contains(&target), "a link that leaves the page: {target}");
    }
    for tag in ["svg", "table", "section", "div", "ul", "li", "details", "label", "figure"] {
        let count = |text: String| page.matches(&text).count();
        let opened = count(format!("<{tag} ")) + count(format!("<{tag}>"));
        assert_eq!(opened, count(format!("</{tag}>")), "{tag}");
    }
    for picture in page.split("role=\"img\"").skip(1) {
        assert!(picture.trim_start().starts_with("aria-label=\""), "a picture without a name");
    }
}

/// Checks a page that has no links to others.
fn check(page: &str) {
    check_with_links(page, &[]);
}

/// A run's folder with twelve games under two rule sets.
fn run_with_games(folder: &Path) {
    let rules: Vec<Arc<Rules>> = ["kvasir", "ashton"].map(|name| Arc::new(Rules::named(name).unwrap())).into();
    let config = SelfPlayConfig { opening_plies: 1, max_plies: 60, ..SelfPlayConfig::default() };
    let (search, simulations) = (SelfPlaySearch::default(), 8);
    let task = |index: usize| {
        SelfPlayGame::new(index as u64, &rules[index % 2], &config, &search, simulations, game_rng(1, 0, index as u64))
    };
    let evaluators = || -> Vec<Box<dyn Evaluator>> { vec![Box::new(UniformEvaluator)] };
    let concurrency = Concurrency { workers: 1, tasks_per_worker: 4 };
    let games = run_tasks(12, concurrency, task, evaluators, &Counters::default(), &CancelToken::new(), |_, _| {});
    let file = RecordFile::new(1, rules.iter().map(|rules| &**rules), games.unwrap());
    write_records(&folder.join("games/gen-00000.games"), &file).unwrap();
    fs::write(folder.join("config.toml"), "rules = [\"kvasir\", \"<b>&ashton\"]\nshape = \"lines64x1\"\n").unwrap();
    fs::write(
        folder.join("metrics.jsonl"),
        "{\"schema\":5,\"generation\":0,\"selfplay\":{\"games\":12,\"seconds\":1}}\n",
    )
    .unwrap();
}

#[test]
fn a_run_with_an_evaluation_is_reported() {
    let run = evaluated();
    let page = report_page(std::slice::from_ref(&run));
    // The file stays, so that a person can look at it.
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("quickstart.html"), &page).unwrap();
    check(&page);
    let said = headline(&run);
    assert!(said.answer.starts_with("The net has become stronger than its untrained start"), "{}", said.answer);
    assert_eq!(warnings(&run), []);
    for expected in [
        "alphabeta:2",
        "57 % of 200 games, 0 unfinished (95 % interval ",
        "the attackers win fewer",
        "Ladder",
        "Policy loss",
    ] {
        assert!(page.contains(expected), "the page lacks {expected}");
    }
    // The start lost every game, so it has no rating.
    let ladder = run.evaluation.as_ref().unwrap().ladder("kvasir");
    let rungs: Vec<(&str, bool)> = ladder.iter().map(|rung| (rung.name.as_str(), rung.anchor)).collect();
    assert!(matches!(rungs[..], [(_, false), ("alphabeta:2", true)]) && page.contains(">this net<"), "{rungs:?}");
    assert!(page.contains("Opponents that won or lost every game are left out"));
}

#[test]
fn games_can_be_stepped_through_without_a_script() {
    let folder = tempfile::tempdir().unwrap();
    run_with_games(folder.path());
    let run = RunFiles::read(folder.path()).unwrap();
    assert_eq!((run.games.len(), run.games_from, run.notes.len()), (12, Some((0, 0)), 0));
    let page = report_page(std::slice::from_ref(&run));
    check(&page);
    assert!(page.contains("&lt;b&gt;&amp;ashton") && !page.contains("<b>&ashton"), "the config is not escaped");
    // Every label has a radio button, and one button of every game is checked.
    for target in page.split("<label for=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(page.contains(&format!("id=\"{target}\"")), "no position {target}");
    }
    let games = page.matches("<div class=\"game\"").count();
    assert!(games >= 2, "{games} games");
    assert_eq!(page.matches(" checked").count(), games);
    assert!(page.contains("id=\"b-ashton\"") && page.contains("href=\"#b-kvasir\""));
}

#[test]
fn several_runs_are_compared_by_what_differs() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for (folder, rate) in folders.iter().zip(["0.001", "0.003"]) {
        let config = format!("shape = \"lines64x1\"\n[learning]\nlearning_rate = {rate}\n");
        fs::write(folder.path().join("config.toml"), config).unwrap();
    }
    let runs = [RunFiles::read(folders[0].path()).unwrap(), RunFiles::read(folders[1].path()).unwrap(), evaluated()];
    let page = report_page(&runs);
    check(&page);
    assert!(page.contains("<code>learning.learning_rate</code>") && page.contains("<code>0.003</code>"));
    let two = report_page(&runs[..2]);
    assert!(!two.contains("<code>shape</code>"), "an equal key is shown");
}

#[test]
fn a_run_that_has_just_begun_has_a_page_that_reloads() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.toml"), "shape = \"lines64x1\"\n").unwrap();
    let run = RunFiles::read(folder.path()).unwrap();
    let page = live_page(&run, 5);
    check_with_links(&page, &[SNAPSHOT_PATH]);
    assert!(page.contains("http-equiv=\"refresh\" content=\"5\"") && page.contains("No generation has finished yet."));
}

#[test]
fn games_are_stepped_through_on_a_page_that_does_not_reload() {
    let folder = tempfile::tempdir().unwrap();
    run_with_games(folder.path());
    let games = RunFiles::read(folder.path()).unwrap().games;
    let under_way = vec![DisplayedGame { outcome: None, ..DisplayedGame::from(&games[0]) }];
    let finished = vec![DisplayedGame::from(&games[1])];
    Live { schema: Live::SCHEMA, under_way, finished, ..Live::default() }.write(folder.path()).unwrap();
    let run = RunFiles::read(folder.path()).unwrap();
    let (live, snapshot) = (live_page(&run, 5), snapshot_page(&run));
    check_with_links(&live, &[SNAPSHOT_PATH]);
    check_with_links(&snapshot, &[LIVE_PATH]);
    let has = |page: &str| ["http-equiv=\"refresh\"", "type=\"radio\""].map(|text| page.contains(text));
    assert_eq!((has(&live), has(&snapshot)), ([true, false], [false, true]));
    // Both pages show the same games: two of the current state and the samples.
    let n_games = |page: &str| page.matches("<div class=\"game\"").count();
    assert!(n_games(&live) > 2 && n_games(&live) == n_games(&snapshot), "{}", n_games(&live));
    assert_eq!(
        live.matches("class=\"board\"").count(),
        n_games(&live),
        "the live page shows one position of each game"
    );
    assert!(live.contains(&format!("href=\"{SNAPSHOT_PATH}\"")) && snapshot.contains(&format!("href=\"{LIVE_PATH}\"")));
}

#[test]
fn workers_of_other_machines_are_shown_where_there_were_some() {
    let folder = tempfile::tempdir().unwrap();
    run_with_games(folder.path());
    let page = |folder: &Path| report_page(std::slice::from_ref(&RunFiles::read(folder).unwrap()));
    assert!(!page(folder.path()).contains("id=\"workers\""));
    let line = |generation: u32, name: &str| {
        format!(
            "{{\"schema\":5,\"generation\":{generation},\"selfplay\":{{\"games\":12,\"seconds\":1}},\"fleet\":{{\"workers\":[{{\"name\":\"<{name}>\",\
             \"threads\":3,\"games\":12,\"games_per_second\":2.5}}],\"jobs\":4,\"redeliveries\":7,\"lag\":5}}}}\n"
        )
    };
    fs::write(folder.path().join("metrics.jsonl"), line(0, "anna") + &line(1, "bo")).unwrap();
    let page = page(folder.path());
    check(&page);
    for expected in ["id=\"workers\"", "2 workers played 24 games in 2 generations", "&lt;anna&gt;", ">14<", ">5<"] {
        assert!(page.contains(expected), "the page lacks {expected}");
    }
}

#[test]
fn a_folder_that_is_no_run_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let error = RunFiles::read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("no run of `tablut train`") && error.contains(folder.path().to_str().unwrap()), "{error}");
    assert!(RunFiles::read(&folder.path().join("absent")).is_err());
}
