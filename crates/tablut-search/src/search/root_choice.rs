//! Chooses the root move of the next simulation, by Gumbel's rounds or by PUCT.

use super::Search;
use super::root::Entry;
use super::stop::{Next, Stop};
use crate::formulas::completed_q::mixed_value;
use crate::formulas::halving::HalvingGroup;
use crate::formulas::improved_policy::{ImprovedPolicy, PolicyMove, improved_policy};
use crate::formulas::puct::puct_choice;
use crate::formulas::softmax::exp;
use crate::formulas::{Unvisited, Visited};
use crate::perspective::turned;
use crate::proof::Proof;
use crate::tree::{Edge, NONE, ROOT};

impl Search {
    /// The root move's edge, if it has one.
    fn entry_edge(&self, entry: &Entry) -> Option<&Edge> {
        (entry.edge != NONE).then(|| self.tree.edge(entry.edge))
    }

    /// Simulations through the root move, including kept ones.
    pub(super) fn entry_visits(&self, entry: &Entry) -> u32 {
        self.entry_edge(entry).map_or(0, |edge| edge.visits)
    }

    /// The proof of a root move, in plies from the root.
    pub(super) fn entry_proof(&self, entry: &Entry) -> Option<Proof> {
        self.entry_edge(entry)?.proof.map(Proof::one_ply_earlier)
    }

    /// Whether the move is proven to lose for the side to move at the root.
    pub(super) fn is_refuted(&self, entry: &Entry) -> bool {
        self.config.solver.is_on()
            && self
                .entry_edge(entry)
                .and_then(|edge| edge.proof)
                .is_some_and(|proof| proof.winner == Some(self.root.side.opponent()))
    }

    /// The improved policy over all root moves. Refuted moves count only if no other move is left.
    pub(super) fn root_policy(&self) -> ImprovedPolicy {
        let side = self.root.side;
        let all_refuted = self.root.entries.iter().all(|entry| self.is_refuted(entry));
        let moves: Vec<PolicyMove> = self
            .root
            .entries
            .iter()
            .map(|entry| {
                let edge = self.entry_edge(entry);
                PolicyMove {
                    log_prior: entry.log_prior,
                    // A proven move counts as visited.
                    visits: edge.map_or(0, |edge| edge.visits.max(u32::from(edge.proof.is_some()))),
                    q: edge.map_or(0.0, |edge| turned(edge.q, side)),
                    refuted: !all_refuted && self.is_refuted(entry),
                }
            })
            .collect();
        let raw_value = self.tree.nodes.first().map_or(0.0, |root| turned(root.raw_value, side));
        improved_policy(raw_value, &moves, &self.config.gumbel.sigma)
    }

    /// The chance of a draw after each root move: that of a visited or proven move, and for the others one that is mixed
    /// like `v_mix`.
    pub(super) fn completed_draws(&self) -> Vec<f32> {
        let draws = |entry: &Entry| {
            let edge = self.entry_edge(entry).filter(|edge| edge.visits > 0 || edge.proof.is_some())?;
            Some((edge.visits.max(1), self.tree.node(edge.child).draws))
        };
        let all_refuted = self.root.entries.iter().all(|entry| self.is_refuted(entry));
        let entries = self.root.entries.iter().filter(|entry| all_refuted || !self.is_refuted(entry));
        let visited: Vec<Visited> = entries
            .filter_map(|entry| {
                draws(entry).map(|(visits, draws)| Visited { prior: exp(entry.log_prior), visits, q: draws })
            })
            .collect();
        let raw_draws = self.tree.nodes.first().map_or(0.0, |root| root.raw_draws);
        let mixed = mixed_value(raw_draws, &visited).value;
        self.root.entries.iter().map(|entry| draws(entry).map_or(mixed, |(_, draws)| draws)).collect()
    }

    /// g(a) + ln π(a) + σ(completedQ(a)) of every root move, −∞ for refuted moves. Q includes the bonus for short wins.
    pub(super) fn root_scores(&self, policy: &ImprovedPolicy) -> Vec<f32> {
        let score = |(index, entry): (usize, &Entry)| {
            if self.is_refuted(entry) {
                return f32::NEG_INFINITY;
            }
            let bonus = policy.sigma.of(self.root_bonus(entry)) - policy.sigma.of(0.0);
            entry.gumbel + policy.logits[index] + bonus
        };
        self.root.entries.iter().enumerate().map(score).collect()
    }

    /// The moves-left bonus of a root move, in units of Q.
    fn root_bonus(&self, entry: &Entry) -> f32 {
        let Some(edge) = self.entry_edge(entry).filter(|_| self.config.moves_left > 0.0) else { return 0.0 };
        self.moves_left_bonus(self.tree.node(ROOT), edge, turned(edge.q, self.root.side))
    }

    /// The reason to stop that the root's proofs give, if any.
    fn early_stop(&self) -> Option<Stop> {
        if self.config.solver.is_on() && self.tree.node(ROOT).proof.is_some() {
            return Some(Stop::Proven);
        }
        let open = self.root.entries.iter().filter(|entry| !self.is_refuted(entry)).take(2).count();
        (open == 1 && self.config.stop_when_decided).then_some(Stop::Decided)
    }

    pub(super) fn next_gumbel(&mut self) -> Next {
        loop {
            if let Some(entry) = self.root.slots.get(self.root.next_slot) {
                self.root.next_slot += 1;
                return Next::Simulate(*entry);
            }
            if !self.pending.is_empty() {
                return Next::Wait;
            }
            if let Some(stop) = self.early_stop() {
                return Next::Finish(stop);
            }
            let Some(group) = self.root.groups.get(self.root.next_group).copied() else {
                return Next::Finish(Stop::Simulations);
            };
            self.plan_round(group);
        }
    }

    /// Chooses the better ones of the moves that are still considered, and plans one simulation for each. Moves that
    /// were refuted in the meantime are dropped, and the next best moves replace them.
    ///
    /// mctx chooses before each simulation; here the choice is made once for the whole group. The two differ only if a
    /// simulation of the group changes the order of moves that it does not visit. With several leaves in flight, the
    /// groups of one phase are planned together, because they all consider the same moves.
    fn plan_round(&mut self, group: HalvingGroup) {
        let size = group.candidates as usize;
        let mut considered = std::mem::take(&mut self.root.considered);
        let open = |entry: &usize| !self.is_refuted(&self.root.entries[*entry]);
        considered.retain(open);
        // Within a phase the considered moves stay the same, whatever their scores.
        if considered.len() != size {
            let scores = self.root_scores(&self.root_policy());
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
        self.root.considered = considered;
        self.lay_out(group);
    }

    /// Plans a simulation for each considered move, except those that kept visits pay for.
    fn lay_out(&mut self, group: HalvingGroup) {
        let visits = |entry: usize| self.entry_visits(&self.root.entries[entry]);
        let considered: Vec<(usize, u32)> = self.root.considered.iter().map(|entry| (*entry, visits(*entry))).collect();
        let root = &mut self.root;
        root.slots.clear();
        root.next_slot = 0;
        let mut planned = group;
        loop {
            root.next_group += 1;
            let unpaid = |of: &&(usize, u32)| of.1 <= planned.visits;
            root.slots.extend(considered.iter().filter(unpaid).map(|(entry, _)| *entry));
            match root.groups.get(root.next_group) {
                Some(next)
                    if next.candidates == planned.candidates
                        && root.slots.len() < self.config.leaves_in_flight as usize =>
                {
                    planned = *next;
                }
                _ => return,
            }
        }
    }

    pub(super) fn next_puct(&mut self) -> Next {
        let budget = self.budget().saturating_sub(self.kept_visits);
        let left = budget.saturating_sub(self.simulations + self.pending.len() as u32);
        if self.pending.is_empty() {
            if left == 0 {
                return Next::Finish(Stop::Simulations);
            }
            if let Some(stop) = self.early_stop().or_else(|| self.leader_stop(left)) {
                return Next::Finish(stop);
            }
        }
        if left == 0 || self.pending.len() >= self.leaves_allowed() {
            return Next::Wait;
        }
        Next::Simulate(self.choose_puct())
    }

    /// How many leaves may be in flight. In a small tree virtual losses would dominate the choice, so the number is at
    /// most a sixteenth of the root's visits.
    fn leaves_allowed(&self) -> usize {
        let grown = 1 + self.tree.node(ROOT).visits / 16;
        self.config.leaves_in_flight.min(grown) as usize
    }

    /// Without a temperature the most visited open move is played. So stop if the next one can no longer overtake it.
    fn leader_stop(&self, left: u32) -> Option<Stop> {
        // The leading move has at most the root's visits.
        let may_lead = self.tree.node(ROOT).visits > left;
        if !self.config.stop_when_decided || self.move_temperature() > 0.0 || !may_lead {
            return None;
        }
        let (mut first, mut second) = (0, 0);
        let open = self.root.entries.iter().filter(|entry| !self.is_refuted(entry));
        for visits in open.map(|entry| self.entry_visits(entry)) {
            if visits > first {
                (first, second) = (visits, first);
            } else {
                second = second.max(visits);
            }
        }
        // That the leading move may still be refuted is not foreseen.
        (first > second + left).then_some(Stop::Decided)
    }

    /// PUCT over the root's moves.
    fn choose_puct(&mut self) -> usize {
        let side = self.root.side;
        let (mut visited, mut ids) = (std::mem::take(&mut self.scratch.visited), std::mem::take(&mut self.scratch.ids));
        visited.clear();
        ids.clear();
        let mut best: Option<usize> = None;
        let mut sum_prior = 0.0;
        let root = self.tree.node(ROOT);
        let (solves, lost) = (self.config.solver.is_on(), Some(side.opponent()));
        for (index, entry) in self.root.entries.iter().enumerate() {
            match self.entry_edge(entry) {
                Some(edge) if solves && edge.proof.is_some_and(|proof| proof.winner == lost) => {}
                Some(edge) if edge.visits + u32::from(edge.in_flight) > 0 => {
                    ids.push(index as u32);
                    let of = self.with_virtual_loss(root, edge, side);
                    let q = of.q + self.moves_left_bonus(root, edge, of.q);
                    visited.push(Visited { prior: entry.prior, q, ..of });
                }
                _ => {
                    sum_prior += entry.prior;
                    if best.is_none_or(|best| entry.prior > self.root.entries[best].prior) {
                        best = Some(index);
                    }
                }
            }
        }
        let unvisited = best.map(|best| Unvisited { prior: self.root.entries[best].prior, sum_prior });
        let choice = puct_choice(&self.config.puct, turned(root.q, side), &visited, unvisited);
        let chosen = choice.index.map(|index| ids[index] as usize);
        self.scratch.visited = visited;
        self.scratch.ids = ids;
        // If no move can be chosen, the root is proven lost, and any move will do.
        chosen.or(best).unwrap_or(0)
    }
}
