//! Lines that people should see.

/// Takes a line that people should see: a connection lost, a worker refused.
pub type Notes = std::sync::Arc<dyn Fn(&str) + Send + Sync>;
