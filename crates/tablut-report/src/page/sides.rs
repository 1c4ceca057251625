//! Self-play by rule set and side, and the calibration of the net's values.

use std::collections::BTreeMap;

use maud::{Markup, html};
use tablut_games::{GenerationMetrics, PHASES, PhaseStatistics, PolicyStatistics, RuleSetStatistics, UnevenGames};
use tablut_rules::{Results, Side};

use crate::figures::{count, hundredths, percent, share_interval, short, the_last};
use crate::metrics::{by_rule_set, calibration, ordinary, weighted_mean};
use crate::run_files::RunFiles;
use crate::svg::{bar, calibration_plot, whiskers};

/// Statistics of one rule set, summed over the last generations.
struct Row {
    rules: String,
    games: usize,
    /// The results of ordinary games.
    results: Results,
    /// Of all games.
    endings: BTreeMap<String, usize>,
    median_plies: f64,
    sides: [SideRow; 2],
    /// Mean squared errors of the net's and the search's values.
    errors: Option<[f64; 2]>,
}

#[derive(Copy, Clone, Default)]
struct SideRow {
    captures: f64,
    /// Share of positions that a search has proven.
    proven: f64,
    /// Of the net's policy, in nats.
    entropy: Option<f64>,
    /// Of the net's policy from the search's policy, in nats.
    divergence: Option<f64>,
    /// Share of searches that prefer another move than the net.
    changed: Option<f64>,
}

fn row(rules: &str, of_set: &[&RuleSetStatistics]) -> Row {
    let sum = |value: &dyn Fn(&RuleSetStatistics) -> f64| of_set.iter().map(|set| value(set)).sum::<f64>();
    let games = sum(&|set| set.games as f64);
    let mut endings: BTreeMap<String, usize> = BTreeMap::new();
    for (reason, n) in of_set.iter().flat_map(|set| &set.endings) {
        *endings.entry(reason.clone()).or_default() += n.games();
    }
    let side = |side: Side| {
        let positions = sum(&|set| set.side(side).positions as f64).max(1.0);
        let of_net = |value: fn(&PolicyStatistics) -> f64| {
            let policies = of_set.iter().filter_map(|set| set.net.as_ref()).map(|net| net.policy(side));
            weighted_mean(policies.map(|policy| (policy.positions, value(policy))))
        };
        SideRow {
            captures: sum(&|set| set.games as f64 * set.side(side).captures) / games.max(1.0),
            proven: sum(&|set| set.side(side).proven as f64) / positions,
            entropy: of_net(|p| p.entropy),
            divergence: of_net(|p| p.divergence),
            changed: of_net(|p| p.changed),
        }
    };
    let error = |value: fn(&PhaseStatistics) -> f64| {
        let phases = of_set.iter().filter_map(|set| set.net.as_ref()).flat_map(|net| &net.phases);
        weighted_mean(phases.map(|phase| (phase.positions, value(phase))))
    };
    Row {
        rules: rules.to_owned(),
        games: games as usize,
        results: ordinary(of_set),
        endings,
        median_plies: sum(&|set| set.games as f64 * set.plies.median as f64) / games.max(1.0),
        sides: Side::ALL.map(side),
        errors: error(|phase| phase.net_error).zip(error(|phase| phase.search_error)).map(Into::into),
    }
}

pub fn section(run: &RunFiles) -> Markup {
    let recent = run.recent();
    if recent.is_empty() {
        return html! {};
    }
    let rows: Vec<Row> = by_rule_set(recent).into_iter().map(|(rules, of_set)| row(rules, &of_set)).collect();
    let n = recent.len();
    let net = |value: Option<f64>| value.map_or("–".to_owned(), short);
    let share = |value: Option<f64>| value.map_or("–".to_owned(), percent);
    html! {
        p class="soft" { "The table shows self-play in " (the_last(n)) ": the games in which both sides searched equally. Rows in which one side wins less than 10 % of the finished games are shaded. Intervals are 95 %." }
        div class="scroll" { table {
            thead { tr {
                th { "rules" } th { "equal games" } th class="left" { "attackers · draws · defenders · unfinished" } th { "attackers win" } th { "95 %" } th { "draws" } th { "defenders win" } th { "unfinished" }
            } }
            tbody { @for row in &rows {
                @let [a, draws, d, unfinished] = row.results.shares();
                @let (low, high) = share_interval(row.results.attackers, row.results.games());
                tr class=(if a.min(d) < 0.1 * (1.0 - unfinished) { "low" } else { "" }) {
                    th class="left" scope="row" { (row.rules) }
                    td { (count(row.results.games() as f64)) }
                    td { (results_bar(&format!("results under {}", row.rules), row.results)) }
                    td { (percent(a)) }
                    td { (whiskers(&format!("attackers under {}", row.rules), low, a, high, "a")) }
                    td { (percent(draws)) } td { (percent(d)) } td { (percent(unfinished)) }
                }
            } }
        } }
        h3 { "All games, also those with unequal searches" }
        div class="scroll" { table {
            thead { tr { th { "rules" } th { "games" } th { "median plies" } th class="left" { "how they ended" } } }
            tbody { @for row in &rows { tr {
                th class="left" scope="row" { (row.rules) } td { (count(row.games as f64)) }
                td { (format!("{:.0}", row.median_plies)) } td class="wrap" { (endings(row)) }
            } } }
        } }
        (special_section(recent))
        h3 { "Searches by side to move" }
        p class="soft" {
            "Captures are pieces captured per game. Proven is the share of positions that the search proved won for either side. Entropy is that of the net's policy, in nats. "
            "Divergence is that of the net's policy from the search's policy, in nats. Changed is the share of searches that prefer another move than the net. "
            "Value error is the mean squared difference from the result."
        }
        div class="scroll" { table {
            thead { tr { th { "rules" } th class="left" { "side" } th { "captures" } th { "proven" } th { "entropy" } th { "divergence" } th { "changed" } th { "value error: net" } th { "value error: search" } } }
            tbody { @for row in &rows { @for side in Side::ALL {
                @let numbers = row.sides[side.index()];
                tr {
                    th class="left" scope="row" { (row.rules) } td class="left" { (side) }
                    td { (format!("{:.1}", numbers.captures)) } td { (percent(numbers.proven)) }
                    td { (net(numbers.entropy)) } td { (net(numbers.divergence)) } td { (share(numbers.changed)) }
                    @if side == Side::ALL[0] {
                        td rowspan="2" { (net(row.errors.map(|errors| errors[0]))) } td rowspan="2" { (net(row.errors.map(|errors| errors[1]))) }
                    }
                }
            } } }
        } }
    }
}

/// The shares of the results as a bar.
fn results_bar(title: &str, results: Results) -> Markup {
    let shares = results.shares();
    let part = |at: usize| (Results::NAMES[at], ["a", "g", "d", "w"][at], shares[at]);
    bar(title, &[0, 1, 2, 3].map(part), 1.0)
}

/// A table of the special games of the `recent` generations. It is empty if there were none.
fn special_section(recent: &[GenerationMetrics]) -> Markup {
    let rows = special_rows(recent);
    if rows.is_empty() {
        return html! {};
    }
    html! {
        h3 { "Games with unequal searches" }
        p class="soft" {
            "The table above counts only games with equal searches. This table has the others: games that the attackers won, draws, games that the defenders won, unfinished games."
        }
        div class="scroll" { table {
            thead { tr {
                th { "rules" } th { "unequal searches" } th { "simulations" }
            } }
            tbody { @for (rules, uneven) in &rows { tr {
                th class="left" scope="row" { (rules) }
                td { (uneven.results.counts().map(|n| n.to_string()).join(" · ")) }
                td { @if uneven.results.games() > 0 { (uneven.simulations[0]) " : " (uneven.simulations[1]) } @else { "–" } }
            } } }
        } }
    }
}

/// The sums for each rule set that has such games, with the simulations of the last generation that has them.
fn special_rows(recent: &[GenerationMetrics]) -> Vec<(&str, UnevenGames)> {
    let sum = |mut sum: UnevenGames, found: UnevenGames| {
        sum.simulations = if found.results.games() > 0 { found.simulations } else { sum.simulations };
        sum.results += found.results;
        sum
    };
    let row = |(rules, sets): (_, Vec<&RuleSetStatistics>)| {
        let found = sets.into_iter().filter_map(|set| set.special.as_ref()).map(|special| special.uneven);
        Some((rules, found.reduce(sum)?))
    };
    by_rule_set(recent).into_iter().filter_map(row).collect()
}

/// How the games ended, the most frequent reason first.
fn endings(row: &Row) -> String {
    let mut reasons: Vec<(&String, &usize)> = row.endings.iter().collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let share = |n: usize| percent(n as f64 / row.games.max(1) as f64);
    reasons
        .iter()
        // Lines must not break between a number and its %.
        .map(|(reason, n)| format!("{} {}", reason.replace('-', " "), share(**n)).replace(' ', "\u{a0}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The calibration under all rule sets and each, and the errors by phase.
pub fn calibration_section(run: &RunFiles) -> Markup {
    let recent = run.recent();
    let all = calibration(recent, None);
    if all.is_empty() {
        return html! {};
    }
    let names: Vec<String> = run.rule_names();
    let phases = PHASES.iter().enumerate().filter_map(|(at, &(phase, from))| {
        let found = || {
            let nets = recent.iter().flat_map(|line| &line.rule_sets).filter_map(|set| set.net.as_ref());
            nets.flat_map(|net| &net.phases).filter(move |found| found.phase == phase)
        };
        let n: usize = found().map(|phase| phase.positions).sum();
        let mean = |value: fn(&PhaseStatistics) -> f64| {
            weighted_mean(found().map(|phase| (phase.positions, value(phase)))).unwrap_or_default()
        };
        let plies =
            PHASES.get(at + 1).map_or_else(|| format!("from {from}"), |next| format!("{from} to {}", next.1 - 1));
        let errors = [
            mean(|phase| phase.net_error),
            mean(|phase| phase.search_error),
            mean(|p| p.mean_value),
            mean(|p| p.mean_outcome),
        ];
        (n > 0).then_some((phase, plies, n, errors))
    });
    html! {
        p class="soft" {
            "The net evaluated a sample of positions of " (the_last(recent.len())) " without search. +1 is a win of the attackers, −1 of the defenders. "
            "Circles near the diagonal mean that values agree with results. A flatter line means that the net is overconfident. Larger circles have more positions."
        }
        div class="charts" {
            (calibration_plot(if names.len() > 1 { "All rule sets" } else { "Calibration" }, &all))
            div class="chart" {
                b { "Errors by phase of the game" }
                div class="scroll" { table {
                    thead { tr { th { "phase" } th { "plies" } th { "net" } th { "search" } th { "mean value" } th { "mean result" } } }
                    tbody { @for (phase, plies, _, [net, search, value, outcome]) in phases {
                        tr { th class="left" scope="row" { (phase) } td { (plies) } @for number in [net, search, value, outcome] { td { (hundredths(number)) } } }
                    } }
                } }
                p class="soft" { "An error is the mean squared difference of value and result. A constant value of 0 would have the error " (short(guess(recent))) "." }
            }
        }
        @if names.len() > 1 {
            details { summary { "Each rule set" } div class="charts" { @for name in &names { (calibration_plot(name, &calibration(recent, Some(name)))) } } }
        }
    }
}

/// The mean squared error of a constant value of 0 on the same positions. It is the share of those whose game was not
/// drawn.
fn guess(recent: &[GenerationMetrics]) -> f64 {
    let draws = recent.iter().map(|line| line.learning.fresh.draws);
    1.0 - weighted_mean(draws.map(|draws| (draws.positions, draws.drawn))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_summed_over_generations() {
        let line = r#"{"schema":5,"generation":0,"rule_sets":[{"rules":"kvasir","games":20,"special":{
            "ordinary":{"attackers":0,"draws":5,"defenders":0,"unfinished":0},
            "uneven":{"simulations":[7,57],"results":{"attackers":4,"draws":0,"defenders":0,"unfinished":1}}}}]}"#;
        let line: GenerationMetrics = serde_json::from_str(line).unwrap();
        let page = special_section(&[line.clone(), line.clone()]).into_string();
        assert!(page.contains("8 · 0 · 0 · 2"), "{page}");
        assert!(page.contains("7 : 57") && page.contains("kvasir"), "{page}");
        assert_eq!(line.results().counts(), [0, 5, 0, 0], "only ordinary games count");
        assert_eq!(special_section(&[GenerationMetrics::default()]).into_string(), "");
    }
}
