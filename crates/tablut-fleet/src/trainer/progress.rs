//! The progress of one order: the games that have arrived, their workers, and the missing games.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::Instant;

use tablut_games::{FleetReport, PlayedGames, WorkerReport};

use crate::order::Order;
use crate::result_message::{ResultGame, ResultHeader, ResultMessage};
use crate::wire::OrderSpec;

/// The games of one order.
pub(super) struct Progress {
    pub spec: OrderSpec,
    pub id: String,
    pub order: Order,
    pub probe: String,
    pub report: FleetReport,
    games: Vec<GameState>,
    n_wanted: usize,
    n_missing: usize,
    /// Games that have arrived since the last call of `new_games`.
    new_games: Vec<usize>,
    workers: HashMap<String, WorkerPart>,
    batches: u64,
    evaluator_micros: u64,
    began: Instant,
    completed: Option<Instant>,
}

enum GameState {
    /// It has not arrived.
    Missing,
    /// It is not needed.
    Unwanted,
    /// It has arrived.
    Received(Box<ReceivedGame>),
}

impl GameState {
    fn received(&self) -> Option<&ReceivedGame> {
        match self {
            Self::Received(received) => Some(received),
            Self::Missing | Self::Unwanted => None,
        }
    }
}

/// A game from a worker.
#[derive(Clone)]
pub(super) struct ReceivedGame {
    pub played: ResultGame,
    pub worker: String,
}

/// A worker's part of the order.
struct WorkerPart {
    threads: usize,
    last: Instant,
}

impl Progress {
    /// The progress of `order`, of which only the games `wanted` are needed.
    pub fn new(spec: OrderSpec, order: Order, probe: String, wanted: &[usize]) -> Self {
        let mut games: Vec<GameState> = std::iter::repeat_with(|| GameState::Unwanted).take(order.games()).collect();
        for &index in wanted {
            games[index] = GameState::Missing;
        }
        Self {
            id: spec.id(),
            n_missing: wanted.len(),
            n_wanted: wanted.len(),
            spec,
            order,
            probe,
            games,
            new_games: Vec::new(),
            workers: HashMap::new(),
            report: FleetReport::default(),
            batches: 0,
            evaluator_micros: 0,
            began: Instant::now(),
            completed: None,
        }
    }

    pub fn is_complete(&self) -> bool {
        self.n_missing == 0
    }

    /// The number of games that have arrived.
    pub fn n_games(&self) -> usize {
        self.n_wanted - self.n_missing
    }

    /// Checks a result's header.
    pub fn check_header(&self, header: &ResultHeader) -> Result<(), String> {
        let same = |what: &str, found: &str, expected: &str| {
            if found == expected { Ok(()) } else { Err(format!("{what} {found}, expected {expected}")) }
        };
        same("the run", &header.run, &self.spec.run)?;
        same("the order", &header.order, &self.id)?;
        same("the rules", &header.rules, &self.spec.rules_hash())?;
        same("the net", &header.net, &self.spec.net_hashes())?;
        same("the probe", &header.probe, &self.probe)?;
        if header.games > self.order.games() {
            return Err(format!("{} games, but the generation has {}", header.games, self.order.games()));
        }
        Ok(())
    }

    /// Adds the games of a result of `n_bytes`, which have been checked.
    pub fn take(&mut self, result: ResultMessage, n_bytes: usize) -> Result<(), String> {
        self.check_header(&result.header)?;
        let header = result.header;
        self.report.bytes += n_bytes as u64;
        self.report.redeliveries += header.delivered.saturating_sub(1).min(1);
        self.batches += header.batches;
        self.evaluator_micros += header.evaluator_micros;
        let now = Instant::now();
        let new = WorkerPart { threads: header.threads, last: now };
        self.workers.entry(header.worker.clone()).or_insert(new).last = now;
        for played in result.games {
            let index = played.game.index as usize;
            if !matches!(self.games[index], GameState::Missing) {
                self.report.duplicates += 1;
                continue;
            }
            let worker = header.worker.clone();
            self.games[index] = GameState::Received(Box::new(ReceivedGame { played, worker }));
            self.new_games.push(index);
            self.n_missing -= 1;
        }
        self.completed = self.is_complete().then(Instant::now);
        Ok(())
    }

    /// The games that have arrived since the last call.
    pub fn new_games(&mut self) -> Vec<ReceivedGame> {
        let new = std::mem::take(&mut self.new_games);
        new.into_iter().filter_map(|index| self.games[index].received()).cloned().collect()
    }

    /// Discards the games of a worker, so that they are missing again. Returns their number.
    pub fn discard(&mut self, worker: &str) -> usize {
        let mut n_discarded = 0;
        for game in &mut self.games {
            if game.received().is_some_and(|received| received.worker == worker) {
                *game = GameState::Missing;
                n_discarded += 1;
            }
        }
        self.n_missing += n_discarded;
        self.report.refused += n_discarded as u64;
        self.completed = None;
        n_discarded
    }

    /// The ranges of missing games that no job of `outstanding` covers.
    pub fn uncovered(&self, outstanding: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut wanted: Vec<bool> = self.games.iter().map(|game| matches!(game, GameState::Missing)).collect();
        for range in outstanding {
            let end = range.end.min(wanted.len());
            wanted[range.start.min(end)..end].fill(false);
        }
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (index, _) in wanted.iter().enumerate().filter(|&(_, &wanted)| wanted) {
            match ranges.last_mut() {
                Some(range) if range.end == index => range.end += 1,
                _ => ranges.push(index..index + 1),
            }
        }
        ranges
    }

    /// All games of a complete order.
    pub fn finish(self) -> PlayedGames {
        let seconds = self.completed.unwrap_or_else(Instant::now).duration_since(self.began).as_secs_f64();
        let mut games = Vec::with_capacity(self.games.len());
        let mut n_games: BTreeMap<String, usize> = BTreeMap::new();
        let mut evaluations = 0;
        for state in self.games {
            let GameState::Received(received) = state else { continue };
            *n_games.entry(received.worker).or_default() += 1;
            evaluations += received.played.evaluations;
            games.push(received.played.game);
        }
        let mut report = self.report;
        let mut thread_seconds = 0.0;
        for (name, games) in n_games {
            let part = self.workers.get(&name);
            let threads = part.map_or(0, |part| part.threads);
            let played = part.map_or(seconds, |part| part.last.duration_since(self.began).as_secs_f64());
            thread_seconds += threads as f64 * seconds;
            let games_per_second = games as f64 / played.max(1e-3);
            report.workers.push(WorkerReport { name, threads, games, games_per_second });
        }
        PlayedGames {
            games,
            evaluations,
            seconds,
            mean_batch: evaluations as f64 / self.batches.max(1) as f64,
            batch_fill: 0.0,
            net_share: (self.evaluator_micros as f64 / 1e6 / thread_seconds.max(1e-3)).min(1.0),
            fleet: Some(report),
        }
    }
}
