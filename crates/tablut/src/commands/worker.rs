//! `tablut worker --nats URL`: plays games for a trainer or a match on another machine.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;
use tablut_fleet::{WorkerOptions, work};
use tablut_games::{Concurrency, Counters};

use super::nats::{NatsArgs, host_name};
use crate::console::Console;
use crate::interrupt::{Interrupted, cancelled_by_interrupt};

#[derive(clap::Args)]
pub struct Args {
    /// Threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Games that each thread plays at once.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    games_per_thread: u16,
    /// The worker's name, which must be unique [default: the machine's name and a random suffix].
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<String>,
    // The heading of these options continues to the end.
    #[command(flatten)]
    nats: NatsArgs,
}

fn name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !text.is_empty() && text.len() <= 60 && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("expected up to 60 letters, digits, - and _".to_owned())
    }
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let voice = console.voice;
    let Some(connection) = args.nats.connection() else {
        bail!("expected the broker's address, such as --nats nats://host:4222");
    };
    let threads = args.threads.map_or(Concurrency::default().workers, usize::from);
    let concurrency = Concurrency { workers: threads, tasks_per_worker: usize::from(args.games_per_thread) };
    let options = WorkerOptions { name: args.name.clone().unwrap_or_else(unique_name), concurrency };
    let cancel = cancelled_by_interrupt()?;
    let (name, broker) = (&options.name, connection.shown());
    voice.say(format_args!("Worker {name} on {threads} threads, broker {broker}. Ctrl-C stops it."));
    let notes: tablut_fleet::Log = Arc::new(move |line| voice.say(line));
    let done = work(&connection, &options, &Counters::default(), &cancel, &notes)?;
    voice.say(format_args!("Stopped after {} games in {} jobs, {:.0} s.", done.games, done.jobs, done.seconds));
    Err(Interrupted::now().into())
}

/// The machine's name and six hexadecimal digits that are different at each start.
fn unique_name() -> String {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let mixed = (nanos ^ (u64::from(std::process::id()) << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    format!("{}-{mixed:06x}", host_name())
}
