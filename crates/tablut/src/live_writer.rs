//! Writes `live.json` in a run's folder during training: the current state, and some games in progress.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tablut_games::{GameWatch, PlyRecord};
use tablut_learn::RunEvent;
use tablut_report::{DisplayedGame, Live};
use tablut_rules::{Position, Rules};

use crate::run_events::Consumer;
use crate::run_progress::{Phase, RunProgress};

/// The minimum time between two writes.
const EVERY: Duration = Duration::from_secs(2);
/// Maximum numbers of games in progress, for each rule set and in all, and of finished games.
const MOST_OF_A_SET: usize = 2;
const MOST_UNDER_WAY: usize = 4;
const MOST_FINISHED: usize = 2;

/// Writes the file, and removes it when dropped.
pub struct LiveWriter {
    folder: PathBuf,
    state: Mutex<State>,
}

struct State {
    live: Live,
    phase_start: Instant,
    written: Option<Instant>,
}

impl LiveWriter {
    /// A writer for the run in `folder`.
    pub fn new(folder: &Path) -> Self {
        let live = Live { schema: Live::SCHEMA, ..Live::default() };
        let state = State { live, phase_start: Instant::now(), written: None };
        Self { folder: folder.to_owned(), state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and writes the file if the change is `urgent` or the last write is old enough.
    fn change(&self, urgent: bool, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        if urgent || state.written.is_none_or(|written| written.elapsed() >= EVERY) {
            state.live.written = Live::present();
            state.live.seconds = state.phase_start.elapsed().as_secs_f64();
            // An error is ignored, because training can continue. Readers see that the file is old.
            let _ = state.live.write(&self.folder);
            state.written = Some(Instant::now());
        }
    }
}

impl Consumer for LiveWriter {
    fn receive(&self, event: &RunEvent<'_>, progress: &RunProgress) -> Vec<String> {
        if matches!(event, RunEvent::Note(_)) {
            return Vec::new();
        }
        let begins = matches!(
            event,
            RunEvent::SelfPlayBegan { .. } | RunEvent::LearningBegan { .. } | RunEvent::RatingBegan { .. }
        );
        self.change(begins || matches!(event, RunEvent::Paused(_)), |state| {
            let (live, phase) = (&mut state.live, &progress.phase);
            live.phase.clear();
            live.phase.push_str(phase.name);
            (live.generation, live.done, live.total, live.paused) =
                (phase.generation, phase.done, phase.total, progress.paused);
            live.workers = progress.workers();
            state.phase_start = phase.start;
            if phase.name == Phase::SELF_PLAY {
                (live.results, live.evaluations) = (phase.results, progress.evaluations());
            }
            if begins {
                live.under_way.clear();
            }
            if let RunEvent::GameEnded(game) = event {
                let watched = live.under_way.iter().position(|other| other.index == game.index);
                if let Some(place) = watched {
                    live.under_way.remove(place);
                }
                // With workers no game is seen in progress, so finished games are shown.
                if watched.is_some() || live.under_way.is_empty() {
                    live.finished.insert(0, DisplayedGame::from(*game));
                    live.finished.truncate(MOST_FINISHED);
                }
            }
        });
        Vec::new()
    }
}

impl GameWatch for LiveWriter {
    fn moved(&self, index: u64, rules: &Arc<Rules>, start: &Position, plies: &[PlyRecord]) {
        self.change(false, |state| {
            let games = &mut state.live.under_way;
            if let Some(game) = games.iter_mut().find(|game| game.index == index) {
                for ply in &plies[game.moves.len().min(plies.len())..] {
                    game.moves.push(ply.mv);
                    game.values.push(ply.search.as_ref().map(|search| search.chances.value()));
                }
                return;
            }
            let of_set = games.iter().filter(|game| game.rules == rules.name()).count();
            if games.len() < MOST_UNDER_WAY && of_set < MOST_OF_A_SET {
                games.push(DisplayedGame::new(index, rules.name(), start, plies));
            }
        });
    }
}

impl Drop for LiveWriter {
    fn drop(&mut self) {
        Live::remove(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_games::{CancelToken, GameRecord, SearchRecord};
    use tablut_learn::{Run, TrainConfig};
    use tablut_report::LIVE_FILE;
    use tablut_rules::{Game, Outcome, Reason, Results, Side};
    use tablut_search::Chances;

    use crate::run_events::RunEvents;

    #[test]
    fn games_are_followed_from_their_start_to_their_end() {
        let folder = tempfile::tempdir().unwrap();
        let text = "rules = [\"kvasir\", \"ashton\"]\nshape = \"lines32x1\"\n";
        let config = TrainConfig::parse(text, Path::new("test.toml"), &[]).unwrap();
        let run = Run::open(&folder.path().join("run"), config).unwrap();
        let writer = Arc::new(LiveWriter::new(&run.folder));
        let progress = RunProgress::new(&run, &Arc::default(), &CancelToken::new());
        let events = RunEvents::new(progress, vec![writer.clone()]);
        events.send(RunEvent::SelfPlayBegan { generation: 3, games: 20 });
        let sets: Vec<Arc<Rules>> = ["kvasir", "ashton"].map(|name| Arc::new(Rules::named(name).unwrap())).into();
        let search = Some(SearchRecord { chances: Chances::new(0.25, 0.0), simulations: 8, policy: vec![] });
        let plies = ["d1-d3", "e3-c3"].map(|mv| PlyRecord { mv: mv.parse().unwrap(), search: search.clone() });
        let start = Position::start(Side::Attackers);
        for index in 0..6 {
            writer.moved(index, &sets[0], &start, &plies[..1]);
        }
        writer.moved(9, &sets[1], &start, &plies[..1]);
        writer.moved(0, &sets[0], &start, &plies);
        let watched: Vec<_> = writer.state().live.under_way.iter().map(|game| (game.index, game.moves.len())).collect();
        assert_eq!(watched, [(0, 2), (1, 1), (9, 1)]);
        let outcome = Outcome { winner: Some(Side::Defenders), reason: Reason::KingEscaped };
        let ends = |index| {
            let game = Game::new(sets[0].clone(), Side::Attackers);
            let record = GameRecord { plies: plies.to_vec(), ..GameRecord::new(index, &game, 40, outcome) };
            events.send(RunEvent::GameEnded(&record));
        };
        (5..7).for_each(ends);
        ends(0);
        events.send(RunEvent::LearningBegan { generation: 3, steps: 4 });
        let live = Live::read(&run.folder).unwrap();
        assert_eq!(
            (live.phase.as_str(), live.generation, live.results),
            ("learning", 3, Results { defenders: 3, ..Results::default() })
        );
        assert_eq!(live.finished.iter().map(|game| game.index).collect::<Vec<_>>(), [0]);
        assert!(live.under_way.is_empty() && live.finished[0].outcome == Some(outcome));
        assert!(run.folder.join(LIVE_FILE).exists());
        drop((writer, events));
        assert!(!run.folder.join(LIVE_FILE).exists());
    }
}
