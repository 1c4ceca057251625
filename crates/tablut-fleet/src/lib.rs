//! Self-play on many machines over NATS `JetStream`.
