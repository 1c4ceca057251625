//! A request to stop work. The requester and the workers share it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Requests that work stops. Clones are the same request. A [child](Self::child) can also be cancelled alone.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
    parent: Option<Arc<CancelToken>>,
}

impl CancelToken {
    /// A new token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled together with this one, and that can also be cancelled alone.
    pub fn child(&self) -> Self {
        Self { cancelled: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Requests the stop. Returns false if this token was already cancelled.
    pub fn cancel(&self) -> bool {
        !self.cancelled.swap(true, Ordering::Relaxed)
    }

    /// Whether a stop was requested, for this token or for one of its parents.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }
}

#[cfg(test)]
mod tests {
    use super::CancelToken;

    #[test]
    fn a_child_is_cancelled_with_its_parent_and_not_the_other_way_round() {
        let parent = CancelToken::new();
        let (first, second) = (parent.child(), parent.child().child());
        assert!(first.clone().cancel() && first.is_cancelled() && !first.cancel());
        assert!(!parent.is_cancelled() && !second.is_cancelled());
        assert!(parent.cancel() && second.is_cancelled() && !parent.cancel());
    }
}
