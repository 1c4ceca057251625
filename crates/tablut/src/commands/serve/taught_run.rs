//! What the files of a run say to people who watch a net learn.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use tablut_arena::EvaluationReport;
use tablut_games::{GenerationFile, GenerationMetrics, RunFolder, load_net};
use tablut_net::{Card, Model, StatedRules};
use tablut_report::figures::{count, duration};
use tablut_report::{DisplayedGame, Live};
use tablut_rules::{Outcome, Position, Reason, Results, Rules};
use tablut_session::{
    GameEnding, GenerationView, ScoreView, Shares, TrainingGame, TrainingPhase, TrainingState, TrainingView, words,
};
use tablut_teach::generation_views;

use super::super::model::card_score;
use crate::run_progress::Phase;

/// The most generations in a view.
const MAX_GENERATIONS: usize = 120;
/// The results of fewer games say less than those of the generation before.
const FEW_GAMES: usize = 20;

/// The state of the run in a folder. The server knows the run's name, its net's index and the time left.
pub fn view(folder: &Path, is_running: bool) -> Result<TrainingView, String> {
    let files = RunFolder(folder);
    let (mut metrics, _) = files.read_readable_metrics().unwrap_or_default();
    // The metrics of a generation are written before its state, without which it is not complete.
    let states = files.files(GenerationFile::State).unwrap_or_default();
    metrics.retain(|line| states.last_key_value().is_some_and(|(&last, _)| line.generation <= last));
    let set = files.read_rules().map_err(|error| error.to_string())?.into_values().next();
    let (name, toml) = set.map(|set| (set.name.clone(), set.to_toml())).unwrap_or_default();
    let live = is_running.then(|| Live::read(folder)).flatten();
    let generations = generation_views(&metrics);
    let playing = live.as_ref().filter(|live| live.phase == Phase::SELF_PLAY);
    let last = metrics.last().map(|line| line.selfplay.results);
    let newest = live.as_ref().map(|live| live.results).filter(|now| last.is_none() || now.games() >= FEW_GAMES);
    Ok(TrainingView {
        state: TrainingState::Ended,
        phase: is_running.then(|| phase(live.as_ref(), !metrics.is_empty())),
        seconds: generations.last().map_or(0.0, |last| last.seconds),
        games: generations.last().map_or(0, |last| last.games) + playing.map_or(0, |live| live.done),
        results: Shares::of(newest.or(last).unwrap_or_default()),
        n_generations: generations.len() as u32,
        final_scores: final_scores(folder),
        generations: spread(generations),
        folder: Some(folder.display().to_string()),
        ..TrainingView::new(name, toml)
    })
}

fn phase(live: Option<&Live>, has_generations: bool) -> TrainingPhase {
    match live.map(|live| live.phase.as_str()) {
        Some(Phase::SELF_PLAY) => TrainingPhase::Playing,
        Some(Phase::LEARNING) => TrainingPhase::Learning,
        Some(_) => TrainingPhase::Measuring,
        // The final match is after the training.
        None if has_generations => TrainingPhase::Measuring,
        None => TrainingPhase::Preparing,
    }
}

/// An even selection with the last one.
fn spread(generations: Vec<GenerationView>) -> Vec<GenerationView> {
    let step = generations.len().div_ceil(MAX_GENERATIONS).max(1);
    let last = generations.len() % step;
    let chosen = |place: usize| (place + step - last) % step == step - 1;
    generations.into_iter().enumerate().filter(|(place, _)| step == 1 || chosen(*place)).map(|(_, view)| view).collect()
}

fn evaluation(folder: &Path) -> Option<EvaluationReport> {
    let report: EvaluationReport = serde_json::from_slice(&fs::read(RunFolder(folder).evaluation()).ok()?).ok()?;
    let newest = RunFolder(folder).newest_net().ok()?;
    (Path::new(&report.model).file_name() == newest.file_name()).then_some(report)
}

/// The matches of the run's newest net, if it has played them.
fn final_scores(folder: &Path) -> Vec<ScoreView> {
    let matches = evaluation(folder).map(|report| report.matches).unwrap_or_default();
    matches.iter().map(|found| ScoreView::new(found.opponent(), None, found.total.results)).collect()
}

/// A game of the newest net. A game in progress has all its moves so far.
pub fn game(folder: &Path) -> Option<TrainingGame> {
    let live = Live::read(folder)?;
    let is_playing = live.phase == Phase::SELF_PLAY;
    let longest = live.under_way.iter().max_by_key(|game| game.moves.len()).filter(|_| is_playing);
    let shown = longest.or_else(|| live.finished.first().filter(|_| !is_playing))?;
    let set = RunFolder(folder).read_rules().ok()?.into_values().next()?;
    let rules = Arc::new(Rules::new(set).ok()?);
    let DisplayedGame { index, moves, outcome, .. } = shown;
    let is_over = longest.is_none();
    Some(TrainingGame {
        run: String::new(),
        generation: live.generation as u32,
        index: *index,
        positions: shown.positions(&rules)?.iter().map(Position::rows).collect(),
        moves: moves.clone(),
        ending: is_over.then(|| ending(*outcome, moves.len())),
    })
}

fn ending(outcome: Option<Outcome>, n_plies: usize) -> String {
    match outcome {
        Some(Outcome { winner, reason }) if reason != Reason::PlyLimit => {
            words::ending(GameEnding { winner, reason: reason.name() })
        }
        _ => format!("unfinished after {n_plies} plies"),
    }
}

/// The model file of the run's newest net, with a card that says what was measured.
pub fn model_file(folder: &Path) -> anyhow::Result<Vec<u8>> {
    let newest = RunFolder(folder).newest_net().context("there is no net yet")?;
    let mut model = load_net(&newest)?;
    model.card = Some(card(folder, &model));
    Ok(model.to_bytes()?)
}

fn card(folder: &Path, model: &Model) -> Card {
    let rules: Vec<&str> = model.rules.iter().map(StatedRules::name).collect();
    let (metrics, _) = RunFolder(folder).read_readable_metrics().unwrap_or_default();
    let seconds: f64 = metrics.iter().map(GenerationMetrics::seconds).sum();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let report = evaluation(folder).unwrap_or_default();
    let results = metrics.last().map_or(Results::default(), |line| line.selfplay.results);
    let unfinished = results.unfinished as f64 / results.games().max(1) as f64;
    let games = count(model.training.games as f64);
    let weakness = (unfinished > 0.25).then(|| {
        let share = (100.0 * unfinished).round();
        format!("{share} % of its last games against itself were not finished, so it seldom finds a win.")
    });
    Card {
        about: format!(
            "Learnt {} from nothing in {games} games against itself, on a page of `tablut serve`.",
            rules.join(", ")
        ),
        hardware: format!("{cores} cores, {} of training.", duration(seconds)),
        weaknesses: weakness.into_iter().collect(),
        scores: report.matches.iter().filter_map(|found| card_score(found).ok()).collect(),
        config: fs::read_to_string(RunFolder(folder).config()).unwrap_or_default(),
        ..Card::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(generation: u64) -> GenerationMetrics {
        let text = format!(
            r#"{{"schema":5,"generation":{generation},"selfplay":{{"games":60,"results":{{"attackers":40,"draws":3,"defenders":15,"unfinished":2}},"mean_plies":31.5,"seconds":2.0}}}}"#
        );
        serde_json::from_str(&text).expect("metrics")
    }

    #[test]
    fn generations_have_the_results_and_the_sums_so_far() {
        let views = generation_views(&[line(0), line(1)]);
        let Shares { attackers, draws, defenders, unfinished } = views[1].shares;
        assert_eq!([attackers, draws, defenders, unfinished].map(|share| share.count), [40, 3, 15, 2]);
        assert_eq!((views[1].generation, views[1].games, views[1].seconds), (1, 120, 4.0));
    }

    #[test]
    fn of_many_generations_an_even_selection_with_the_last_is_shown() {
        for n in [1, 119, 120, 121, 250, 1000] {
            let shown: Vec<u32> = spread(generation_views(&(0..n).map(line).collect::<Vec<_>>()))
                .iter()
                .map(|view| view.generation)
                .collect();
            assert!(shown.len() <= MAX_GENERATIONS && shown.last() == Some(&(n as u32 - 1)), "{n}: {shown:?}");
            let steps: std::collections::BTreeSet<u32> = shown.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(steps.len() <= 1, "{n}: {steps:?}");
        }
    }
}
