//! Every clause of the rulebook as a test named after it: where it bites, and where it just does not.

mod ashton;
mod general;
mod history;
mod imperial;
mod kvasir;
mod linnaeus;
mod ludoteka;
mod masters;
mod piecepack;
mod show;
mod tartu;
