//! Decides which games are held out from training, to measure the net on unseen games.

/// Whether the game with this number is held out. `share` of the games are held out, with the same share for each of
/// the `sets` rule sets, which take turns.
pub(crate) fn is_held_out(index: u64, sets: usize, share: f32) -> bool {
    let of_set = index / sets.max(1) as u64;
    let share = f64::from(share);
    ((of_set + 1) as f64 * share).floor() > (of_set as f64 * share).floor()
}

#[cfg(test)]
mod tests {
    use super::is_held_out;

    #[test]
    fn a_fixed_share_of_each_rule_sets_games_is_held_out() {
        let held_out = |sets, share| (0..400).filter(|&index| is_held_out(index, sets, share)).collect::<Vec<u64>>();
        assert_eq!(held_out(3, 0.0), [] as [u64; 0]);
        assert_eq!(held_out(1, 0.25).len(), 100);
        let of_two = held_out(2, 0.5);
        assert_eq!(of_two.len(), 200);
        assert_eq!(of_two.iter().filter(|index| *index % 2 == 0).count(), 100);
    }
}
