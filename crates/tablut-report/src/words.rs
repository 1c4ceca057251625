//! A summary of a run in sentences: whether the net has become stronger than its start, how far it is from the net that
//! comes with the program, what to do next, and what looks wrong.

mod warnings;

pub(crate) use warnings::unseen_gap;
pub use warnings::{Warning, WarningKind, warnings};

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use tablut_arena::{EvaluationReport, MatchReport, SideResult};
use tablut_games::{GenerationMetrics, LossParts};
use tablut_ratings::{Rating, ScoreEstimate, Wdl};
use tablut_rules::Results;

use crate::figures::{count, counted, duration, elo_text, percent, share_interval, signed, the_last};
use crate::metrics::{by_rule_set, mean, ordinary};
use crate::rated::{self, latest, scores};
use crate::run_files::RunFiles;

/// The answer to "has the net become stronger?", with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    pub answer: String,
    /// Whether the net is stronger than the one that the run began with. `None` if the games do not show it.
    pub stronger: Option<bool>,
    /// What to do next.
    pub next: String,
    pub sentences: Vec<String>,
}

/// The names of the net that a run began with, among opponents.
const START: [&str; 2] = ["untrained", "start"];
/// The name of the net that comes with the program.
const SHIPPED: &str = "shipped";
/// A loss that changes by less than this, in nats, has not changed.
const LOSS_CHANGE: f64 = 0.02;

pub fn headline(run: &RunFiles) -> Headline {
    let measured = measured(run);
    let start = measured.as_ref().and_then(|found| against_start(run, found));
    let shipped = measured.as_ref().and_then(|found| against(found, &[SHIPPED]));
    let shipped = shipped.filter(|found| start.is_none_or(|start| start.opponent() != found.opponent()));
    let name = start_name(run, start);
    let (answer, stronger) = match start.and_then(|found| Some((found, found.total.score?))) {
        Some((found, score)) => {
            let (stronger, said) = match shows(&score) {
                Some(true) => (Some(true), format!("The net has become stronger than {name}")),
                Some(false) => (Some(false), format!("The net has become weaker than {name}")),
                None => (None, format!("The games do not show whether the net is stronger than {name}")),
            };
            (format!("{said}: {}.", score_text(found, &score)), stronger)
        }
        None if run.lines.is_empty() => ("No generation has finished yet.".to_owned(), None),
        None => {
            (format!("It is not known whether the net has become stronger: it has not played against {name}."), None)
        }
    };
    let mut sentences = Vec::new();
    if let Some(found) = &measured {
        sentences.extend(found.while_training.clone());
        let others = found.report.matches.iter().filter(|other| start.is_none_or(|start| start != *other));
        sentences.extend(start.into_iter().chain(others).filter_map(|found| score_sentence(run, found)));
    }
    growth(run, &mut sentences);
    losses(run, &mut sentences);
    sides(run, &mut sentences);
    progress(run, &mut sentences);
    let is_behind = shipped.and_then(|found| shows(&found.total.score?)) == Some(false);
    Headline { answer, stronger, next: next(run, start.is_some(), stronger, is_behind), sentences }
}

/// The games that show a net's strength.
pub(crate) struct Measured<'a> {
    pub report: Cow<'a, EvaluationReport>,
    /// Which nets played, if these are the rating games during training.
    pub while_training: Option<String>,
}

/// The final match of the run's newest net, or else the rating games of its last nets.
pub(crate) fn measured(run: &RunFiles) -> Option<Measured<'_>> {
    if let Some(report) = run.evaluation.as_ref().filter(|report| is_of_newest(run, report)) {
        return Some(Measured { report: Cow::Borrowed(report), while_training: None });
    }
    let report = scores(&run.lines, false);
    if report.matches.is_empty() {
        return None;
    }
    let nets = format!(
        "The scores are those of the nets of {}, measured during training with {} simulations a move.",
        the_last(latest(&run.lines).len()),
        report.simulations
    );
    Some(Measured { report: Cow::Owned(report), while_training: Some(nets) })
}

/// Whether the evaluation is of the last generation. Nets that are not named after a generation count as the newest.
fn is_of_newest(run: &RunFiles, report: &EvaluationReport) -> bool {
    let generation = Path::new(&report.model)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .and_then(|stem| stem.strip_prefix("gen-")?.parse::<u64>().ok());
    generation.is_none_or(|generation| run.lines.last().is_none_or(|line| line.generation == generation))
}

fn against<'a>(found: &'a Measured<'_>, names: &[&str]) -> Option<&'a MatchReport> {
    found.report.matches.iter().find(|report| names.contains(&report.opponent()) && report.total.score.is_some())
}

/// The match against the net that the run began with. A run that began with the shipped net has no other opponent
/// of that kind.
pub(crate) fn against_start<'a>(run: &RunFiles, found: &'a Measured<'_>) -> Option<&'a MatchReport> {
    let began_with_a_net = run.config.contains_key("start");
    against(found, &START).or_else(|| against(found, &[SHIPPED]).filter(|_| began_with_a_net))
}

/// The net that the run began with, in words. `found` is the match against it.
fn start_name(run: &RunFiles, found: Option<&MatchReport>) -> &'static str {
    match found.map(MatchReport::opponent) {
        Some(SHIPPED) => "the net that comes with the program, with which it started",
        _ if run.config.contains_key("start") => "the net with which it started",
        _ => "its untrained start",
    }
}

/// Whether the score's interval shows that the first player is stronger or weaker.
fn shows(score: &ScoreEstimate) -> Option<bool> {
    match (score.low > 0.5, score.high < 0.5) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// A score with its interval, games and Elo.
fn score_text(found: &MatchReport, score: &ScoreEstimate) -> String {
    let interval = format!("{:.0}–{}", 100.0 * score.low, percent(score.high));
    let elo = elo_text(&found.elo);
    format!("it scores {} of {} games (95 % interval {interval}), {elo} Elo", percent(score.mean), score.games)
}

/// What to do next.
fn next(run: &RunFiles, has_played_start: bool, stronger: Option<bool>, is_behind: bool) -> String {
    let folder = run.folder.display();
    let done = run.lines.len() as u64;
    if run.generations_wanted().is_some_and(|wanted| done < wanted) {
        return format!(
            "{done} of {} generations are complete. `tablut train --resume {folder}` continues a run that was stopped.",
            run.generations_wanted().unwrap_or(done)
        );
    }
    let longer = format!("`tablut train --resume {folder} --set schedule.generations={}`", 2 * done.max(1));
    match stronger {
        Some(true) if is_behind => format!(
            "The net that comes with the program is stronger. Start with it (`start = \"shipped\"`, or `tablut train --rules R --time 10m`), or train on: {longer}."
        ),
        Some(true) => format!("Train on if it should become stronger: {longer}. To play: `tablut play {folder}`."),
        Some(false) => {
            "Do not use this net. Try again with a lower learning.learning_rate, more schedule.games or more \
                        schedule.simulations, and look at the warnings."
                .to_owned()
        }
        None if has_played_start => format!(
            "Train on: {longer}. More games show smaller differences: `tablut match net:{folder}@128 net:{folder}/start.safetensors@128 --games 1000`."
        ),
        None => format!("Measure it: `tablut match net:{folder}@128 net:{folder}/start.safetensors@128`."),
    }
}

/// The score against one opponent in words.
fn score_sentence(run: &RunFiles, found: &MatchReport) -> Option<String> {
    let score = found.total.score?;
    let opponent = match found.opponent() {
        name if START.contains(&name) => start_name(run, Some(found)),
        SHIPPED => "the net that comes with the program",
        name => name,
    };
    let several = if run.rule_names().len() > 1 { format!(" under {}", found.rules) } else { String::new() };
    let surely = match shows(&score) {
        Some(true) => "it is stronger",
        Some(false) => "it is weaker",
        None => "the games do not show which is stronger",
    };
    let side = |side: &SideResult| side.score.map_or("–".to_owned(), |score| percent(score.mean));
    Some(format!(
        "Against {opponent}{several} it scored {} of {} games, {} unfinished (95 % interval {:.0}–{}): {surely}. It scored {} as \
         attackers and {} as defenders.",
        percent(score.mean),
        score.games,
        found.unfinished,
        100.0 * score.low,
        percent(score.high),
        side(&found.as_attackers),
        side(&found.as_defenders),
    ))
}

/// Adds how the rating changed during training, and under which rules and with which side the net scores lowest.
fn growth(run: &RunFiles, sentences: &mut Vec<String>) {
    let found = rated::progress(&run.lines, None, None);
    if let [first, .., last] = found.stretches.as_slice() {
        let has_grown = last.rating.low > first.rating.high;
        let told = |stretch: &rated::RatedStretch| {
            let Rating { elo, low, high } = stretch.rating;
            let generations = match stretch.generations {
                (from, to) if from == to => format!("generation {from}"),
                (from, to) => format!("generations {from} to {to}"),
            };
            format!("{} ({} to {}) in {generations}", signed(elo), signed(low), signed(high))
        };
        let surely = if has_grown {
            "the net has become stronger"
        } else if last.rating.elo > first.rating.elo {
            "the net seems to have become stronger, but the intervals overlap"
        } else {
            "the net has not become stronger"
        };
        sentences.push(format!(
            "The rating during training, in Elo above {}, went from {} to {}: {surely}.",
            found.anchor,
            told(first),
            told(last)
        ));
    }
    // All opponents are summed, because there are few games against each.
    let mut sides: BTreeMap<(String, &str), Wdl> = BTreeMap::new();
    for found in &scores(&run.lines, true).matches {
        for (side, results) in [("attackers", found.pairs.as_attackers()), ("defenders", found.pairs.as_defenders())] {
            let sum = sides.entry((found.rules.clone(), side)).or_default();
            *sum = *sum + results;
        }
    }
    let estimates = sides.iter().map(|(key, results)| (key, results.estimate())).filter(|(_, score)| score.games >= 6);
    if let Some(((rules, side), score)) = estimates.min_by(|a, b| a.1.mean.total_cmp(&b.1.mean)) {
        sentences.push(format!(
            "In the rating games of {} the net scored lowest as the {side} under {rules}: {} of {} games (95 % interval {:.0}–{}) against all \
             fixed opponents.",
            the_last(latest(&run.lines).len()),
            percent(score.mean),
            score.games,
            100.0 * score.low,
            percent(score.high)
        ));
    }
}

/// Adds how the losses changed. A few generations show nothing.
fn losses(run: &RunFiles, sentences: &mut Vec<String>) {
    if run.lines.len() < 6 {
        return;
    }
    let part = |part: fn(&LossParts) -> f32| {
        let of = |lines| mean(lines, |line| line.learning.loss_part(part));
        Some((of(run.early())?, of(run.recent())?))
    };
    let (Some(policy), Some(value)) = (part(|loss| loss.policy), part(|loss| loss.value)) else { return };
    let fell = |(before, now): (f64, f64)| now < before - LOSS_CHANGE;
    let rose = |(before, now): (f64, f64)| now > before + LOSS_CHANGE;
    let verb = |change| {
        if fell(change) {
            "fell"
        } else if rose(change) {
            "rose"
        } else {
            "hardly changed,"
        }
    };
    sentences.push(format!(
        "Over the run the policy loss {} from {:.2} to {:.2} nats, and the value loss {} from {:.2} to {:.2} nats. Losses do not show strength.",
        verb(policy),
        policy.0,
        policy.1,
        verb(value),
        value.0,
        value.1
    ));
    if let (Some(early), Some(recent)) =
        (mean(run.early(), |line| line.learning.policy_gap()), mean(run.recent(), |line| line.learning.policy_gap()))
    {
        sentences.push(format!("The policy loss is {recent:.2} nats above its minimum ({early:.2} at the start)."));
    }
}

/// Adds the results of ordinary self-play under the most one-sided rule sets.
fn sides(run: &RunFiles, sentences: &mut Vec<String>) {
    let recent = run.recent();
    let results = |(rules, sets): (_, Vec<_>)| (rules, ordinary(&sets));
    let mut sets: Vec<(&str, Results)> = by_rule_set(recent).into_iter().map(results).collect();
    sets.sort_by_key(|(_, won)| 1000 * won.attackers.min(won.defenders) / won.finished().max(1));
    let shown = if sets.len() > 3 { 2 } else { sets.len() };
    for (rules, results) in &sets[..shown] {
        sentences.push(balance(rules, recent.len(), results));
    }
    if sets.len() > shown {
        sentences.push(format!(
            "The other {} rule sets are more even. The report has a table of all of them.",
            sets.len() - shown
        ));
    }
}

fn balance(rules: &str, n_generations: usize, results: &Results) -> String {
    let Results { attackers, draws, defenders, unfinished } = *results;
    let finished = results.finished();
    if finished == 0 {
        let generations = the_last(n_generations);
        return format!(
            "In {generations} of self-play under {rules} none of {unfinished} games was finished, so they do not show which \
             side is stronger."
        );
    }
    let (low, high) = share_interval(attackers, finished);
    let share = |n: usize| percent(n as f64 / finished.max(1) as f64);
    // Draws count for neither side.
    let share_of_wins = attackers as f64 / (attackers + defenders) as f64;
    let fewer = if share_of_wins < 0.42 {
        "the attackers win fewer"
    } else if share_of_wins > 0.58 {
        "the defenders win fewer"
    } else {
        "the sides are about even"
    };
    format!(
        "In {} of self-play under {rules} the attackers won {} of {} finished games (95 % interval {:.0}–{}), the \
         defenders {}, and {} were draws: {fewer}. {} unfinished.",
        the_last(n_generations),
        share(attackers),
        count(finished as f64),
        100.0 * low,
        percent(high),
        share(defenders),
        share(draws),
        if unfinished == 1 { "1 game is".to_owned() } else { format!("{} games are", count(unfinished as f64)) },
    )
}

/// Adds how many generations are finished, how long they took, and how long the rest will take.
fn progress(run: &RunFiles, sentences: &mut Vec<String>) {
    let seconds: f64 = run.lines.iter().map(GenerationMetrics::seconds).sum();
    if seconds <= 0.0 {
        return;
    }
    let selfplay: f64 = run.lines.iter().map(|line| line.selfplay.seconds).sum();
    let evaluations: f64 = run.lines.iter().map(|line| line.selfplay.evaluations as f64).sum();
    let done = run.lines.len();
    let of = match run.generations_wanted() {
        Some(wanted) if wanted as usize > done => format!("{done} of {wanted} generations"),
        _ => counted(done, "generation"),
    };
    sentences.push(format!(
        "{of} took {}. Self-play took {} of the time, and the net evaluated {} positions in it.",
        duration(seconds),
        percent(selfplay / seconds),
        count(evaluations)
    ));
    if let Some(left) = seconds_left(run) {
        sentences.push(format!("At the speed of the last generations the rest takes {}.", duration(left)));
    }
}

/// Seconds for the remaining generations at the speed of the last ones. `None` if none remain.
pub(crate) fn seconds_left(run: &RunFiles) -> Option<f64> {
    let left = run.generations_wanted()?.checked_sub(run.lines.last()?.generation + 1).filter(|&left| left > 0)?;
    let timed = |line: &GenerationMetrics| (line.selfplay.seconds > 0.0).then(|| line.seconds());
    Some(left as f64 * mean(run.recent(), timed)?)
}
