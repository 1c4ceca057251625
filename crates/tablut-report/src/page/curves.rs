//! Curves over the generations.

use maud::{Markup, html};
use tablut_games::{GenerationMetrics, LossParts, PolicyStatistics};
use tablut_rules::Side;

use crate::metrics::weighted_mean;
use crate::run_files::RunFiles;
use crate::svg::{Axis, Series, line_chart};
use crate::words::unseen_gap;

/// A curve of one number over the generations. Missing values leave gaps.
pub fn series(
    run: &RunFiles,
    name: &str,
    class: &str,
    dashed: bool,
    value: impl Fn(&GenerationMetrics) -> Option<f64>,
) -> Series {
    let point = |line: &GenerationMetrics| (line.generation as f64, value(line).unwrap_or(f64::NAN));
    Series::new(name, class, dashed, run.lines.iter().map(point))
}

/// A statistic of the net's policy where `side` moves, the mean over all rule sets.
fn policy(line: &GenerationMetrics, side: Side, value: impl Fn(&PolicyStatistics) -> f64) -> Option<f64> {
    let of_side = line.rule_sets.iter().filter_map(|set| Some(*set.net.as_ref()?.policy(side)));
    weighted_mean(of_side.map(|policy| (policy.positions, value(&policy))))
}

pub fn section(run: &RunFiles) -> Markup {
    if run.lines.is_empty() {
        return html! { p { "No generation has finished yet." } };
    }
    let one = |class: &str, dashed, name: &str, value: &dyn Fn(&GenerationMetrics) -> Option<f64>| {
        series(run, name, class, dashed, value)
    };
    let shares = Axis { shares: true, from_zero: true, ..Axis::default() };
    let from_zero = Axis { from_zero: true, ..Axis::default() };
    let part = |part: fn(&LossParts) -> f32| move |line: &GenerationMetrics| line.learning.loss_part(part);
    let entropy = |side| move |line: &GenerationMetrics| policy(line, side, |p| p.entropy);
    let changed = |side| move |line: &GenerationMetrics| policy(line, side, |p| p.changed);
    let gaps = unseen_gap(run);
    let gap = |part: usize, name: &str, class: &str, dashed| {
        Series::new(name, class, dashed, gaps.iter().map(|&(generation, gap)| (generation as f64, gap[part])))
    };
    html! {
        p class="soft" { "The horizontal axis is the generation. The number after each name is its last value." }
        div class="charts" {
            (line_chart("Results of self-play", "who wins when the net plays itself", &[
                one("a", false, "attackers", &|line| Some(line.results().shares()[0])),
                one("g", false, "draws", &|line| Some(line.results().shares()[1])),
                one("d", true, "defenders", &|line| Some(line.results().shares()[2])),
                one("w", true, "unfinished", &|line| Some(line.results().shares()[3])),
            ], shares))
            (line_chart("Policy loss", "in nats; its minimum is the entropy of the targets", &[
                one("n", false, "loss", &part(|loss| loss.policy)),
                one("g", true, "minimum", &part(|loss| loss.policy_floor)),
            ], Axis::default()))
            (line_chart("Policy loss above its minimum", "in nats; lower is better", &[
                one("n", false, "", &|line| line.learning.policy_gap()),
            ], Axis::default()))
            (line_chart("Value loss", "in nats; lower is better, but even games are harder to predict", &[
                one("n", false, "", &part(|loss| loss.value)),
            ], Axis::default()))
            (line_chart("Errors of values", "mean squared difference from the result, of the net without search and of the search", &[
                one("n", false, "net", &|line| Some(line.value_errors()?[0])),
                one("s2", true, "search", &|line| Some(line.value_errors()?[1])),
            ], from_zero))
            @if !gaps.is_empty() {
                (line_chart("Loss on unseen games minus loss on seen games", "in nats; a rising difference is overfitting", &[
                    gap(0, "policy", "n", false), gap(1, "value", "s2", true),
                ], from_zero))
            }
            (line_chart("Entropy of the policy", "in nats, by side to move; 0 means that one move has all the probability", &[
                one("a", false, "attackers", &entropy(Side::Attackers)),
                one("d", true, "defenders", &entropy(Side::Defenders)),
            ], from_zero))
            (line_chart("Searches that prefer another move than the net", "at 0 % searching would change nothing", &[
                one("a", false, "attackers", &changed(Side::Attackers)),
                one("d", true, "defenders", &changed(Side::Defenders)),
            ], shares))
            (line_chart("Length of games", "mean plies", &[one("n", false, "", &|line| Some(line.selfplay.mean_plies))], from_zero))
            (line_chart("Norm of the gradients", "before clipping", &[
                one("n", false, "", &|line| (line.learning.gradient_norm > 0.0).then_some(line.learning.gradient_norm.into())),
            ], from_zero))
            (line_chart("Norm of the weights", "", &[
                one("n", false, "", &|line| (line.learning.weight_norm > 0.0).then_some(line.learning.weight_norm.into())),
            ], Axis::default()))
            (line_chart("Learning rate", "in the generation's last step", &[one("n", false, "", &|line| Some(line.learning.learning_rate.into()))], from_zero))
        }
    }
}
