//! The kinds of warnings: their titles, what each means, and what to do.

/// What can look wrong.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
#[non_exhaustive]
pub enum WarningKind {
    /// One side wins hardly any games of a rule set.
    OneSideCollapsed,
    /// The policy hardly leaves a choice.
    EntropyCollapsing,
    /// Values are farther from 0 than results.
    ValueOverconfident,
    /// Unseen games are predicted worse and worse than seen ones.
    HeldOutParting,
    /// The replay window holds too little.
    StarvedWindow,
    /// Losses no longer fall.
    Plateau,
    /// Many games end by the ply limit.
    LongGames,
    /// The run has become much slower.
    SlowingDown,
    /// The disk will be full before the run ends.
    DiskRunningOut,
}

impl WarningKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::DiskRunningOut,
        Self::OneSideCollapsed,
        Self::EntropyCollapsing,
        Self::ValueOverconfident,
        Self::HeldOutParting,
        Self::StarvedWindow,
        Self::Plateau,
        Self::LongGames,
        Self::SlowingDown,
    ];

    /// The heading in `docs/troubleshooting.md`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::OneSideCollapsed => "One side hardly ever wins",
            Self::EntropyCollapsing => "The policy's entropy collapses",
            Self::ValueOverconfident => "Values are overconfident",
            Self::HeldOutParting => "Unseen games are predicted worse than seen ones",
            Self::StarvedWindow => "The replay window is starved",
            Self::Plateau => "Losses have stopped falling",
            Self::LongGames => "Games reach the ply limit",
            Self::SlowingDown => "The run is slowing down",
            Self::DiskRunningOut => "The disk is running out",
        }
    }

    /// What it means.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::OneSideCollapsed => {
                "The net sees almost no wins of that side, so it cannot learn how to win with it, and the other side learns to beat a weak opponent."
            }
            Self::EntropyCollapsing => {
                "Self-play repeats the same few moves; games become alike, and better moves are no longer tried."
            }
            Self::ValueOverconfident => {
                "The net is sure of results that do not come, and the search trusts it too early."
            }
            Self::HeldOutParting => "The net learns its games by heart instead of what they have in common.",
            Self::StarvedWindow => "Each position is drawn too often, or forgotten too soon.",
            Self::Plateau => {
                "The net learns what it can from the games as they are; more of the same will not help much."
            }
            Self::LongGames => "Draws by length teach neither side anything, and take the most time.",
            Self::SlowingDown => "Something else uses the machine, or games or searches have grown.",
            Self::DiskRunningOut => {
                "The run will stop with an error when the disk is full. What is done by then is safe."
            }
        }
    }

    /// What to do.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::OneSideCollapsed => {
                "Give it time if the run is young. Otherwise: fewer simulations and more games early (schedule.simulations), more random plies (selfplay.opening_plies), \
                 and see by a match of strong players whether the rules are that one-sided."
            }
            Self::EntropyCollapsing => {
                "Raise selfplay.opening_plies, lower learning.learning_rate, or search more moves."
            }
            Self::ValueOverconfident => {
                "Raise learning.value_share, lower learning.draws_per_position, or enlarge learning.window_positions."
            }
            Self::HeldOutParting => {
                "Lower learning.draws_per_position, raise schedule.games or learning.window_positions, or take a smaller net."
            }
            Self::StarvedWindow => {
                "Raise learning.window_positions or schedule.games, or lower learning.draws_per_position."
            }
            Self::Plateau => {
                "Measure the net (tablut evaluate): if it still gains, go on. Otherwise raise the simulations, lower the learning rate, or take a larger net."
            }
            Self::LongGames => {
                "Lower selfplay.max_plies only if such games are truly drawn; otherwise give the search more simulations, so that wins are found."
            }
            Self::SlowingDown => {
                "Look for other programs, and at the memory. More simulations by the schedule are no cause for concern."
            }
            Self::DiskRunningOut => "Free some space, or remove old files under checkpoints/ of finished runs.",
        }
    }

    /// The anchor of its heading in `docs/troubleshooting.md`.
    pub fn anchor(self) -> String {
        self.title()
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_ascii_alphanumeric() || c == '-' => Some(c),
                _ => None,
            })
            .collect()
    }
}
