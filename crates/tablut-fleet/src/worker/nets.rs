//! The nets of a worker. It uses several at once, because games of two generations overlap.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use tablut_net::{
    Architecture, Inference, InputBatch, Model, ModelFileError, NetError, NetEvaluator, NetPool, OutputBatch,
    PooledNet, TrainingSummary,
};
use tablut_search::Evaluator;

use crate::broker::Broker;
use crate::error::FleetError;

/// The maximum number of nets in use at once.
pub(super) const SLOTS: usize = 8;

/// The fetched nets by their hashes, and the slots through which the players use them.
#[derive(Default)]
pub(super) struct SlottedNets {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    pool: NetPool,
    slots: [Slot; SLOTS],
    /// The number of times that a slot was taken.
    n_taken: u64,
}

#[derive(Default)]
struct Slot {
    net: Option<Arc<PooledNet>>,
    uses: usize,
    /// The number of `n_taken` when it was last taken.
    last_taken: u64,
}

impl SlottedNets {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The net with this hash, from a slot or the broker.
    pub async fn fetch(
        &self,
        broker: &Broker,
        hash: &str,
        architecture: Architecture,
    ) -> Result<Arc<PooledNet>, FleetError> {
        let name = Path::new(hash);
        if let Some(here) = self.lock().pool.get(name) {
            return Ok(Arc::clone(here));
        }
        let weights = broker.net(hash, architecture).await?;
        let model = Model { weights, rules: Vec::new(), training: TrainingSummary::default(), card: None };
        let mut state = self.lock();
        state.pool.forget_unused();
        let net = state.pool.get_or_load(name, || Ok(model));
        net.map_err(|error: ModelFileError| FleetError::message("net", error))
    }

    /// Reserves slots with these nets. `None` while too many slots are in use for other nets.
    pub fn take_slots(&self, nets: &[Arc<PooledNet>]) -> Option<Vec<usize>> {
        let mut state = self.lock();
        let mut taken = Vec::new();
        for net in nets {
            let holds = |slot: &Slot| slot.net.as_ref().is_some_and(|held| held.name == net.name);
            let held = state.slots.iter().position(holds);
            let free = || (0..SLOTS).filter(|&place| state.slots[place].uses == 0);
            let oldest = || free().min_by_key(|&place| state.slots[place].last_taken);
            let Some(place) = held.or_else(oldest) else {
                // A job reserves all of its slots or none, so that two jobs never wait for each other.
                for place in taken {
                    let slot: &mut Slot = &mut state.slots[place];
                    slot.uses -= 1;
                }
                return None;
            };
            state.n_taken += 1;
            let uses = state.slots[place].uses + 1;
            state.slots[place] = Slot { net: Some(Arc::clone(net)), uses, last_taken: state.n_taken };
            taken.push(place);
        }
        Some(taken)
    }

    pub fn leave_slots(&self, slots: &[usize]) {
        let mut state = self.lock();
        for &place in slots {
            state.slots[place].uses -= 1;
        }
    }
}

/// A thread's evaluator for one slot. It changes its net when the slot has another one.
pub(super) struct SlotInference {
    nets: Arc<SlottedNets>,
    slot: usize,
    open: Option<(Arc<PooledNet>, Box<dyn Inference>)>,
}

impl SlotInference {
    pub fn evaluator(nets: &Arc<SlottedNets>, slot: usize) -> Box<dyn Evaluator> {
        Box::new(NetEvaluator::new(Box::new(Self { nets: Arc::clone(nets), slot, open: None })))
    }
}

impl Inference for SlotInference {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        let missing = || NetError::Inference("a game uses a net that was not fetched".to_owned());
        let net = self.nets.lock().slots[self.slot].net.clone().ok_or_else(missing)?;
        let inference = match self.open.take() {
            Some((open, inference)) if Arc::ptr_eq(&open, &net) => inference,
            _ => net.inference(1)?,
        };
        let (_, inference) = self.open.insert((net, inference));
        inference.infer(input, output)
    }
}
