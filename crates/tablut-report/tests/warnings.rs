//! Each warning appears for made-up metrics that justify it, and for no others.

use std::path::Path;

use tablut_games::{
    CalibrationBin, GenerationMetrics, LossParts, NetLosses, NetStatistics, PhaseStatistics, PolicyStatistics,
    RuleSetStatistics, SpecialStatistics,
};
use tablut_report::{RunFiles, WarningKind, headline, warnings};
use tablut_rules::Results;

/// A run without problems, 30 generations of 40.
fn sound() -> RunFiles {
    let config = [("schedule.generations", "40"), ("learning.batch_size", "256")];
    RunFiles {
        lines: (0..30).map(line).collect(),
        config: config.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        ..RunFiles::default()
    }
}

fn line(generation: u64) -> GenerationMetrics {
    let mut line = GenerationMetrics { generation, simulations: 32, ..GenerationMetrics::default() };
    let falling = 1.0 / (1.0 + generation as f64 / 10.0);
    let play = &mut line.selfplay;
    (play.games, play.positions) = (200, 15_000);
    play.results = Results { attackers: 80, draws: 10, defenders: 100, unfinished: 10 };
    let results = play.results;
    (play.seconds, play.evaluations, play.mean_plies) = (10.0, 400_000, 75.0);
    let learning = &mut line.learning;
    (learning.window, learning.seconds) = (150_000, 4.0);
    let falling = falling as f32;
    let (policy, policy_floor, value) = (3.0 + falling, 2.5 + falling / 2.0, 0.4 + falling / 2.0);
    learning.loss = LossParts { policy, policy_floor, value, moves_left: 0.1 };
    let losses = |policy, value| NetLosses {
        positions: 500,
        policy,
        policy_floor: 2.5,
        value,
        moves_left: 10.0,
        ..NetLosses::default()
    };
    (learning.fresh, learning.learnt) = (losses(3.2, 0.55), losses(3.1, 0.5));
    (line.machine.run_bytes, line.machine.free_bytes) = (1_000_000 * (generation + 1), 1_000_000_000_000);
    let policy = PolicyStatistics { positions: 400, entropy: 2.5, divergence: 0.6, changed: 0.4 };
    let bin = |value: f64| CalibrationBin { from: value - 0.1, positions: 100, value, outcome: 0.95 * value };
    let phase =
        PhaseStatistics { phase: "opening".to_owned(), positions: 400, net_error: 0.8, ..PhaseStatistics::default() };
    line.rule_sets = vec![RuleSetStatistics {
        rules: "kvasir".to_owned(),
        games: 200,
        results,
        net: Some(NetStatistics {
            positions: 800,
            attackers: policy,
            defenders: policy,
            phases: vec![phase],
            calibration: [-0.9, -0.5, 0.1, 0.5, 0.9].map(bin).to_vec(),
        }),
        ..RuleSetStatistics::default()
    }];
    line
}

/// The kinds of warnings for a run whose generations are changed by `change`.
fn kinds(change: impl Fn(&mut GenerationMetrics)) -> Vec<WarningKind> {
    let mut run = sound();
    run.lines.iter_mut().for_each(change);
    warnings(&run).iter().map(|warning| warning.kind).collect()
}

fn net(line: &mut GenerationMetrics) -> &mut NetStatistics {
    line.rule_sets[0].net.as_mut().unwrap()
}

#[test]
fn a_sound_run_has_none() {
    assert_eq!(warnings(&sound()), []);
    assert_eq!(warnings(&RunFiles::default()), []);
    let mut young = sound();
    young.lines.truncate(2);
    young.lines[1].rule_sets[0].results.attackers = 0;
    assert_eq!(warnings(&young), [], "two generations are too few");
}

#[test]
fn one_side_that_hardly_wins_is_named_with_its_rule_set() {
    let spoil = |line: &mut GenerationMetrics| {
        line.rule_sets[0].results = Results { attackers: 10, draws: 10, defenders: 170, unfinished: 10 };
    };
    assert_eq!(kinds(spoil), [WarningKind::OneSideCollapsed]);
    let mut run = sound();
    run.lines.iter_mut().for_each(spoil);
    let text = warnings(&run)[0].to_string();
    assert!(text.contains("the attackers won 5 % of the last 570 finished self-play games under kvasir"), "{text}");
    assert!(text.contains("What") || text.contains("schedule.simulations"), "{text}");
    // Early generations do not count.
    assert_eq!(
        kinds(|line| if line.generation < 20 {
            spoil(line);
        }),
        []
    );
    // Nobody knows who would have won an unfinished game.
    let unfinished = |line: &mut GenerationMetrics| {
        line.rule_sets[0].results = Results { attackers: 18, draws: 0, defenders: 22, unfinished: 160 };
    };
    assert_eq!(kinds(unfinished), []);
}

#[test]
fn only_ordinary_games_say_whether_a_side_hardly_wins() {
    let results = |won: [usize; 2]| Results { attackers: won[0], defenders: won[1], ..Results::default() };
    let with = |all: [usize; 2], ordinary: [usize; 2]| {
        kinds(move |line| {
            let set = &mut line.rule_sets[0];
            set.results = results(all);
            set.special = Some(SpecialStatistics { ordinary: results(ordinary), ..SpecialStatistics::default() });
        })
    };
    assert_eq!(with([10, 190], [50, 50]), []);
    assert_eq!(with([100, 100], [2, 98]), [WarningKind::OneSideCollapsed]);
}

#[test]
fn entropy_that_collapses() {
    let spoil = |line: &mut GenerationMetrics, entropy| {
        (net(line).attackers.entropy, net(line).defenders.entropy) = (entropy, entropy);
    };
    let late = |line: &mut GenerationMetrics| {
        if line.generation > 20 {
            spoil(line, 0.3);
        }
    };
    assert_eq!(kinds(late), [WarningKind::EntropyCollapsing]);
    // The entropy is low from the first generation on: the game has few choices.
    assert_eq!(kinds(|line| spoil(line, 0.3)), []);
}

#[test]
fn values_that_are_overconfident() {
    let spoil =
        |line: &mut GenerationMetrics| net(line).calibration.iter_mut().for_each(|bin| bin.outcome = 0.6 * bin.value);
    assert_eq!(kinds(spoil), [WarningKind::ValueOverconfident]);
    let modest =
        |line: &mut GenerationMetrics| net(line).calibration.iter_mut().for_each(|bin| bin.outcome = 1.2 * bin.value);
    assert_eq!(kinds(modest), []);
    // The difference falls as the net sees more games.
    let falling = |line: &mut GenerationMetrics| {
        let share = if line.generation < 10 { 0.4 } else { 0.7 };
        net(line).calibration.iter_mut().for_each(|bin| bin.outcome = share * bin.value);
    };
    assert_eq!(kinds(falling), []);
    let rising = |line: &mut GenerationMetrics| {
        let share = 1.0 - 0.02 * line.generation as f64;
        net(line).calibration.iter_mut().for_each(|bin| bin.outcome = share * bin.value);
    };
    assert_eq!(kinds(rising), [WarningKind::ValueOverconfident]);
}

#[test]
fn the_quickstart_has_no_warning_in_any_generation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/quickstart/seventh");
    let lines = RunFiles::read(&path).unwrap().lines;
    assert_eq!(lines.len(), 17);
    for n_generations in 1..=lines.len() {
        let young = RunFiles { lines: lines[..n_generations].to_vec(), ..sound() };
        assert_eq!(warnings(&young), [], "{n_generations} generations");
    }
}

#[test]
fn unseen_games_that_part_from_seen_ones() {
    let fresh = |line: &mut GenerationMetrics| line.learning.fresh.policy += 0.04 * line.generation as f64;
    assert_eq!(kinds(fresh), [WarningKind::HeldOutParting]);
    let held_out = |line: &mut GenerationMetrics| {
        let value = line.learning.learnt.value + 0.01 * line.generation as f64;
        line.learning.held_out = Some(NetLosses { value, ..line.learning.learnt });
    };
    assert_eq!(kinds(held_out), [WarningKind::HeldOutParting]);
    // The difference is large but does not grow.
    assert_eq!(kinds(|line| line.learning.fresh.policy += 0.5), []);
}

#[test]
fn a_starved_window() {
    assert_eq!(kinds(|line| line.learning.window = 10_000), [WarningKind::StarvedWindow]);
    assert_eq!(kinds(|line| line.learning.window = 20_000), [WarningKind::StarvedWindow]);
    assert_eq!(kinds(|line| line.learning.window = 30_000), []);
}

#[test]
fn a_plateau() {
    let both = |line: &mut GenerationMetrics| (line.learning.loss.policy, line.learning.loss.value) = (3.2, 0.5);
    assert_eq!(kinds(both), [WarningKind::Plateau]);
    assert_eq!(kinds(|line| line.learning.loss.policy = 3.2), [], "the value still falls");
    // The document gives the same condition.
    let document = include_str!("../../../docs/troubleshooting.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let condition = "In eight generations neither policy nor value loss (means over four) fell by more than 1 %.";
    assert!(document.contains(condition), "{document}");
    let falls = |share: f32| {
        kinds(move |line| {
            both(line);
            // The generations of the earlier mean, of the later one, and of neither.
            let value = match line.generation {
                18..22 => 1.0,
                26.. => 1.0 - share,
                _ => 0.5,
            };
            line.learning.loss.value = value;
        })
    };
    assert_eq!(falls(0.009), [WarningKind::Plateau]);
    assert_eq!(falls(0.011), []);
}

#[test]
fn games_that_are_not_finished() {
    assert_eq!(kinds(|line| line.selfplay.results.unfinished = 200), [WarningKind::LongGames]);
    assert_eq!(kinds(|line| line.selfplay.results.unfinished = 180), []);
}

#[test]
fn a_run_that_slows_down() {
    let slow = |line: &mut GenerationMetrics| {
        if line.generation >= 27 {
            line.selfplay.seconds = 30.0;
        }
    };
    assert_eq!(kinds(slow), [WarningKind::SlowingDown]);
    // More simulations take longer at the same speed.
    let more = |line: &mut GenerationMetrics| {
        if line.generation >= 27 {
            (line.selfplay.seconds, line.selfplay.evaluations) = (30.0, 1_200_000);
        }
    };
    assert_eq!(kinds(more), []);
}

#[test]
fn a_disk_that_will_be_full() {
    // Ten generations of a megabyte remain.
    assert_eq!(kinds(|line| line.machine.free_bytes = 10_500_000), [WarningKind::DiskRunningOut]);
    assert_eq!(kinds(|line| line.machine.free_bytes = 20_000_000), []);
    assert_eq!(kinds(|line| line.machine.free_bytes = 0), [], "0 means unknown");
}

#[test]
fn a_net_that_learning_has_destroyed() {
    let loss = |untrained| {
        move |line: &mut GenerationMetrics| {
            (line.learning.learnt.policy, line.learning.learnt.value, line.learning.learnt.untrained) =
                (3.1, 0.5, untrained);
        }
    };
    assert_eq!(kinds(loss(3.5)), [WarningKind::WorseThanUntrained]);
    assert_eq!(kinds(loss(3.7)), []);
    assert_eq!(kinds(loss(0.0)), [], "older runs do not tell it");
}

#[test]
fn every_warning_is_explained() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/troubleshooting.md");
    let text = std::fs::read_to_string(path).unwrap();
    for kind in WarningKind::ALL {
        assert!(text.contains(&format!("\n## {}\n", kind.title())), "no section `{}`", kind.title());
    }
}

#[test]
fn one_generation_is_written_in_the_singular() {
    let mut run = sound();
    run.lines.truncate(1);
    run.config.insert("schedule.generations".to_owned(), "1".to_owned());
    let page = tablut_report::report_page(std::slice::from_ref(&run));
    let text = headline(&run).sentences.join(" ");
    assert!(text.contains("In the last generation of self-play under kvasir"), "{text}");
    assert!(text.contains("1 generation took"), "{text}");
    assert!(!text.contains("1 generations") && !page.contains(" 1 generations"), "{text}");
}
