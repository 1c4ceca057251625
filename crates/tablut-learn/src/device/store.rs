//! The nets on a device. Equal weights are there once, and only while somebody uses them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::product_net::ProductNet;

/// Nets by the hash of their weights.
#[derive(Default)]
pub(super) struct Store {
    nets: Mutex<HashMap<String, Weak<ProductNet>>>,
}

impl Store {
    /// The net with this hash, if somebody uses it.
    pub fn find(&self, hash: &str) -> Option<Arc<ProductNet>> {
        self.lock().get(hash).and_then(Weak::upgrade)
    }

    /// Adds a net, and forgets those that nobody uses any more.
    pub fn add(&self, hash: String, net: &Arc<ProductNet>) {
        let mut nets = self.lock();
        nets.retain(|_, net| net.strong_count() > 0);
        nets.insert(hash, Arc::downgrade(net));
    }

    /// Nets that are in use.
    #[cfg(test)]
    pub fn in_use(&self) -> usize {
        self.lock().values().filter(|net| net.strong_count() > 0).count()
    }

    /// Every state of the map is sound, so it does not matter whether somebody panicked.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Weak<ProductNet>>> {
        self.nets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
