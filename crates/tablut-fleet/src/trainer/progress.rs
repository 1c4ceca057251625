//! The progress of one order: the games that have arrived, their workers, and the missing games.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use tablut_games::{FleetReport, GameRecord, PlayedGames, WorkerReport};

use crate::order::Order;
use crate::result_message::{ResultHeader, ResultMessage};

/// The games of one order.
pub(super) struct Progress {
    pub id: String,
    pub order: Arc<Order>,
    pub probe: String,
    pub report: FleetReport,
    /// The games that have arrived, by index.
    games: BTreeMap<usize, ReceivedGame>,
    /// The indices of the games that have not arrived.
    missing: BTreeSet<usize>,
    /// Games that have arrived since the last call of `new_games`.
    new_games: Vec<usize>,
    workers: HashMap<String, WorkerPart>,
    batches: u64,
    evaluator_micros: u64,
    began: Instant,
    completed: Option<Instant>,
}

#[derive(Clone)]
pub(super) struct ReceivedGame {
    pub game: GameRecord,
    pub worker: String,
}

struct WorkerPart {
    threads: usize,
    last: Instant,
}

impl Progress {
    /// The progress of `order`, of which only the games `wanted` are needed.
    pub fn new(order: Order, probe: String, wanted: &[usize]) -> Self {
        Self {
            id: order.spec.id(),
            order: Arc::new(order),
            probe,
            games: BTreeMap::new(),
            missing: wanted.iter().copied().collect(),
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
        self.missing.is_empty()
    }

    /// The number of games that have arrived.
    pub fn n_games(&self) -> usize {
        self.games.len()
    }

    pub fn check_header(&self, header: &ResultHeader) -> Result<(), String> {
        let same = |what: &str, found: &str, expected: &str| {
            if found == expected { Ok(()) } else { Err(format!("{what} {found}, expected {expected}")) }
        };
        let spec = &self.order.spec;
        same("the run", &header.run, &spec.run)?;
        same("the order", &header.order, &self.id)?;
        same("the rules", &header.rules, &spec.rules_hash())?;
        same("the net", &header.net, &spec.net_hashes())?;
        same("the probe", &header.probe, &self.probe)?;
        if header.games > spec.games {
            return Err(format!("{} games, but the generation has {}", header.games, spec.games));
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
        for game in result.games {
            let index = game.index as usize;
            if self.missing.remove(&index) {
                self.games.insert(index, ReceivedGame { game, worker: header.worker.clone() });
                self.new_games.push(index);
            } else {
                self.report.duplicates += 1;
            }
        }
        self.completed = self.is_complete().then(Instant::now);
        Ok(())
    }

    /// The games that have arrived since the last call.
    pub fn new_games(&mut self) -> Vec<ReceivedGame> {
        let new = std::mem::take(&mut self.new_games);
        new.iter().filter_map(|index| self.games.get(index)).cloned().collect()
    }

    /// Discards the games of a worker, so that they are missing again. Returns their number.
    pub fn discard(&mut self, worker: &str) -> usize {
        let discarded = self.games.extract_if(.., |_, received| received.worker == worker).map(|(index, _)| index);
        let discarded: Vec<usize> = discarded.collect();
        let n_discarded = discarded.len();
        self.missing.extend(discarded);
        self.report.refused += n_discarded as u64;
        self.completed = None;
        n_discarded
    }

    /// The ranges of missing games that no job of `outstanding` covers.
    pub fn uncovered(&self, outstanding: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for &index in self.missing.iter().filter(|index| !outstanding.iter().any(|range| range.contains(*index))) {
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
        for ReceivedGame { game, worker } in self.games.into_values() {
            *n_games.entry(worker).or_default() += 1;
            evaluations += game.evaluations;
            games.push(game);
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
