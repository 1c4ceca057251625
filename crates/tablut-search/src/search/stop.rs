//! The next action of a search, and why a search ended.

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It has spent all simulations.
    Simulations,
    /// The root's result is proven.
    Proven,
    /// No further simulation can change the move.
    Decided,
    /// The tree has reached its maximum number of nodes.
    Memory,
    /// [`crate::Search::stop`] was called.
    Asked,
    /// The game is over: there is nothing to search.
    GameOver,
}

/// The next action.
pub(super) enum Next {
    /// Simulate through this root move.
    Simulate(usize),
    /// Simulations in flight must finish first.
    Wait,
    /// Nothing more to do.
    Finish(Stop),
}
