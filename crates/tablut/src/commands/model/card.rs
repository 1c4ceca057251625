//! Writes a card into a model file, and shows cards as text.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;
use tablut_arena::MatchReport;
use tablut_arena::tally::SideResult;
use tablut_games::load_net;
use tablut_net::{Card, CardInterval, CardScore};
use tablut_play::read_text;

use crate::console::Console;
use crate::layout;
use crate::outputs::Overwrite;

/// Write a card into a model file
#[derive(clap::Args)]
pub struct Args {
    /// The net: a model file, a run's folder for its newest net, or `shipped`.
    model: PathBuf,
    /// A TOML file with any of `about`, `licence`, `commit`, `hardware`, `weaknesses` (a list) and `command` (which
    /// measured the scores).
    #[arg(long, value_name = "FILE")]
    text: PathBuf,
    /// The config of the net's training, such as the `config.toml` in the run's folder.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The net's scores: the output of `evaluate --json` or `match --json`, one object or several. Repeatable.
    #[arg(long, value_name = "FILE")]
    scores: Vec<PathBuf>,
    /// Write the model file with its card here.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// The texts of a card that its author writes.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Texts {
    about: String,
    licence: String,
    commit: String,
    hardware: String,
    weaknesses: Vec<String>,
    command: String,
}

/// The output of `evaluate --json` and `match --json`.
#[derive(Deserialize)]
struct Measured {
    matches: Vec<MatchReport>,
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    args.overwrite.check(&args.out)?;
    let mut model = load_net(&args.model)?;
    let text = read(&args.text, "card")?;
    let texts: Texts = toml::from_str(&text).with_context(|| format!("card {}", args.text.display()))?;
    let Texts { about, licence, commit, hardware, weaknesses, command } = texts;
    let config = args.config.as_deref().map(|path| read(path, "config")).transpose()?.unwrap_or_default();
    let scores = args.scores.iter().map(|path| scores(path)).collect::<anyhow::Result<Vec<_>>>()?.concat();
    let card = Card { about, licence, commit, hardware, weaknesses, command, scores, config };
    if let Err(reason) = card.check() {
        bail!("the card: {reason}");
    }
    model.card = Some(card);
    model.save(&args.out)?;
    writeln!(console, "{}", args.out.display())?;
    Ok(())
}

fn read(path: &Path, what: &str) -> anyhow::Result<String> {
    read_text(path).with_context(|| format!("{what} {}", path.display()))
}

/// The scores in a command's output, which are those of the first player of each match.
fn scores(path: &Path) -> anyhow::Result<Vec<CardScore>> {
    let text = read(path, "scores")?;
    let mut scores = Vec::new();
    for measured in serde_json::Deserializer::from_str(&text).into_iter::<Measured>() {
        let measured = measured.with_context(|| {
            format!("scores {}: expected the output of `evaluate --json` or `match --json`", path.display())
        })?;
        for report in &measured.matches {
            scores.push(score(report).with_context(|| format!("scores {}", path.display()))?);
        }
    }
    if scores.is_empty() {
        bail!("scores {}: the file contains no match", path.display());
    }
    Ok(scores)
}

/// The score of the first player of a match.
pub fn score(report: &MatchReport) -> anyhow::Result<CardScore> {
    let [net, opponent] = &report.players;
    let Some((_, play)) = net.rsplit_once('@') else {
        bail!("the first player is {net}, expected a net with its simulations or time, such as net:FILE@128");
    };
    let interval = |side: &SideResult| {
        let score = side.score.as_ref().context("expected a match with games on both sides")?;
        anyhow::Ok(CardInterval { mean: score.mean, low: score.low, high: score.high })
    };
    let elo = report.elo.mean.zip(report.elo.low).zip(report.elo.high);
    Ok(CardScore {
        rules: report.rules.clone(),
        play: play.to_owned(),
        opponent: opponent.clone(),
        games: report.games,
        score: interval(&report.total)?,
        as_attackers: interval(&report.as_attackers)?,
        as_defenders: interval(&report.as_defenders)?,
        elo: elo.map(|((mean, low), high)| CardInterval { mean, low, high }),
    })
}

/// A card as text, for a terminal.
pub fn text(card: &Card) -> String {
    let mut text = String::new();
    if !card.about.is_empty() {
        let _ = write!(text, "\n{}\n", layout::wrapped(&card.about));
    }
    for (name, value) in [("Licence", &card.licence), ("Commit", &card.commit), ("Trained on", &card.hardware)] {
        if !value.is_empty() {
            text += &layout::wrapped(&format!("{name}: {value}"));
        }
    }
    if !card.weaknesses.is_empty() {
        text += "Weaknesses:\n";
    }
    for weakness in &card.weaknesses {
        text += &layout::wrapped(&format!("- {weakness}"));
    }
    for scores in tables(&card.scores) {
        text += &scores_text(&scores);
    }
    if !card.command.is_empty() {
        let _ = writeln!(text, "\nMeasured by: {}", card.command);
    }
    if !card.config.is_empty() {
        text += "To print the config of its training: tablut model info FILE --config\n";
    }
    text
}

/// The scores of each table. A table has scores with the same limit and number of games. If there are fewer opponents
/// than rule sets, each opponent has its own table.
fn tables(scores: &[CardScore]) -> Vec<Vec<&CardScore>> {
    let mut tables = Vec::new();
    for same_games in grouped(scores.iter().collect(), |score| (&score.play, score.games)) {
        let opponents = grouped(same_games.clone(), |score| &score.opponent);
        if opponents.len() < grouped(same_games.clone(), |score| &score.rules).len() {
            tables.extend(opponents);
        } else {
            tables.push(same_games);
        }
    }
    tables
}

/// Groups scores by key, in the order of their first appearance.
fn grouped<'a, K: PartialEq>(scores: Vec<&'a CardScore>, key: fn(&'a CardScore) -> K) -> Vec<Vec<&'a CardScore>> {
    let mut groups: Vec<Vec<&CardScore>> = Vec::new();
    for score in scores {
        match groups.iter_mut().find(|group| key(group[0]) == key(score)) {
            Some(group) => group.push(score),
            None => groups.push(vec![score]),
        }
    }
    groups
}

/// A table of scores below a line with the data that they share. There must be at least one score.
fn scores_text(scores: &[&CardScore]) -> String {
    let CardScore { play, games, opponent, .. } = scores[0];
    // A number without a unit is a number of simulations.
    let unit = if play.ends_with(|c: char| c.is_ascii_digit()) { " simulations" } else { "" };
    let one_opponent = scores.iter().all(|score| score.opponent == *opponent);
    let against = if one_opponent { format!(" against {opponent}") } else { String::new() };
    let title = format!("Scores at {play}{unit} a move{against}, {games} games each (95 %):");
    let header = ["rules", "opponent", "score %", "att.", "def.", "Elo"].map(str::to_owned).to_vec();
    let mut rows: Vec<_> = std::iter::once(header).chain(scores.iter().map(|score| row(score))).collect();
    if one_opponent {
        for row in &mut rows {
            row.remove(1);
        }
    }
    format!("\n{}{}", layout::wrapped(&title), layout::table(&rows))
}

fn row(score: &CardScore) -> Vec<String> {
    let percent = |share: f64| format!("{:.0}", 100.0 * share);
    let elo = |elo: &CardInterval| format!("{:+.0} ±{:.0}", elo.mean, (elo.high - elo.low) / 2.0);
    let CardInterval { mean, low, high } = score.score;
    vec![
        score.rules.clone(),
        score.opponent.clone(),
        format!("{} ({}–{})", percent(mean), percent(low), percent(high)),
        percent(score.as_attackers.mean),
        percent(score.as_defenders.mean),
        score.elo.as_ref().map(elo).unwrap_or_default(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(rules: &str, opponent: &str) -> CardScore {
        let interval = CardInterval { mean: 0.5, low: 0.25, high: 0.75 };
        let (rules, play, opponent) = (rules.to_owned(), "100ms".to_owned(), opponent.to_owned());
        let (as_attackers, as_defenders) = (interval, interval);
        CardScore { rules, play, opponent, games: 60, score: interval, as_attackers, as_defenders, elo: None }
    }

    #[test]
    fn few_opponents_have_own_tables_and_many_share_one() {
        let of = |pairs: &[(&str, &str)]| {
            let scores: Vec<_> = pairs.iter().map(|(rules, opponent)| score(rules, opponent)).collect();
            text(&Card { scores, ..Card::default() })
        };
        let few = of(&[
            ("kvasir", "first"),
            ("kvasir", "greedy"),
            ("masters", "first"),
            ("masters", "greedy"),
            ("ashton", "first"),
        ]);
        assert_eq!(few.matches("Scores at 100ms a move against first, 60 games each").count(), 1, "{few}");
        let (first, greedy) = few.split_once("against greedy").expect("a table of its own");
        assert_eq!(["kvasir", "masters", "ashton"].map(|rules| first.contains(rules)), [true; 3], "{few}");
        assert_eq!(["kvasir", "masters", "ashton"].map(|rules| greedy.contains(rules)), [true, true, false], "{few}");
        let many = of(&[("kvasir", "random"), ("kvasir", "greedy")]);
        assert!(many.contains("Scores at 100ms a move, 60 games each") && many.contains("opponent"), "{many}");
    }
}
