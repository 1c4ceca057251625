//! The nets of a worker. It uses several at once, because games of two generations overlap.

use std::sync::{Arc, Mutex, MutexGuard};

use tablut_net::{Architecture, Engine, Inference, InputBatch, NetError, NetEvaluator, OutputBatch, Weights};
use tablut_search::Evaluator;

use crate::broker::Broker;
use crate::error::FleetError;

/// The maximum number of nets in use at once.
pub(super) const SLOTS: usize = 8;
/// The number of fetched nets that are cached.
const CACHED: usize = 8;

/// The fetched nets, and the slots through which the players use them.
#[derive(Default)]
pub(super) struct SharedNets {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The fetched nets, the latest last.
    cached: Vec<Fetched>,
    slots: [Slot; SLOTS],
    /// The number of changes so far. Players compare it to detect that a slot has a new net.
    changes: u64,
}

#[derive(Clone)]
pub(super) struct Fetched {
    hash: String,
    engine: Arc<Engine>,
    pub weights: Arc<Weights>,
}

#[derive(Default)]
struct Slot {
    net: Option<(String, Arc<Engine>)>,
    /// The number of jobs that use it.
    uses: usize,
    changed: u64,
}

impl SharedNets {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The net with this hash, from the cache or the broker.
    pub async fn fetch(&self, broker: &Broker, hash: &str, architecture: &Architecture) -> Result<Fetched, FleetError> {
        if let Some(here) = self.lock().cached.iter().find(|cached| cached.hash == hash) {
            return Ok(here.clone());
        }
        let weights = broker.net(hash, architecture).await?;
        let engine = Engine::new(&weights).map_err(|error| FleetError::message("net", error))?;
        let fetched = Fetched { hash: hash.to_owned(), engine: Arc::new(engine), weights };
        let mut state = self.lock();
        if state.cached.len() >= CACHED {
            state.cached.remove(0);
        }
        state.cached.push(fetched.clone());
        Ok(fetched)
    }

    /// Reserves slots with these nets. `None` while too many slots are in use for other nets.
    pub fn take_slots(&self, nets: &[Fetched]) -> Option<Vec<usize>> {
        let mut state = self.lock();
        let mut taken = Vec::new();
        for net in nets {
            let holds = |slot: &Slot| slot.net.as_ref().is_some_and(|(held, _)| *held == net.hash);
            let held = state.slots.iter().position(holds);
            let place = held.or_else(|| state.slots.iter().position(|slot| slot.uses == 0));
            let Some(place) = place else {
                // A job reserves all of its slots or none, so that two jobs never wait for each other.
                for place in taken {
                    let slot: &mut Slot = &mut state.slots[place];
                    slot.uses -= 1;
                }
                return None;
            };
            if held.is_none() {
                state.changes += 1;
                let changed = state.changes;
                state.slots[place] = Slot { net: Some((net.hash.clone(), Arc::clone(&net.engine))), uses: 0, changed };
            }
            state.slots[place].uses += 1;
            taken.push(place);
        }
        Some(taken)
    }

    /// Releases the slots of a job.
    pub fn leave_slots(&self, slots: &[usize]) {
        let mut state = self.lock();
        for &place in slots {
            state.slots[place].uses -= 1;
        }
    }
}

/// A thread's evaluator for one slot. It shares the slot's engine, and replaces it when the slot's net has changed.
pub(super) struct SlotInference {
    nets: Arc<SharedNets>,
    slot: usize,
    engine: Option<(u64, Engine)>,
}

impl SlotInference {
    pub fn evaluator(nets: &Arc<SharedNets>, slot: usize) -> Box<dyn Evaluator> {
        Box::new(NetEvaluator::new(Box::new(Self { nets: Arc::clone(nets), slot, engine: None })))
    }
}

impl Inference for SlotInference {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        let state = self.nets.lock();
        let slot = &state.slots[self.slot];
        let changed = slot.changed;
        let engine = match self.engine.take() {
            Some((since, engine)) if since == changed => {
                drop(state);
                engine
            }
            _ => {
                let shared = slot.net.as_ref().map(|(_, engine)| Arc::clone(engine));
                drop(state);
                let missing = || NetError::Inference("a game uses a net that was not fetched".to_owned());
                shared.ok_or_else(missing)?.share(1)?
            }
        };
        let (_, engine) = self.engine.insert((changed, engine));
        engine.infer(input, output)
    }
}
