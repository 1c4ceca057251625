//! `tablut train CONFIG`: trains a net, shows the progress, and evaluates the net at the end.

mod finish;
mod schedule;

use std::io::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use indicatif::HumanCount;
use tablut_fleet::FleetGames;
use tablut_games::{CancelToken, Counters, GenerationMetrics, LocalGames, RunFolder, net_name};
use tablut_learn::{Run, RunEvent, TimeSource, TrainConfig, TrainError, train};
use tablut_net::{DeviceChoice, Model};
use tablut_play::ServeArgs;

use self::finish::{Deadline, finish, resume_command};
use self::schedule::RunTime;
use super::config::{Overrides, load_config, run_of};
use super::nats::FleetArgs;
use crate::console::{Console, Voice};
use crate::dashboard::{self, Dashboard};
use crate::forecast_text::forecast_text;
use crate::interrupt::{self, Interrupted, cancelled_by_interrupt};
use crate::live_writer::LiveWriter;
use crate::nets::{NetMaker, check_config, net_maker};
use crate::progress::Progress;
use crate::progress_lines::ProgressLines;
use crate::rater::rate;
use crate::run_events::{Consumer, RunEvents};
use crate::run_log::RunLog;
use crate::run_page::serve_in_background;
use crate::run_progress::RunProgress;
use crate::run_warnings::RunWarnings;

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct Args {
    /// The config file. The folder of a run means its config, rules and starting net.
    #[arg(required_unless_present_any = ["resume", "rules"])]
    config: Option<PathBuf>,
    /// Train without a config on this rule set, by name or TOML file, starting with the net that comes with the program.
    /// The program chooses the settings for `--time`.
    #[arg(long, value_name = "R", requires = "time", conflicts_with_all = ["config", "resume"])]
    rules: Option<String>,
    /// With `--rules`: start with an untrained net.
    #[arg(long, requires = "rules")]
    from_scratch: bool,
    /// Choose the games so that the run takes about this long on this machine, such as 10m, 2h or 7d. This includes the
    /// evaluation at the end. A finished run goes on if the time is longer than it took.
    #[arg(long, value_name = "TIME")]
    time: Option<RunTime>,
    /// Continue the run in this folder with its config.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["config", "run"])]
    resume: Option<PathBuf>,
    /// The run's folder [default: runs/ and the config's name]. An existing run is continued.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
    /// Device for learning, instead of the config's `machine.device`: cpu, gpu:N, or auto (the first GPU if there is
    /// one). GPUs need a program built with the feature `gpu`. A resumed run may change its device.
    #[arg(long, value_name = "DEVICE")]
    device: Option<DeviceChoice>,
    /// Do not train. Run a short benchmark, and estimate the run's time, evaluations, memory and disk space. For an
    /// existing run, estimate the rest.
    #[arg(long)]
    dry_run: bool,
    /// Serve a page about the run during training, on this machine only. With ADDRESS or ADDRESS:PORT other machines
    /// can open it too, with a token in the link.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1")]
    serve: Option<Place>,
    /// Show lines and bars instead of the dashboard on a terminal.
    #[arg(long)]
    plain: bool,
    /// Stop as with Ctrl-C when standard input ends, so that training ends with the program that started it.
    #[arg(long, hide = true)]
    until_input_ends: bool,
    // The heading of these options continues to the end.
    #[command(flatten)]
    fleet: FleetArgs,
}

/// The address for the page, and its port if given.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: IpAddr,
    port: Option<u16>,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(whole) = text.parse::<SocketAddr>() {
            return Ok(Self { address: whole.ip(), port: Some(whole.port()) });
        }
        let address = text.parse().map_err(|_| "expected an address such as 127.0.0.1 or 0.0.0.0:8527".to_owned())?;
        Ok(Self { address, port: None })
    }
}

/// Trains, evaluates the new net, and prints commands for using it.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    run_until(args, &cancelled_by_interrupt()?, None, console)
}

/// As [`run`], until `cancel` stops it. `watcher` receives the events of the run.
pub fn run_until(
    args: &Args,
    cancel: &CancelToken,
    watcher: Option<Arc<dyn Consumer>>,
    console: &mut Console,
) -> anyhow::Result<()> {
    let (voice, began) = (console.voice, Instant::now());
    let (folder, continues) = args.folder()?;
    let config = args.config(&folder, continues, cancel, voice)?;
    // The folder of a run that has the rules and the start of this one.
    let kept = if continues { Some(&*folder) } else { args.config.as_deref().and_then(run_of) };
    check_config(&config, kept)?;
    let rules = config.load_rules(kept)?;
    let names = rules.iter().map(|rules| rules.name()).collect::<Vec<_>>().join(", ");
    let parameters = HumanCount(config.shape.parameters() as u64);
    let start = match &config.start {
        _ if continues => String::new(),
        Some(start) => format!(", starting with {}", net_name(start)),
        None => ", from scratch".to_owned(),
    };
    voice.say(format_args!("Training {} ({parameters} parameters) on {names}{start}", config.shape));
    voice.say(format_args!("in {}", folder.display()));
    if let Some(time) = args.time.as_ref().filter(|_| !continues) {
        schedule::say(&config, time, voice);
    }
    if args.dry_run {
        write!(console, "{}", forecast_text(&config, &folder, kept, cancel, voice)?)?;
        return Ok(());
    }
    let preparing = Progress::waiting(voice, "preparing the net and the games");
    let mut run = match kept {
        Some(_) if continues => Run::resume(&folder, &args.changes())?,
        Some(other) => Run::repeat(&folder, config, other)?,
        None => Run::open(&folder, config)?,
    };
    let clock = || -> TimeSource {
        let cancel = cancel.clone();
        Box::new(move || began.elapsed().saturating_sub(cancel.paused()))
    };
    let before = Duration::from_secs_f64(run.metrics.iter().map(GenerationMetrics::seconds).sum());
    let deadline = |time: &RunTime| Deadline { time: time.time.saturating_sub(before), clock: clock() };
    let deadline = args.time.as_ref().map(deadline);
    if let Some(time) = &args.time {
        run.keep_to(time.time, clock())?;
    }
    let trains = !run.is_finished();
    let log = Arc::new(RunLog::open(&run)?);
    let make_engine = net_maker()?;
    drop(preparing);
    if let Some(place) = args.serve {
        let serve = ServeArgs { listen: Some(place.address), port: place.port, ..ServeArgs::default() };
        voice.say(format_args!("The run's page: {}", serve_in_background(&folder, serve, &log)?));
    }
    if args.until_input_ends {
        interrupt::raise_at_end_of_input(cancel)?;
    }
    match args.train(&mut run, &make_engine, &log, watcher, cancel, voice)? {
        Ok(()) => finish(&run, trains, deadline.as_ref(), cancel, console),
        Err(TrainError::Stopped) => {
            log.write("stopped on request");
            voice.say(format_args!("Stopped. Finished work is in {}. To continue:", folder.display()));
            voice.say(format_args!("  {}", resume_command(&folder)));
            Err(Interrupted::now().into())
        }
        Err(error) => {
            log.write(&error);
            Err(error.into())
        }
    }
}

impl Args {
    /// Trains on this machine or with workers, and shows the progress. The outer error means that the broker cannot be
    /// used.
    fn train(
        &self,
        run: &mut Run,
        make_engine: &NetMaker,
        log: &Arc<RunLog>,
        watcher: Option<Arc<dyn Consumer>>,
        cancel: &CancelToken,
        voice: Voice,
    ) -> anyhow::Result<Result<(), TrainError>> {
        let counters = Arc::new(Counters::default());
        let screen = dashboard::take_terminal(voice, self.plain);
        let lines = Arc::new(ProgressLines::new(run, &counters, voice, screen.is_some()));
        let live = Arc::new(LiveWriter::new(&run.folder));
        let warnings = Arc::new(RunWarnings::new(run));
        let progress = RunProgress::new(run, &counters, cancel);
        let consumers: [Arc<dyn Consumer>; 4] = [log.clone(), live.clone(), lines.clone(), warnings];
        let events = Arc::new(RunEvents::new(progress, consumers.into_iter().chain(watcher).collect()));
        let _dashboard = screen.map(|screen| Dashboard::start(screen, &events, &lines, cancel));
        if let Some(risk) = run.lock.risk() {
            events.note(&format!("Warning: {risk}"));
        }
        for change in &run.changed {
            events.note(&format!("config: {} was {}, is {}", change.key, change.before, change.after));
        }
        if run.next_generation > 0 {
            events.note(&format!("Continuing after generation {}", run.next_generation - 1));
        }
        if !run.device.is_cpu() {
            events.note(&format!("Learning on {}", run.device.name()));
        }
        let on_event = |event: RunEvent<'_>| events.send(event);
        let rate = |run: &Run, generation: u64, model: &Model, cancel: &CancelToken| {
            rate(run, generation, model, cancel, &on_event)
        };
        let concurrency = run.config.machine.concurrency();
        let notes = {
            let events = events.clone();
            Arc::new(move |line: &str| events.note(line))
        };
        let fleet = self.fleet.start(run.id(), &run.folder, concurrency, notes)?;
        let Some(fleet) = fleet else {
            let mut games = LocalGames::new(&**make_engine, concurrency).watched(live);
            return Ok(train(run, &mut games, &counters, cancel, Some(&rate), &on_event));
        };
        let status = fleet.status();
        events.progress().watch(move || status().to_string());
        let mut games = FleetGames::new(&fleet, &**make_engine);
        Ok(train(run, &mut games, &counters, cancel, Some(&rate), &on_event))
    }

    /// The run's folder, and whether the run continues with the config in it: with `--resume`, or if `--time` has
    /// chosen that config before.
    pub(super) fn folder(&self) -> anyhow::Result<(PathBuf, bool)> {
        if let Some(run) = &self.resume {
            return Ok((run.clone(), true));
        }
        let named = match (&self.config, &self.rules, &self.time) {
            (Some(config), _, _) => run_of(config).map_or_else(|| stem(config), |run| stem(run) + "-again"),
            (None, Some(rules), Some(time)) => {
                let scratch = if self.from_scratch { "-from-scratch" } else { "" };
                format!("{}-{}{scratch}", stem(Path::new(rules)), time.text)
            }
            _ => bail!("expected a config file, --rules R --time TIME, or --resume RUN"),
        };
        let folder = self.run.clone().unwrap_or_else(|| Path::new("runs").join(named));
        let continues = self.time.is_some() && RunFolder(&folder).config().exists();
        Ok((folder, continues))
    }

    /// All changes of the config in the form of `--set`.
    fn changes(&self) -> Vec<String> {
        let device = self.device.map(|device| format!("machine.device={device}"));
        self.overrides.keys.iter().cloned().chain(device).collect()
    }

    /// The config for the run in `folder`.
    fn config(
        &self,
        folder: &Path,
        continues: bool,
        cancel: &CancelToken,
        voice: Voice,
    ) -> anyhow::Result<TrainConfig> {
        let changes = self.changes();
        match (&self.config, &self.rules, &self.time) {
            _ if continues => Ok(TrainConfig::load(&RunFolder(folder).config(), &changes)?),
            (Some(config), _, time) => {
                let (config, run) = load_config(config, &changes)?;
                match time {
                    Some(time) => schedule::fitted(config, run, time, cancel, voice),
                    None => Ok(config),
                }
            }
            (None, Some(rules), Some(time)) => {
                let recipe = schedule::recipe_for(rules, self.from_scratch, time, cancel, voice)?;
                Ok(recipe.with(&changes)?)
            }
            _ => bail!("expected a config file, --rules R --time TIME, or --resume RUN"),
        }
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
