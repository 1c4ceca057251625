//! What a search does next, and why it ended.

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// All simulations are spent.
    Simulations,
    /// The root's result is proven.
    Proven,
    /// No further simulation can change the move.
    Decided,
    /// The tree holds as many nodes as it may.
    Memory,
    /// [`crate::Search::stop`] was called.
    Asked,
    /// The game is over: there is nothing to search.
    GameOver,
}

/// What to do next.
pub(super) enum Next {
    /// Simulate through this root move.
    Simulate(usize),
    /// Simulations in flight must come back first.
    Wait,
    /// Nothing more to do.
    Finish(Stop),
}
