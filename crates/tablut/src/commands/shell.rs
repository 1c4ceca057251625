//! `tablut completions` and `tablut man`: shell completions and manual pages for these commands.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use clap_complete::Shell;
use clap_mangen::Man;
use tablut_net::durable;

use crate::console::Console;
use crate::outputs::Overwrite;

/// Arguments of `tablut completions`.
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Arguments of `tablut man`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// Folder for the pages, one per command, such as ~/.local/share/man/man1.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Prints the completions for a shell.
pub fn completions(args: &CompletionsArgs, mut program: clap::Command, console: &mut Console) -> anyhow::Result<()> {
    let name = program.get_name().to_owned();
    // Into memory first: the generator panics where a file does not take what it writes.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut program, name, &mut text);
    Ok(console.write_all(&text)?)
}

/// Writes a page for each command.
pub fn man(args: &ManArgs, mut program: clap::Command, console: &mut Console) -> anyhow::Result<()> {
    program.build();
    let mut pages = Vec::new();
    collect(&program, &mut pages)?;
    for (name, _) in &pages {
        args.overwrite.check(&args.out.join(name))?;
    }
    for (name, page) in &pages {
        let path = args.out.join(name);
        durable::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    writeln!(console, "{} ({} pages)", args.out.display(), pages.len())?;
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
