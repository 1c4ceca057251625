//! The nets, players and rules that a command names, and the device of its nets.
//!
//! A net is a model file, a run's folder, or the net that comes with the program, such as in `net:shipped@64`.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use tablut_games::{NamedNetError, SHIPPED, load_net, net_name};
use tablut_learn::{ComputeDevice, DeviceError, TrainConfig};
use tablut_net::{
    DeviceChoice, Engine, EngineOptions, Inference, KnownRules, Model, NetDevice, NetPool, PooledNet, RulesChoice,
    Simd, Weights, choose_rules,
};
use tablut_players::{NamedPlayer, PlayerSpec};
use tablut_rules::Rules;

use crate::console::Voice;

/// Loads the net that `path` names, without a path the shipped one.
pub fn load_model(path: Option<&Path>) -> Result<Model, NamedNetError> {
    load_net(path.unwrap_or(Path::new(SHIPPED)))
}

/// The name of that net in messages.
pub fn model_name(path: Option<&Path>) -> String {
    net_name(path.unwrap_or(Path::new(SHIPPED)))
}

/// Loads the nets that `players` need, to run on `device` or on the cores.
pub fn load_nets<'a>(
    players: impl IntoIterator<Item = &'a PlayerSpec>,
    device: Option<Arc<dyn NetDevice>>,
) -> anyhow::Result<NetPool> {
    let mut nets = NetPool::on(device);
    for player in players {
        if let Some(path) = player.model_file() {
            add_net(&mut nets, path)?;
        }
    }
    Ok(nets)
}

/// Loads another net, unless it is loaded already.
pub fn add_net(nets: &mut NetPool, path: &Path) -> anyhow::Result<Arc<PooledNet>> {
    Ok(nets.get_or_load(path, || load_net(path))?)
}

/// Makes a net from weights. Each thread of self-play has its own.
pub type NetMaker = Box<dyn Fn(&Weights) -> Box<dyn Inference> + Sync>;

/// Makes nets on the cores. A wrong `TABLUT_SIMD` is an error here.
pub fn net_maker() -> anyhow::Result<NetMaker> {
    Simd::from_env()?;
    Ok(Box::new(|weights| Box::new(Engine::new(weights).expect("the instruction set was checked"))))
}

/// Checks everything that a config names: rule sets, starting net, opponents and their nets. A run's folder in `kept` has
/// rule sets.
pub fn check_config(config: &TrainConfig, kept: Option<&Path>) -> anyhow::Result<()> {
    config.load_rules(kept).context("rules")?;
    config.starting_weights().context("start")?;
    let players = parse_players(&config.evaluation.against).context("evaluation.against")?;
    load_nets(players.iter().map(|player| &player.spec), None).context("evaluation.against")?;
    Ok(())
}

/// Loads a rule set by name or file.
pub fn load_rules(name_or_path: &str) -> anyhow::Result<Arc<Rules>> {
    Ok(Arc::new(Rules::load(name_or_path)?))
}

/// Parses players. An error names the invalid one. Two players with the same name are an error.
pub fn parse_players(texts: &[String]) -> anyhow::Result<Vec<NamedPlayer>> {
    let mut players: Vec<NamedPlayer> = Vec::new();
    for text in texts {
        let player: NamedPlayer = text.parse()?;
        if players.iter().any(|known| known.name() == player.name()) {
            bail!("player {} is named twice; NAME=PLAYER gives one of them another name", player.name());
        }
        players.push(player);
    }
    Ok(players)
}

/// Prints the notes about the choice, and returns the rules.
pub fn told(choice: RulesChoice, voice: Voice) -> Arc<Rules> {
    for note in &choice.notes {
        voice.say(format_args!("note: {note}"));
    }
    choice.rules
}

/// The rules for one model: `asked`, or else rules that the net knows. `path` is that of [`load_model`].
pub fn rules_for(asked: Option<&str>, path: Option<&Path>, model: &Model, voice: Voice) -> anyhow::Result<Arc<Rules>> {
    let net = model_name(path);
    Ok(told(choose_rules(asked, &[KnownRules { net: &net, rules: &model.rules }])?, voice))
}

/// The device on which nets run.
#[derive(Copy, Clone, Debug, Default, clap::Args)]
pub struct DeviceArgs {
    /// Device for nets: cpu, gpu:N, or auto (the first GPU if there is one). GPUs need a program built with the feature
    /// `gpu`.
    #[arg(long, value_name = "DEVICE", default_value_t)]
    pub device: DeviceChoice,
}

impl DeviceArgs {
    pub fn open(self) -> Result<ComputeDevice, DeviceError> {
        ComputeDevice::open(self.device)
    }

    /// Opens the device for nets that play. `None` for the cores.
    pub fn net_device(self) -> Result<Option<Arc<dyn NetDevice>>, DeviceError> {
        Ok(self.open()?.net_device())
    }

    /// The net of `weights`, on `n_threads` threads of the cores or on the device.
    pub fn inference(self, weights: &Weights, n_threads: usize) -> anyhow::Result<Box<dyn Inference>> {
        Ok(match self.net_device()? {
            Some(device) => device.open(weights)?,
            None => Box::new(Engine::with_options(weights, EngineOptions { n_threads, ..EngineOptions::default() })?),
        })
    }
}
