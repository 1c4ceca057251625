//! What a run's numbers say, in words: does it learn, against what, how sure, and what looks wrong.

mod warnings;

pub(crate) use warnings::unseen_gap;
pub use warnings::{Warning, WarningKind, warnings};

use std::collections::BTreeMap;

use tablut_games::{Endings, GenerationMetrics, LossParts};
use tablut_ratings::{Rating, Wdl};

use crate::evaluation::{EvaluationMatch, SideScore};
use crate::figures::{count, duration, percent, share_interval, signed};
use crate::metrics::{mean, results_by_rule_set};
use crate::rated::{self, is_rated, latest, scores};
use crate::run_files::RunFiles;

/// The answer to "does it learn?", with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// The answer in a few words.
    pub answer: String,
    /// Whether there is evidence that the net plays better than an untrained one.
    pub learns: Option<bool>,
    /// What it rests on, a sentence each.
    pub sentences: Vec<String>,
}

/// Opponents that an untrained net with a search beats as well: a score against them says nothing of learning.
const SAYS_NOTHING: &str = "random";
/// The run's own net as it was at first: that it is beaten is what learning means.
const UNTRAINED: &str = "untrained";

/// Answers for a run as it is now.
pub fn headline(run: &RunFiles) -> Headline {
    let mut sentences = Vec::new();
    let strength = strength(run, &mut sentences);
    growth(run, &mut sentences);
    let losses = losses(run, &mut sentences);
    sides(run, &mut sentences);
    progress(run, &mut sentences);
    let (answer, learns) = match (strength, losses) {
        (Some((answer, learns)), _) => (answer, Some(learns)),
        (None, Some(true)) => {
            ("It gets better at predicting its own games. How strong it is has not been measured.".to_owned(), None)
        }
        (None, Some(false)) => {
            ("Its losses do not fall, and its strength has not been measured.".to_owned(), Some(false))
        }
        (None, None) => ("It is too early to say.".to_owned(), None),
    };
    Headline { answer, learns, sentences }
}

/// What the evaluation says, and whether it shows learning: the strongest opponent beaten; else the strongest it is level with; else
/// the weakest.
fn strength(run: &RunFiles, sentences: &mut Vec<String>) -> Option<(String, bool)> {
    let while_training;
    let evaluation = match &run.evaluation {
        Some(evaluation) => evaluation,
        None if is_rated(&run.lines) => {
            while_training = scores(&run.lines, false);
            sentences.push(format!(
                "While it trained, the nets of the last {} generations were measured with {} simulations a move.",
                latest(&run.lines).len(),
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
    let name = |found: &EvaluationMatch| {
        let opponent = if found.opponent() == UNTRAINED { "its own untrained net" } else { found.opponent() };
        if several { format!("{opponent} under {}", found.rules) } else { opponent.to_owned() }
    };
    for (found, score) in &matches {
        let surely = if score.low > 0.5 {
            "it is stronger"
        } else if score.high < 0.5 {
            "it is weaker"
        } else {
            "too close to call"
        };
        let side = |side: &SideScore| side.score.map_or("–".to_owned(), |score| percent(score.mean));
        sentences.push(format!(
            "Against {} it scored {} of {} games (95 % interval {:.0}–{} ): {surely}. As attackers {}, as defenders {}.",
            name(found),
            percent(score.mean),
            score.games,
            100.0 * score.low,
            percent(score.high),
            side(&found.as_attackers),
            side(&found.as_defenders),
        ).replace("% )", "%)"));
    }
    if matches.iter().any(|(found, _)| found.opponent() == SAYS_NOTHING) {
        sentences.push(
            "A win against random says little: a search with an untrained net beats it too. Stronger opponents tell more."
                .to_owned(),
        );
    }
    let telling: Vec<_> = matches.iter().filter(|(found, _)| found.opponent() != SAYS_NOTHING).collect();
    let beaten = telling.iter().rev().find(|(_, score)| score.low > 0.5);
    let level = telling.iter().rev().find(|(_, score)| score.high >= 0.5);
    if let Some((found, _)) = beaten {
        return Some((format!("It has learnt: it beats {}.", name(found)), true));
    }
    if let Some((found, _)) = level {
        let opponent = name(found);
        let answer = format!("It has learnt something: it is level with {opponent}, as far as the games can tell.");
        return Some((answer, true));
    }
    telling.first().map(|(found, _)| (format!("It still loses to {}.", name(found)), false))
}

/// How the ratings grew while it trained, and under which rules and with which side the net lags.
fn growth(run: &RunFiles, sentences: &mut Vec<String>) {
    let found = rated::progress(&run.lines, None);
    if let [first, .., last] = found.stretches.as_slice() {
        let told = |stretch: &rated::RatedStretch| {
            let Rating { elo, low, high } = stretch.rating;
            let (from, to) = stretch.generations;
            format!("{} ({} to {}) in generations {from} to {to}", signed(elo), signed(low), signed(high))
        };
        let surely = if last.rating.low > first.rating.high {
            "it has grown stronger"
        } else if last.rating.elo > first.rating.elo {
            "it seems to have grown stronger, but the intervals overlap"
        } else {
            "it has not grown stronger"
        };
        sentences.push(format!(
            "Rated by games while it trained, in Elo above {}: {}, {}: {surely}.",
            found.anchor,
            told(first),
            told(last)
        ));
    }
    // Over all opponents but the one that says nothing, because of each there are few games.
    let mut sides: BTreeMap<(String, &str), Wdl> = BTreeMap::new();
    for found in scores(&run.lines, true).matches.iter().filter(|found| found.opponent() != SAYS_NOTHING) {
        for (side, results) in [("attackers", found.pairs.as_attackers()), ("defenders", found.pairs.as_defenders())] {
            let sum = sides.entry((found.rules.clone(), side)).or_default();
            *sum = *sum + results;
        }
    }
    let estimates = sides.iter().map(|(key, results)| (key, results.estimate())).filter(|(_, score)| score.games >= 6);
    if let Some(((rules, side), score)) = estimates.min_by(|a, b| a.1.mean.total_cmp(&b.1.mean)) {
        sentences.push(format!(
            "In the rating games of the last {} generations it lags most as the {side} under {rules}: {} of {} games (95 % interval {:.0}–{}) against all \
             opponents but random.",
            latest(&run.lines).len(),
            percent(score.mean),
            score.games,
            100.0 * score.low,
            percent(score.high)
        ));
    }
}

/// Whether the losses fall; none when there are too few generations.
fn losses(run: &RunFiles, sentences: &mut Vec<String>) -> Option<bool> {
    if run.lines.len() < 6 {
        sentences
            .push(format!("{} generations are done; what follows means little before there are six.", run.lines.len()));
        return None;
    }
    let part = |part: fn(&LossParts) -> f32| {
        let of = |lines| mean(lines, |line| line.learning.loss_part(part));
        Some((of(run.early())?, of(run.recent())?))
    };
    let (policy, value) = (part(|loss| loss.policy)?, part(|loss| loss.value)?);
    let falls = policy.1 < policy.0 - 0.02 || value.1 < value.0 - 0.02;
    sentences.push(format!(
        "Over the run the policy's loss went from {:.2} to {:.2} nats and the value's from {:.2} to {:.2}: {}.",
        policy.0,
        policy.1,
        value.0,
        value.1,
        if falls { "it predicts its searches and results better than at first" } else { "no better than at first" }
    ));
    if let (Some(early), Some(recent)) =
        (mean(run.early(), |line| line.learning.policy_gap()), mean(run.recent(), |line| line.learning.policy_gap()))
    {
        sentences.push(format!(
            "The policy stands {recent:.2} nats above the least that it could have ({early:.2} at first): that much of what the searches find the net does \
             not foresee."
        ));
    }
    Some(falls)
}

/// Which rule set and side lags in ordinary self-play.
fn sides(run: &RunFiles, sentences: &mut Vec<String>) {
    let recent = run.recent();
    let mut sets = results_by_rule_set(recent);
    sets.sort_by_key(|(_, won)| 1000 * won.attackers_won.min(won.defenders_won) / won.games().max(1));
    let shown = if sets.len() > 3 { 2 } else { sets.len() };
    for (rules, won) in &sets[..shown] {
        let of = if rules.is_empty() { "its self-play".to_owned() } else { format!("self-play under {rules}") };
        sentences.push(balance(&of, recent.len(), won));
    }
    if sets.len() > shown {
        sentences
            .push(format!("The other {} rule sets are more even; the table below has them all.", sets.len() - shown));
    }
}

fn balance(of: &str, n_generations: usize, results: &Endings) -> String {
    let (games, attackers, defenders) = (results.games(), results.attackers_won, results.defenders_won);
    let (low, high) = share_interval(attackers, games);
    let share = attackers as f64 / games.max(1) as f64;
    let lagging = match attackers.cmp(&defenders) {
        _ if (0.42..=0.58).contains(&share) => "the sides are about even",
        std::cmp::Ordering::Less => "the attackers lag",
        std::cmp::Ordering::Greater => "the defenders lag",
        std::cmp::Ordering::Equal => "the sides are even",
    };
    format!(
        "In the last {n_generations} generations of {of} the attackers won {} of {} games (95 % interval {:.0}–{}), the defenders {}: {lagging}.",
        percent(share),
        count(games as f64),
        100.0 * low,
        percent(high),
        percent(defenders as f64 / games.max(1) as f64),
    )
}

/// How far the run is, and where its time went.
fn progress(run: &RunFiles, sentences: &mut Vec<String>) {
    let seconds: f64 = run.lines.iter().map(GenerationMetrics::seconds).sum();
    if seconds <= 0.0 {
        return;
    }
    let selfplay: f64 = run.lines.iter().map(|line| line.selfplay.seconds).sum();
    let evaluations: f64 = run.lines.iter().map(|line| line.selfplay.evaluations as f64).sum();
    let done = run.lines.len();
    let of = match run.generations_wanted() {
        Some(wanted) if wanted as usize > done => format!("{done} of {wanted}"),
        _ => done.to_string(),
    };
    sentences.push(format!(
        "{of} generations took {}: {} of it self-play, with {} evaluations by the net.",
        duration(seconds),
        percent(selfplay / seconds),
        count(evaluations)
    ));
    if let Some(left) = seconds_left(run) {
        sentences.push(format!("At the pace of the last generations the rest takes {}.", duration(left)));
    }
}

/// What the generations that are left will take at the pace of the last ones; none when none are left.
pub(crate) fn seconds_left(run: &RunFiles) -> Option<f64> {
    let left = run.generations_wanted()?.checked_sub(run.lines.last()?.generation + 1).filter(|&left| left > 0)?;
    let timed = |line: &GenerationMetrics| (line.selfplay.seconds > 0.0).then(|| line.seconds());
    Some(left as f64 * mean(run.recent(), timed)?)
}

/// An Elo difference with its interval, for people.
pub(crate) fn elo_text([low, mean, high]: [f64; 3]) -> String {
    if mean.is_infinite() {
        return if mean > 0.0 { format!("above {}", signed(low)) } else { format!("below {}", signed(high)) };
    }
    let end = |end: f64, open: &str| if end.is_finite() { signed(end) } else { open.to_owned() };
    format!("{} ({} to {})", signed(mean), end(low, "−∞"), end(high, "+∞"))
}
