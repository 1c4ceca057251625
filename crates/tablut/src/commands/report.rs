//! `tablut report RUN…`: reports on runs, in words, as one page, or for TensorBoard.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use tablut_net::durable;
use tablut_report::{RunFiles, headline, report_page, warnings, write_tensorboard};

use crate::console::Console;
use crate::outputs::check_writable;

/// Arguments of `tablut report`.
#[derive(clap::Args)]
pub struct Args {
    /// Folders of runs, running or finished; several are compared.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The page to write [default: report.html in the run's folder; comparison.html here for several].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write event files for TensorBoard into this folder; with several runs, into one subfolder for each.
    #[arg(long, value_name = "DIR")]
    tensorboard: Option<PathBuf>,
}

/// Writes the page, and says in words what it says.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let runs: Vec<RunFiles> = args.runs.iter().map(|folder| RunFiles::read(folder)).collect::<Result<_, _>>()?;
    let out = match (&args.out, args.runs.as_slice()) {
        (Some(out), _) => out.clone(),
        (None, [run]) => run.join("report.html"),
        (None, _) => PathBuf::from("comparison.html"),
    };
    check_writable(&out)?;
    // The files come first: whoever reads no further than the first lines has them all the same.
    let page = report_page(&runs);
    durable::write(&out, page.as_bytes()).with_context(|| format!("cannot write {}", out.display()))?;
    let mut written = vec![format!("The report is {} ({} kB)", out.display(), page.len() / 1000)];
    if let Some(folder) = &args.tensorboard {
        for run in &runs {
            let folder = if runs.len() == 1 { folder.clone() } else { folder.join(&run.name) };
            let files = write_tensorboard(run, &folder, true)
                .with_context(|| format!("cannot write event files into {}", folder.display()))?;
            written.push(format!("{files} event files are in {}: tensorboard --logdir {0}", folder.display()));
        }
    }
    for line in runs.iter().map(in_words).chain(written) {
        writeln!(console, "{line}")?;
    }
    Ok(())
}

/// The headline and the warnings, as lines.
fn in_words(run: &RunFiles) -> String {
    let headline = headline(run);
    let mut lines = vec![format!("{}: {}", run.name, headline.answer)];
    lines.extend(headline.sentences.iter().map(|sentence| format!("  {sentence}")));
    lines.extend(warnings(run).iter().map(|warning| format!("  Warning: {warning}")));
    lines.extend(run.notes.iter().map(|note| format!("  Note: {note}")));
    lines.join("\n")
}
