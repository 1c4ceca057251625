//! Each warning appears on made-up metrics that call for it, and on none that do not.

use std::path::Path;

use tablut_games::{
    CalibrationBin, Endings, GenerationMetrics, LossParts, NetLosses, NetStatistics, PhaseStatistics, PolicyStatistics,
    RuleSetStatistics, SpecialStatistics,
};
use tablut_report::{RunFiles, WarningKind, headline, warnings};

/// A sound run of 30 generations of 40.
fn sound() -> RunFiles {
    let config = [("schedule.generations", "40"), ("learning.batch_size", "256")];
    RunFiles {
        lines: (0..30).map(line).collect(),
        config: config.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        ..RunFiles::default()
    }
}

fn line(generation: u64) -> GenerationMetrics {
    let mut line = GenerationMetrics { schema: 3, generation, simulations: 32, ..GenerationMetrics::default() };
    let falling = 1.0 / (1.0 + generation as f64 / 10.0);
    let play = &mut line.selfplay;
    (play.games, play.positions) = (200, 15_000);
    (play.attackers_won, play.drawn, play.defenders_won, play.ply_limit) = (80, 20, 100, 10);
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
        attackers_won: 80,
        drawn: 20,
        defenders_won: 100,
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

/// The kinds of warnings of a run that `change` has spoilt, generation by generation.
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
    young.lines[1].rule_sets[0].attackers_won = 0;
    assert_eq!(warnings(&young), [], "two generations are too few to go by");
}

#[test]
fn one_side_that_hardly_wins_is_named_with_its_rule_set() {
    let spoil =
        |line: &mut GenerationMetrics| (line.rule_sets[0].attackers_won, line.rule_sets[0].defenders_won) = (10, 170);
    assert_eq!(kinds(spoil), [WarningKind::OneSideCollapsed]);
    let mut run = sound();
    run.lines.iter_mut().for_each(spoil);
    let text = warnings(&run)[0].to_string();
    assert!(text.contains("the attackers won 5 % of the last 600 self-play games under kvasir"), "{text}");
    assert!(text.contains("What") || text.contains("schedule.simulations"), "{text}");
    // Early in the run alone, it is over.
    assert_eq!(
        kinds(|line| if line.generation < 20 {
            spoil(line);
        }),
        []
    );
    // Metrics of the first version know no rule sets.
    let first = |line: &mut GenerationMetrics| {
        line.rule_sets.clear();
        line.selfplay.defenders_won = 5;
    };
    assert_eq!(kinds(first), [WarningKind::OneSideCollapsed]);
}

#[test]
fn only_ordinary_games_say_whether_a_side_hardly_wins() {
    let results = |won: [usize; 2]| Endings { attackers_won: won[0], drawn: 0, defenders_won: won[1] };
    let with = |all: [usize; 2], ordinary: [usize; 2]| {
        kinds(move |line| {
            let set = &mut line.rule_sets[0];
            (set.attackers_won, set.drawn, set.defenders_won) = (all[0], 200 - all[0] - all[1], all[1]);
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
    // Low from the first generation on: a game with few choices.
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
    // A wide gap that does not grow.
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
    // As the document says: means over four generations, eight generations apart, and 1 %.
    let document = include_str!("../../../docs/troubleshooting.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(document.contains("means over four generations, eight generations apart"));
    assert!(document.contains("fell by more than 1 %"));
    let falls = |share: f32| {
        kinds(move |line| {
            both(line);
            // The earlier mean, the later one, and what counts in neither.
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
fn games_that_reach_the_ply_limit() {
    assert_eq!(kinds(|line| line.selfplay.ply_limit = 60), [WarningKind::LongGames]);
}

#[test]
fn a_run_that_slows_down() {
    let slow = |line: &mut GenerationMetrics| {
        if line.generation >= 27 {
            line.selfplay.seconds = 30.0;
        }
    };
    assert_eq!(kinds(slow), [WarningKind::SlowingDown]);
    // More simulations take longer, and evaluate as fast.
    let more = |line: &mut GenerationMetrics| {
        if line.generation >= 27 {
            (line.selfplay.seconds, line.selfplay.evaluations) = (30.0, 1_200_000);
        }
    };
    assert_eq!(kinds(more), []);
}

#[test]
fn a_disk_that_will_be_full() {
    // Ten generations of a megabyte are left.
    assert_eq!(kinds(|line| line.machine.free_bytes = 10_500_000), [WarningKind::DiskRunningOut]);
    assert_eq!(kinds(|line| line.machine.free_bytes = 20_000_000), []);
    assert_eq!(kinds(|line| line.machine.free_bytes = 0), [], "the system does not tell");
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
fn the_headline_names_the_side_that_lags() {
    let mut run = sound();
    for line in &mut run.lines {
        (line.rule_sets[0].attackers_won, line.rule_sets[0].defenders_won) = (40, 140);
    }
    let said = headline(&run);
    assert_eq!(said.learns, None, "strength was not measured");
    assert!(said.sentences.iter().any(|s| s.contains("under kvasir") && s.contains("the attackers lag")), "{said:?}");
    assert!(said.sentences.iter().any(|s| s.starts_with("30 of 40 generations took")), "{said:?}");
}
