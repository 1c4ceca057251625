//! `tablut serve [MODEL…]`: the page on which one plays, analyses and tries rules.

use std::io::Write;
use std::path::Path;

use tablut_play::{ServeArgs, serve};

use crate::console::Console;

/// Arguments of `tablut serve`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    serve: ServeArgs,
}

/// Serves until the program is ended.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    // Whoever started the program may have stopped listening: the page is served all the same.
    let ready = &mut |link: &str, folder: &Path| {
        let folder = folder.display();
        let _ = writeln!(console, "{link}\nGames are kept in {folder}. Ctrl-C ends the program; no game is lost.");
        let _ = console.flush();
    };
    Ok(serve(&args.serve, ready)?)
}
