//! Every clause of the guide's rules page as a test with the clause's name: a case where it applies, and a similar case
//! where it does not.

mod ashton;
mod brandubh;
mod general;
mod history;
mod hnefatafl;
mod imperial;
mod kvasir;
mod linnaeus;
mod ludoteka;
mod masters;
mod piecepack;
mod show;
mod tartu;
mod tawlbwrdd;
