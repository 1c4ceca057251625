//! The messages of the protocol: orders, jobs and heartbeats, as JSON, and their subjects.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tablut_arena::Opening;
use tablut_games::{Handicap, SelfPlayConfig};
use tablut_net::{Architecture, Weights};
use tablut_rules::{RuleSet, Rules};
use tablut_search::{Limit, SearchConfig, SelfPlaySearch};

use crate::error::FleetError;

/// Version of the protocol. Trainer and workers must have the same.
pub const WIRE_VERSION: u32 = 6;

/// The games of one generation or of one match, with everything that determines them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderSpec {
    pub version: u32,
    pub run: String,
    /// The generation, or the match's number, from 0.
    pub generation: u64,
    /// The number of games. Their indices begin at 0.
    pub games: usize,
    /// The seed of the run or of the match.
    pub seed: u64,
    /// The rule sets in full, which take turns. A match has one.
    pub rules: Vec<RuleSet>,
    /// The nets that play: one for self-play, up to two for a match.
    pub nets: Vec<NetSpec>,
    /// The kind of games and their settings.
    pub work: WorkSpec,
}

/// A net that a job needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetSpec {
    /// Hash of its weights, and its name in the object store.
    pub hash: String,
    pub architecture: Architecture,
}

impl NetSpec {
    pub fn of(weights: &Arc<Weights>) -> Self {
        Self { hash: weights.hash(), architecture: weights.architecture() }
    }
}

/// The kind of games and their settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum WorkSpec {
    SelfPlay {
        selfplay: SelfPlayConfig,
        search: SelfPlaySearch,
        /// Simulations per search, except in games with unequal searches.
        simulations: u32,
        /// The handicaps of each rule set's games. Empty if there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sets: Vec<Handicap>,
    },
    Match {
        players: [OrderedPlayer; 2],
        /// Plies after which a game is a draw.
        max_plies: u32,
        /// Hash of all openings. Each job contains its own openings.
        openings: String,
    },
}

/// A player of a match, in a form that any machine can create.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OrderedPlayer {
    /// A player without a net.
    Baseline { player: String },
    /// A net, by its index among the order's nets.
    Net { net: usize, limit: Limit, search: SearchConfig },
}

impl OrderSpec {
    pub fn compiled_rules(&self) -> Result<Vec<Arc<Rules>>, FleetError> {
        let compiled = |set: &RuleSet| Rules::new(set.clone()).map(Arc::new);
        let rules = self.rules.iter().map(compiled).collect::<Result<Vec<_>, _>>();
        let rules = rules.map_err(|error| FleetError::message("job", error))?;
        if rules.is_empty() { Err(FleetError::message("job", "no rules")) } else { Ok(rules) }
    }

    /// The hashes of its nets, joined by `+`. Empty if there are none.
    pub fn net_hashes(&self) -> String {
        self.nets.iter().map(|net| net.hash.as_str()).collect::<Vec<_>>().join("+")
    }

    pub fn rules_hash(&self) -> String {
        let json = serde_json::to_vec(&self.rules).expect("every field has a form in JSON");
        blake3::hash(&json).to_hex()[..32].to_owned()
    }

    /// A hash of the whole order, in sixteen hexadecimal digits.
    pub fn id(&self) -> String {
        let json = serde_json::to_vec(self).expect("every field has a form in JSON");
        blake3::hash(&json).to_hex()[..16].to_owned()
    }
}

/// Some games of an order, for one worker to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub order: OrderSpec,
    /// Index of the first game.
    pub first: usize,
    pub count: usize,
    /// For a match, the openings of its pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<Opening>,
    /// The hash of [`crate::probe()`] on the trainer's machine.
    pub probe: String,
    /// Threads of all workers together when the job was handed out. A worker computes its part of the jobs from it.
    pub fleet_threads: usize,
}

impl Job {
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("every field has a form in JSON")
    }

    /// Reads a job. The version is checked first, so that the error for a job of another version names the version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FleetError> {
        #[derive(Deserialize)]
        struct Versioned {
            order: Version,
        }
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let wrong = |error: serde_json::Error| FleetError::message("job", error);
        let found = serde_json::from_slice::<Versioned>(bytes).map_err(wrong)?.order.version;
        if found != WIRE_VERSION {
            return Err(FleetError::Setup(format!(
                "the trainer uses version {found} of the protocol, this program uses version {WIRE_VERSION}; trainer and \
                 workers need the same build of tablut"
            )));
        }
        let job: Self = serde_json::from_slice(bytes).map_err(wrong)?;
        let end = job.first.checked_add(job.count);
        if job.count == 0 || end.is_none_or(|end| end > job.order.games) {
            let reason = format!("{} games from game {} on, of {}", job.count, job.first, job.order.games);
            return Err(FleetError::message("job", reason));
        }
        let pairs = job.first / 2..(job.first + job.count).div_ceil(2);
        if matches!(job.order.work, WorkSpec::Match { .. }) && job.openings.len() != pairs.len() {
            let reason = format!("{} openings for {} pairs of games", job.openings.len(), pairs.len());
            return Err(FleetError::message("job", reason));
        }
        Ok(job)
    }
}

/// The state of a worker, which it sends every few seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heartbeat {
    /// The worker's name, which is unique in the fleet.
    pub name: String,
    pub threads: usize,
    /// Games finished since it started.
    pub games: u64,
    /// Games per second over the last half minute.
    pub games_per_second: f64,
    /// Unfinished games of its jobs.
    pub holding: usize,
    /// The reason why it does not play, if it was refused.
    pub refused: Option<String>,
}

pub fn job_subject(order: &OrderSpec, first: usize, count: usize) -> String {
    format!("tablut.job.{}.{}.{}.{first}.{count}", order.run, order.generation, order.id())
}

pub fn result_subject(order: &OrderSpec) -> String {
    format!("tablut.result.{}.{}.{}", order.run, order.generation, order.id())
}

/// The contents of a job's subject: generation, order's id, first game, number of games.
pub(crate) fn read_job_subject(subject: &str) -> Option<(u64, &str, usize, usize)> {
    let mut parts = subject.strip_prefix("tablut.job.")?.split('.').skip(1);
    let (generation, order) = (parts.next()?.parse().ok()?, parts.next()?);
    Some((generation, order, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The contents of a result's subject: generation and order's id.
pub(crate) fn read_result_subject(subject: &str) -> Option<(u64, &str)> {
    let mut parts = subject.strip_prefix("tablut.result.")?.split('.').skip(1);
    Some((parts.next()?.parse().ok()?, parts.next()?))
}
