//! The books of one generation or match: which games are there, from whom, and which are still wanted.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::{Duration, Instant};

use tablut_games::{FleetReport, GameRecord, PlayedGames, WorkerReport};

use crate::checks::{check, max_game_bytes};
use crate::order::Order;
use crate::parcel::{Parcel, ParcelGame, ParcelHeader};
use crate::wire::OrderSpec;

/// The games of one order as they come.
pub(super) struct Ledger {
    pub spec: OrderSpec,
    pub id: String,
    pub order: Order,
    pub probe: String,
    games: Vec<Place>,
    n_wanted: usize,
    missing: usize,
    /// Games that came since they were last asked for.
    arrived: Vec<usize>,
    workers: HashMap<String, Part>,
    report: FleetReport,
    batches: u64,
    evaluator_micros: u64,
    opened: Instant,
    completed: Option<Instant>,
}

/// A game's place.
enum Place {
    /// It is to come.
    Wanted,
    /// Nobody wants it.
    Unwanted,
    /// It is there.
    Here(Box<Arrival>),
}

impl Place {
    fn here(&self) -> Option<&Arrival> {
        match self {
            Self::Here(counted) => Some(counted),
            Self::Wanted | Self::Unwanted => None,
        }
    }
}

/// A game that has come.
#[derive(Clone)]
pub(super) struct Arrival {
    pub game: GameRecord,
    pub evaluations: u64,
    pub worker: String,
}

/// A worker's part.
struct Part {
    threads: usize,
    last: Instant,
}

impl Ledger {
    /// The books of `order`, of which the games `wanted` are to come.
    pub fn new(spec: OrderSpec, order: Order, probe: String, wanted: &[usize]) -> Self {
        let mut games: Vec<Place> = std::iter::repeat_with(|| Place::Unwanted).take(order.games()).collect();
        for &index in wanted {
            games[index] = Place::Wanted;
        }
        Self {
            id: spec.id(),
            missing: wanted.len(),
            n_wanted: wanted.len(),
            spec,
            order,
            probe,
            games,
            arrived: Vec::new(),
            workers: HashMap::new(),
            report: FleetReport::default(),
            batches: 0,
            evaluator_micros: 0,
            opened: Instant::now(),
            completed: None,
        }
    }

    /// The hashes of its nets.
    pub fn net_hashes(&self) -> Vec<String> {
        self.spec.nets.iter().map(|net| net.hash.clone()).collect()
    }

    pub fn is_complete(&self) -> bool {
        self.missing == 0
    }

    /// Games that have come.
    pub fn n_games(&self) -> usize {
        self.n_wanted - self.missing
    }

    /// How many parcels waited at the broker when one was read.
    pub fn count_lag(&mut self, waiting: u64) {
        self.report.lag = self.report.lag.max(waiting);
    }

    pub fn report(&self) -> &FleetReport {
        &self.report
    }

    pub fn count_jobs(&mut self, n: usize) {
        self.report.jobs += n as u64;
    }

    pub fn count_waiting(&mut self, time: Duration) {
        self.report.waited_seconds += time.as_secs_f64();
    }

    /// Checks a parcel's header and gives the most bytes that one of its games may have.
    pub fn admit(&self, header: &ParcelHeader) -> Result<usize, String> {
        let same = |what: &str, found: &str, expected: &str| {
            if found == expected { Ok(()) } else { Err(format!("{what} {found}, expected {expected}")) }
        };
        same("the run", &header.run, &self.spec.run)?;
        same("the order", &header.order, &self.id)?;
        same("the rules", &header.rules, &self.spec.rules_hash())?;
        same("the net", &header.net, &self.spec.net_hashes())?;
        same("the probe", &header.probe, &self.probe)?;
        if header.games > self.order.games() {
            return Err(format!("{} games of a generation of {}", header.games, self.order.games()));
        }
        Ok(max_game_bytes(&self.order))
    }

    /// Takes the games of a parcel. One that is wrong is refused with all that come with it.
    pub fn take(&mut self, parcel: Parcel, bytes: usize) -> Result<(), String> {
        self.admit(&parcel.header)?;
        for entry in &parcel.games {
            check(&self.order, entry)?;
        }
        let header = parcel.header;
        self.report.bytes += bytes as u64;
        self.report.redeliveries += header.delivered.saturating_sub(1).min(1);
        self.batches += header.batches;
        self.evaluator_micros += header.evaluator_micros;
        let now = Instant::now();
        let part = self.workers.entry(header.worker.clone()).or_insert(Part { threads: header.threads, last: now });
        part.last = now;
        for ParcelGame { game, evaluations } in parcel.games {
            let index = game.index as usize;
            if !matches!(self.games[index], Place::Wanted) {
                self.report.duplicates += 1;
                continue;
            }
            let worker = header.worker.clone();
            self.games[index] = Place::Here(Box::new(Arrival { game, evaluations, worker }));
            self.arrived.push(index);
            self.missing -= 1;
        }
        self.completed = self.is_complete().then(Instant::now);
        Ok(())
    }

    pub fn refuse(&mut self) {
        self.report.refused += 1;
    }

    /// The games that came since the last call.
    pub fn arrivals(&mut self) -> Vec<Arrival> {
        let arrived = std::mem::take(&mut self.arrived);
        arrived.into_iter().filter_map(|index| self.games[index].here()).cloned().collect()
    }

    /// Throws away what `worker` has sent; it is wanted again.
    pub fn distrust(&mut self, worker: &str) -> usize {
        let mut thrown = 0;
        for game in &mut self.games {
            if game.here().is_some_and(|counted| counted.worker == worker) {
                *game = Place::Wanted;
                thrown += 1;
            }
        }
        self.missing += thrown;
        self.report.refused += thrown as u64;
        self.completed = None;
        thrown
    }

    /// The games that are missing and that none of `outstanding` will bring, as ranges.
    pub fn uncovered(&self, outstanding: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut wanted: Vec<bool> = self.games.iter().map(|place| matches!(place, Place::Wanted)).collect();
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

    /// All games, once they are there.
    pub fn finish(self) -> PlayedGames {
        let seconds = self.completed.unwrap_or_else(Instant::now).duration_since(self.opened).as_secs_f64();
        let mut games = Vec::with_capacity(self.games.len());
        let mut parts: BTreeMap<String, usize> = BTreeMap::new();
        let mut evaluations = 0;
        for place in self.games {
            let Place::Here(counted) = place else { continue };
            let counted = *counted;
            *parts.entry(counted.worker).or_default() += 1;
            evaluations += counted.evaluations;
            games.push(counted.game);
        }
        let mut report = self.report;
        let mut thread_seconds = 0.0;
        for (name, games) in parts {
            let part = self.workers.get(&name);
            let threads = part.map_or(0, |part| part.threads);
            let played = part.map_or(seconds, |part| part.last.duration_since(self.opened).as_secs_f64());
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
