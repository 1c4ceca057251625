//! `tablut generate`: files that other commands or programs use.

mod openings;
mod puzzles;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man;
use tablut_rules::RULE_SET_NAMES;

use crate::console::Console;
use crate::outputs::{Overwrite, write};

/// The kinds of files.
#[derive(clap::Subcommand)]
pub enum Generate {
    Openings(openings::Args),
    Puzzles(puzzles::Args),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write manual pages, one for each command.
    Man {
        /// Folder for the pages, one per command, such as ~/.local/share/man/man1.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        #[command(flatten)]
        overwrite: Overwrite,
    },
}

/// Writes the files. `program` has the commands for completions and manual pages.
pub fn run(command: &Generate, program: clap::Command, console: &mut Console) -> anyhow::Result<()> {
    match command {
        Generate::Openings(args) => openings::run(args, console),
        Generate::Puzzles(args) => puzzles::run(args, console),
        Generate::Completions { shell } => completions(*shell, program, console),
        Generate::Man { out, overwrite } => man(out, *overwrite, program, console),
    }
}

fn completions(shell: Shell, program: clap::Command, console: &mut Console) -> anyhow::Result<()> {
    let mut program = with_rule_sets(program);
    let name = program.get_name().to_owned();
    // The generator panics if it cannot write, so it writes into memory.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut program, name, &mut text);
    Ok(console.write_all(&text)?)
}

/// The command with the names of the rule sets as the values of `--rules`, which also takes files.
fn with_rule_sets(command: clap::Command) -> clap::Command {
    let names = |arg: clap::Arg| match arg.get_long() {
        Some("rules") => arg.value_parser(PossibleValuesParser::new(RULE_SET_NAMES)),
        _ => arg,
    };
    command.mut_args(names).mut_subcommands(with_rule_sets)
}

/// Writes a page for each command into the folder `out`.
fn man(out: &Path, overwrite: Overwrite, mut program: clap::Command, console: &mut Console) -> anyhow::Result<()> {
    program.build();
    let mut pages = Vec::new();
    collect(&program, &mut pages)?;
    for (name, _) in &pages {
        overwrite.check(&out.join(name))?;
    }
    for (name, page) in &pages {
        let path = out.join(name);
        write(&path, page)?;
    }
    writeln!(console, "{} ({} pages)", out.display(), pages.len())?;
    Ok(())
}

/// The pages of a command and of those below it, with their file names.
fn collect(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    pages.push((format!("{name}.1"), page));
    let mut below = command.get_subcommands().filter(|inner| inner.get_name() != "help");
    below.try_for_each(|inner| collect(inner, pages))
}
