//! Sequential halving (Karnin et al. 2013), the simulation schedule at a Gumbel root.

/// One group of simulations: each of the `candidates` best moves with `visits` visits gets one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalvingGroup {
    /// Visits that each candidate has before the group.
    pub visits: u32,
    /// Simulations in the group, one per candidate.
    pub candidates: u32,
}

/// The schedule for `max_considered` moves and `simulations` simulations (Danihelka et al. 2022, section 3).
///
/// There are ⌈log₂ m⌉ phases of equal cost. In each phase every considered move gets max(1, ⌊n / (⌈log₂ m⌉ ·
/// considered)⌋) more visits. Then the better half stays, but never fewer than two. The remaining simulations go to the
/// last two moves, and the schedule is cut at n. Expanded to one entry per simulation, it equals mctx's
/// `get_sequence_of_considered_visits`.
pub fn schedule(max_considered: u32, simulations: u32) -> Vec<HalvingGroup> {
    if max_considered <= 1 {
        return (0..simulations).map(|visits| HalvingGroup { visits, candidates: 1 }).collect();
    }
    let phases = max_considered.next_power_of_two().ilog2();
    let mut groups = Vec::new();
    let (mut candidates, mut visits, mut left) = (max_considered, 0, simulations);
    while left > 0 {
        let extra_visits = (simulations / (phases * candidates)).max(1);
        for _ in 0..extra_visits {
            let size = candidates.min(left);
            if size > 0 {
                groups.push(HalvingGroup { visits, candidates: size });
            }
            visits += 1;
            left -= size;
        }
        candidates = (candidates / 2).max(2);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn considered_visits(max_considered: u32, simulations: u32) -> Vec<u32> {
        let groups = schedule(max_considered, simulations);
        groups.iter().flat_map(|group| vec![group.visits; group.candidates as usize]).collect()
    }

    /// The rows of mctx's `seq_halving_test.py`, and the paper's own setting of 16 moves and 200 simulations.
    #[test]
    fn the_schedule_is_that_of_mctx_and_of_the_paper() {
        // Exactly n = m · log₂ m.
        #[rustfmt::skip]
        assert_eq!(considered_visits(8, 24), [
            0, 0, 0, 0, 0, 0, 0, 0, // 8 moves
            1, 1, 1, 1, 2, 2, 2, 2, // 4 moves, twice
            3, 3, 4, 4, 5, 5, 6, 6, // 2 moves, four times
        ]);
        // More simulations: the rest goes to the last two moves, and one of them gets one more if the rest is odd.
        #[rustfmt::skip]
        assert_eq!(considered_visits(8, 47), [
            0, 0, 0, 0, 0, 0, 0, 0,
            1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
            4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10,
            11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17,
        ]);
        // Fewer simulations than moves, and fewer than m · log₂ m.
        assert_eq!(considered_visits(8, 2), [0, 0]);
        assert_eq!(considered_visits(8, 13), [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2]);
        // m not a power of two: 7, then 3, then 2.
        #[rustfmt::skip]
        assert_eq!(considered_visits(7, 24), [
            0, 0, 0, 0, 0, 0, 0,
            1, 1, 1, 2, 2, 2,
            3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8,
        ]);
        // The paper's figure 1, four phases of about 50: 16 moves 3 times, 8 moves 6 times, 4 moves 12 times,
        // 2 moves 25 times and what is left.
        let phases = |size| schedule(16, 200).iter().filter(|group| group.candidates == size).count();
        assert_eq!([phases(16), phases(8), phases(4), phases(2)], [3, 6, 12, 25 + 3]);
        // One move, or none, takes every simulation.
        assert_eq!(considered_visits(1, 16), (0..16).collect::<Vec<_>>());
        assert_eq!(considered_visits(0, 16), (0..16).collect::<Vec<_>>());
        assert_eq!(considered_visits(16, 0), []);
    }

    #[test]
    fn every_schedule_spends_exactly_its_simulations_on_visits_that_exist() {
        for max_considered in 0..40 {
            for simulations in 0..200 {
                let groups = schedule(max_considered, simulations);
                assert_eq!(groups.iter().map(|group| group.candidates).sum::<u32>(), simulations);
                for (before, after) in groups.iter().zip(groups.iter().skip(1)) {
                    assert_eq!(after.visits, before.visits + 1);
                    assert!(after.candidates <= before.candidates);
                }
            }
        }
    }
}
