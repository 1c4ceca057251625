//! `tablut report RUN…`: summarizes runs, writes a page about them, and event files for TensorBoard.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use tablut_report::{RunFiles, headline, report_page, run_json, warnings, write_tensorboard};

use crate::console::Console;
use crate::outputs::{check_writable, write};

#[derive(clap::Args)]
pub struct Args {
    /// Folders of runs, in progress or finished. Several runs are compared.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The page to write [default: report.html in the run's folder, or comparison.html here for several runs].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write event files for TensorBoard into this folder, or with several runs into a subfolder for each.
    #[arg(long, value_name = "DIR")]
    tensorboard: Option<PathBuf>,
    /// Print a JSON array with each run's verdict, matches and ratings.
    #[arg(long)]
    json: bool,
}

/// Writes the page, and prints its summary.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let mut runs: Vec<RunFiles> = args.runs.iter().map(|folder| RunFiles::read(folder)).collect::<Result<_, _>>()?;
    for (run, name) in runs.iter_mut().zip(distinct_names(&args.runs)) {
        run.name = name;
    }
    let out = match (&args.out, args.runs.as_slice()) {
        (Some(out), _) => out.clone(),
        (None, [run]) => run.join("report.html"),
        (None, _) => PathBuf::from("comparison.html"),
    };
    // The files are written first, so that they exist even if the summary cannot be printed. A summary is printed even if
    // the page cannot be written, for example because the run is on a disk for reading.
    let page = report_page(&runs);
    let is_written = check_writable(&out).and_then(|()| write(&out, page.as_bytes()));
    let mut written = Vec::new();
    if is_written.is_ok() {
        written.push(format!("The report is in {} ({} kB)", out.display(), page.len() / 1000));
    }
    if let Some(folder) = &args.tensorboard {
        for run in &runs {
            let folder = if runs.len() == 1 { folder.clone() } else { folder.join(&run.name) };
            let files = write_tensorboard(run, &folder, true)
                .with_context(|| format!("cannot write event files into {}", folder.display()))?;
            written.push(format!(
                "{files} event files are in {}. To show them: tensorboard --logdir {0}",
                folder.display()
            ));
        }
    }
    if args.json {
        let runs: Vec<_> = runs.iter().map(run_json).collect();
        writeln!(console, "{}", serde_json::to_string_pretty(&runs)?)?;
        return Ok(());
    }
    for line in runs.iter().map(in_words).chain(written) {
        writeln!(console, "{line}")?;
    }
    is_written.context("choose another file for the page with --out")
}

/// Distinct names of runs: as many last parts of their paths as needed. If a path is given twice, the names are
/// numbered.
fn distinct_names(folders: &[PathBuf]) -> Vec<String> {
    let parts = |folder: &PathBuf| -> Vec<String> {
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        whole.iter().map(|part| part.to_string_lossy().into_owned()).collect()
    };
    let all: Vec<Vec<String>> = folders.iter().map(parts).collect();
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);
    let names = |n: usize| all.iter().map(|parts| parts[parts.len().saturating_sub(n)..].join("-")).collect();
    let are_distinct = |names: &Vec<String>| names.iter().collect::<HashSet<_>>().len() == names.len();
    (1..=longest).map(names).find(are_distinct).unwrap_or_else(|| {
        names(1).into_iter().enumerate().map(|(at, name): (usize, String)| format!("{name}-{}", at + 1)).collect()
    })
}

/// The headline and the warnings, as lines.
fn in_words(run: &RunFiles) -> String {
    let headline = headline(run);
    let mut lines = vec![format!("{}: {}", run.name, headline.answer)];
    lines.push(format!("  Next: {}", headline.next));
    lines.extend(headline.sentences.iter().map(|sentence| format!("  {sentence}")));
    lines.extend(warnings(run).iter().map(|warning| format!("  Warning: {warning}")));
    lines.extend(run.notes.iter().map(|note| format!("  Note: {note}")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_with_the_same_name_get_distinct_names() {
        let folder = tempfile::tempdir().unwrap();
        let run = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(&path).unwrap();
            path
        };
        assert_eq!(distinct_names(&[run("a/q"), run("b/q")]), ["a-q", "b-q"]);
        assert_eq!(distinct_names(&[run("a/q"), run("b/r")]), ["q", "r"]);
        assert_eq!(distinct_names(&[run("a/q"), run("a/q")]), ["q-1", "q-2"]);
    }
}
