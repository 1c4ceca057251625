//! Config, steps, checkpoints and measurements of the learner, and its arithmetic beside burn's and a GPU's.

mod burn_net;
mod config_of_a_run;
mod gpu;
mod gradients;
mod learning;
mod lines;
mod metrics;
mod optimizer;
mod runs;
mod special;
mod start;
