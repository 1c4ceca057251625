//! `tablut selfplay CONFIG`: plays the self-play games of a config without learning, and saves them as records.

use std::io::Write as _;
use std::path::PathBuf;

use indicatif::HumanCount;
use tablut_games::{
    CancelToken, Counters, GameOrder, GameSource, GameSourceError, LocalGames, PlayedGames, RecordFile, RunFolder,
    write_records,
};
use tablut_learn::{MachineConfig, TrainConfig};

use crate::console::Console;
use crate::interrupt::{Interrupted, cancelled_by_interrupt};
use crate::nets::{NetMaker, load_model, net_maker};
use crate::outputs::Overwrite;
use crate::progress::Progress;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    games: GamesArgs,
    /// Folder for the records.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Options that select the games.
#[derive(clap::Args)]
pub struct GamesArgs {
    /// The config file, or the folder of a run. The games are those of the last generation in its schedule.
    config: PathBuf,
    /// The model file, or the folder of a run for its newest net [default: the newest net of CONFIG if it is a run's
    /// folder, or else the net that comes with the program].
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Number of games [default: as many as in a generation].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: Option<u32>,
    /// Override a key of the config, such as `selfplay.max_plies=200`; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    keys: Vec<String>,
}

pub struct OrderedGames {
    pub order: GameOrder,
    machine: MachineConfig,
    make_net: NetMaker,
}

impl GamesArgs {
    /// Reads the config, its rules and the net. With `untrained` the net has the config's initial weights.
    pub fn prepare(&self, untrained: bool) -> anyhow::Result<OrderedGames> {
        let run = self.config.is_dir().then_some(self.config.as_path());
        let config = TrainConfig::load(&run.map_or(self.config.clone(), |run| RunFolder(run).config()), &self.keys)?;
        let rules = config.load_rules(run)?;
        let weights = if untrained {
            config.initial_weights()
        } else {
            let newest = run.map(|run| RunFolder(run).newest_net()).transpose()?;
            load_model(self.model.as_deref().or(newest.as_deref()))?.weights
        };
        let make_net = net_maker()?;
        let generation = config.schedule.generations - 1;
        let mut order = config.order(&rules, generation, weights);
        order.games = self.games.map_or(order.games, |games| games as usize);
        Ok(OrderedGames { order, machine: config.machine, make_net })
    }
}

impl OrderedGames {
    /// Plays the games. `on_game` is called after each.
    pub fn play(
        &self,
        counters: &Counters,
        cancel: &CancelToken,
        on_game: &(dyn Fn() + Sync),
    ) -> Result<PlayedGames, GameSourceError> {
        let mut source = LocalGames::new(&*self.make_net, self.machine.concurrency());
        source.collect(&self.order, counters, cancel, &|_| on_game())
    }
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let path = args.out.join("selfplay.games");
    args.overwrite.check(&path)?;
    let games = args.games.prepare(false)?;
    let cancel = cancelled_by_interrupt()?;
    let rules: Vec<&str> = games.order.rules.iter().map(|rules| rules.name()).collect();
    let what = format!("Self-play under the rules {}", rules.join(", "));
    let progress = Progress::new(console.voice, what, "games", 0, games.order.games as u64);
    let played = games.play(&Counters::default(), &cancel, &|| progress.advance());
    drop(progress);
    let played = match played {
        Err(GameSourceError::Stopped) => {
            console.voice.say("Stopped. No games are saved, because not all of them have ended.");
            return Err(Interrupted::now().into());
        }
        played => played?,
    };
    let n_games = HumanCount(played.games.len() as u64);
    let rules = games.order.rules.iter().map(|rules| &**rules);
    write_records(&path, &RecordFile::new(played.evaluations, rules, played.games))?;
    writeln!(console, "{} ({n_games} games, {} evaluations)", path.display(), HumanCount(played.evaluations))?;
    Ok(())
}
