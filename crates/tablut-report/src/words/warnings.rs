//! Warnings about a run: what looks wrong, what it means, what to do. `docs/troubleshooting.md` explains each.

use tablut_games::{GenerationMetrics, NetLosses};
use tablut_rules::{Results, Side};

use super::seconds_left;
use crate::figures::{bytes, count, counted, duration, percent, short};
use crate::metrics::{by_rule_set, calibration, evaluation_speed, mean, ordinary, weighted_mean};
use crate::run_files::RunFiles;

#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
#[non_exhaustive]
pub enum WarningKind {
    OneSideCollapsed,
    EntropyCollapsing,
    ValueOverconfident,
    HeldOutParting,
    StarvedWindow,
    Plateau,
    LongGames,
    SlowingDown,
    DiskRunningOut,
    WorseThanUntrained,
}

impl WarningKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::DiskRunningOut,
        Self::WorseThanUntrained,
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
                "The net sees almost no wins of that side, so it cannot learn how that side wins. The other side learns to beat a weak opponent.",
                "Train longer. If it lasts, use fewer simulations and more games at the start (schedule.simulations), or more random plies \
                 (selfplay.opening_plies). A match of strong players shows whether the rules are one-sided.",
            ],
            Self::EntropyCollapsing => [
                "The policy's entropy collapses",
                "Self-play repeats the same few moves, so it no longer tries better ones.",
                "Raise selfplay.opening_plies, or lower learning.learning_rate.",
            ],
            Self::ValueOverconfident => [
                "Values are overconfident",
                "The net is more certain than its results justify, so the search explores too little.",
                "Raise learning.value_share, lower learning.draws_per_position, or enlarge learning.window_positions.",
            ],
            Self::HeldOutParting => [
                "Unseen games are predicted worse than seen ones",
                "The net overfits.",
                "Lower learning.draws_per_position, raise schedule.games or learning.window_positions, or use a smaller net.",
            ],
            Self::StarvedWindow => [
                "The replay window is starved",
                "Learning draws each position too often, or for too few generations.",
                "Raise learning.window_positions or schedule.games, or lower learning.draws_per_position.",
            ],
            Self::Plateau => [
                "Losses have stopped falling",
                "The net has learnt what its games can teach. It may still become stronger.",
                "Measure the net with `tablut evaluate`. If it no longer becomes stronger, raise the simulations, lower the learning rate, or use a larger net.",
            ],
            Self::LongGames => [
                "Games are not finished",
                "Neither side finds a win. Such games take the most time, and only the search estimates their results.",
                "Train longer. If it lasts, raise the simulations, or selfplay.max_plies if games of these rules are long.",
            ],
            Self::SlowingDown => [
                "The run is slowing down",
                "Another program uses the cores, memory is short, or the processor is hot.",
                "Check other programs and the memory.",
            ],
            Self::WorseThanUntrained => [
                "The net is worse than an untrained one",
                "Learning has destroyed what the net knew, and it does not recover.",
                "Start again with a lower learning.learning_rate.",
            ],
            Self::DiskRunningOut => [
                "The disk is running out",
                "The run will stop with an error when the disk is full. No finished work is lost.",
                "Free some space. You may delete old files under checkpoints/ of finished runs.",
            ],
        }
    }

    /// The heading in `docs/troubleshooting.md`.
    pub const fn title(self) -> &'static str {
        self.texts()[0]
    }

    pub const fn meaning(self) -> &'static str {
        self.texts()[1]
    }

    pub const fn advice(self) -> &'static str {
        self.texts()[2]
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    pub kind: WarningKind,
    /// The numbers that caused it, as a clause without a full stop.
    pub found: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}. {} {}", self.kind.title(), self.found, self.kind.meaning(), self.kind.advice())
    }
}

/// All warnings about the run, the most urgent first. Each check needs some generations and games before it warns.
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
        WarningKind::WorseThanUntrained => worse_than_untrained(run).into_iter().collect(),
    };
    let of_kind = |kind| found(kind).into_iter().map(move |found| Warning { kind, found });
    WarningKind::ALL.into_iter().flat_map(of_kind).collect()
}

/// After learning, the net predicts the last games worse than the run's untrained net.
fn worse_than_untrained(run: &RunFiles) -> Option<String> {
    let learning = &run.lines.last()?.learning;
    let (loss, untrained) = (learning.learnt.policy + learning.learnt.value, learning.learnt.untrained);
    (untrained > 0.0 && loss > untrained).then(|| {
        let rate = run.number("learning.learning_rate").unwrap_or_else(|| learning.learning_rate.into());
        format!(
            "its loss on the last games is {loss:.2} nats, and an untrained net's {untrained:.2}; the learning rate is {rate}"
        )
    })
}

/// One side won less than a tenth of at least 60 finished ordinary games of the last generations.
fn collapsed(run: &RunFiles) -> Vec<String> {
    const FEWEST_GAMES: usize = 60;
    const LEAST_SHARE: f64 = 0.1;
    if run.lines.len() < 3 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (rules, sets) in by_rule_set(run.recent()) {
        let results = ordinary(&sets);
        let games = results.finished();
        for side in Side::ALL {
            let share = results.won(side) as f64 / games.max(1) as f64;
            if games >= FEWEST_GAMES && share < LEAST_SHARE {
                let (won, of) = (percent(share), count(games as f64));
                found.push(format!("the {side} won {won} of the last {of} finished self-play games under {rules}"));
            }
        }
    }
    found
}

/// The mean entropy of the policy is below 0.5 nats and below a third of its first value.
fn entropy(run: &RunFiles) -> Option<String> {
    if run.lines.len() < 6 {
        return None;
    }
    let of_net = |line: &GenerationMetrics| {
        let nets = line.rule_sets.iter().filter_map(|set| set.net.as_ref());
        let sides = nets.flat_map(|net| [net.attackers, net.defenders]);
        weighted_mean(sides.map(|side| (side.positions, side.entropy)))
    };
    let (early, recent) = (mean(run.early(), of_net)?, mean(run.recent(), of_net)?);
    (recent < 0.5 && recent < early / 3.0).then(|| {
        let moves = short(recent.exp());
        format!("it is {recent:.2} nats, like a choice among {moves} equal moves, and was {early:.2} at the start")
    })
}

/// The number of positions that the net values beyond ±0.4, the mean of these values without the sign, and the mean result
/// in their direction. `None` if there are fewer than 100.
fn confident(lines: &[GenerationMetrics]) -> Option<(usize, f64, f64)> {
    let bins = calibration(lines, None);
    let confident = || bins.iter().filter(|bin| bin.value.abs() >= 0.4);
    let positions = confident().map(|bin| bin.positions).sum();
    let value = weighted_mean(confident().map(|bin| (bin.positions, bin.value.abs())))?;
    let result = weighted_mean(confident().map(|bin| (bin.positions, bin.value.signum() * bin.outcome)))?;
    (positions >= 100).then_some((positions, value, result))
}

/// After eight generations confident values exceed the results by more than 0.25, and this has not become better since the
/// first half of the run. Young nets are overconfident until they have seen enough games.
fn overconfidence(run: &RunFiles) -> Option<String> {
    let (_, first_value, first_result) = confident(&run.lines[..run.lines.len() / 2])?;
    let (positions, value, result) = confident(run.recent())?;
    let (before, now) = (first_value - first_result, value - result);
    (run.lines.len() >= 8 && now > 0.25 && now > 0.9 * before).then(|| {
        let positions = count(positions as f64);
        format!(
            "confident predictions average {value:.2}, results average {result:.2} ({positions} positions); the difference was {before:.2} in the first half of the run"
        )
    })
}

/// By generation, how much higher the losses of its net are on unseen games than on seen ones, in nats: the policy loss
/// above its minimum, and the value loss. Unseen games are the held-out ones if there are any, else those of the next
/// generation.
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

/// The difference between unseen and seen games is large, and over 1.5 times that of the run's first half.
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
                "the {name} loss is {now:.2} nats higher on unseen games than on seen ones, and was {before:.2} nats higher in the first half of the run"
            ));
        }
    }
    None
}

/// After three generations the window holds fewer than fifty batches, or after six two thirds of it come from the last
/// generation.
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
        .then(|| format!("{} of its {} positions are from the last generation", count(new.min(window)), count(window)))
}

/// Between two means over four generations, eight generations apart, neither loss fell by more than 1 %.
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
        "over the last {SPAN} generations the policy loss went from {:.3} to {:.3}, the value loss from {:.3} to {:.3}",
        policies.0, policies.1, values.0, values.1
    ))
}

/// More than half of the last games were stopped at the ply limit, after at least eight generations. Before, nets are
/// too weak to end their games.
fn long_games(run: &RunFiles) -> Option<String> {
    let results: Results = run.recent().iter().map(|line| line.selfplay.results).sum();
    let (games, [.., share]) = (results.games(), results.shares());
    (run.lines.len() >= 8 && games >= 60 && share > 0.5)
        .then(|| format!("{} of the last {} games are unfinished", percent(share), count(games as f64)))
}

/// The last three generations evaluated less than half as many positions a second as the run's median. Finished runs
/// get no such warning.
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
            "the net evaluated {} positions a second in the last three generations, but {} in the median generation; the rest takes {} at this speed",
            count(now),
            count(usual),
            duration(left)
        )
    })
}

/// The remaining generations need more than nine tenths of the free space.
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
        let (left, needed, free) = (counted(left as usize, "remaining generation"), bytes(needed), bytes(free));
        format!("the space for the {left} is about {needed}, and {free} are free")
    })
}
