//! Plain warnings: what looks wrong, what it means, what to do. `docs/troubleshooting.md` says more of each.

use tablut_games::{GenerationMetrics, NetLosses};
use tablut_rules::Side;

use super::seconds_left;
use crate::figures::{bytes, count, duration, percent, short};
use crate::metrics::{calibration, evaluation_speed, mean, results_by_rule_set, weighted_mean};
use crate::run_files::RunFiles;

/// What can look wrong.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
#[non_exhaustive]
pub enum WarningKind {
    /// One side wins hardly any games of a rule set.
    OneSideCollapsed,
    /// The policy hardly leaves a choice.
    EntropyCollapsing,
    /// Values are farther from 0 than results.
    ValueOverconfident,
    /// Unseen games are predicted worse and worse than seen ones.
    HeldOutParting,
    /// The replay window holds too little.
    StarvedWindow,
    /// Losses no longer fall.
    Plateau,
    /// Many games end by the ply limit.
    LongGames,
    /// The run has become much slower.
    SlowingDown,
    /// The disk will be full before the run ends.
    DiskRunningOut,
}

impl WarningKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::DiskRunningOut,
        Self::OneSideCollapsed,
        Self::EntropyCollapsing,
        Self::ValueOverconfident,
        Self::HeldOutParting,
        Self::StarvedWindow,
        Self::Plateau,
        Self::LongGames,
        Self::SlowingDown,
    ];

    /// The heading in `docs/troubleshooting.md`, what the warning means, and what to do.
    const fn texts(self) -> [&'static str; 3] {
        match self {
            Self::OneSideCollapsed => [
                "One side hardly ever wins",
                "The net sees almost no wins of that side, so it cannot learn how to win with it, and the other side learns to beat a weak opponent.",
                "Give it time if the run is young. Otherwise: fewer simulations and more games early (schedule.simulations), more random plies (selfplay.opening_plies), \
                 and see by a match of strong players whether the rules are that one-sided.",
            ],
            Self::EntropyCollapsing => [
                "The policy's entropy collapses",
                "Self-play repeats the same few moves; games become alike, and better moves are no longer tried.",
                "Raise selfplay.opening_plies, lower learning.learning_rate, or search more moves.",
            ],
            Self::ValueOverconfident => [
                "Values are overconfident",
                "The net is sure of results that do not come, and the search trusts it too early.",
                "Raise learning.value_share, lower learning.draws_per_position, or enlarge learning.window_positions.",
            ],
            Self::HeldOutParting => [
                "Unseen games are predicted worse than seen ones",
                "The net learns its games by heart instead of what they have in common.",
                "Lower learning.draws_per_position, raise schedule.games or learning.window_positions, or take a smaller net.",
            ],
            Self::StarvedWindow => [
                "The replay window is starved",
                "Each position is drawn too often, or forgotten too soon.",
                "Raise learning.window_positions or schedule.games, or lower learning.draws_per_position.",
            ],
            Self::Plateau => [
                "Losses have stopped falling",
                "The net learns what it can from the games as they are; more of the same will not help much.",
                "Measure the net (tablut evaluate): if it still gains, go on. Otherwise raise the simulations, lower the learning rate, or take a larger net.",
            ],
            Self::LongGames => [
                "Games reach the ply limit",
                "Draws by length teach neither side anything, and take the most time.",
                "Lower selfplay.max_plies only if such games are truly drawn; otherwise give the search more simulations, so that wins are found.",
            ],
            Self::SlowingDown => [
                "The run is slowing down",
                "Something else uses the machine, or games or searches have grown.",
                "Look for other programs, and at the memory. More simulations by the schedule are no cause for concern.",
            ],
            Self::DiskRunningOut => [
                "The disk is running out",
                "The run will stop with an error when the disk is full. What is done by then is safe.",
                "Free some space, or remove old files under checkpoints/ of finished runs.",
            ],
        }
    }

    /// The heading in `docs/troubleshooting.md`.
    pub const fn title(self) -> &'static str {
        self.texts()[0]
    }

    /// What it means.
    pub const fn meaning(self) -> &'static str {
        self.texts()[1]
    }

    /// What to do.
    pub const fn advice(self) -> &'static str {
        self.texts()[2]
    }
}

/// Something that looks wrong in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// What it is.
    pub kind: WarningKind,
    /// What was found, with the numbers.
    pub found: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}. {} {}", self.kind.title(), self.found, self.kind.meaning(), self.kind.advice())
    }
}

/// All that looks wrong in the run as it is now, the most urgent first. Nothing is said before there is enough to go by.
pub fn warnings(run: &RunFiles) -> Vec<Warning> {
    let found = |kind: WarningKind| match kind {
        WarningKind::OneSideCollapsed => collapsed(run),
        WarningKind::EntropyCollapsing => entropy(run).into_iter().collect(),
        WarningKind::ValueOverconfident => overconfidence(run).into_iter().collect(),
        WarningKind::HeldOutParting => parting(run).into_iter().collect(),
        WarningKind::StarvedWindow => starved(run).into_iter().collect(),
        WarningKind::Plateau => plateau(run).into_iter().collect(),
        WarningKind::LongGames => long_games(run).into_iter().collect(),
        WarningKind::SlowingDown => slowing(run).into_iter().collect(),
        WarningKind::DiskRunningOut => disk(run).into_iter().collect(),
    };
    let of_kind = |kind| found(kind).into_iter().map(move |found| Warning { kind, found });
    WarningKind::ALL.into_iter().flat_map(of_kind).collect()
}

/// Under a tenth of at least 60 ordinary games of the last generations won by one side.
fn collapsed(run: &RunFiles) -> Vec<String> {
    const FEWEST_GAMES: usize = 60;
    const LEAST_SHARE: f64 = 0.1;
    if run.lines.len() < 3 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (rules, results) in results_by_rule_set(run.recent()) {
        let games = results.games();
        for side in Side::ALL {
            let share = results.won(side) as f64 / games.max(1) as f64;
            if games >= FEWEST_GAMES && share < LEAST_SHARE {
                let under = if rules.is_empty() { String::new() } else { format!(" under {rules}") };
                let (won, of) = (percent(share), count(games as f64));
                found.push(format!("the {side} won {won} of the last {of} self-play games{under}"));
            }
        }
    }
    found
}

/// The mean entropy of the policy is under 0.5 nats and under a third of what it was.
fn entropy(run: &RunFiles) -> Option<String> {
    if run.lines.len() < 6 {
        return None;
    }
    let of_net = |line: &GenerationMetrics| {
        let nets = line.rule_sets.iter().filter_map(|set| set.net.as_ref());
        let sides = nets.flat_map(|net| [net.attackers, net.defenders]);
        // Lines of version 1 know the targets' entropy alone.
        weighted_mean(sides.map(|side| (side.positions, side.entropy)))
            .or_else(|| line.learning.loss_part(|loss| loss.policy_floor))
    };
    let (early, recent) = (mean(run.early(), of_net)?, mean(run.recent(), of_net)?);
    (recent < 0.5 && recent < early / 3.0).then(|| {
        let moves = short(recent.exp());
        format!("{recent:.2} nats, as if there were {moves} moves to choose from; it was {early:.2} at first")
    })
}

/// Where the net's value is beyond ±0.4, results lie nearer to 0 by more than 0.15 on average.
fn overconfidence(run: &RunFiles) -> Option<String> {
    let bins = calibration(run.recent(), None);
    let sure: Vec<_> = bins.iter().filter(|bin| bin.value.abs() >= 0.4).collect();
    let n: usize = sure.iter().map(|bin| bin.positions).sum();
    if n < 100 {
        return None;
    }
    let said = weighted_mean(sure.iter().map(|bin| (bin.positions, bin.value.abs())))?;
    let came = weighted_mean(sure.iter().map(|bin| (bin.positions, bin.value.signum() * bin.outcome)))?;
    (said - came > 0.15).then(|| {
        let n = count(n as f64);
        format!("where it is sure, it says {said:.2} on average, and {came:.2} comes of it ({n} positions)")
    })
}

/// How much worse one net is on unseen games than on seen ones, in nats of the policy's divergence and of the value's loss:
/// on held-out games where there are any, else on those of the generation to come.
pub(crate) fn unseen_gap(run: &RunFiles) -> Vec<(u64, [f64; 2])> {
    let divergence = |losses: &NetLosses| losses.policy - losses.policy_floor;
    let mut gaps = Vec::new();
    for (at, line) in run.lines.iter().enumerate() {
        let seen = &line.learning.learnt;
        let next = run.lines.get(at + 1).map(|next| &next.learning.fresh);
        let unseen = line.learning.held_out.as_ref().or(next);
        if let Some(unseen) = unseen.filter(|unseen| unseen.positions > 0 && seen.positions > 0) {
            gaps.push((line.generation, [divergence(unseen) - divergence(seen), unseen.value - seen.value]));
        }
    }
    gaps
}

/// The gap between unseen and seen games has grown by half since the first half of the run, and is wide.
fn parting(run: &RunFiles) -> Option<String> {
    const WIDE: [f64; 2] = [0.3, 0.15];
    let gaps = unseen_gap(run);
    if gaps.len() < 8 {
        return None;
    }
    let (first, second) = gaps.split_at(gaps.len() / 2);
    let recent = &second[second.len() - second.len().min(4)..];
    let mean =
        |gaps: &[(u64, [f64; 2])], part: usize| gaps.iter().map(|gap| gap.1[part]).sum::<f64>() / gaps.len() as f64;
    for (part, name) in ["policy", "value"].into_iter().enumerate() {
        let (before, now) = (mean(first, part), mean(recent, part));
        if now > WIDE[part] && now > 1.5 * before {
            return Some(format!(
                "the {name}'s loss is {now:.2} nats higher on unseen games than on seen ones; it was {before:.2} in the first half of the run"
            ));
        }
    }
    None
}

/// The window holds fewer than fifty batches after the third generation, or is two thirds new each generation after the sixth.
fn starved(run: &RunFiles) -> Option<String> {
    let last = run.lines.last()?;
    let batch = run.number("learning.batch_size")?;
    let (window, new) = (last.learning.window as f64, last.selfplay.positions as f64);
    if window == 0.0 {
        return None;
    }
    if run.lines.len() >= 3 && window < 50.0 * batch {
        return Some(format!("it holds {} positions, which is {} batches", count(window), short(window / batch)));
    }
    (run.lines.len() >= 6 && new > window * 2.0 / 3.0)
        .then(|| format!("{} of its {} positions are of the last generation", count(new.min(window)), count(window)))
}

/// Between two means over four generations, eight generations apart, neither loss fell by more than a hundredth of itself.
fn plateau(run: &RunFiles) -> Option<String> {
    const SPAN: usize = 12;
    let n = run.lines.len();
    if n < SPAN + 4 {
        return None;
    }
    let (before, now) = (&run.lines[n - SPAN..n - SPAN + 4], &run.lines[n - 4..]);
    let policy = |lines: &[GenerationMetrics]| mean(lines, |line| line.learning.loss_part(|loss| loss.policy));
    let value = |lines: &[GenerationMetrics]| mean(lines, |line| line.learning.loss_part(|loss| loss.value));
    let (policies, values) = ((policy(before)?, policy(now)?), (value(before)?, value(now)?));
    let falls = |before: f64, now: f64| now < before * 0.99;
    if falls(policies.0, policies.1) || falls(values.0, values.1) {
        return None;
    }
    Some(format!(
        "over the last {SPAN} generations the policy's went from {:.3} to {:.3}, the value's from {:.3} to {:.3}",
        policies.0, policies.1, values.0, values.1
    ))
}

/// A quarter of the last games were drawn by length.
fn long_games(run: &RunFiles) -> Option<String> {
    let games: usize = run.recent().iter().map(|line| line.selfplay.games).sum();
    let long: usize = run.recent().iter().map(|line| line.selfplay.ply_limit).sum();
    let share = long as f64 / games.max(1) as f64;
    (games >= 60 && share > 0.25)
        .then(|| format!("{} of the last {} games were drawn so", percent(share), count(games as f64)))
}

/// The last generations evaluate less than half as many positions a second as the run's median, and the run goes on.
fn slowing(run: &RunFiles) -> Option<String> {
    let left = seconds_left(run)?;
    let mut speeds: Vec<f64> = run.lines.iter().filter_map(evaluation_speed).collect();
    if speeds.len() < 6 {
        return None;
    }
    speeds.sort_by(f64::total_cmp);
    let usual = speeds[speeds.len() / 2];
    let now = mean(&run.lines[run.lines.len() - 3..], evaluation_speed)?;
    (now < 0.5 * usual).then(|| {
        format!(
            "{} evaluations a second in the last three generations, {} usually; the rest takes {} at this pace",
            count(now),
            count(usual),
            duration(left)
        )
    })
}

/// What is left of the run needs more than nine tenths of what is free.
fn disk(run: &RunFiles) -> Option<String> {
    let last = run.lines.last()?;
    let (used, free) = (last.machine.run_bytes, last.machine.free_bytes);
    let left = run.generations_wanted()?.checked_sub(last.generation + 1).filter(|&left| left > 0)?;
    if free == 0 || run.lines.len() < 2 {
        return None;
    }
    let first = run.lines.first().map_or(0, |line| line.machine.run_bytes);
    let each = used.saturating_sub(first) / (run.lines.len() as u64 - 1);
    let needed = each.saturating_mul(left);
    (needed as f64 > 0.9 * free as f64).then(|| {
        format!("{left} generations are left, which need about {}, and {} are free", bytes(needed), bytes(free))
    })
}
