//! The verdict is right for recorded runs: an untrained net, one that is worse than its start, an even one, a better one.

use std::path::PathBuf;

use tablut_arena::{EvaluationReport, MatchReport};
use tablut_games::{GenerationMetrics, RuleSetStatistics, SelfPlayMetrics};
use tablut_ratings::{HalfPoints, PairTable, RatedGeneration, RatedMatch};
use tablut_report::{RunFiles, headline, metrics_csv, report_page};
use tablut_rules::Results;

/// A match of pairs: won twice, one game each, lost twice.
fn played(opponent: &str, [won, split, lost]: [u32; 3]) -> MatchReport {
    let mut pairs = PairTable::default();
    (0..won).for_each(|_| pairs.record(HalfPoints::Win, HalfPoints::Win));
    (0..split).for_each(|_| pairs.record(HalfPoints::Loss, HalfPoints::Win));
    (0..lost).for_each(|_| pairs.record(HalfPoints::Loss, HalfPoints::Loss));
    let players = ["net:gen-00005.safetensors@128", opponent].map(str::to_owned);
    MatchReport { rules: "ashton".to_owned(), players, complete: true, ..MatchReport::of_pairs(pairs) }
}

/// A finished run of `n` generations with these final matches.
fn run(n: u64, started_with_a_net: bool, matches: Vec<MatchReport>) -> RunFiles {
    let results = Results { attackers: 40, draws: 10, defenders: 140, unfinished: 10 };
    let line = |generation| GenerationMetrics {
        generation,
        selfplay: SelfPlayMetrics { games: 200, results, seconds: 10.0, ..SelfPlayMetrics::default() },
        rule_sets: vec![RuleSetStatistics { rules: "ashton".into(), games: 200, results, ..Default::default() }],
        ..GenerationMetrics::default()
    };
    let mut config = vec![("schedule.generations", n.to_string())];
    if started_with_a_net {
        config.push(("start", "\"start.safetensors\"".to_owned()));
    }
    let model = format!("runs/x/checkpoints/gen-{:05}.safetensors", n.saturating_sub(1));
    let evaluation = EvaluationReport { model, rules: "ashton".into(), simulations: 128, matches };
    RunFiles {
        folder: PathBuf::from("runs/x"),
        name: "x".into(),
        lines: (0..n).map(line).collect(),
        config: config.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        evaluation: (!evaluation.matches.is_empty()).then_some(evaluation),
        ..RunFiles::default()
    }
}

#[test]
fn four_recorded_runs_have_true_verdicts() {
    // Today's `greedy` loses to an untrained net with a search, so a win against it shows nothing.
    let untrained = run(0, false, Vec::new());
    let said = headline(&untrained);
    assert_eq!((said.answer.as_str(), said.stronger), ("No generation has finished yet.", None));

    let worse = run(6, false, vec![played("untrained", [5, 20, 25]), played("greedy", [45, 5, 0])]);
    let said = headline(&worse);
    assert!(
        said.answer.starts_with("The net has become weaker than its untrained start: it scores 30 %"),
        "{}",
        said.answer
    );
    assert_eq!(said.stronger, Some(false));
    assert!(said.next.starts_with("Do not use this net."), "{}", said.next);

    let even = run(6, true, vec![played("start", [12, 30, 8]), played("shipped", [10, 30, 10])]);
    let said = headline(&even);
    let expected =
        "The games do not show whether the net is stronger than the net with which it started: it scores 54 %";
    assert!(said.answer.starts_with(expected) && said.stronger.is_none(), "{}", said.answer);
    assert!(said.next.contains("schedule.generations=12"), "{}", said.next);

    let better = run(6, false, vec![played("untrained", [45, 5, 0]), played("shipped", [0, 5, 45])]);
    let said = headline(&better);
    assert!(
        said.answer.starts_with("The net has become stronger than its untrained start: it scores 95 %"),
        "{}",
        said.answer
    );
    assert_eq!(said.stronger, Some(true));
    assert!(said.next.starts_with("The net that comes with the program is stronger."), "{}", said.next);
    let shipped = said.sentences.iter().find(|sentence| sentence.contains("the net that comes with the program"));
    assert!(shipped.is_some_and(|sentence| sentence.contains("it is weaker")), "{:?}", said.sentences);

    // The page says the same. Green needs an interval without even.
    for (run, class) in [(&untrained, "verdict"), (&worse, "verdict no"), (&even, "verdict"), (&better, "verdict yes")]
    {
        let page = report_page(std::slice::from_ref(run));
        assert!(
            page.contains(&format!("<div class=\"{class}\"><p class=\"answer\">{}", headline(run).answer)),
            "{class}"
        );
    }
}

#[test]
fn a_run_from_the_shipped_net_is_compared_with_it() {
    let said = headline(&run(6, true, vec![played("shipped", [40, 8, 2]), played("alphabeta:2", [50, 0, 0])]));
    let expected = "The net has become stronger than the net that comes with the program, with which it started";
    assert!(said.answer.starts_with(expected) && said.stronger == Some(true), "{}", said.answer);
    assert!(!said.next.contains("is stronger."), "{}", said.next);
}

#[test]
fn a_win_against_a_fixed_opponent_is_no_verdict() {
    let said = headline(&run(6, false, vec![played("greedy", [50, 0, 0])]));
    assert!(said.answer.starts_with("It is not known whether the net has become stronger"), "{}", said.answer);
    assert!(said.stronger.is_none() && said.next.contains("start.safetensors@128"), "{}", said.next);
}

#[test]
fn an_old_evaluation_is_not_that_of_a_run_that_went_on() {
    let mut run = run(6, false, vec![played("untrained", [45, 5, 0])]);
    run.evaluation.as_mut().unwrap().model = "runs/x/checkpoints/gen-00003.safetensors".to_owned();
    assert_eq!(headline(&run).stronger, None);
}

/// Rating games of each generation against the untrained start, which always loses, and an opponent that is beaten more
/// and more.
fn rated(n: u64) -> RunFiles {
    let mut run = run(n, false, Vec::new());
    for line in &mut run.lines {
        let of = |opponent: &str, counts| RatedMatch {
            rules: "ashton".into(),
            opponent: opponent.to_owned(),
            pairs: played(opponent, counts).pairs,
            ..RatedMatch::default()
        };
        let won = (line.generation / 4) as u32;
        let matches = vec![of("untrained", [4, 0, 0]), of("shipped", [won, 4, 5_u32.saturating_sub(won)])];
        line.rating = Some(RatedGeneration { simulations: 32, seconds: 1.0, matches });
    }
    run
}

#[test]
fn before_the_final_match_the_rating_games_count() {
    let said = headline(&rated(20));
    assert!(
        said.answer.starts_with("The net has become stronger than its untrained start: it scores 100 %"),
        "{}",
        said.answer
    );
    assert!(said.sentences[0].contains("measured during training with 32 simulations"), "{:?}", said.sentences);
    let growth = said.sentences.iter().find(|sentence| sentence.starts_with("The rating during training")).unwrap();
    assert!(growth.contains("in Elo above shipped") && growth.ends_with("the net has become stronger."), "{growth}");
}

#[test]
fn tables_have_the_rating_of_each_generation_with_its_interval() {
    let table = metrics_csv(&rated(20).lines);
    let (header, rows) = table.split_once('\n').unwrap();
    assert!(header.ends_with(",rating,rating_low,rating_high,rating_games,rating_anchor"), "{header}");
    let numbers = |row: &str| -> Vec<f64> {
        row.rsplit(',').skip(1).take(4).map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>()
    };
    for row in rows.lines() {
        let [games, high, low, rating] = numbers(row)[..] else { panic!("{row}") };
        assert!(row.ends_with(",shipped") && low < rating && rating < high && games > 0.0, "{row}");
    }
    let [first, last] = [rows.lines().next().unwrap(), rows.lines().last().unwrap()].map(|row| numbers(row)[3]);
    assert!(last > first, "{first} {last}");
}

#[test]
fn runs_are_compared_by_strength_and_seeds_of_one_config_are_averaged() {
    let seed = |seed: &str| {
        let mut run = rated(20);
        run.name = format!("seed-{seed}");
        run.config.insert("seed".to_owned(), seed.to_owned());
        run
    };
    let mut other = rated(16);
    other.name = "other".to_owned();
    other.config.insert("learning.learning_rate".to_owned(), "0.001".to_owned());
    let page = report_page(&[seed("1"), seed("2"), other]);
    for part in ["By generation", "By million evaluations", "By core-hours", "By hours", "mean of seed-1, seed-2"] {
        assert!(page.contains(part), "the page lacks {part}");
    }
    assert!(page.contains("Elo above shipped") && !page.contains("NaN"));
}

/// The sentences about a run of 30 generations, each changed by `change`.
fn sentences(change: impl Fn(&mut GenerationMetrics)) -> String {
    let mut run = run(30, false, Vec::new());
    run.lines.iter_mut().for_each(change);
    headline(&run).sentences.join(" ")
}

#[test]
fn the_side_that_wins_fewer_games_is_named() {
    // With many draws a side may win half of the games or few, and the other side hardly any.
    for ([attackers, draws, defenders, unfinished], part) in [
        ([40, 10, 140, 10], "the attackers win fewer. 30 games are unfinished."),
        ([100, 90, 10, 0], "the defenders win fewer"),
        ([0, 178, 22, 0], "the attackers win fewer"),
        ([0, 200, 0, 0], "the sides are about even"),
    ] {
        let said = sentences(|line| line.rule_sets[0].results = Results { attackers, draws, defenders, unfinished });
        assert!(said.contains("under ashton") && said.contains(part), "{said}");
        assert!(said.contains("30 generations took"), "{said}");
    }
}

#[test]
fn each_losss_own_change_is_named() {
    let of_losses = |policy: [f32; 2], value: [f32; 2]| {
        sentences(|line| {
            let late = usize::from(line.generation >= 15);
            (line.learning.loss.policy, line.learning.loss.value) = (policy[late], value[late]);
        })
    };
    let said = of_losses([3.0, 2.5], [0.61, 0.68]);
    let expected = "the policy loss fell from 3.00 to 2.50 nats, and the value loss rose from 0.61 to 0.68 nats.";
    assert!(said.contains(expected), "{said}");
    let said = of_losses([3.0, 3.0], [0.61, 0.68]);
    assert!(said.contains("the policy loss hardly changed, from 3.00 to 3.00 nats"), "{said}");
}
