//! What a search does, seen from outside.

mod batching;
mod fakes;
mod mates;
mod reference;
mod reuse;
mod soundness;
mod symmetries;
