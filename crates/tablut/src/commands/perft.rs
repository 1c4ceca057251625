//! `tablut perft`: counts move sequences, to verify move generation.

use std::io::Write as _;

use tablut_rules::{Rules, Side};

use crate::console::Console;

/// Count the move sequences of an exact number of plies
///
/// Sequences in which the game ends earlier are not counted. Repetition and ply limits are ignored.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule set, by name or TOML file
    #[arg(long, default_value = "kvasir", value_name = "R")]
    rules: String,
    /// Plies in a sequence
    #[arg(long, value_name = "D")]
    depth: u32,
    /// The side that moves first: attackers or defenders [default: that of the position or the rule set]
    #[arg(long, value_name = "SIDE")]
    first: Option<Side>,
    /// Count from this position instead of the start, such as "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a"
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Print the count after each first move, then the sum
    #[arg(long)]
    divide: bool,
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let rules = Rules::load(&args.rules)?;
    let position = rules.opening(args.first, args.position.as_deref())?;
    if args.divide {
        for (mv, count) in rules.perft_divide(&position, args.depth) {
            writeln!(console, "{mv} {count}")?;
        }
    }
    writeln!(console, "{}", rules.perft(&position, args.depth))?;
    Ok(())
}
