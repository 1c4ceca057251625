//! A model's card: written into a model file, and as text.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;
use tablut_arena::MatchReport;
use tablut_arena::tally::SideResult;
use tablut_net::{Card, CardInterval, CardScore, Model};

use crate::console::Console;
use crate::layout;
use crate::outputs::Overwrite;

/// Write a card into a model file
#[derive(clap::Args)]
pub struct Args {
    /// The model file.
    model: PathBuf,
    /// A TOML file with any of `about`, `licence`, `commit`, `hardware`, `weaknesses` (a list) and `command`, which measured the
    /// scores.
    #[arg(long, value_name = "FILE")]
    text: PathBuf,
    /// The config of its training, such as the `config.toml` in the run's folder.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Its scores: what `evaluate --json` or `match --json` printed, one object or several. Repeatable.
    #[arg(long, value_name = "FILE")]
    scores: Vec<PathBuf>,
    /// Write the model file with its card here.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// The texts of a card that people write.
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

/// What the commands that measure print.
#[derive(Deserialize)]
struct Measured {
    matches: Vec<MatchReport>,
}

/// Writes the card.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    args.overwrite.check(&args.out)?;
    let mut model = Model::load(&args.model)?;
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
    fs::read_to_string(path).with_context(|| format!("{what} {}", path.display()))
}

/// The scores of a net in what a command has printed: those of its matches' first player.
fn scores(path: &Path) -> anyhow::Result<Vec<CardScore>> {
    let text = read(path, "scores")?;
    let mut scores = Vec::new();
    for measured in serde_json::Deserializer::from_str(&text).into_iter::<Measured>() {
        let measured = measured.with_context(|| {
            format!("scores {}: expected what `evaluate --json` or `match --json` prints", path.display())
        })?;
        for report in &measured.matches {
            scores.push(score(report).with_context(|| format!("scores {}", path.display()))?);
        }
    }
    if scores.is_empty() {
        bail!("scores {}: no match in it", path.display());
    }
    Ok(scores)
}

fn score(report: &MatchReport) -> anyhow::Result<CardScore> {
    let [net, opponent] = &report.players;
    let Some((_, play)) = net.rsplit_once('@') else {
        bail!("the first player is {net}, expected a net with its simulations or time, such as net:FILE@128");
    };
    let interval = |side: &SideResult| {
        let score = side.score.as_ref().context("a match without games")?;
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
    for scores in card.scores.chunk_by(|a, b| (&a.play, a.games) == (&b.play, b.games)) {
        let (play, games) = (&scores[0].play, scores[0].games);
        // A number alone is one of simulations.
        let unit = if play.ends_with(|c: char| c.is_ascii_digit()) { " simulations" } else { "" };
        let header = ["rules", "opponent", "score %", "att.", "def.", "Elo"].map(str::to_owned).to_vec();
        let rows: Vec<_> = std::iter::once(header).chain(scores.iter().map(row)).collect();
        let _ = write!(text, "\nScores at {play}{unit} a move, {games} games each (95 %):\n{}", layout::table(&rows));
    }
    if !card.command.is_empty() {
        let _ = writeln!(text, "\nMeasured by: {}", card.command);
    }
    if !card.config.is_empty() {
        text += "The config of its training: tablut model info FILE --config\n";
    }
    text
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
