//! The end of a run: the net of its last generation plays its start, the shipped net and the config's opponents.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use tablut_arena::{EvaluationReport, OpeningBook};
use tablut_games::{CancelToken, GenerationFile, SHIPPED};
use tablut_learn::{EvaluationConfig, RatingOpponent, Run, TimeSource};
use tablut_report::{RunFiles, headline};
use tablut_rules::USUAL_RULE_SET;

use super::super::evaluate::measure;
use super::super::matches::{Book, MatchArgs};
use crate::console::{Console, Voice};
use crate::hints;
use crate::interrupt::Interrupted;
use crate::layout::wrapped;
use crate::match_tables::{endings_text, match_table};
use crate::outputs::write;
use crate::progress::Progress;

/// Games against each opponent in one round of a match that must keep to a time.
const ROUND: u32 = 40;

/// A time for the whole run, and the clock since it began.
pub struct Deadline {
    pub time: Duration,
    pub clock: TimeSource,
}

/// Evaluates the net of a finished run, or shows the stored result, and prints commands for using the net.
pub fn finish(
    run: &Run,
    trained_now: bool,
    deadline: Option<&Deadline>,
    cancel: &CancelToken,
    console: &mut Console,
) -> anyhow::Result<()> {
    let voice = console.voice;
    let model = run.file(GenerationFile::Model, run.next_generation - 1);
    let evaluation = &run.config.evaluation;
    if !trained_now {
        let n = run.next_generation;
        writeln!(console, "The run is finished: {n} of {n} generations are complete.\n")?;
    }
    let report = match stored(run, &model) {
        Some(report) => Some(report),
        None if evaluation.games == 0 => None,
        None => Some(evaluate(run, evaluation, &model, deadline, cancel, voice)?),
    };
    if let Some(report) = report {
        let rules = &report.rules;
        writeln!(console, "{rules} rules, {} simulations a move\n", report.simulations)?;
        writeln!(console, "{}\n{}", match_table(&report.matches), endings_text(&report.matches))?;
        writeln!(console, "{}\n", wrapped(&headline(&RunFiles::read_numbers(&run.folder)?).answer))?;
    }
    let hint = |words: &[&OsStr]| hints::command(words.iter().copied());
    writeln!(console, "The net is {}", model.display())?;
    writeln!(console, "Play it:     {}", hint(&["play".as_ref(), model.as_os_str()]))?;
    writeln!(console, "Measure it:  {}", hint(&["evaluate".as_ref(), model.as_os_str()]))?;
    writeln!(console, "Report:      {}", hint(&["report".as_ref(), run.folder.as_os_str()]))?;
    let longer = format!("schedule.generations={}", 2 * run.next_generation);
    let further: [&OsStr; 5] =
        ["train".as_ref(), "--resume".as_ref(), run.folder.as_os_str(), "--set".as_ref(), longer.as_ref()];
    writeln!(console, "Train on:    {}", hint(&further))?;
    Ok(())
}

/// The result in the run's folder, if it is that of this net and of the present settings.
fn stored(run: &Run, model: &Path) -> Option<EvaluationReport> {
    if run.changed.iter().any(|change| ["evaluation", "play"].iter().any(|table| change.key.starts_with(table))) {
        return None;
    }
    let report: EvaluationReport = serde_json::from_slice(&fs::read(run.files().evaluation()).ok()?).ok()?;
    let of_net = Path::new(&report.model).file_name() == model.file_name();
    (of_net && report.matches.iter().all(|found| found.complete)).then_some(report)
}

/// Plays the final match and stores its result.
fn evaluate(
    run: &Run,
    evaluation: &EvaluationConfig,
    model: &Path,
    deadline: Option<&Deadline>,
    cancel: &CancelToken,
    voice: Voice,
) -> anyhow::Result<EvaluationReport> {
    let opponents = opponents(run);
    let usual = run.rules.iter().find(|rules| rules.name() == USUAL_RULE_SET);
    let rules = usual.or(run.rules.first()).expect("a run has a rule set");
    // Most random openings are won for one side. The program has a book of even ones for its own rule sets.
    let book = OpeningBook::even(rules).filter(|book| book.openings.len() >= evaluation.games as usize / 2);
    let rounds = tempfile::tempdir()?;
    let mut matches = MatchArgs { games: evaluation.games, openings: book.map(|_| Book::Even), ..MatchArgs::default() };
    // The rounds of a match with a time are shown as one.
    let (progress, round_voice) = match deadline {
        Some(_) => (Some(Progress::waiting(voice, "evaluating the net")), Voice::new(true)),
        None => (None, voice),
    };
    if deadline.is_some() {
        matches.games = evaluation.games.min(ROUND);
        matches.save_games = Some(rounds.path().join("games"));
    }
    let measured = loop {
        let began = deadline.map(|deadline| (deadline.clock)());
        let measured = measure(model, &opponents, None, Some(rules.name()), &matches, cancel, round_voice)?;
        if !measured.played.is_complete() {
            voice.say(format_args!("Stopped. The net is {}. To evaluate it:", model.display()));
            voice.say(format_args!("  {}", resume_command(&run.folder)));
            return Err(Interrupted::now().into());
        }
        let has_time = deadline.zip(began).is_some_and(|(deadline, began)| {
            let now = (deadline.clock)();
            now + now.saturating_sub(began) / 2 < deadline.time
        });
        if !has_time || matches.games >= evaluation.games {
            break measured;
        }
        matches.games = evaluation.games.min(matches.games + ROUND);
    };
    drop(progress);
    run.check_folder()?;
    write(&run.files().evaluation(), measured.json()?.as_bytes())?;
    Ok(measured.report())
}

/// The run's start and the shipped net with the simulations of the run's net, and the config's opponents.
fn opponents(run: &Run) -> Vec<String> {
    let simulations = run.config.play.simulations;
    let given = run.opponents();
    let named = |opponent: RatingOpponent| {
        let name = opponent.name(&run.config);
        let file = if opponent == RatingOpponent::Shipped { SHIPPED.into() } else { run.start_file() };
        let is_taken = given.iter().any(|player| player.split_once('=').is_some_and(|(given, _)| given == name));
        (!is_taken).then(|| format!("{name}=net:{}@{simulations}", file.display()))
    };
    run.net_opponents().into_iter().filter_map(named).chain(given.iter().cloned()).collect()
}

/// The command that continues the run in `folder`.
pub fn resume_command(folder: &Path) -> String {
    hints::command([OsStr::new("train"), OsStr::new("--resume"), folder.as_os_str()])
}
