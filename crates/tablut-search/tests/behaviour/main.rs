//! The behaviour of a search, seen from outside.

mod batching;
mod exhaustive;
mod fakes;
mod finishing;
mod golden;
mod history_proofs;
mod limits;
mod lines;
mod mates;
mod puct;
mod reference;
mod reuse;
mod soundness;
mod stress;
mod symmetries;
mod wins;
