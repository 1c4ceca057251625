//! Config, steps, checkpoints and measurements of the learner, and its arithmetic beside burn's and a GPU's.

mod config_of_a_run;
mod device;
mod gradients;
mod learning;
mod metrics;
mod optimizer;
mod runs;
mod special;
mod start;
