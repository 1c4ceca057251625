//! A summary of a run in sentences: whether the net learns, how strong it is with which interval, and what looks wrong.

mod warnings;

pub(crate) use warnings::unseen_gap;
pub use warnings::{Warning, WarningKind, warnings};

use std::collections::BTreeMap;

use tablut_arena::{MatchReport, SideResult};
use tablut_games::{GenerationMetrics, LossParts};
use tablut_ratings::{Rating, ScoreEstimate, Wdl};
use tablut_rules::Results;

use crate::figures::{count, counted, duration, percent, share_interval, signed, the_last};
use crate::metrics::{by_rule_set, mean, ordinary};
use crate::rated::{self, is_rated, latest, scores};
use crate::run_files::RunFiles;

/// The answer to "does the net learn?", with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    pub answer: String,
    /// Whether the net plays better than an untrained one. `None` if there is no evidence.
    pub learns: Option<bool>,
    pub sentences: Vec<String>,
}

/// The opponent that an untrained net with a search beats too. A score against it is no evidence of learning.
const RANDOM: &str = "random";
/// The run's net before training.
const UNTRAINED: &str = "untrained";
/// A loss that changes by less than this, in nats, has not changed.
const LOSS_CHANGE: f64 = 0.02;

/// How the policy loss and the value loss changed over the run.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum LossTrend {
    /// At least one fell, and none rose.
    Falling,
    /// One fell, and the other rose.
    Mixed,
    NotFalling,
}

pub fn headline(run: &RunFiles) -> Headline {
    let mut sentences = Vec::new();
    let strength = strength(run, &mut sentences);
    let has_grown = growth(run, &mut sentences);
    let losses = losses(run, &mut sentences);
    sides(run, &mut sentences);
    progress(run, &mut sentences);
    let (answer, learns) = match (strength, losses) {
        (Some(found), _) => found,
        (None, _) if has_grown => ("The net has become stronger during training.".to_owned(), Some(true)),
        (None, None) => ("It is too early to say whether the net learns.".to_owned(), None),
        (None, Some(trend)) => {
            let (losses, learns) = match trend {
                LossTrend::Falling => ("The losses fall.", None),
                LossTrend::Mixed => ("One loss falls and the other rises.", None),
                LossTrend::NotFalling => ("The losses do not fall.", Some(false)),
            };
            (format!("{losses} The strength of the net has not been measured."), learns)
        }
    };
    Headline { answer, learns, sentences }
}

/// The answer from the games against fixed opponents, and whether it shows learning. `None` if there are no games.
///
/// It names the strongest opponent that the net beats; else the strongest one whose score may be equal; else the
/// weakest.
fn strength(run: &RunFiles, sentences: &mut Vec<String>) -> Option<(String, Option<bool>)> {
    let while_training;
    let evaluation = match &run.evaluation {
        Some(evaluation) => evaluation,
        None if is_rated(&run.lines) => {
            while_training = scores(&run.lines, false);
            if while_training.matches.is_empty() {
                return None;
            }
            sentences.push(format!(
                "The scores are those of the nets of {}, measured during training with {} simulations a move.",
                the_last(latest(&run.lines).len()),
                while_training.simulations
            ));
            &while_training
        }
        None => return None,
    };
    // From the easiest opponent to the hardest.
    let mut matches: Vec<_> = evaluation.matches.iter().filter_map(|found| Some((found, found.total.score?))).collect();
    matches.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
    let several = run.rule_names().len() > 1;
    let name = |found: &MatchReport| {
        let opponent = if found.opponent() == UNTRAINED { "its own untrained net" } else { found.opponent() };
        if several { format!("{opponent} under {}", found.rules) } else { opponent.to_owned() }
    };
    sentences.extend(matches.iter().map(|(found, score)| score_sentence(&name(found), found, score)));
    let is_random = |found: &MatchReport| found.opponent() == RANDOM;
    if matches.iter().any(|(found, _)| is_random(found)) {
        sentences.push(
            "A high score against random is no evidence of learning: a search with an untrained net beats it too."
                .to_owned(),
        );
    }
    let telling: Vec<_> = matches.iter().filter(|(found, _)| !is_random(found)).collect();
    if telling.is_empty() {
        let (_, score) = matches.first()?;
        return Some(if score.low > 0.5 {
            ("The net beats random. The evaluation has no stronger opponent.".to_owned(), None)
        } else if score.high < 0.5 {
            ("The net loses to random.".to_owned(), Some(false))
        } else {
            ("It is not clear whether the net beats random.".to_owned(), None)
        });
    }
    verdict(&telling, name)
}

/// The score against one opponent in words.
fn score_sentence(name: &str, found: &MatchReport, score: &ScoreEstimate) -> String {
    let surely = if score.low > 0.5 {
        "it is stronger"
    } else if score.high < 0.5 {
        "it is weaker"
    } else {
        "the games do not show which is stronger"
    };
    let side = |side: &SideResult| side.score.map_or("–".to_owned(), |score| percent(score.mean));
    format!(
        "Against {name} it scored {} of {} games, {} unfinished (95 % interval {:.0}–{}): {surely}. It scored {} as \
         attackers and {} as defenders.",
        percent(score.mean),
        score.games,
        found.unfinished,
        100.0 * score.low,
        percent(score.high),
        side(&found.as_attackers),
        side(&found.as_defenders),
    )
}

/// The answer from matches against other opponents than `random`, the easiest first.
fn verdict(
    telling: &[&(&MatchReport, ScoreEstimate)],
    name: impl Fn(&MatchReport) -> String,
) -> Option<(String, Option<bool>)> {
    if let Some((found, _)) = telling.iter().rev().find(|(_, score)| score.low > 0.5) {
        return Some((format!("The net has learnt: it beats {}.", name(found)), Some(true)));
    }
    if let Some((found, _)) = telling.iter().rev().find(|(_, score)| score.high >= 0.5) {
        let level = format!("the games show no difference to {}", name(found));
        // An untrained net that is not beaten may score as well against that opponent.
        return Some(if telling.iter().any(|(found, _)| found.opponent() == UNTRAINED) {
            (format!("It is not clear whether the net learns: {level}."), None)
        } else {
            (format!("The net has learnt something: {level}."), Some(true))
        });
    }
    telling.first().map(|(found, _)| (format!("The net still loses to {}.", name(found)), Some(false)))
}

/// Adds how the rating changed during training, and under which rules and with which side the net scores lowest.
/// Returns whether the rating surely rose.
fn growth(run: &RunFiles, sentences: &mut Vec<String>) -> bool {
    let mut has_grown = false;
    let found = rated::progress(&run.lines, None);
    if let [first, .., last] = found.stretches.as_slice() {
        has_grown = last.rating.low > first.rating.high;
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
    // All opponents except random are summed, because there are few games against each.
    let mut sides: BTreeMap<(String, &str), Wdl> = BTreeMap::new();
    for found in scores(&run.lines, true).matches.iter().filter(|found| found.opponent() != RANDOM) {
        for (side, results) in [("attackers", found.pairs.as_attackers()), ("defenders", found.pairs.as_defenders())] {
            let sum = sides.entry((found.rules.clone(), side)).or_default();
            *sum = *sum + results;
        }
    }
    let estimates = sides.iter().map(|(key, results)| (key, results.estimate())).filter(|(_, score)| score.games >= 6);
    if let Some(((rules, side), score)) = estimates.min_by(|a, b| a.1.mean.total_cmp(&b.1.mean)) {
        sentences.push(format!(
            "In the rating games of {} the net scored lowest as the {side} under {rules}: {} of {} games (95 % interval {:.0}–{}) against all \
             opponents except random.",
            the_last(latest(&run.lines).len()),
            percent(score.mean),
            score.games,
            100.0 * score.low,
            percent(score.high)
        ));
    }
    has_grown
}

/// Adds how the losses changed. Returns their trend, or `None` if there are too few generations.
fn losses(run: &RunFiles, sentences: &mut Vec<String>) -> Option<LossTrend> {
    if run.lines.len() < 6 {
        sentences.push(format!(
            "The run has finished {}. The numbers below mean little before there are six.",
            counted(run.lines.len(), "generation")
        ));
        return None;
    }
    let part = |part: fn(&LossParts) -> f32| {
        let of = |lines| mean(lines, |line| line.learning.loss_part(part));
        Some((of(run.early())?, of(run.recent())?))
    };
    let (policy, value) = (part(|loss| loss.policy)?, part(|loss| loss.value)?);
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
        "Over the run the policy loss {} from {:.2} to {:.2} nats, and the value loss {} from {:.2} to {:.2} nats.",
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
    Some(match (fell(policy) || fell(value), rose(policy) || rose(value)) {
        (false, _) => LossTrend::NotFalling,
        (true, false) => LossTrend::Falling,
        (true, true) => LossTrend::Mixed,
    })
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
