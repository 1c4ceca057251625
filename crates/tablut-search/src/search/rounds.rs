//! The rounds of a Gumbel search: sequential halving over the root's moves.

use super::root::RootView;
use crate::config::SearchConfig;
use crate::formulas::halving::{HalvingGroup, schedule};
use crate::limit::Stop;

pub(super) enum Next {
    Simulate(usize),
    /// Simulations in flight must finish first.
    Wait,
    Finish(Stop),
}

/// The plan of a Gumbel search. A PUCT search has none.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    groups: Vec<HalvingGroup>,
    next_group: usize,
    /// The moves that are still considered, best first.
    considered: Vec<usize>,
    /// The simulations of the current round, and how many have started.
    slots: Vec<usize>,
    next_slot: usize,
}

impl Rounds {
    /// A plan for `budget` simulations through the `n_open` moves that are not refuted yet.
    pub fn new(config: &SearchConfig, n_open: usize, budget: u32) -> Self {
        let groups = schedule(config.gumbel.considered(n_open as u32, budget), budget);
        Self { groups, ..Self::default() }
    }

    /// The moves that are still considered, best first.
    pub fn considered(&self) -> &[usize] {
        &self.considered
    }

    /// Puts the last simulation back into the plan, because it did not start.
    pub fn put_back(&mut self) {
        self.next_slot = self.next_slot.saturating_sub(1);
    }

    /// Whether all simulations of the current round have started.
    pub fn is_idle(&self) -> bool {
        self.next_slot >= self.slots.len()
    }

    /// The next action. A new round starts only if no simulation is `in_flight`.
    pub fn next(&mut self, at: RootView<'_>, in_flight: bool) -> Next {
        loop {
            if let Some(entry) = self.slots.get(self.next_slot) {
                self.next_slot += 1;
                return Next::Simulate(*entry);
            }
            if in_flight {
                return Next::Wait;
            }
            if let Some(stop) = at.early_stop() {
                return Next::Finish(stop);
            }
            let Some(group) = self.groups.get(self.next_group).copied() else {
                return Next::Finish(Stop::Simulations);
            };
            self.consider(at, group.candidates as usize);
            self.lay_out(at, group);
        }
    }

    /// Chooses the better ones of the moves that are still considered. Moves that were refuted in the meantime are
    /// dropped, and the next best moves replace them.
    ///
    /// mctx chooses before each simulation. Here the choice is made once for the whole group. The two differ only if a
    /// simulation of the group changes the order of moves that it does not visit. With several leaves in flight, the
    /// groups of one phase are planned together, because they all consider the same moves.
    fn consider(&mut self, at: RootView<'_>, size: usize) {
        let considered = &mut self.considered;
        let open = |entry: &usize| !at.is_refuted(&at.root.entries[*entry]);
        considered.retain(open);
        // Within a phase the considered moves stay the same, regardless of their scores.
        if considered.len() == size {
            return;
        }
        let scores = at.scores(&at.policy());
        let better = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
        considered.sort_by(better);
        considered.truncate(size);
        if considered.len() < size {
            let others = (0..scores.len()).filter(|entry| open(entry) && !considered.contains(entry));
            let mut others: Vec<usize> = others.collect();
            others.sort_by(better);
            considered.extend(others.iter().take(size - considered.len()));
        }
    }

    /// Plans a simulation for each considered move that does not have enough visits from a kept tree.
    fn lay_out(&mut self, at: RootView<'_>, group: HalvingGroup) {
        let visits = |entry: usize| at.visits(&at.root.entries[entry]);
        let considered: Vec<(usize, u32)> = self.considered.iter().map(|entry| (*entry, visits(*entry))).collect();
        self.slots.clear();
        self.next_slot = 0;
        let mut planned = group;
        loop {
            self.next_group += 1;
            let unpaid = |(_, visits): &&(usize, u32)| *visits <= planned.visits;
            self.slots.extend(considered.iter().filter(unpaid).map(|(entry, _)| *entry));
            match self.groups.get(self.next_group) {
                Some(next)
                    if next.candidates == planned.candidates
                        && self.slots.len() < at.config.leaves_in_flight as usize =>
                {
                    planned = *next;
                }
                _ => return,
            }
        }
    }
}
