//! Keeps `live.json` in a run's folder while it trains: what it does, and a few games as they are played.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tablut_games::{Counters, GameRecord, GameWatch, PlyRecord};
use tablut_report::{Live, LiveGame};
use tablut_rules::{Position, Rules, Side};

/// How often the file is written, at most.
const EVERY: Duration = Duration::from_secs(2);
/// Games that are watched at once, of each rule set and in all; and how many of those that have ended are kept.
const MOST_OF_A_SET: usize = 2;
const MOST_UNDER_WAY: usize = 4;
const MOST_FINISHED: usize = 2;
/// The phase in which games are played to learn from.
pub const SELF_PLAY: &str = "self-play";

/// Writes the file; it goes with this value.
pub struct LiveWriter {
    folder: PathBuf,
    counters: Arc<Counters>,
    state: Mutex<State>,
    /// Says who plays, where others do.
    workers: OnceLock<Box<dyn Fn() -> String + Send + Sync>>,
}

struct State {
    live: Live,
    phase_start: Instant,
    evaluations_before: u64,
    written: Option<Instant>,
}

impl LiveWriter {
    /// For the run in `folder`, which counts with `counters`.
    pub fn new(folder: &Path, counters: &Arc<Counters>) -> Self {
        let live = Live { schema: Live::SCHEMA, ..Live::default() };
        let state = State { live, phase_start: Instant::now(), evaluations_before: 0, written: None };
        Self {
            folder: folder.to_owned(),
            counters: counters.clone(),
            state: Mutex::new(state),
            workers: OnceLock::new(),
        }
    }

    /// Writes also what `workers` says, from now on.
    pub fn watch(&self, workers: impl Fn() -> String + Send + Sync + 'static) {
        // The first fleet is the only one.
        let _ = self.workers.set(Box::new(workers));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what the file is to say, and writes it if it is `urgent` or was not written for a while.
    fn change(&self, urgent: bool, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        if urgent || state.written.is_none_or(|written| written.elapsed() >= EVERY) {
            state.live.written = Live::present();
            state.live.workers = self.workers.get().map(|workers| workers()).unwrap_or_default();
            state.live.seconds = state.phase_start.elapsed().as_secs_f64();
            // Whoever watches sees that nothing new comes; it is no reason to stop training.
            let _ = state.live.write(&self.folder);
            state.written = Some(Instant::now());
        }
    }

    /// A phase begins.
    pub fn begin(&self, phase: &str, generation: u64, total: u64) {
        self.change(true, |state| {
            let live = &mut state.live;
            (live.phase, live.generation, live.done, live.total) = (phase.to_owned(), generation, 0, total);
            live.under_way.clear();
            state.phase_start = Instant::now();
            if phase == SELF_PLAY {
                (live.results, live.evaluations) = ([0; 3], 0);
                state.evaluations_before = self.counters.evaluations.load(Ordering::Relaxed);
            }
        });
    }

    /// A game has ended.
    pub fn game_ends(&self, game: &GameRecord) {
        self.change(false, |state| {
            let live = &mut state.live;
            live.done += 1;
            live.results[match game.outcome.winner {
                Some(Side::Attackers) => 0,
                None => 1,
                Some(Side::Defenders) => 2,
            }] += 1;
            live.evaluations =
                self.counters.evaluations.load(Ordering::Relaxed).saturating_sub(state.evaluations_before);
            let watched = live.under_way.iter().position(|other| other.index == game.index);
            if let Some(place) = watched {
                live.under_way.remove(place);
            }
            // Where games are played elsewhere none is seen under way: those that come are shown.
            if watched.is_some() || live.under_way.is_empty() {
                live.finished.insert(0, LiveGame::from(game));
                live.finished.truncate(MOST_FINISHED);
            }
        });
    }

    /// So many steps are done.
    pub fn step_ends(&self) {
        self.change(false, |state| state.live.done += 1);
    }

    /// The run was paused, or goes on.
    pub fn pause(&self, paused: bool) {
        self.change(true, |state| state.live.paused = paused);
    }
}

impl GameWatch for LiveWriter {
    fn moved(&self, index: u64, rules: &Arc<Rules>, start: &Position, plies: &[PlyRecord]) {
        self.change(false, |state| {
            let games = &mut state.live.under_way;
            if let Some(game) = games.iter_mut().find(|game| game.index == index) {
                for ply in &plies[game.moves.len().min(plies.len())..] {
                    game.moves.push(ply.mv.to_string());
                    game.values.push(ply.search.as_ref().map(|search| search.value));
                }
                return;
            }
            let of_set = games.iter().filter(|game| game.rules == rules.name()).count();
            if games.len() < MOST_UNDER_WAY && of_set < MOST_OF_A_SET {
                games.push(LiveGame::new(index, rules.name(), start, plies));
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
    use tablut_games::{GameNotes, SearchRecord};
    use tablut_rules::{Outcome, Reason};

    #[test]
    fn games_are_followed_from_their_beginning_to_their_end() {
        let folder = tempfile::tempdir().unwrap();
        let writer = LiveWriter::new(folder.path(), &Arc::default());
        writer.begin(SELF_PLAY, 3, 20);
        let sets: Vec<Arc<Rules>> = ["kvasir", "ashton"].map(|name| Arc::new(Rules::named(name).unwrap())).into();
        let search = Some(SearchRecord { value: 0.25, simulations: 8, policy: vec![] });
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
            let (rules, plies) = ("kvasir".to_owned(), plies.to_vec());
            writer.game_ends(&GameRecord {
                index,
                rules,
                max_plies: 40,
                start,
                plies,
                outcome,
                notes: GameNotes::default(),
            });
        };
        (5..7).for_each(ends);
        ends(0);
        writer.begin("learning", 3, 4);
        let live = Live::read(folder.path()).unwrap();
        assert_eq!((live.phase.as_str(), live.generation, live.results), ("learning", 3, [0, 0, 3]));
        assert_eq!(live.finished.iter().map(|game| game.index).collect::<Vec<_>>(), [0]);
        assert!(live.under_way.is_empty() && live.finished[0].outcome == Some(outcome));
        drop(writer);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
