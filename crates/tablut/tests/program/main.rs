//! Tests that run the program. They are one test program, so that cargo links once and all cores are busy.

mod analyze;
mod arena_commands;
#[path = "../../../tablut-fleet/tests/broker/mod.rs"]
mod broker;
mod console;
mod devices;
mod fleet;
mod gpu_runs;
mod guidance;
mod instruction_sets;
mod interrupts;
mod match_fleet;
mod match_resume;
mod mistakes;
mod model_card;
mod notebooks;
mod outputs;
mod own_rules;
mod program_players;
mod results;
mod resume;
mod review;
mod rules_commands;
mod run_folder;
mod tiny;
mod watching;
